//! Commands that run in the root folder of the workspace and are printed as one would type them, and the packages that
//! several tasks build.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process;

/// Result of a task.
pub(crate) type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The packages of the everyday steps: all except those with a query engine, whose build takes longer than that of all
/// others together.
pub(crate) const ALL: &str =
    "--workspace --exclude xai-datafusion --exclude xai-sql --exclude xai-sql-python";

/// The packages of all steps with `--sql`. All steps use the same selection, because another one has other features and
/// would build nearly everything again.
pub(crate) const WITH_SQL: &str = "--workspace";

/// Returns the selection of packages and features that all tests share, so that they are built once. Together with the
/// features that the programs enable, these are all features of the libraries.
pub(crate) fn together(packages: &str) -> String {
    format!("{packages} --features xai-metrics/approximate,xai-metrics/f32")
}

/// Returns the root folder of the workspace.
pub(crate) fn root() -> &'static Path {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    parent.expect("xtask lies in a folder of the workspace root")
}

/// Returns the folder in which cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A command that runs in the root folder of the workspace.
pub(crate) struct Command(process::Command);

/// Creates a command of the cargo that runs this program, so that a toolchain override applies too.
pub(crate) fn cargo(words: &str) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).words(words)
}

/// Creates a command of a program.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = process::Command::new(program);
    command.current_dir(root());
    // Variables that cargo sets for this program. A build script that reads them (`ring`) would run again, and
    // everything that depends on it be built again, whenever cargo is called once from here and once by a person.
    let describes_xtask = |name: &OsStr| {
        let text = name.to_string_lossy();
        text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_")
    };
    for (name, _) in std::env::vars_os().filter(|(name, _)| describes_xtask(name)) {
        command.env_remove(name);
    }
    Command(command)
}

impl Command {
    pub(crate) fn args(mut self, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.0.args(arguments);
        self
    }

    /// Adds arguments that are separated by spaces.
    pub(crate) fn words(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs the command. It inherits standard output and standard error.
    pub(crate) fn run(mut self) -> Result {
        let line = self.line();
        eprintln!("$ {line}");
        match self.0.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{status}; to repeat it:\n  {line}").into()),
            Err(error) => Err(format!("{line}: {error}").into()),
        }
    }

    /// Runs the command and returns its standard output. It inherits standard error.
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self
            .0
            .stderr(process::Stdio::inherit())
            .output()
            .map_err(|error| format!("{}: {error}", self.line()))?;
        if !output.status.success() {
            return Err(format!("{}: {}", self.line(), output.status).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim().to_owned())
    }

    /// Returns the command as one would type it in the root folder of the workspace.
    fn line(&self) -> String {
        let mut words = Vec::new();
        for (name, value) in self.0.get_envs() {
            // Removed variables have no value.
            let Some(value) = value else { continue };
            words.push(format!(
                "{}={}",
                name.to_string_lossy(),
                quoted(&value.to_string_lossy())
            ));
        }
        let program = Path::new(self.0.get_program());
        let is_cargo = program.file_stem().is_some_and(|name| name == "cargo");
        words.push(if is_cargo {
            "cargo".to_owned()
        } else {
            quoted(&program.to_string_lossy())
        });
        words.extend(
            self.0
                .get_args()
                .map(|word| quoted(&word.to_string_lossy())),
        );
        words.join(" ")
    }
}

/// Quotes a word for a shell if necessary.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@,+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_can_be_typed_as_it_is_printed() {
        let doc = cargo("doc --config").args(["a = 'b'"]);
        assert_eq!(
            doc.env("RUSTDOCFLAGS", "-D warnings").line(),
            r"RUSTDOCFLAGS='-D warnings' cargo doc --config 'a = '\''b'\'''"
        );
    }

    #[test]
    fn a_failure_says_how_to_repeat_it() {
        let error = cargo("no-such-command")
            .run()
            .expect_err("it fails")
            .to_string();
        assert!(
            error.ends_with("; to repeat it:\n  cargo no-such-command"),
            "{error}"
        );
    }
}

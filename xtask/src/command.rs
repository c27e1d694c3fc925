//! Commands that run in the workspace's root, are printed as one would type them, and say how they ended; and what
//! several tasks build alike.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process;

/// Nothing, or what a task says when it fails.
pub(crate) type Result<T = (), E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

/// The packages of the everyday steps: all but those that carry a query engine, whose build takes longer than all others together.
pub(crate) const ALL: &str =
    "--workspace --exclude xai-datafusion --exclude xai-sql --exclude xai-sql-python";

/// The packages of all steps with `--sql`. One selection for all steps: another one has other features, and would build nearly everything again.
pub(crate) const WITH_SQL: &str = "--workspace";

/// What is built once, for the tests and for the browser: with what the programs ask for, these make all
/// features of the libraries. The package for Python has no tests in Rust, and is built by its own tools.
pub(crate) fn together(packages: &str) -> String {
    format!("{packages} --exclude xai-python --features xai-metrics/approximate,xai-metrics/f32")
}

/// The workspace's root folder.
pub(crate) fn root() -> &'static Path {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    parent.expect("xtask lies in a folder of the workspace root")
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    root().join(std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// A command in the workspace's root.
pub(crate) struct Command(process::Command);

/// The cargo that runs us, so that a toolchain override holds here too.
pub(crate) fn cargo(words: &str) -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())).words(words)
}

/// A program.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = process::Command::new(program);
    command.current_dir(root());
    // What cargo says of us to us. A build script (`ring`) that asks for it runs again, and all above is built again, where one
    // has it and a person's own call of cargo has not.
    let of_us = |name: &OsStr| {
        let name = name.to_string_lossy();
        name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
    };
    for (name, _) in std::env::vars_os().filter(|(name, _)| of_us(name)) {
        command.env_remove(name);
    }
    Command(command)
}

impl Command {
    pub(crate) fn args(mut self, arguments: impl IntoIterator<Item: AsRef<OsStr>>) -> Self {
        self.0.args(arguments);
        self
    }

    /// Arguments with spaces between them.
    pub(crate) fn words(self, words: &str) -> Self {
        self.args(words.split_whitespace())
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// Runs it; its output goes where ours goes.
    pub(crate) fn run(mut self) -> Result {
        let line = self.line();
        eprintln!("$ {line}");
        match self.0.status() {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{status}; to repeat it:\n  {line}").into()),
            Err(error) => Err(format!("{line}: {error}").into()),
        }
    }

    /// Runs it and gives what it writes to standard output; its errors go where ours go.
    pub(crate) fn output(mut self) -> Result<String> {
        let answer = self.0.stderr(process::Stdio::inherit()).output();
        let answer = answer.map_err(|error| format!("{}: {error}", self.line()))?;
        match answer.status.success() {
            true => Ok(String::from_utf8(answer.stdout)?.trim().to_owned()),
            false => Err(format!("{}: {}", self.line(), answer.status).into()),
        }
    }

    /// The command as one would type it in the workspace's root.
    fn line(&self) -> String {
        let mut words = Vec::new();
        let set = self.0.get_envs().filter_map(|(name, of)| Some((name, of?)));
        for (name, value) in set {
            let value = value.to_string_lossy();
            words.push(format!("{}={}", name.to_string_lossy(), quoted(&value)));
        }
        let program = Path::new(self.0.get_program());
        let is_cargo = program.file_stem().is_some_and(|name| name == "cargo");
        words.push(match is_cargo {
            true => "cargo".to_owned(),
            false => quoted(&program.to_string_lossy()),
        });
        words.extend(
            self.0
                .get_args()
                .map(|word| quoted(&word.to_string_lossy())),
        );
        words.join(" ")
    }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@,+".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
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

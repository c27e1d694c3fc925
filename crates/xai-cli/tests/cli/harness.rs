//! Runs of `xai` on files of a test's own.

use std::path::PathBuf;
use std::process::{Command, Output};

use ndarray::{Array, Dimension};
use ndarray_npy::WritableElement;
use serde_json::Value;
use tempfile::TempDir;

/// The program.
pub(crate) const XAI: &str = env!("CARGO_BIN_EXE_xai");

/// The path of a file of the sample study.
pub(crate) fn sample(name: &str) -> String {
    format!("{}/sample/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with the files of one test.
pub(crate) struct Files(TempDir);

/// What a command that fails says.
pub(crate) struct Failed {
    /// Everything on standard error.
    pub(crate) text: String,
}

impl Failed {
    /// Whether the first line names this file or option first.
    pub(crate) fn is_about(&self, place: &str) -> bool {
        self.text.starts_with(&format!("error: {place}: "))
    }

    /// The line of help, if there is one.
    pub(crate) fn help(&self) -> Option<&str> {
        self.text
            .lines()
            .find_map(|line| line.strip_prefix("help: "))
    }
}

impl Files {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn array<T: WritableElement, D: Dimension>(&self, name: &str, array: &Array<T, D>) {
        ndarray_npy::write_npy(self.path(name), array).expect("written");
    }

    pub(crate) fn text(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("written");
    }

    pub(crate) fn bytes(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.path(name), bytes).expect("written");
    }

    /// The text of a file that a command wrote.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("read")
    }

    /// Runs `xai` in the folder; arguments are separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        Command::new(XAI)
            .current_dir(self.0.path())
            // A developer's wish for colour is no matter of a test.
            .env_remove("CLICOLOR_FORCE")
            .args(arguments.split_whitespace())
            .output()
            .expect("runs")
    }

    /// The JSON of a command as a report writes it, run by a shell in a folder.
    #[cfg(unix)]
    pub(crate) fn json_of_line(&self, folder: &str, line: &str) -> Value {
        let arguments = line.strip_prefix("xai ").expect("a command of xai");
        let output = Command::new("sh")
            .current_dir(self.path(folder))
            .args(["-c", &format!("'{XAI}' {arguments} --json --quiet")])
            .output()
            .expect("runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}\n{error}");
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }

    fn success(&self, arguments: &str) -> Output {
        let output = self.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments}\n{error}");
        output
    }

    /// The JSON object that a command prints.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let output = self.success(&format!("{arguments} --json"));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }

    /// What a command that succeeds says on standard error.
    pub(crate) fn remarks(&self, arguments: &str) -> String {
        String::from_utf8(self.success(arguments).stderr).expect("text")
    }

    /// The table that a command prints.
    pub(crate) fn table(&self, arguments: &str) -> String {
        String::from_utf8(self.success(arguments).stdout).expect("text")
    }

    /// Runs a command that must end with `code`: one line and, where there is one, the way out;
    /// nothing on standard output, no backtrace.
    pub(crate) fn failure(&self, code: i32, arguments: &str) -> Failed {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{arguments}\n{text}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(!text.contains("panicked"), "{text}");
        if code == 1 {
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines[0].starts_with("error: "), "{text}");
            // Between them the lines of a study that it is about.
            let is_excerpt =
                |line: &&str| line.trim_start().starts_with("-->") || line.contains('|');
            let rest = lines[1..].iter().filter(|line| !is_excerpt(line));
            let rest: Vec<&&str> = rest.collect();
            assert!(
                rest.is_empty() || (rest.len() == 1 && rest[0].starts_with("help: ")),
                "{text}"
            );
        }
        Failed {
            text: text.trim_end().to_owned(),
        }
    }

    /// Runs a command that must find bad data in a file, and name it.
    pub(crate) fn bad_data(&self, file: &str, arguments: &str) -> Failed {
        let failed = self.failure(1, arguments);
        assert!(failed.is_about(file), "{arguments}\n{}", failed.text);
        failed
    }

    /// Runs a command that must be wrong usage of an option, and name it.
    pub(crate) fn wrong_usage(&self, option: &str, arguments: &str) -> Failed {
        let failed = self.failure(2, arguments);
        let first = failed.text.lines().next().unwrap_or_default();
        let words = |c: char| c.is_whitespace() || ":'".contains(c);
        let names_it = first.split(words).any(|word| word == option);
        assert!(names_it, "{arguments}\n{}", failed.text);
        failed
    }
}

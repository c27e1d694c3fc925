//! Helpers that run `xai` in a temporary folder.

use std::path::PathBuf;
use std::process::{Command, Output};

use ndarray::{Array, Dimension};
use ndarray_npy::WritableElement;
use serde_json::Value;
use tempfile::TempDir;

/// Path of the program.
pub(crate) const XAI: &str = env!("CARGO_BIN_EXE_xai");

/// Returns the path of a file of the sample study.
pub(crate) fn sample(name: &str) -> String {
    format!("{}/sample/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Temporary folder with the files of a test.
pub(crate) struct Files(TempDir);

/// Messages of a command that failed.
pub(crate) struct Failed {
    /// Standard error, without the last line break.
    pub(crate) text: String,
}

impl Failed {
    /// Returns `true` if the first line begins with this file or option.
    pub(crate) fn is_about(&self, place: &str) -> bool {
        self.text.starts_with(&format!("error: {place}: "))
    }

    /// Returns the line of help, if there is one.
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

    /// Reads a text file.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("read")
    }

    /// Runs `xai` in the folder; arguments are separated by spaces.
    pub(crate) fn run(&self, arguments: &str) -> Output {
        Command::new(XAI)
            .current_dir(self.0.path())
            // The environment of the developer must not colour messages.
            .env_remove("CLICOLOR_FORCE")
            .args(arguments.split_whitespace())
            .output()
            .expect("runs")
    }

    /// Runs a command line from a report in a shell and returns its JSON.
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

    /// Returns the JSON object that a command prints.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let output = self.success(&format!("{arguments} --json"));
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }

    /// Returns the remarks of a command that succeeds: its standard error.
    pub(crate) fn remarks(&self, arguments: &str) -> String {
        String::from_utf8(self.success(arguments).stderr).expect("text")
    }

    /// Returns the table that a command prints.
    pub(crate) fn table(&self, arguments: &str) -> String {
        String::from_utf8(self.success(arguments).stdout).expect("text")
    }

    /// Runs a command that must fail with `code`. It must print an error line and at most one line of help,
    /// and nothing on standard output.
    pub(crate) fn failure(&self, code: i32, arguments: &str) -> Failed {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{arguments}\n{text}");
        assert!(output.stdout.is_empty(), "{arguments}");
        assert!(!text.contains("panicked"), "{text}");
        if code == 1 {
            let lines: Vec<&str> = text.lines().collect();
            assert!(lines[0].starts_with("error: "), "{text}");
            // Errors about a study have an excerpt between the lines.
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

    /// Runs a command that must fail with an error that names the file.
    pub(crate) fn bad_data(&self, file: &str, arguments: &str) -> Failed {
        let failed = self.failure(1, arguments);
        assert!(failed.is_about(file), "{arguments}\n{}", failed.text);
        failed
    }

    /// Runs a command that must fail with wrong usage and name the option.
    pub(crate) fn wrong_usage(&self, option: &str, arguments: &str) -> Failed {
        let failed = self.failure(2, arguments);
        let first = failed.text.lines().next().unwrap_or_default();
        let words = |c: char| c.is_whitespace() || ":'".contains(c);
        let names_it = first.split(words).any(|word| word == option);
        assert!(names_it, "{arguments}\n{}", failed.text);
        failed
    }
}

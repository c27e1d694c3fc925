//! Runs of `xai` on files of a test's own.

// Each test binary uses some of it.
#![allow(dead_code)]

use std::path::PathBuf;

use assert_cmd::Command;
use ndarray::{Array, Dimension};
use ndarray_npy::WritableElement;
use serde_json::Value;
use tempfile::TempDir;

/// A folder with the files of one test.
pub(crate) struct Files(TempDir);

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

    /// Runs `xai` in the folder; arguments are separated by spaces.
    fn run(&self, arguments: &str) -> std::process::Output {
        Command::cargo_bin("xai")
            .expect("the binary")
            .current_dir(self.0.path())
            .args(arguments.split_whitespace())
            .output()
            .expect("runs")
    }

    /// The JSON object that a command prints.
    pub(crate) fn json(&self, arguments: &str) -> Value {
        let output = self.run(&format!("{arguments} --json"));
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{error}");
        serde_json::from_slice(&output.stdout).expect("one JSON object")
    }

    /// What a command that succeeds says on standard error.
    pub(crate) fn remarks(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success());
        String::from_utf8(output.stderr).expect("text")
    }

    /// The table that a command prints.
    pub(crate) fn table(&self, arguments: &str) -> String {
        let output = self.run(arguments);
        assert!(output.status.success());
        String::from_utf8(output.stdout).expect("text")
    }

    /// What a command that must end with `code` says: one line and, where there is one, the way
    /// out; nothing on standard output, no backtrace.
    pub(crate) fn failure(&self, code: i32, arguments: &str) -> String {
        let output = self.run(arguments);
        let error = String::from_utf8(output.stderr).expect("text");
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(output.stdout.is_empty());
        assert!(!error.contains("panicked"), "{error}");
        if code == 1 {
            let lines: Vec<&str> = error.lines().collect();
            assert!(lines[0].starts_with("error: "), "{error}");
            assert!(
                lines.len() == 1 || (lines.len() == 2 && lines[1].starts_with("help: ")),
                "{error}"
            );
        }
        error.trim_end().to_owned()
    }
}

//! `cargo xtask ci --python`: the package for Python, installed as a user installs it, its tests, and its
//! types.

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the package, in the workspace.
pub(crate) const PACKAGE: &str = "crates/xai-python";

/// The oldest Python, as the package says.
const OLDEST: &str = "import sys; sys.exit(sys.version_info < (3, 10))";

pub(crate) fn run() -> Result {
    let lint = ["clippy", "--package", workspace::PYTHON, "--all-targets"];
    Step::cargo(
        "python-clippy",
        &[&lint[..], &["--", "-D", "warnings"]].concat(),
    )
    .run()?;
    Step::cargo(
        "python-docs",
        &["doc", "--package", workspace::PYTHON, "--no-deps"],
    )
    .env("RUSTDOCFLAGS", "-D warnings")
    .run()?;
    let python = environment()?;
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--force-reinstall",
        "--no-deps",
    ];
    call(
        &python,
        &[&install[..], &[&format!("./{PACKAGE}")]].concat(),
    )?;
    // What the tests need; the package itself is there.
    call(
        &python,
        &[
            "-m",
            "pip",
            "install",
            "--quiet",
            &format!("./{PACKAGE}[test]"),
        ],
    )?;
    tests(&python)?;
    let settings = format!("{PACKAGE}/pyproject.toml");
    call(&python, &["-m", "mypy", "--config-file", &settings])
}

/// The tests of the package and the examples of its documentation, with the package that is installed.
pub(crate) fn tests(python: &Path) -> Result {
    let (settings, tests) = (
        format!("{PACKAGE}/pyproject.toml"),
        format!("{PACKAGE}/tests"),
    );
    let pytest = [
        "-m",
        "pytest",
        "--quiet",
        "-c",
        &settings,
        "--rootdir",
        PACKAGE,
    ];
    call(python, &[&pytest[..], &[&tests]].concat())?;
    let examples = ["--doctest-modules", "--pyargs", "xai_metrics"];
    call(python, &[&pytest[..], &examples].concat())
}

/// An environment of its own, below `target`.
fn environment() -> Result<PathBuf> {
    let folder = workspace::target().join("python");
    let python = folder.join(if cfg!(windows) {
        "Scripts/python.exe"
    } else {
        "bin/python"
    });
    if !python.is_file() {
        let base = PathBuf::from(std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into()));
        call(&base, &["-c", OLDEST]).map_err(|e| {
            format!("{e}; the package needs Python 3.10 or newer: name one by PYTHON")
        })?;
        fs::create_dir_all(&folder)?;
        let folder = folder.to_str().ok_or("the target folder is not UTF-8")?;
        call(&base, &["-m", "venv", folder])?;
    }
    Ok(python)
}

/// Runs Python in the workspace root.
pub(crate) fn call(python: &Path, arguments: &[&str]) -> Result {
    let mut command = Command::new(python);
    command.args(arguments).current_dir(workspace::root());
    let status = command
        .status()
        .map_err(|e| format!("{}: {e}", python.display()))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{} {}: {status}", python.display(), arguments.join(" ")).into())
    }
}

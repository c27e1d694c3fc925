//! `cargo xtask peers --python`: the peers and the package for Python, in turns, in one Python process; and the
//! tests of the package that need the peers, which no other step installs.

use super::environment::{PEERS, scripts};
use crate::outcome::Result;
use crate::python::{PACKAGE, call, tests};

/// Installs the package beside the peers and runs the comparisons of the named families, or all.
pub(super) fn run(families: &[&str], rounds: usize) -> Result {
    let python = PEERS.python()?;
    let package = format!("./{PACKAGE}");
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--force-reinstall",
        "--no-deps",
    ];
    call(&python, &[&install[..], &[&package]].concat())?;
    call(
        &python,
        &[
            "-m",
            "pip",
            "install",
            "--quiet",
            &format!("{package}[test]"),
        ],
    )?;
    tests(&python)?;
    let script = scripts().join("from_python.py");
    let script = script.to_str().ok_or("the workspace is not UTF-8")?;
    call(
        &python,
        &[&[script, &rounds.to_string()], families].concat(),
    )
}

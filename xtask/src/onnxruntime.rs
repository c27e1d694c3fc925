//! `cargo xtask ci onnxruntime`: the command line with ONNX Runtime, on models that only it runs.

use crate::outcome::Result;
use crate::peers::environment::ONNXRUNTIME;
use crate::step::Step;
use std::process::Command;

/// The folder of the library in the Python package.
const FOLDER: &str =
    "import os, onnxruntime as o; print(os.path.join(os.path.dirname(o.__file__), 'capi'))";

pub(crate) fn run() -> Result {
    let python = ONNXRUNTIME.python()?;
    let found = Command::new(python).args(["-c", FOLDER]).output()?;
    if !found.status.success() {
        return Err(String::from_utf8_lossy(&found.stderr).into_owned().into());
    }
    let library = String::from_utf8(found.stdout)?;
    let package = ["--package", "xai-cli", "--features", "onnxruntime"];
    let clippy = [
        &["clippy", "--all-targets"],
        &package[..],
        &["--", "-D", "warnings"],
    ];
    Step::cargo("onnxruntime-clippy", &clippy.concat()).run()?;
    let tests = [&["test", "--test", "onnxruntime"], &package[..]];
    Step::cargo("onnxruntime-tests", &tests.concat())
        .env("ORT_DYLIB_PATH", library.trim())
        .run()?;
    Ok(())
}

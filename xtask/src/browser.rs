//! `cargo xtask ci browser`: the report in a headless browser, as a person meets it.
//!
//! The sample study and a study whose names try to be run are reported on; `xtask/browser` opens both pages
//! in Chromium by its driver and checks them. Where a program is not found the step says so and passes.

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Names that Chromium has on different systems.
const CHROMIUM: &[&str] = &["chromium", "chromium-browser", "google-chrome"];

pub(crate) fn run() -> Result {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let chromium = CHROMIUM.iter().copied().find(|name| answers(name));
    let mut missing = Vec::new();
    missing.extend(chromium.is_none().then_some("chromium"));
    missing.extend((!answers("chromedriver")).then_some("chromedriver"));
    missing.extend((!answers(&python)).then_some("python3"));
    let (Some(chromium), []) = (chromium, &missing[..]) else {
        eprintln!("left out: not found here: {}", missing.join(", "));
        return Ok(());
    };
    Step::cargo("browser-build", &["build", "--package", "xai-cli"]).run()?;
    let folder = workspace::target().join("browser");
    std::fs::create_dir_all(&folder)?;
    let studies = studies(&python, &folder)?;
    let sample = report(&[], &folder.join("sample"), 0)?;
    // One of its sections cannot be computed.
    let hostile = report(&[&studies.join("hostile.toml")], &folder.join("hostile"), 1)?;
    let small = report(&[&studies.join("small.toml")], &folder.join("small"), 0)?;
    let mut check = script(&python, "check_report.py");
    check.arg(sample).arg("--hostile").arg(hostile);
    check.arg("--self-test").arg(small);
    check.args(["--chromium", chromium, "--keep"]);
    succeed(check.arg(folder))
}

/// Whether there is a program of this name that tells its version.
fn answers(program: impl AsRef<std::ffi::OsStr>) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    command.output().is_ok_and(|answer| answer.status.success())
}

/// A script of the folder `xtask/browser`.
fn script(python: &OsString, name: &str) -> Command {
    let mut command = Command::new(python);
    // Without bytecode beside the sources, and with what it prints in order with what we print.
    command.args(["-B", "-u"]);
    command.arg(workspace::root().join("xtask/browser").join(name));
    command
}

/// The folder of the studies to look at besides the sample.
fn studies(python: &OsString, folder: &Path) -> Result<PathBuf> {
    let studies = folder.join("studies");
    let mut make = script(python, "studies.py");
    make.arg(workspace::root().join("crates/xai-cli/sample"));
    succeed(make.arg(&studies))?;
    Ok(studies)
}

/// Makes a report in a folder, and gives the folder; `code` is the exit code that is expected.
fn report(study: &[&PathBuf], folder: &Path, code: i32) -> Result<PathBuf> {
    // What an earlier run made must not be taken for what this one makes.
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    let binary = format!("debug/xai{}", std::env::consts::EXE_SUFFIX);
    let mut command = Command::new(workspace::target().join(binary));
    command.arg("report").args(study).arg("--out").arg(folder);
    let answer = command.output()?;
    if answer.status.code() == Some(code) {
        return Ok(folder.to_owned());
    }
    let said = String::from_utf8_lossy(&answer.stderr);
    Err(format!(
        "{command:?}: {}, not exit code {code}\n{said}",
        answer.status
    )
    .into())
}

fn succeed(command: &mut Command) -> Result {
    let status = command.status().map_err(|e| format!("{command:?}: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {status}").into()),
    }
}

//! `cargo xtask ci browser`: tests of the report page in a headless browser.
//!
//! The tests are in `xtask/browser`. They control Chromium through chromedriver.

use crate::command::{Result, cargo, command, root, target, together};
use crate::python::environment;
use std::path::PathBuf;

/// The last package contains axe-core. Its dependencies are not needed.
const REQUIREMENTS: [&str; 2] = [
    "pytest==9.2.0 pytest-xdist selenium==4.51.0",
    "--no-deps axe-playwright-python==0.1.8",
];

pub(crate) fn run(packages: &str) -> Result {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let chromium = names.iter().find_map(|name| find_program(name));
    let (Some(chromium), Some(driver)) = (chromium, find_program("chromedriver")) else {
        return Err(
            "chromium and chromedriver are needed (Debian: chromium chromium-driver)".into(),
        );
    };
    // Built like the other tests: `cargo build` would select fewer features and build the libraries again.
    cargo(&format!("test {} --test cli --no-run", together(packages))).run()?;
    let binary = format!("debug/xai{}", std::env::consts::EXE_SUFFIX);
    let python = environment("browser", &REQUIREMENTS)?;
    command(python)
        .words("-B -m pytest -p no:cacheprovider --quiet --numprocesses 2 xtask/browser")
        .args(["--xai".into(), target().join(binary)])
        .args(["--sample".into(), root().join("crates/xai-cli/sample")])
        .args(["--basetemp".into(), target().join("browser")])
        .args(["--chromium".into(), chromium])
        .args(["--chromedriver".into(), driver])
        .run()
}

/// Returns the path of a program in the folders of the variable `PATH`.
fn find_program(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| root().join(folder).join(&file));
    files.find(|file| file.is_file())
}

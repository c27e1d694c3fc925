//! `cargo xtask ci browser`: the report in a headless browser, as a person meets it.
//!
//! `xtask/browser` has the tests; they drive Chromium through chromedriver.

use crate::command::{Result, cargo, command, root, target, together};
use crate::python::environment;
use std::path::PathBuf;

/// The last of them carries axe-core; what it depends on is not needed.
const REQUIREMENTS: [&str; 2] = [
    "pytest==9.2.0 selenium==4.51.0",
    "--no-deps axe-playwright-python==0.1.8",
];

pub(crate) fn run(packages: &str) -> Result {
    let chromium = ["chromium", "chromium-browser", "google-chrome"];
    let chromium = chromium.iter().find_map(|name| found(name));
    let (Some(chromium), Some(driver)) = (chromium, found("chromedriver")) else {
        return Err(
            "chromium and chromedriver are needed (Debian: chromium chromium-driver)".into(),
        );
    };
    // As the other tests built it: `cargo build` leaves out what only tests ask of the libraries, and builds them again.
    cargo(&format!("test {} --test cli --no-run", together(packages))).run()?;
    let binary = format!("debug/xai{}", std::env::consts::EXE_SUFFIX);
    let python = environment("browser", &REQUIREMENTS)?;
    command(python)
        .words("-B -m pytest -p no:cacheprovider --quiet xtask/browser")
        .args(["--xai".into(), target().join(binary)])
        .args(["--sample".into(), root().join("crates/xai-cli/sample")])
        .args(["--basetemp".into(), target().join("browser")])
        .args(["--chromium".into(), chromium])
        .args(["--chromedriver".into(), driver])
        .run()
}

/// Where a program is, in the folders that the system looks in.
fn found(program: &str) -> Option<PathBuf> {
    let file = format!("{program}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| root().join(folder).join(&file));
    files.find(|file| file.is_file())
}

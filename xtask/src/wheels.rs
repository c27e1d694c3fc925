//! `cargo xtask wheels [--dev]`: the package for Python as it is published, in `target/wheels`, and its tests on the wheel.
//!
//! Wheels of Linux are linked by zig against the C library of manylinux, those of other systems are made by
//! `.github/workflows/wheels.yml`. The wheel of this processor is installed in an empty environment, where the tests run
//! without the sources of the package.

use crate::command::{Result, command, target};
use crate::python::{CONSTRAINTS, environment, pip, test_installed};
use std::fs;

const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

pub(crate) fn run(arguments: &[&str]) -> Result {
    // Optimised as it is published, a wheel takes an hour on two cores; `--dev` tries all but the optimisation.
    let profile = match arguments {
        [] => "dist",
        ["--dev"] => "dev",
        _ => return Err("cargo xtask wheels [--dev]".into()),
    };
    let out = target().join("wheels");
    let _ = fs::remove_dir_all(&out); // of an earlier run
    let tools = environment("wheels", &["maturin>=1.8,<2 ziglang"])?;
    // maturin finds zig as a module of the Python that is first on the path.
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", tools.with_file_name("").display());
    let maturin = |task: &str| {
        command(tools.with_file_name("maturin"))
            .words(task)
            .words("--manifest-path crates/xai-python/Cargo.toml --out")
            .args([&out])
            .env("PATH", &path)
    };
    for of in TARGETS {
        maturin("build --locked --zig --compatibility manylinux_2_28")
            .words(&format!("--target {of} --profile {profile}"))
            .run()?;
    }
    maturin("sdist").run()?;

    let empty = target().join("python/wheel");
    let _ = fs::remove_dir_all(&empty);
    let python = environment("wheel", &[])?;
    let wheel = fs::read_dir(&out)?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            path.to_string_lossy()
                .ends_with(&format!("_{}.whl", std::env::consts::ARCH))
        })
        .ok_or("no wheel of this processor")?;
    pip(&python)
        .args([format!("{}[test]", wheel.display())])
        .env("PIP_CONSTRAINT", CONSTRAINTS)
        .run()?;
    test_installed(&python)
}

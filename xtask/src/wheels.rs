//! `cargo xtask wheels [--dev] [--sql]`: the package for Python as it is published, in `target/wheels`, and its tests on the wheel; with
//! `--sql` the package of the SQL functions, whose tests are those of `cargo xtask ci scale-python`.
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
    let (arguments, of_sql) = match arguments {
        [rest @ .., "--sql"] => (rest, true),
        all => (all, false),
    };
    let profile = match arguments {
        [] => "dist",
        ["--dev"] => "dev",
        _ => return Err("cargo xtask wheels [--dev] [--sql]".into()),
    };
    let manifest = match of_sql {
        true => "crates/xai-sql-python/Cargo.toml",
        false => "crates/xai-python/Cargo.toml",
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
            .args(["--manifest-path", manifest, "--out"])
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
    let extra = if of_sql { "" } else { "[test]" };
    pip(&python)
        .args([format!("{}{extra}", wheel.display())])
        .env("PIP_CONSTRAINT", CONSTRAINTS)
        .run()?;
    match of_sql {
        true => {
            let called = "import xai_metrics_sql; print(xai_metrics_sql.functions()[0].name)";
            command(&python).args(["-c", called]).run()
        }
        false => test_installed(&python),
    }
}

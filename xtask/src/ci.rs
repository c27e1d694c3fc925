//! `cargo xtask ci`: everything a change must pass.
//!
//! Cheap steps come first. Clippy and rustdoc share one set of checked dependencies, all tests one
//! set of built ones, so the heavy dependency of the command line (the ONNX engine) is checked once
//! and compiled once. A library's tests run alone, without features and with all of them, and not
//! a third time with the workspace: each test binary costs seconds to build.

use crate::step::Step;
use crate::{Result, workspace};
use std::time::Duration;

pub(crate) fn run(arguments: &[String]) -> Result {
    let mut steps = steps();
    if let Some(unknown) = arguments
        .iter()
        .find(|a| steps.iter().all(|s| s.name != **a))
    {
        let names: Vec<&str> = steps.iter().map(|s| s.name.as_str()).collect();
        return Err(format!("no step {unknown}; there are: {}", names.join(", ")).into());
    }
    if !arguments.is_empty() {
        steps.retain(|s| arguments.contains(&s.name));
    }
    let mut times = Vec::new();
    for step in &steps {
        times.push(step.run()?);
    }
    let width = steps.iter().map(|s| s.name.len()).max().unwrap_or(0);
    eprintln!("\nAll passed:");
    for (step, took) in steps.iter().zip(&times) {
        eprintln!("  {:width$} {:7.1} s", step.name, took.as_secs_f64());
    }
    let total: Duration = times.iter().sum();
    eprintln!("  {:width$} {:7.1} s", "total", total.as_secs_f64());
    Ok(())
}

fn steps() -> Vec<Step> {
    let mut steps = vec![
        Step::new("fmt", &["fmt", "--all", "--check"]),
        Step::new(
            "clippy",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ],
        ),
        Step::new("docs", &["doc", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"),
    ];
    // Alone, so that no neighbour's features hide a missing one.
    for (label, flag) in [
        ("bare", "--no-default-features"),
        ("full", "--all-features"),
    ] {
        for name in workspace::LIBRARIES {
            steps.push(Step::new(
                format!("{name}-{label}"),
                &["test", "--package", name, flag],
            ));
        }
    }
    // The libraries' own tests have just run, twice; what is left is what stands on them.
    let mut rest = vec!["test", "--workspace"];
    for name in workspace::LIBRARIES {
        rest.extend(["--exclude", name]);
    }
    steps.push(Step::new("rest", &rest));
    steps
}

//! `cargo xtask ci`: everything a change must pass.
//!
//! Cheap steps come first. Clippy and rustdoc share one set of checked dependencies, all tests one
//! set of built ones, so the heavy dependency of the command line (the ONNX engine) is checked once
//! and compiled once. A library is checked alone without features, and its tests run together with all of
//! them and not a second time with the workspace: each test binary costs seconds to build.
//!
//! `--all` adds the steps that take longer or need more than a Rust toolchain: the tests of each library
//! without its features, too. `--python` adds the package for Python, `--scale` the crates that carry a query
//! engine; no other step builds them: who has no Python, or an old one, needs none.

use crate::outcome::Result;
use crate::step::Step;
use crate::{
    architecture, browser, format, metrics, onnxruntime, package, python, scale, workspace,
};
use std::time::Duration;

pub(crate) fn run(arguments: &[String]) -> Result {
    let steps = chosen(arguments)?;
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

/// The everyday steps; with `--all`, `--python` and `--scale` those that need more, too; or only the named ones of all.
fn chosen(arguments: &[String]) -> Result<Vec<Step>> {
    let (options, names): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|a| a.starts_with("--"));
    let known = ["--all", "--python", "--scale"];
    if let Some(unknown) = options.iter().find(|o| !known.contains(&o.as_str())) {
        return Err(format!("unknown option {unknown}; there are {}", known.join(", ")).into());
    }
    let is_asked = |option: &str| !names.is_empty() || options.iter().any(|o| *o == option);
    let mut steps = everyday();
    if is_asked("--all") {
        steps.extend(demanding());
    }
    if is_asked("--python") {
        steps.push(Step::task("python", "ci python", python::run));
    }
    if is_asked("--scale") {
        steps.extend(scale::steps());
    }
    if let Some(unknown) = names.iter().find(|a| steps.iter().all(|s| s.name != ***a)) {
        let names: Vec<&str> = steps.iter().map(|s| s.name.as_str()).collect();
        return Err(format!("no step {unknown}; there are: {}", names.join(", ")).into());
    }
    if !names.is_empty() {
        steps.retain(|s| names.contains(&&s.name));
    }
    Ok(steps)
}

/// The steps that take long or need more than a Rust toolchain: one line per step.
fn demanding() -> Vec<Step> {
    let mut steps = Vec::new();
    // The results are the same without threads. Examples of the documentation run once, with all features.
    for name in workspace::LIBRARIES {
        let bare = ["test", "--package", name, "--no-default-features"];
        steps.push(Step::cargo(
            format!("{name}-sequential"),
            &[&bare[..], &["--lib", "--tests"]].concat(),
        ));
    }
    steps.push(Step::task(
        "onnxruntime",
        "ci onnxruntime",
        onnxruntime::run,
    ));
    steps.push(Step::task("browser", "ci browser", browser::run));
    steps.push(Step::task("package", "package", || package::run(&[])));
    steps
}

/// The workspace but for what has steps of its own.
fn everyday_packages() -> Vec<&'static str> {
    let mut packages = vec!["--workspace"];
    for name in workspace::SCALE.into_iter().chain([workspace::PYTHON]) {
        packages.extend(["--exclude", name]);
    }
    packages
}

/// The steps that need nothing but a Rust toolchain.
fn everyday() -> Vec<Step> {
    let mut steps = vec![
        Step::task("fmt", "ci fmt", format::check),
        Step::task("architecture", "ci architecture", architecture::run),
        Step::cargo(
            "clippy",
            &[
                &["clippy"][..],
                &everyday_packages(),
                &["--all-targets", "--", "-D", "warnings"],
            ]
            .concat(),
        ),
        Step::cargo(
            "docs",
            &[&["doc"][..], &everyday_packages(), &["--no-deps"]].concat(),
        )
        .env("RUSTDOCFLAGS", "-D warnings"),
    ];
    // Alone, so that no other crate's features hide a missing one.
    for name in workspace::LIBRARIES {
        let bare = ["clippy", "--package", name, "--no-default-features"];
        let strict = ["--all-targets", "--", "-D", "warnings"];
        steps.push(Step::cargo(
            format!("{name}-bare"),
            &[&bare[..], &strict].concat(),
        ));
    }
    // Together: with all features each is built once, and there is no feature left to miss.
    let mut full = vec!["test", "--all-features"];
    for name in workspace::LIBRARIES {
        full.extend(["--package", name]);
    }
    steps.push(Step::cargo("libraries-full", &full));
    // After the tests of the facade with all features, which have just built the generator.
    steps.push(Step::task("metrics", "ci metrics", metrics::check));
    // The libraries' own tests have run by now; these are the tests of what depends on them.
    let mut rest = [&["test"][..], &everyday_packages()].concat();
    for name in workspace::LIBRARIES {
        rest.extend(["--exclude", name]);
    }
    steps.push(Step::cargo("rest", &rest));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<String>> {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        Ok(chosen(&arguments)?.into_iter().map(|s| s.name).collect())
    }

    #[test]
    fn all_is_the_everyday_steps_and_then_the_demanding_ones() {
        let everyday = names(&[]).expect("steps");
        let all = names(&["--all"]).expect("steps");
        let python = names(&["--python"]).expect("steps");
        assert_eq!(python, [&everyday[..], &["python".to_owned()]].concat());
        let scale = names(&["--scale"]).expect("steps");
        let added = ["scale-clippy", "scale-docs", "scale-tests"].map(str::to_owned);
        assert_eq!(scale, [&everyday[..], &added].concat());
        assert_eq!(everyday[..3], ["fmt", "architecture", "clippy"]);
        assert_eq!(all[..everyday.len()], everyday);
        assert_eq!(all[all.len() - 3..], ["onnxruntime", "browser", "package"]);
        assert!(all[everyday.len()..].contains(&"xai-core-sequential".to_owned()));
    }

    #[test]
    fn a_named_step_is_found_among_all() {
        assert_eq!(
            names(&["package", "fmt"]).expect("steps"),
            ["fmt", "package"]
        );
        assert!(names(&["fnt"]).is_err());
        assert!(names(&["--al"]).is_err());
    }
}

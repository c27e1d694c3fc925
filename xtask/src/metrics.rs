//! `cargo xtask metrics`: the tables of metrics, `crates/*/METRICS.md`, from the registries.
//!
//! The generator is the example `metric_tables` of the facade, which sees every family's registry
//! and writes below the folder it is started in. To write, it is started in the workspace's root; to
//! check, in a folder below the target folder, and the tables are compared.

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const GENERATOR: &str = "crates/xai-metrics/examples/metric_tables";

/// Writes the tables.
pub(crate) fn run(arguments: &[String]) -> Result {
    if let Some(unknown) = arguments.first() {
        return Err(format!("metrics takes no arguments, got {unknown}").into());
    }
    if !generator_exists() {
        return Err(format!("there is no generator at {GENERATOR}.rs").into());
    }
    generate(workspace::root())
}

/// Fails where a table is out of date; passes where there is no generator.
pub(crate) fn check() -> Result {
    if !generator_exists() {
        eprintln!("skipped: there is no generator at {GENERATOR}.rs");
        return Ok(());
    }
    let scratch = workspace::target().join("metric-tables");
    if scratch.is_dir() {
        fs::remove_dir_all(&scratch)?;
    }
    for name in workspace::published() {
        fs::create_dir_all(scratch.join("crates").join(name))?;
    }
    generate(&scratch)?;
    let outdated = outdated(workspace::root(), &scratch);
    if outdated.is_empty() {
        Ok(())
    } else {
        let tables = outdated.join(", ");
        Err(format!("out of date: {tables}; `cargo xtask metrics` writes them").into())
    }
}

fn generator_exists() -> bool {
    let path = workspace::root().join(GENERATOR);
    path.with_extension("rs").is_file() || path.join("main.rs").is_file()
}

/// Writes the tables below a folder.
fn generate(folder: &Path) -> Result {
    // With the features that the tests of the libraries have just built it with.
    let mut build = vec!["build", "--quiet", "--all-features"];
    for name in workspace::LIBRARIES {
        build.extend(["--package", name]);
    }
    build.extend(["--example", "metric_tables"]);
    Step::cargo("metric tables", &build).run()?;
    let name = format!("metric_tables{}", std::env::consts::EXE_SUFFIX);
    let generator = workspace::target().join("debug/examples").join(name);
    let status = Command::new(&generator)
        .arg("--write")
        .current_dir(folder)
        .status()
        .map_err(|e| format!("{}: {e}", generator.display()))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{}: {status}", generator.display()).into()),
    }
}

/// The tables of published crates that are not the same below two folders.
fn outdated(root: &Path, expected: &Path) -> Vec<String> {
    let tables = workspace::published().map(|name| format!("crates/{name}/METRICS.md"));
    let read = |path: PathBuf| fs::read_to_string(path).ok();
    tables
        .filter(|table| read(root.join(table)) != read(expected.join(table)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_differs_or_is_missing_or_nobody_writes_is_out_of_date() {
        let folder = workspace::target().join("xtask-tests/metrics");
        let (root, expected) = (folder.join("root"), folder.join("expected"));
        let write = |folder: &Path, name: &str, table: &str| {
            let folder = folder.join("crates").join(name);
            fs::create_dir_all(&folder).expect("made");
            fs::write(folder.join("METRICS.md"), table).expect("written");
        };
        write(&root, "xai-core", "nobody writes it");
        write(&expected, "xai-casebased", "missing");
        for (folder, table) in [(&root, "old"), (&expected, "new")] {
            write(folder, "xai-graph", table);
            write(folder, "xai-repro", "same");
        }
        assert_eq!(
            outdated(&root, &expected),
            [
                "crates/xai-core/METRICS.md",
                "crates/xai-casebased/METRICS.md",
                "crates/xai-graph/METRICS.md"
            ]
        );
    }
}

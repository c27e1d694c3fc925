//! `cargo xtask ci adapters`: the examples for models of other libraries, which are a workspace of their own.

use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::PathBuf;

use crate::command::{Result, cargo, command, root};
use crate::python;

const FOLDER: &str = "examples/adapters";

/// Builds all examples and runs each of them, which checks its results.
pub(crate) fn run() -> Result {
    let workspace = ["--manifest-path", "examples/adapters/Cargo.toml"];
    cargo("fmt --all --check").args(workspace).run()?;
    let build = cargo("build --locked --workspace").args(workspace);
    build.run()?;
    let own = PathBuf::from(FOLDER).join("target");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(own, PathBuf::from);
    let library = match std::env::var("ORT_DYLIB_PATH") {
        Ok(library) => library,
        Err(_) => python::onnxruntime_library()?,
    };
    for name in names()? {
        let program = target.join(format!("debug/{name}-example{EXE_SUFFIX}"));
        let program = command(root().join(program));
        program.env("ORT_DYLIB_PATH", &library).run()?;
    }
    Ok(())
}

/// Names of the libraries, in alphabetical order.
fn names() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join(FOLDER))? {
        let entry = entry?;
        if entry.path().join("Cargo.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pages that show adapters.
    const PAGES: [&str; 3] = ["xai-attribution", "xai-casebased", "xai-graph"];

    fn programs() -> Vec<String> {
        let read = |name: String| {
            let path = root().join(FOLDER).join(name).join("src/main.rs");
            fs::read_to_string(path).expect("an example has a program")
        };
        names().expect("a folder").into_iter().map(read).collect()
    }

    #[test]
    fn every_adapter_has_at_most_14_lines() {
        for program in programs() {
            let (_, rest) = program.split_once("// Adapter\n").expect("a first line");
            let (adapter, _) = rest.split_once("// End of the adapter").expect("an end");
            let n_lines = adapter.lines().count() - 1;
            assert!((5..=14).contains(&n_lines), "{n_lines} lines:\n{adapter}");
        }
    }

    #[test]
    fn adapters_on_front_pages_are_those_of_the_examples() {
        let programs = programs();
        for page in PAGES {
            let path = root().join("crates").join(page).join("src/lib.rs");
            let text = fs::read_to_string(path).expect("a crate has a front page");
            let blocks = text.split("//! ```ignore\n").skip(1);
            let lines =
                blocks.flat_map(|block| block.lines().take_while(|&line| line != "//! ```"));
            let code = lines.map(|line| line.trim_start_matches("//!").trim());
            let code: Vec<&str> = code.filter(|line| !line.starts_with("//")).collect();
            assert!(code.len() > 4, "{page} shows no adapter");
            for line in code {
                let is_of_example = programs.iter().any(|program| program.contains(line));
                assert!(is_of_example, "{page}: no example has the line {line}");
            }
        }
    }
}

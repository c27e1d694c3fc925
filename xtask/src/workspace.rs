//! Where the workspace is and which crates it publishes.

use std::path::{Path, PathBuf};

/// The library crates, each after those it depends on.
pub(crate) const LIBRARIES: &[&str] = &[
    "xai-core",
    "xai-casebased",
    "xai-attribution",
    "xai-graph",
    "xai-repro",
    "xai-files",
    "xai-metrics",
];

/// The metric families, each a crate `xai-FAMILY`, a feature of the benches and a table of the peers.
pub(crate) const FAMILIES: [&str; 4] = ["casebased", "attribution", "graph", "repro"];

/// Every crate that is published, in an order in which it can be.
pub(crate) fn published() -> impl Iterator<Item = &'static str> {
    LIBRARIES.iter().copied().chain(["xai-cli"])
}

/// The package for Python: it is published as a distribution of Python, not as a crate.
pub(crate) const PYTHON: &str = "xai-python";

/// The metrics in a query engine, and the command line of its cluster. They are built and tested by steps of their own.
pub(crate) const SCALE: [&str; 2] = ["xai-datafusion", "xai-scale"];

/// The workspace's root folder.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask lies in a folder of the workspace root")
}

/// Where cargo builds.
pub(crate) fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_crates_is_the_folder_of_crates() {
        let mut folders: Vec<String> = std::fs::read_dir(root().join("crates"))
            .expect("a crates folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("utf-8")
            })
            .collect();
        folders.sort();
        let mut listed: Vec<&str> = published().chain([PYTHON]).chain(SCALE).collect();
        listed.sort_unstable();
        assert_eq!(folders, listed);
    }
}

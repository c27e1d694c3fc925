//! `cargo xtask api [--write]`: the public interface of each library, held against the listing that is kept beside it.
//!
//! The listing is made from the JSON that rustdoc writes, which is no stable output: the variable lets this toolchain write
//! it, and `public-api`, pinned in `Cargo.toml`, reads the format of one range of toolchains.

use crate::command::{Result, cargo, target};

/// The libraries, but the one over a query engine, whose dependencies take minutes.
const LIBRARIES: [&str; 9] = [
    "xai-derive",
    "xai-core",
    "xai-casebased",
    "xai-attribution",
    "xai-graph",
    "xai-repro",
    "xai-metrics",
    "xai-report",
    "xai-files",
];

pub(crate) fn run(arguments: &[&str]) -> Result {
    if !matches!(arguments, [] | ["--write"]) {
        return Err("cargo xtask api [--write]".into());
    }
    // Apart: the variable is read by scripts of other crates, which would be built again for each other task.
    let folder = target().join("api");
    cargo("doc --no-deps --lib --all-features")
        .args(LIBRARIES.map(|name| format!("--package={name}")))
        .args(["--target-dir".as_ref(), folder.as_os_str()])
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTDOCFLAGS", "-Z unstable-options --output-format json")
        .run()?;
    let mut failed = Vec::new();
    for name in LIBRARIES {
        let json = folder.join(format!("doc/{}.json", name.replace('-', "_")));
        let list = cargo("run --quiet --package xtask --features api --example public_api --")
            .args([json])
            .args([format!("crates/{name}/public-api.txt")])
            .args(arguments);
        failed.extend(list.run().err());
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err("the listings above differ".into()),
    }
}

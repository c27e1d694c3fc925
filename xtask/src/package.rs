//! `cargo xtask package`: what publishing would upload, before anything is published.
//!
//! Cargo packages all crates at once, resolves those that no registry has yet against each other, and builds each from its
//! unpacked archive. It unpacks them as if from a registry, and takes for granted that what a registry holds under one
//! version never changes. So each run has a target folder of its own, which makes it another registry.

use crate::command::{Result, UNOPTIMISED, cargo, target};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What is published in another way, or not at all.
const APART: [&str; 5] = [
    "xai-python",
    "xai-datafusion",
    "xai-scale",
    "xai-benches",
    "xtask",
];

/// The public registry refuses archives above 10 MiB.
const LARGEST: u64 = 10 << 20;

pub(crate) fn run() -> Result {
    let target = target().join(format!("packaging-{}", std::process::id()));
    cargo("fetch --locked --target host-tuple").run()?;
    // Offline: the archives are built with the versions of the lock file, and are not run.
    let packaged = cargo("package --offline --allow-dirty --workspace")
        .args(UNOPTIMISED)
        .args([OsStr::new("--target-dir"), target.as_os_str()])
        .args(APART.map(|name| format!("--exclude={name}")))
        .run();
    let faults = packaged.and_then(|()| faults(&target.join("package")));
    forget(&target)?;
    match faults?.as_slice() {
        [] => Ok(()),
        faults => Err(format!("not ready to be published:\n  {}", faults.join("\n  ")).into()),
    }
}

/// What a registry, or a reader of its pages, would object to; prints the size of each archive.
fn faults(folder: &Path) -> Result<Vec<String>> {
    let mut faults = Vec::new();
    let archives = entries(folder)?.into_iter();
    for archive in archives.filter(|path| path.extension().is_some_and(|kind| kind == "crate")) {
        let bytes = fs::metadata(&archive)?.len();
        // Beside it is what was unpacked to be built.
        let unpacked = archive.with_extension("");
        let name = unpacked.file_name().unwrap_or_default().to_string_lossy();
        println!("{name:24} {:6} KiB", bytes.div_ceil(1024));
        let large = (bytes > LARGEST).then(|| format!("{bytes} bytes, at most {LARGEST}"));
        let manifest = fs::read_to_string(unpacked.join("Cargo.toml"))?;
        let files = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"].into_iter();
        let files = files.filter(|file| !unpacked.join(file).is_file());
        let all = missing(&manifest)
            .chain(files.map(|file| format!("no {file}")))
            .chain(large);
        faults.extend(all.map(|fault| format!("{name}: {fault}")));
    }
    Ok(faults)
}

/// The keys that a manifest lacks, as cargo wrote it into the archive: nothing is inherited, a line for each key.
fn missing(manifest: &str) -> impl Iterator<Item = String> {
    let package = manifest
        .split("\n[")
        .find(|table| table.contains("package]\n"));
    let package = package.unwrap_or_default();
    let keys = "description license repository readme keywords categories rust-version".split(' ');
    let has = move |key: &str| {
        let value = package
            .lines()
            .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = "));
        value.is_some_and(|value| !["false", "\"\""].contains(&value))
    };
    keys.filter(move |key| !has(key))
        .map(|key| format!("no {key}"))
}

/// Removes what a run built, and what cargo unpacked for it: a registry in a folder has no host in its name.
fn forget(target: &Path) -> Result {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.unwrap_or_default().join("registry/src");
    for registry in entries(&sources).unwrap_or_default() {
        let begins = |path: &Path, with: &str| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(with)
        };
        let is_ours = entries(&registry)?.iter().all(|path| begins(path, "xai-"));
        if begins(&registry, "-") && is_ours {
            fs::remove_dir_all(registry)?;
        }
    }
    Ok(fs::remove_dir_all(target)?)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    Ok(entries.collect::<std::io::Result<_>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_key_is_named() {
        let manifest = "# written by cargo\n[package]\nname = \"a\"\ndescription = \"\"\nlicense = \"MIT\"\n\
                        readme = false\nkeywords = [\nrust-version = \"1.91\"\n\n\
                        [dependencies]\nrepository = \"not here\"\n";
        let missing: Vec<String> = missing(manifest).collect();
        assert_eq!(
            missing,
            [
                "no description",
                "no repository",
                "no readme",
                "no categories"
            ]
        );
    }
}

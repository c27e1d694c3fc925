//! `cargo xtask package`: what publishing would upload, before anything is published.
//!
//! Cargo packages the whole workspace at once, resolves members that no registry knows yet against
//! each other, and builds every crate from its unpacked archive. Then each archive's own manifest
//! and list of files are looked at.

use crate::step::{Step, cargo};
use crate::{Result, workspace};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a registry refuses above.
const LARGEST: u64 = 10 << 20;

pub(crate) fn run(arguments: &[String]) -> Result {
    if let Some(unknown) = arguments.first() {
        return Err(format!("package takes no arguments, got {unknown}").into());
    }
    let version = version()?;
    let target = workspace::target().join("packaging");
    forget_earlier_runs(&target, &version)?;
    let target_text = target.display().to_string();
    let mut command = vec!["package", "--allow-dirty", "--target-dir", &target_text];
    for name in workspace::published() {
        command.extend(["--package", name]);
    }
    Step::new("package", &command).run()?;

    let mut faults = Vec::new();
    for name in workspace::published() {
        let files = list(name)?;
        let package = target.join("package");
        let archive = package.join(format!("{name}-{version}.crate"));
        // Cargo unpacked it beside, to build it.
        let unpacked = package.join(format!("{name}-{version}"));
        let manifest = fs::read_to_string(unpacked.join("Cargo.toml"))?;
        for fault in missing(&manifest, &files) {
            faults.push(format!("{name}: {fault}"));
        }
        let size = fs::metadata(&archive)?.len();
        if size > LARGEST {
            faults.push(format!(
                "{name}: {size} bytes, at most {LARGEST} can be published"
            ));
        }
        println!(
            "{name:16} {:4} files {:6} KiB",
            files.len(),
            size.div_ceil(1024)
        );
    }
    if faults.is_empty() {
        println!("ready to be published, in this order");
        Ok(())
    } else {
        Err(format!("not ready to be published:\n  {}", faults.join("\n  ")).into())
    }
}

/// The files of a crate's archive.
fn list(name: &str) -> Result<Vec<String>> {
    let output = Command::new(cargo())
        .args(["package", "--list", "--allow-dirty", "--package", name])
        .current_dir(workspace::root())
        .output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr)
            .trim()
            .to_owned()
            .into());
    }
    Ok(String::from_utf8(output.stdout)?
        .lines()
        .map(str::to_owned)
        .collect())
}

/// The version that every crate has.
fn version() -> Result<String> {
    let manifest = fs::read_to_string(workspace::root().join("Cargo.toml"))?;
    let version = manifest
        .lines()
        .skip_while(|line| *line != "[workspace.package]")
        .find_map(|line| line.strip_prefix("version = "))
        .ok_or("Cargo.toml: no version in [workspace.package]")?;
    Ok(version.trim_matches('"').to_owned())
}

/// Removes what an earlier run left of our own crates, so that this one builds what it packaged.
///
/// While it packages, cargo serves the members to each other from a registry in the target folder.
/// It believes that what a registry holds under one version never changes, and would build the
/// unpacked sources and the libraries of last time. Everybody else's stay, they never do change.
fn forget_earlier_runs(target: &Path, version: &str) -> Result {
    let package = target.join("package");
    if package.is_dir() {
        fs::remove_dir_all(package)?;
    }
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.ok_or("no home folder")?.join("registry/src");
    for name in workspace::published() {
        for fingerprint in entries(&target.join("debug/.fingerprint"))? {
            if starts_with(&fingerprint, &format!("{name}-")) {
                fs::remove_dir_all(fingerprint)?;
            }
        }
        for registry in entries(&sources)? {
            // A registry in a folder has no host, so its name is a dash and a hash.
            let unpacked = registry.join(format!("{name}-{version}"));
            if starts_with(&registry, "-") && unpacked.is_dir() {
                fs::remove_dir_all(unpacked)?;
            }
        }
    }
    Ok(())
}

/// What a folder holds; nothing where there is none.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

fn starts_with(path: &Path, start: &str) -> bool {
    path.file_name()
        .is_some_and(|name| name.to_string_lossy().starts_with(start))
}

/// What a published crate should have and this one has not.
///
/// The manifest is the one that cargo wrote into the archive, where nothing is inherited any more
/// and each key has a line of its own.
fn missing(manifest: &str, files: &[String]) -> Vec<String> {
    let package: Vec<&str> = manifest
        .lines()
        .skip_while(|line| *line != "[package]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .collect();
    let keys = [
        "description",
        "license",
        "repository",
        "readme",
        "keywords",
        "categories",
        "rust-version",
    ];
    let mut faults = Vec::new();
    for key in keys {
        if !package.iter().any(|line| has_value(line, key)) {
            faults.push(format!("no {key}"));
        }
    }
    for file in ["README.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        if !files.iter().any(|f| f == file) {
            faults.push(format!("no {file} in the archive"));
        }
    }
    for file in files {
        if file.starts_with("target/") || file.ends_with(".profraw") {
            faults.push(format!("{file} does not belong in the archive"));
        }
    }
    faults
}

/// Whether a line gives a key a value: `readme = false` does not.
fn has_value(line: &str, key: &str) -> bool {
    line.split_once(" = ")
        .is_some_and(|(name, value)| name == key && value != "false" && value != "\"\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_key_and_file_is_named() {
        let manifest = "[package]\nname = \"a\"\ndescription = \"\"\nlicense = \"MIT\"\n\
                        readme = false\nkeywords = [\nrust-version = \"1.91\"\n\n\
                        [dependencies]\nrepository = \"not here\"\n";
        let files = ["Cargo.toml", "LICENSE-MIT", "target/x"].map(str::to_owned);
        assert_eq!(
            missing(manifest, &files),
            [
                "no description",
                "no repository",
                "no readme",
                "no categories",
                "no README.md in the archive",
                "no LICENSE-APACHE in the archive",
                "target/x does not belong in the archive",
            ]
        );
    }
}

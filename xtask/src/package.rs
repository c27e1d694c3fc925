//! `cargo xtask package`: what publishing would upload, before anything is published.
//!
//! Cargo packages the whole workspace at once, resolves members that no registry knows yet against
//! each other, and builds every crate from its unpacked archive. Then each archive's own manifest
//! and list of files are looked at.

use crate::step::{Step, cargo};
use crate::{Result, workspace};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// What a registry refuses above.
const LARGEST: u64 = 10 << 20;

pub(crate) fn run(arguments: &[String]) -> Result {
    if let Some(unknown) = arguments.first() {
        return Err(format!("package takes no arguments, got {unknown}").into());
    }
    let mut command = vec!["package", "--allow-dirty"];
    for name in workspace::published() {
        command.extend(["--package", name]);
    }
    Step::new("package", &command).run()?;

    let mut faults = Vec::new();
    for name in workspace::published() {
        let files = list(name)?;
        let archive = archive(name)?;
        let manifest = fs::read_to_string(archive.with_extension("").join("Cargo.toml"))?;
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

/// A crate's archive; cargo unpacked it beside, to build it.
fn archive(name: &str) -> Result<PathBuf> {
    let manifest = fs::read_to_string(workspace::root().join("Cargo.toml"))?;
    let version = manifest
        .lines()
        .skip_while(|line| *line != "[workspace.package]")
        .find_map(|line| line.strip_prefix("version = "))
        .ok_or("Cargo.toml: no version in [workspace.package]")?;
    let version = version.trim_matches('"');
    Ok(workspace::target().join(format!("package/{name}-{version}.crate")))
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

//! `cargo xtask package`: what publishing would upload, before anything is published.
//!
//! Cargo packages the whole workspace at once, resolves members that no registry has yet against
//! each other, and builds every crate from its unpacked archive. Then each archive's own manifest
//! and list of files are checked. Everything is written below `target/packaging`, cargo's own
//! downloads included ([`cargo_home`]).

mod archive;
mod cargo_home;

use crate::outcome::Result;
use crate::step::Step;
use crate::workspace;
use archive::Archive;
use cargo_home::CargoHome;
use std::fs;
use std::path::Path;

/// The public registry refuses archives above 10 MiB.
const LARGEST: u64 = 10 << 20;

pub(crate) fn run(arguments: &[String]) -> Result {
    if let Some(unknown) = arguments.first() {
        return Err(format!("package takes no arguments, got {unknown}").into());
    }
    let target = workspace::target().join("packaging");
    let home = CargoHome::prepare(target.join("cargo-home"))?;
    forget_earlier_runs(&target)?;
    home.forget_members()?;
    home.step("fetch", &["fetch", "--locked", "--target", "host-tuple"])
        .run()?;
    package(&home, &target)?.run()?;

    let version = version()?;
    let mut faults = Vec::new();
    for name in workspace::published() {
        let archive = Archive::open(&target.join("package"), name, &version, &home)?;
        faults.extend(archive.faults(LARGEST));
        println!("{archive}");
    }
    if faults.is_empty() {
        println!("ready to be published, in this order");
        Ok(())
    } else {
        Err(format!("not ready to be published:\n  {}", faults.join("\n  ")).into())
    }
}

/// Offline, because everything that the lock file names has just been fetched: the archives are
/// built with the versions that the tests ran with.
fn package(home: &CargoHome, target: &Path) -> Result<Step> {
    let target = target.to_str().ok_or("the target folder is not UTF-8")?;
    let mut command = vec![
        "package",
        "--offline",
        "--allow-dirty",
        "--target-dir",
        target,
    ];
    for name in workspace::published() {
        command.extend(["--package", name]);
    }
    Ok(home.step("package", &command))
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

/// Removes what an earlier run built of our own crates, so that this one builds what it packages.
///
/// What was built of all other crates stays: a version of theirs never changes.
fn forget_earlier_runs(target: &Path) -> Result {
    let package = target.join("package");
    if package.is_dir() {
        fs::remove_dir_all(package)?;
    }
    for fingerprint in cargo_home::entries(&target.join("debug/.fingerprint"))? {
        let file_name = fingerprint
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        if workspace::published().any(|name| file_name.starts_with(&format!("{name}-"))) {
            fs::remove_dir_all(fingerprint)?;
        }
    }
    Ok(())
}

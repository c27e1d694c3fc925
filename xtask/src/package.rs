//! `cargo xtask package [--test]`: what publishing would upload, before anything is published.
//!
//! Cargo packages all crates at once. Their archives are unpacked beside each other, and checked as a workspace of their own
//! with the versions of the lock file: what an archive lacks is missed. What they depend on was checked for the workspace.
//! Each `include` leaves the folder `tests` out: most tests read golden values, which are larger than the sources. With
//! `--test` the tests that archives hold run in them: those beside the code, and the examples of the documentation.

use crate::command::{Result, cargo, command, root, target};
use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// What is published in another way, or not at all.
const APART: [&str; 5] = [
    "xai-python",
    "xai-sql-python",
    "xai-benches",
    "xai-fuzz",
    "xtask",
];

/// What is packaged but not built here: a query engine takes minutes.
const UNBUILT: [&str; 2] = ["xai-datafusion", "xai-scale"];

/// Its tests beside the code read models of the tests of `xai-cli`.
const UNTESTED: &str = "xai-files";

/// The bound on an archive, in bytes.
const LARGEST: u64 = 300_000;

/// The bound on that of the program, half of which is the sample study: seven sections with their data.
const LARGEST_PROGRAM: (&str, u64) = ("xai-cli", 360_000);

pub(crate) fn run(arguments: &[&str]) -> Result {
    let test = match arguments {
        [] => false,
        ["--test"] => true,
        _ => return Err("cargo xtask package [--test]".into()),
    };
    let folder = target().join("package");
    let _ = fs::remove_dir_all(&folder); // of an earlier run
    cargo("fetch --locked --target host-tuple").run()?;
    cargo("package --offline --allow-dirty --workspace --no-verify")
        .args(APART.map(|name| format!("--exclude={name}")))
        .run()?;
    let archives = archives(&folder)?;
    let mut faults = Vec::new();
    for archive in &archives {
        command("tar")
            .args([OsStr::new("-xzf"), archive.as_os_str()])
            .args([OsStr::new("-C"), folder.as_os_str()])
            .run()?;
        faults.extend(faults_of(archive)?);
    }
    if !faults.is_empty() {
        return Err(format!("not ready to be published:\n  {}", faults.join("\n  ")).into());
    }
    write_workspace(&folder, &archives)?;
    let in_archives = |task: &str| {
        cargo(task)
            .words("--workspace --offline --manifest-path")
            .args([folder.join("Cargo.toml")])
            .args([OsStr::new("--target-dir"), target().as_os_str()])
            .args(UNBUILT.map(|name| format!("--exclude={name}")))
    };
    match test {
        true => in_archives("test")
            .args([format!("--exclude={UNTESTED}")])
            .run(),
        false => in_archives("check").run(),
    }
}

fn archives(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = entries.collect::<std::io::Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|kind| kind == "crate"));
    Ok(paths)
}

/// `xai-core-0.1.0`
fn name(archive: &Path) -> Cow<'_, str> {
    archive.file_stem().unwrap_or_default().to_string_lossy()
}

/// A workspace of what was unpacked, with the lock file and the profiles of ours: it takes the dependencies that were checked.
fn write_workspace(folder: &Path, archives: &[PathBuf]) -> Result {
    let ours = fs::read_to_string(root().join("Cargo.toml"))?;
    let profiles = ours.find("[profile").map_or("", |at| &ours[at..]);
    let members: Vec<String> = archives
        .iter()
        .map(|archive| format!("{:?}", name(archive)))
        .collect();
    let patch = archives.iter().map(|archive| {
        let folder = name(archive);
        let (package, _version) = folder.rsplit_once('-').unwrap_or((&folder, ""));
        format!("{package} = {{ path = {folder:?} }}\n")
    });
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n[patch.crates-io]\n{}{profiles}",
        members.join(", "),
        patch.collect::<String>()
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock"))?;
    Ok(())
}

/// What a registry, or a reader of its pages, would object to in an archive that is unpacked beside itself; prints its size.
fn faults_of(archive: &Path) -> Result<Vec<String>> {
    let bytes = fs::metadata(archive)?.len();
    println!("{:24} {:4} kB", name(archive), bytes.div_ceil(1000));
    let (program, of_program) = LARGEST_PROGRAM;
    let largest = match name(archive).starts_with(program) {
        true => of_program,
        false => LARGEST,
    };
    let large = (bytes > largest).then(|| format!("{bytes} bytes, at most {largest}"));
    let unpacked = archive.with_extension("");
    let manifest = fs::read_to_string(unpacked.join("Cargo.toml"))?;
    let files = ["README.md", "LICENSE-MIT", "LICENSE-APACHE"].into_iter();
    let files = files.filter(|file| !unpacked.join(file).is_file());
    let faults = missing(&manifest)
        .chain(files.map(|file| format!("no {file}")))
        .chain(large);
    Ok(faults
        .map(|fault| format!("{}: {fault}", name(archive)))
        .collect())
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

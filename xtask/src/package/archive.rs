//! One packaged crate, and what it lacks to be published.

use super::cargo_home::CargoHome;
use crate::outcome::Result;
use crate::workspace;
use std::fmt;
use std::fs;
use std::path::Path;

/// A crate's archive as cargo wrote it.
pub(super) struct Archive {
    name: &'static str,
    manifest: String,
    files: Vec<String>,
    bytes: u64,
}

impl Archive {
    /// Reads what cargo left in the folder `package`: the archive, and its contents unpacked beside
    /// it, from where it was built.
    pub(super) fn open(
        package: &Path,
        name: &'static str,
        version: &str,
        home: &CargoHome,
    ) -> Result<Self> {
        let unpacked = package.join(format!("{name}-{version}"));
        let packed = package.join(format!("{name}-{version}.crate"));
        Ok(Self {
            name,
            manifest: fs::read_to_string(unpacked.join("Cargo.toml"))?,
            files: list(name, home)?,
            bytes: fs::metadata(packed)?.len(),
        })
    }

    /// Everything that a registry, or a reader of its page, would object to.
    pub(super) fn faults(&self, largest: u64) -> Vec<String> {
        let mut faults = missing(&self.manifest, &self.files);
        if self.bytes > largest {
            faults.push(format!(
                "{} bytes, at most {largest} can be published",
                self.bytes
            ));
        }
        faults
            .into_iter()
            .map(|fault| format!("{}: {fault}", self.name))
            .collect()
    }
}

impl fmt::Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kibibytes = self.bytes.div_ceil(1024);
        write!(
            f,
            "{:16} {:4} files {kibibytes:6} KiB",
            self.name,
            self.files.len()
        )
    }
}

/// The names of the files in a crate's archive.
fn list(name: &str, home: &CargoHome) -> Result<Vec<String>> {
    let output = home
        .command()
        .args(["package", "--offline", "--list", "--allow-dirty"])
        .args(["--package", name])
        .current_dir(workspace::root())
        .output()?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(text.into());
    }
    let files = String::from_utf8(output.stdout)?;
    Ok(files.lines().map(str::to_owned).collect())
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

    #[test]
    fn an_archive_above_the_limit_is_a_fault() {
        let archive = Archive {
            name: "a",
            manifest: "[package]\ndescription = 1\nlicense = 1\nrepository = 1\nreadme = 1\n\
                       keywords = 1\ncategories = 1\nrust-version = 1\n"
                .to_owned(),
            files: ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]
                .map(str::to_owned)
                .to_vec(),
            bytes: 11,
        };
        assert_eq!(
            archive.faults(10),
            ["a: 11 bytes, at most 10 can be published"]
        );
        assert!(archive.faults(11).is_empty());
    }
}

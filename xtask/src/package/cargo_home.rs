//! A cargo home below the target folder, for packaging alone.
//!
//! While it packages, cargo serves the members to each other from a registry in the target folder
//! and unpacks them into `registry/src` of the cargo home. It assumes that what a registry holds
//! under one version never changes, so the unpacked members have to be deleted before each run. That
//! must not happen in the user's cargo home, which is only read: what it has downloaded is copied
//! from there, so that the network is needed only for what no build has fetched yet.
//!
//! Copied, not linked: cargo writes into `registry/index` and `registry/cache`. The copy holds what
//! cargo downloaded (compressed crates and index files, some 50 MB), not what it unpacked.

use crate::outcome::Result;
use crate::step::{Step, cargo};
use crate::workspace;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The private cargo home.
pub(super) struct CargoHome {
    folder: PathBuf,
    /// The user's configuration file, where cargo would not find it any more.
    configuration: Option<PathBuf>,
}

impl CargoHome {
    /// Makes the folder, or brings what it copied of the user's downloads up to date.
    pub(super) fn prepare(folder: PathBuf) -> Result<Self> {
        let user = user_cargo_home();
        for part in ["registry/index", "registry/cache"] {
            if let Some(from) = user.as_ref().map(|user| user.join(part)) {
                copy_newer(&from, &folder.join(part))?;
            }
        }
        fs::create_dir_all(&folder)?;
        Ok(Self {
            folder,
            configuration: user.and_then(|user| unreached_configuration(&user, workspace::root())),
        })
    }

    /// Removes members that an earlier run unpacked: the sources from registries in folders.
    pub(super) fn forget_members(&self) -> Result {
        for registry in entries(&self.folder.join("registry/src"))? {
            // A registry in a folder has no host, so its name is a dash and a hash.
            let name = registry.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('-') {
                fs::remove_dir_all(registry)?;
            }
        }
        Ok(())
    }

    /// A cargo command that runs in this home.
    pub(super) fn step(&self, name: &str, arguments: &[&str]) -> Step {
        let options = self.options();
        let options = options.iter().map(|option| option.to_string_lossy());
        let options: Vec<String> = options.map(String::from).collect();
        let mut all: Vec<&str> = options.iter().map(String::as_str).collect();
        all.extend(arguments);
        Step::cargo(name, &all).env("CARGO_HOME", self.folder.display().to_string())
    }

    /// The same without a name, for its output.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(cargo());
        command.env("CARGO_HOME", &self.folder).args(self.options());
        command
    }

    fn options(&self) -> Vec<OsString> {
        match &self.configuration {
            Some(file) => vec!["--config".into(), file.into()],
            None => Vec::new(),
        }
    }
}

/// `CARGO_HOME`, or `.cargo` in the user's home folder.
fn user_cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
}

/// The configuration file of the user's cargo home, unless cargo finds it on its way from the
/// workspace to the root of the file system: given twice, its lists would be joined to themselves.
fn unreached_configuration(user: &Path, workspace: &Path) -> Option<PathBuf> {
    let reached =
        user.ends_with(".cargo") && user.parent().is_some_and(|p| workspace.starts_with(p));
    let file = ["config.toml", "config"]
        .map(|name| user.join(name))
        .into_iter()
        .find(|file| file.is_file())?;
    (!reached).then_some(file)
}

/// Copies each file below `from` that is missing below `to`, or newer than there.
fn copy_newer(from: &Path, to: &Path) -> Result {
    for entry in entries(from)? {
        let copy = to.join(entry.file_name().unwrap_or_default());
        let there = fs::metadata(&entry)?;
        if there.is_dir() {
            copy_newer(&entry, &copy)?;
        } else if fs::metadata(&copy).is_err()
            || fs::metadata(&copy)?.modified()? < there.modified()?
        {
            fs::create_dir_all(to)?;
            fs::copy(&entry, &copy)?;
        }
    }
    Ok(())
}

/// What a folder holds; nothing where there is none.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder below the target folder, empty.
    fn folder(name: &str) -> PathBuf {
        let folder = workspace::target().join("xtask-tests").join(name);
        if folder.is_dir() {
            fs::remove_dir_all(&folder).expect("removed");
        }
        fs::create_dir_all(&folder).expect("made");
        folder
    }

    #[test]
    fn downloads_are_copied_and_the_original_stays_as_it_was() {
        let root = folder("copy_newer");
        let (user, own) = (root.join("user"), root.join("own"));
        fs::create_dir_all(user.join("index/a")).expect("made");
        fs::write(user.join("index/a/crate"), "1").expect("written");
        copy_newer(&user, &own).expect("copied");
        assert_eq!(fs::read(own.join("index/a/crate")).expect("there"), b"1");

        // What cargo writes into the copy later neither goes back nor is overwritten.
        fs::write(own.join("index/a/crate"), "2").expect("written");
        copy_newer(&user, &own).expect("copied");
        assert_eq!(fs::read(own.join("index/a/crate")).expect("there"), b"2");
        assert_eq!(fs::read(user.join("index/a/crate")).expect("there"), b"1");
    }

    #[test]
    fn only_sources_of_registries_in_folders_are_forgotten() {
        let home = CargoHome {
            folder: folder("forget_members"),
            configuration: None,
        };
        let sources = home.folder.join("registry/src");
        for name in ["-80a543d62d8b2ba9/a-0.1.0", "index-19/b-1.0.0"] {
            fs::create_dir_all(sources.join(name)).expect("made");
        }
        home.forget_members().expect("forgotten");
        assert_eq!(entries(&sources).expect("read"), [sources.join("index-19")]);
    }

    #[test]
    fn the_users_configuration_is_given_only_where_cargo_would_miss_it() {
        let root = folder("configuration");
        let user = root.join("me/.cargo");
        fs::create_dir_all(&user).expect("made");
        assert_eq!(unreached_configuration(&user, &root), None);
        fs::write(user.join("config.toml"), "").expect("written");
        let given = Some(user.join("config.toml"));
        assert_eq!(
            unreached_configuration(&user, &root.join("elsewhere")),
            given
        );
        assert_eq!(unreached_configuration(&user, &root.join("me/work")), None);
    }
}

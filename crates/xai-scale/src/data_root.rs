//! What a process may read for others.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use clap::Args;
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::path::Path as Location;
use xai_files::{Failure, InFile};

use crate::failure::of_query;
use crate::stores;
use crate::tables::Format;

/// Folders below which files may be read; without one, any file of the account.
#[derive(Debug, Clone, Default)]
struct DataRoots(Vec<Root>);

#[derive(Debug, Clone)]
enum Root {
    Folder(PathBuf),
    Store(ObjectStoreUrl, Location),
}

/// What may be read, as an option of scheduler and executor.
#[derive(Debug, Args)]
pub(crate) struct DataRootOptions {
    /// Folder whose files queries may read, with all below it, also in a store (s3://BUCKET/FOLDER); can be given several times.
    /// Without it, and on the loopback alone, any file and any store of the account.
    #[arg(long, value_name = "FOLDER")]
    data_root: Vec<PathBuf>,
}

impl DataRootOptions {
    /// Makes them the roots of this process, which listens on an address.
    pub(crate) fn install(&self, bind: IpAddr) -> Result<(), Failure> {
        let roots = DataRoots::new(&self.data_root, bind.is_loopback())?;
        // A process has one scheduler or one executor.
        let _ = ROOTS.set(roots);
        Ok(())
    }
}

/// Those of this process: the engine decodes plans by functions that can be given nothing.
static ROOTS: OnceLock<DataRoots> = OnceLock::new();

impl DataRoots {
    /// The roots of a process that listens on an address. On the loopback none is needed.
    fn new(folders: &[PathBuf], is_loopback: bool) -> Result<Self, Failure> {
        if folders.is_empty() && !is_loopback {
            let failure = Failure::of_option("--data-root", "needed where others can send queries");
            return Err(failure.help("name the folders whose files queries may read; --data-root / for all that the account can"));
        }
        let root = |folder: &PathBuf| match stores::address(folder)? {
            Some(address) => {
                let url = ListingTableUrl::try_new(address, None);
                let url = url.map_err(|error| of_query(&error).in_file(folder))?;
                Ok(Root::Store(url.object_store(), url.prefix().clone()))
            }
            None => {
                let real = folder.canonicalize();
                let real = real.map_err(Failure::cannot_be_opened).in_file(folder);
                real.map(Root::Folder)
            }
        };
        let roots: Result<Vec<Root>, Failure> = folders.iter().map(root).collect();
        Ok(Self(roots?))
    }

    fn of_process() -> &'static Self {
        ROOTS.get_or_init(Self::default)
    }

    /// Refuses a file, or a folder, that is below none of them. What is not there is refused by where it would be.
    fn check(&self, file: &Path) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let known = file.ancestors().find_map(|part| {
            let real = part.canonicalize().ok()?;
            Some(real.join(file.strip_prefix(part).ok()?))
        });
        let is_plain = |file: &PathBuf| {
            let mut parts = file.components();
            parts.all(|part| part != std::path::Component::ParentDir)
        };
        let is_below = |file: PathBuf| {
            let mut roots = self.0.iter();
            roots.any(|root| matches!(root, Root::Folder(root) if file.starts_with(root)))
        };
        match known.filter(is_plain).is_some_and(is_below) {
            true => Ok(()),
            false => Err(plan_datafusion_err!(
                "{}: not below a --data-root of the cluster",
                file.display()
            )),
        }
    }

    /// The same of a file or an object that the engine has by its store and its place there.
    fn check_place(&self, store: &ObjectStoreUrl, place: &Location) -> Result<()> {
        if store.as_str() == "file:///" {
            return self.check(&Path::new("/").join(place.as_ref()));
        }
        let is_plain = place
            .parts()
            .all(|part| !matches!(part.as_ref(), "." | ".."));
        let is_below = |root: &Root| match root {
            Root::Store(root, below) => root == store && place.prefix_matches(below),
            Root::Folder(_) => false,
        };
        match self.0.is_empty() || (is_plain && self.0.iter().any(is_below)) {
            true => Ok(()),
            false => Err(plan_datafusion_err!(
                "{store}{place}: not below a --data-root of the cluster"
            )),
        }
    }
}

/// Refuses a file or an object that the engine has by its store and its place there, and that this process may not read.
pub(crate) fn check_place(store: &ObjectStoreUrl, place: &Location) -> Result<()> {
    DataRoots::of_process().check_place(store, place)
}

/// Refuses a file that this process may not read.
pub(crate) fn check(file: &Path) -> Result<()> {
    DataRoots::of_process().check(file)
}

/// Refuses a path, or an address in a store, that this process may not read.
pub(crate) fn check_path(path: &Path) -> Result<(), Failure> {
    let checked = match stores::address(path)? {
        Some(address) => ListingTableUrl::try_new(address, None)
            .and_then(|url| check_place(&url.object_store(), url.prefix())),
        None => check(path),
    };
    checked.map_err(|error| of_query(&error))
}

/// The tables that are in the roots of this process themselves: files of a format that is read, and folders.
pub(crate) fn tables() -> Vec<String> {
    let mut tables = Vec::new();
    for root in &DataRoots::of_process().0 {
        let Root::Folder(root) = root else {
            continue;
        };
        for inside in std::fs::read_dir(root).into_iter().flatten().flatten() {
            let path = inside.path();
            let is_hidden = inside.file_name().to_string_lossy().starts_with(['.', '_']);
            if !is_hidden && (path.is_dir() || Format::of(&path).is_some()) {
                tables.push(path.to_string_lossy().into_owned());
            }
        }
    }
    tables.sort();
    tables
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_below_the_roots_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["data", "database", "secret"] {
            std::fs::create_dir(at(name)).expect("made");
        }
        std::fs::write(at("data/a"), "").expect("written");
        let roots = DataRoots::new(&[at("data")], false).expect("a folder that is there");
        for allowed in ["data/a", "data/not/there", "data"] {
            roots.check(&at(allowed)).expect(allowed);
        }
        let refused = [
            "secret/a",
            "database/a",
            "data/../secret/a",
            "data/x/../../secret/a",
            ".",
        ];
        for refused in refused {
            assert!(roots.check(&at(refused)).is_err(), "{refused}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("secret"), at("data/link")).expect("linked");
            assert!(roots.check(&at("data/link/a")).is_err());
        }
        assert!(DataRoots::default().check(&at("secret/a")).is_ok());
        assert!(DataRoots::new(&[], false).is_err() && DataRoots::new(&[], true).is_ok());
        assert!(DataRoots::new(&[at("nothing")], true).is_err());
        let of_store = DataRoots::new(&["s3://b/data".into()], false).expect("an address");
        let allows = |roots: &DataRoots, store: &str, place: &str| {
            let store = ObjectStoreUrl::parse(store).expect("an address");
            roots.check_place(&store, &Location::from(place)).is_ok()
        };
        assert!(allows(&of_store, "s3://b", "data/x.csv"));
        for (store, place) in [
            ("s3://b", "database/x.csv"),
            ("s3://b", "x.csv"),
            ("s3://c", "data/x.csv"),
            ("http://169.254.169.254", "data/x.csv"),
            ("file://", "data/x.csv"),
        ] {
            assert!(!allows(&of_store, store, place), "{store}/{place}");
        }
        assert!(!allows(&roots, "s3://b", "data/x.csv"));
        assert!(allows(&DataRoots::default(), "s3://b", "x.csv"));
    }
}

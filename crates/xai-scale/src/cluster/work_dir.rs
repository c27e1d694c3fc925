//! The folder of an executor.
//!
//! The engine deletes the sub-folders of the folder that it works in: old ones now and then, and all of them when it stops.
//! So an executor has one of its own, inside the folder that it is given, which may be that of other executors and hold
//! anything else.

use std::fs::File;
use std::io::Result;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// What the names of the folders begin with.
const PREFIX: &str = "xai-scale-executor-";
/// The file in each that is locked while its executor lives.
const MARKER: &str = "executor.lock";
/// The folder in each that the engine works in.
const RESULTS: &str = "results";

/// The folder of an executor, which goes with it.
#[derive(Debug)]
pub(super) struct WorkDir {
    folder: TempDir,
    _marker: File,
}

impl WorkDir {
    /// A new one inside another, which is made where it is not there.
    pub(super) fn new(parent: &Path) -> Result<Self> {
        std::fs::create_dir_all(parent)?;
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent)?;
        let _marker = File::create_new(folder.path().join(MARKER))?;
        // Where the file system has no locks the folder is never told as left.
        let _ = _marker.lock();
        std::fs::create_dir(folder.path().join(RESULTS))?;
        Ok(Self { folder, _marker })
    }

    /// Where the engine works.
    pub(super) fn results(&self) -> PathBuf {
        self.folder.path().join(RESULTS)
    }
}

/// The folders of executors that were killed. They are left alone: a lock on a network may hold on one machine only, and
/// what it keeps from being deleted are results.
pub(super) fn left_in(parent: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let is_left = |folder: &PathBuf| {
        let name = folder.file_name().unwrap_or_default();
        let is_ours = name.as_encoded_bytes().starts_with(PREFIX.as_bytes());
        let marker = File::open(folder.join(MARKER)).ok().filter(|_| is_ours);
        marker.is_some_and(|marker| marker.try_lock_shared().is_ok())
    };
    entries.map(|entry| entry.path()).filter(is_left).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_left_where_no_executor_holds_its_marker() {
        let parent = tempfile::tempdir().expect("a folder");
        let living = WorkDir::new(parent.path()).expect("made");
        assert_eq!(left_in(parent.path()), [] as [PathBuf; 0]);
        let WorkDir { folder, _marker } = WorkDir::new(parent.path()).expect("made");
        let killed = folder.keep();
        drop(_marker);
        assert_eq!(left_in(parent.path()), std::slice::from_ref(&killed));
        let results = living.results();
        assert!(results.is_dir());
        drop(living);
        assert!(!results.exists() && killed.is_dir());
    }
}

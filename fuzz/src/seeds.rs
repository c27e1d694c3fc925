//! First inputs: files of the workspace, and data that the libraries write.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Target;
use crate::limits::LARGEST_INPUT;

/// Returns the root folder of the workspace.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("the workspace").to_owned()
}

/// Adds the files of a folder and its subfolders whose names have an end.
fn find_files(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find_files(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

impl Target {
    /// Returns the folder with inputs that failed once, and with inputs that exist nowhere else.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        root().join("fuzz").join("inputs").join(self.name)
    }

    /// Returns the first inputs, without those longer than 16 KiB.
    #[must_use]
    pub fn inputs(&self) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        find_files(&self.folder(), "", &mut files);
        for (folder, end) in self.seeds {
            find_files(&root().join(folder), end, &mut files);
        }
        files.sort();
        files.dedup();
        let stored = files.iter().filter_map(|file| fs::read(file).ok());
        let all = stored.chain((self.written)());
        all.filter(|input| input.len() <= LARGEST_INPUT).collect()
    }
}

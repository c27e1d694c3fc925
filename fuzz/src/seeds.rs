//! Inputs to begin with: files of the workspace, and what the libraries write.

use std::fs;
use std::path::{Path, PathBuf};

use crate::Target;
use crate::limits::LARGEST_INPUT;

/// The root of the workspace.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("the workspace").to_owned()
}

/// The files below a folder whose names end in some way.
fn below(folder: &Path, end: &str, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            below(&path, end, found);
        } else if path.to_string_lossy().ends_with(end) {
            found.push(path);
        }
    }
}

impl Target {
    /// The folder of inputs that once failed, and of those that are written nowhere else.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        root().join("fuzz").join("inputs").join(self.name)
    }

    /// The inputs to begin with, none of them long.
    #[must_use]
    pub fn inputs(&self) -> Vec<Vec<u8>> {
        let mut files = Vec::new();
        below(&self.folder(), "", &mut files);
        for (folder, end) in self.seeds {
            below(&root().join(folder), end, &mut files);
        }
        files.sort();
        files.dedup();
        let stored = files.iter().filter_map(|file| fs::read(file).ok());
        let all = stored.chain((self.written)());
        all.filter(|input| input.len() <= LARGEST_INPUT).collect()
    }
}

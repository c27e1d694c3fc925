//! Which files a path stands for.

use std::path::{Path, PathBuf};

use xai_files::Failure;

use crate::tables::format::{EXPECTED, Format};

/// Where the tables of a query are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// In this process.
    Here,
    /// By executors, whose exchange of rows does not keep dictionaries.
    Cluster,
}

/// Folders inside folders that are looked into, as many as partitioned tables have columns.
const DEEPEST: usize = 16;

/// The files of a table, all of one format.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    /// What the query calls the table.
    pub(crate) path: PathBuf,
    /// Each file, in the order of their names.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) format: Format,
}

impl Files {
    /// Finds the file, or the files of the folder.
    pub(crate) fn find(path: &Path) -> Result<Self, Failure> {
        let metadata = std::fs::metadata(path).map_err(|error| cannot_be_opened(error, path))?;
        let files = match metadata.is_dir() {
            true => {
                let mut files = Vec::new();
                collect(path, DEEPEST, &mut files)?;
                files.sort();
                files
            }
            false => vec![path.to_owned()],
        };
        let Some(first) = files.first() else {
            return Err(Failure::new("a folder without files").in_file(path));
        };
        let format = format(first)?;
        for file in &files {
            if self::format(file)?.extension != format.extension {
                let failure = Failure::new(format_args!(
                    "files of two formats: {} and {}",
                    first.display(),
                    file.display()
                ));
                return Err(failure.in_file(path).help(
                    "keep the files of one table, with one ending, in a folder of their own",
                ));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            files,
            format,
        })
    }

    /// One of the files as a table.
    pub(crate) fn alone(&self, file: &Path) -> Self {
        Self {
            path: file.to_owned(),
            files: vec![file.to_owned()],
            format: self.format.clone(),
        }
    }
}

fn format(file: &Path) -> Result<Format, Failure> {
    Format::of(file).ok_or_else(|| {
        let failure = Failure::new("the name does not tell a format").in_file(file);
        failure.help(format_args!("expected {EXPECTED}"))
    })
}

fn cannot_be_opened(error: std::io::Error, path: &Path) -> Failure {
    Failure::cannot_be_opened(error).in_file(path)
}

/// Adds the files of a folder. Names that begin with a dot or an underscore are notes of the programs that wrote them.
fn collect(folder: &Path, deepest: usize, files: &mut Vec<PathBuf>) -> Result<(), Failure> {
    if deepest == 0 {
        return Err(Failure::new("too many folders inside each other").in_file(folder));
    }
    let entries = std::fs::read_dir(folder).map_err(|error| cannot_be_opened(error, folder))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_be_opened(error, folder))?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") || name.as_encoded_bytes().starts_with(b"_") {
            continue;
        }
        let path = entry.path();
        match path.is_dir() {
            true => collect(&path, deepest - 1, files)?,
            false => files.push(path),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_its_files_of_one_format() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        assert!(Files::find(folder.path()).is_err());
        std::fs::create_dir(path("b")).expect("made");
        for name in ["b/2.csv", "1.csv", "_SUCCESS", ".hidden"] {
            std::fs::write(path(name), "").expect("written");
        }
        let found = Files::find(folder.path()).expect("a table");
        assert_eq!(found.files, [path("1.csv"), path("b/2.csv")]);
        std::fs::write(path("3.json"), "").expect("written");
        assert!(Files::find(folder.path()).is_err());
        assert!(Files::find(&path("none.csv")).is_err());
    }
}

//! Which files a path stands for.

use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use xai_files::Failure;

use crate::tables::format::{EXPECTED, Format};

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
        let (mut files, mut notes) = (Vec::new(), Vec::new());
        match metadata.is_dir() {
            true => collect(path, DEEPEST, false, &mut files, &mut notes)?,
            false => files.push(path.to_owned()),
        }
        files.sort();
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
        let is_read = |note: &&PathBuf| note.to_string_lossy().ends_with(&format.extension);
        if let Some(note) = notes.iter().find(is_read) {
            let what = "below a name that begins with a dot or an underscore, and yet of the format of the table";
            let failure = Failure::new(what).in_file(note);
            return Err(
                failure.help("move it out of the folder, or give it a name like the others")
            );
        }
        let is_empty = |file: &PathBuf| std::fs::metadata(file).is_ok_and(|file| file.len() == 0);
        let mut empty = files.iter().filter(|file| is_empty(file));
        if let Some(first) = empty.next()
            && (!format.may_be_empty() || empty.count() + 1 == files.len())
        {
            return Err(self::empty(first));
        }
        Ok(Self {
            path: path.to_owned(),
            files,
            format,
        })
    }
}

/// A file without columns.
pub(super) fn empty(file: &Path) -> Failure {
    let failure = Failure::new("empty: there are no columns").in_file(file);
    failure.help("write the file again, or move it out of the folder")
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

/// What is in a folder where a program keeps a list of the files that count.
const LISTS: [(&str, &str); 3] = [
    ("_delta_log", "Delta Lake"),
    (".hoodie", "Apache Hudi"),
    ("_spark_metadata", "streams of Apache Spark"),
];

/// The folder of Apache Iceberg, whose name others have, too.
const OF_ICEBERG: &str = "metadata";

/// The list of the files that count, and its program, where an entry of a folder is one.
fn list(entry: &DirEntry) -> Option<(&'static str, &'static str)> {
    let name = entry.file_name();
    if name == OF_ICEBERG {
        let mut inside = std::fs::read_dir(entry.path()).ok()?.flatten();
        let is_version = |name: &OsStr| name.as_encoded_bytes().ends_with(b".metadata.json");
        let has_version = inside.any(|entry| is_version(&entry.file_name()));
        return has_version.then_some((OF_ICEBERG, "Apache Iceberg"));
    }
    LISTS.into_iter().find(|(list, _)| name == *list)
}

/// Adds the files of a folder. Names that begin with a dot or an underscore are notes of the programs that wrote them.
fn collect(
    folder: &Path,
    deepest: usize,
    in_notes: bool,
    files: &mut Vec<PathBuf>,
    notes: &mut Vec<PathBuf>,
) -> Result<(), Failure> {
    if deepest == 0 {
        return Err(Failure::new("too many folders inside each other").in_file(folder));
    }
    let entries = std::fs::read_dir(folder).map_err(|error| cannot_be_opened(error, folder))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_be_opened(error, folder))?;
        let name = entry.file_name();
        if let Some((list, program)) = list(&entry) {
            let what =
                format!("a table of {program}: `{list}` says which files count, and is not read");
            let failure = Failure::new(what).in_file(folder);
            return Err(failure.help(
                "write the rows that count to plain files with the program that made the table, and query those",
            ));
        }
        let is_note = in_notes
            || name.as_encoded_bytes().starts_with(b".")
            || name.as_encoded_bytes().starts_with(b"_");
        let path = entry.path();
        match (path.is_dir(), is_note) {
            (true, false) => collect(&path, deepest - 1, false, files, notes)?,
            // What cannot be looked into there is of nobody's concern.
            (true, true) => drop(collect(&path, deepest - 1, true, files, notes)),
            (false, true) => notes.push(path),
            (false, false) => files.push(path),
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
            std::fs::write(path(name), "x").expect("written");
        }
        let found = Files::find(folder.path()).expect("a table");
        assert_eq!(found.files, [path("1.csv"), path("b/2.csv")]);
        std::fs::write(path("3.json"), "x").expect("written");
        assert!(Files::find(folder.path()).is_err());
        assert!(Files::find(&path("none.csv")).is_err());
    }
}

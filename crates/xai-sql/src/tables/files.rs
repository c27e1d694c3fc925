//! Which files a path stands for.

use std::ffi::OsStr;
use std::fs::DirEntry;
use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::Schema;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use glob::Pattern;
use url::Url;
use xai_files::Failure;
use xai_files::visible::visible;

use crate::failure::of_query;
use crate::stores::{self, Found};
use crate::tables::format::{EXPECTED, Format};

/// Folders inside folders that are looked into, as many as partitioned tables have columns.
const DEEPEST: usize = 16;

/// The files of a table, all of one format.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    /// The file, or the folder that the files are in, as the query calls it.
    pub(crate) path: PathBuf,
    /// The same for the engine; of a pattern, each file.
    pub(crate) urls: Vec<ListingTableUrl>,
    /// Each file, in the order of their names.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) format: Format,
    pub(super) hint: Option<String>,
}

/// What is below a folder: files, and notes of the programs that wrote them.
#[derive(Default)]
struct Below {
    files: Vec<(PathBuf, u64)>,
    notes: Vec<PathBuf>,
}

impl Files {
    /// Finds the file, the files of the folder, or those whose names have a pattern.
    pub(crate) async fn find(session: &SessionContext, path: &Path) -> Result<Self, Failure> {
        let (place, pattern) = divided(path)?;
        let mut below = Below::default();
        let url = match stores::address(&place)? {
            None => {
                let metadata = std::fs::metadata(&place);
                let metadata = metadata.map_err(|error| cannot_be_opened(error, &place))?;
                match metadata.is_dir() {
                    true => {
                        // A pattern is of the files of one folder.
                        let deepest = pattern.is_none().then_some(DEEPEST);
                        collect(&place, deepest, false, &mut below)?;
                    }
                    false => below.files.push((place.clone(), metadata.len())),
                }
                url_of(&place)
            }
            Some(mut address) => {
                if pattern.is_some() && !address.path().ends_with('/') {
                    address.set_path(&format!("{}/", address.path()));
                }
                let is_deep = pattern.is_none();
                in_store(session, &place, &mut address, is_deep, &mut below).await?;
                ListingTableUrl::try_new(address, None)
            }
        };
        let mut urls = vec![url.map_err(|error| of_query(&error).in_file(&place))?];
        if let Some(pattern) = &pattern {
            below.files.retain(|(file, _)| has(pattern, file, &place));
            below.notes.clear();
            let files = below.files.iter();
            let found = files
                .map(|(file, _)| url_of(file))
                .collect::<Result<_, _>>();
            urls = found.map_err(|error| of_query(&error).in_file(&place))?;
        }
        below.files.sort();
        Self::new(place, urls, below, pattern.as_ref())
    }

    /// With another character between the values of text.
    pub(crate) fn divided_by(mut self, delimiter: Option<u8>) -> Self {
        self.format = self.format.divided_by(delimiter);
        self
    }

    /// What to try where a query names columns that are not there: of a text whose columns are one, for others stand between them than
    /// its name tells.
    pub(super) fn hint(&self, schema: &Schema) -> Option<String> {
        let (true, [column]) = (self.format.is_divided(), &schema.fields()[..]) else {
            return None;
        };
        let mut signs = column.name().chars();
        let sign = signs.find(|sign| [';', '\t', '|', ','].contains(sign))?;
        let sign = match sign {
            '\t' => "tab".to_owned(),
            sign => format!("'{sign}'"),
        };
        let (file, column) = (self.path.display(), visible(column.name()));
        Some(format!(
            "{file} has one column, `{column}`: read it with --delimiter {sign}"
        ))
    }

    /// One of the files alone.
    pub(crate) fn alone(&self, file: &Path) -> Result<Self, DataFusionError> {
        Ok(Self {
            path: file.to_owned(),
            urls: vec![url_of(file)?],
            files: vec![file.to_owned()],
            format: self.format.clone(),
            hint: None,
        })
    }

    fn new(
        path: PathBuf,
        urls: Vec<ListingTableUrl>,
        below: Below,
        pattern: Option<&Pattern>,
    ) -> Result<Self, Failure> {
        let Below { files, notes } = below;
        let Some((first, _)) = files.first() else {
            let what = match pattern {
                Some(pattern) => format!("a folder without files {pattern}"),
                None => "a folder without files".to_owned(),
            };
            return Err(Failure::new(what).in_file(path));
        };
        let format = format(first)?;
        for (file, _) in &files {
            if self::format(file)?.extension != format.extension {
                let failure = Failure::new(format_args!(
                    "files of two formats: {} and {}",
                    first.display(),
                    file.display()
                ));
                return Err(failure.in_file(path).help(
                    "keep the files of one table, with one ending, in a folder of their own, or name them by a pattern: 'runs/*.parquet'",
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
        let mut empty = files.iter().filter(|(_, size)| *size == 0);
        if let Some((first, _)) = empty.next()
            && (!format.may_be_empty() || empty.count() + 1 == files.len())
        {
            return Err(self::empty(first));
        }
        Ok(Self {
            path,
            urls,
            files: files.into_iter().map(|(file, _)| file).collect(),
            format,
            hint: None,
        })
    }
}

/// A path whose last part is a pattern of names, divided before it. A file may have such a name, too.
fn divided(path: &Path) -> Result<(PathBuf, Option<Pattern>), Failure> {
    let text = path.to_str().unwrap_or_default();
    let name = text.rsplit(['/', std::path::MAIN_SEPARATOR]).next();
    // In an address `?` begins what comes after the name.
    let signs: &[char] = match text.contains("://") {
        true => &['*', '['],
        false => &['*', '?', '['],
    };
    let name = name.filter(|name| name.contains(signs) && !path.exists());
    let Some(name) = name else {
        return Ok((path.to_owned(), None));
    };
    let pattern = Pattern::new(name);
    let pattern = pattern.map_err(|error| Failure::usage(error).in_file(path))?;
    let place = match text.strip_suffix(name).unwrap_or_default() {
        "" => ".",
        place => place,
    };
    Ok((PathBuf::from(place), Some(pattern)))
}

/// Whether a file of the folder has a name of the pattern; one of a folder inside of it has not.
fn has(pattern: &Pattern, file: &Path, folder: &Path) -> bool {
    let inside = file.strip_prefix(folder).unwrap_or(file);
    inside.components().count() == 1 && pattern.matches_path(inside)
}

/// Where files are, so that other processes find them, too.
pub(super) fn url_of(path: &Path) -> Result<ListingTableUrl, DataFusionError> {
    if let Ok(Some(address)) = stores::address(path) {
        return ListingTableUrl::try_new(address, None);
    }
    let whole: PathBuf = path.canonicalize()?;
    // Not read from a text: a name may have characters that mean something in an address or in a pattern of names.
    let address = match whole.is_dir() {
        true => Url::from_directory_path(&whole),
        false => Url::from_file_path(&whole),
    };
    let address = address.map_err(|()| DataFusionError::Execution("not a path".to_owned()))?;
    ListingTableUrl::try_new(address, None)
}

/// The objects below an address, or the one that it names, which then is that of a file.
async fn in_store(
    session: &SessionContext,
    place: &Path,
    address: &mut Url,
    is_deep: bool,
    below: &mut Below,
) -> Result<(), Failure> {
    let asked = ListingTableUrl::try_new(address.clone(), None);
    let asked = asked.map_err(|error| of_query(&error).in_file(place))?;
    let objects = match stores::find(session, &asked, is_deep).await? {
        Found::File(object) => {
            below.files.push((place.to_owned(), object.size));
            return Ok(());
        }
        Found::Folder(objects) => objects,
    };
    if !address.path().ends_with('/') {
        address.set_path(&format!("{}/", address.path()));
    }
    for object in objects {
        let inside = asked.strip_prefix(&object.location);
        let parts: Vec<&str> = inside.into_iter().flatten().collect();
        let file = parts
            .iter()
            .fold(place.to_owned(), |file, part| file.join(part));
        let is_version = parts
            .last()
            .is_some_and(|name| name.ends_with(VERSION_OF_ICEBERG));
        for part in &parts {
            if let Some(list) = LISTS.into_iter().find(|(list, _)| part == list) {
                return Err(listed_elsewhere(list, place));
            }
            if *part == OF_ICEBERG && is_version {
                return Err(listed_elsewhere((OF_ICEBERG, ICEBERG), place));
            }
        }
        if object.is_folder {
            continue;
        }
        match parts.iter().any(|part| part.starts_with(['.', '_'])) {
            true => below.notes.push(file),
            false => below.files.push((file, object.size)),
        }
    }
    Ok(())
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
const VERSION_OF_ICEBERG: &str = ".metadata.json";
const ICEBERG: &str = "Apache Iceberg";

fn listed_elsewhere((list, program): (&str, &str), folder: &Path) -> Failure {
    let what = format!("a table of {program}: `{list}` says which files count, and is not read");
    let failure = Failure::new(what).in_file(folder);
    failure.help(
        "write the rows that count to plain files with the program that made the table, and query those",
    )
}

/// The list of the files that count, and its program, where an entry of a folder is one.
fn list(entry: &DirEntry) -> Option<(&'static str, &'static str)> {
    let name = entry.file_name();
    if name == OF_ICEBERG {
        let mut inside = std::fs::read_dir(entry.path()).ok()?.flatten();
        let is_version = |name: &OsStr| name.to_string_lossy().ends_with(VERSION_OF_ICEBERG);
        let has_version = inside.any(|entry| is_version(&entry.file_name()));
        return has_version.then_some((OF_ICEBERG, ICEBERG));
    }
    LISTS.into_iter().find(|(list, _)| name == *list)
}

/// Adds the files of a folder, and of so many folders inside each other. Names that begin with a dot or an underscore are notes of the programs that wrote them.
fn collect(
    folder: &Path,
    deepest: Option<usize>,
    in_notes: bool,
    below: &mut Below,
) -> Result<(), Failure> {
    if deepest == Some(0) {
        return Err(Failure::new("too many folders inside each other").in_file(folder));
    }
    let entries = std::fs::read_dir(folder).map_err(|error| cannot_be_opened(error, folder))?;
    for entry in entries {
        let entry = entry.map_err(|error| cannot_be_opened(error, folder))?;
        let name = entry.file_name();
        if let Some(list) = list(&entry) {
            return Err(listed_elsewhere(list, folder));
        }
        let is_note = in_notes
            || name.as_encoded_bytes().starts_with(b".")
            || name.as_encoded_bytes().starts_with(b"_");
        let path = entry.path();
        match (path.is_dir(), is_note) {
            (true, _) if deepest.is_none() => {}
            (true, false) => collect(&path, deepest.map(|it| it - 1), false, below)?,
            // What cannot be looked into there is of nobody's concern.
            (true, true) => drop(collect(&path, deepest.map(|it| it - 1), true, below)),
            (false, true) => below.notes.push(path),
            (false, false) => {
                // A link that leads nowhere has no size, and is told when it is read.
                let size = std::fs::metadata(&path).map_or(1, |metadata| metadata.len());
                below.files.push((path, size));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_folder_is_its_files_of_one_format() {
        let session = SessionContext::new();
        let find = async |path: &Path| Files::find(&session, path).await;
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        assert!(find(folder.path()).await.is_err());
        std::fs::create_dir(path("b")).expect("made");
        for name in ["b/2.csv", "1.csv", "_SUCCESS", ".hidden"] {
            std::fs::write(path(name), "x").expect("written");
        }
        let found = find(folder.path()).await.expect("a table");
        assert_eq!(found.files, [path("1.csv"), path("b/2.csv")]);
        std::fs::write(path("3.json"), "x").expect("written");
        assert!(find(folder.path()).await.is_err());
        let by_pattern = find(&path("*.csv")).await.expect("a table");
        assert_eq!(by_pattern.files, [path("1.csv")]);
        let by_pattern = find(&path("[2-4].*")).await.expect("a table");
        assert_eq!(by_pattern.files, [path("3.json")]);
        assert!(find(&path("*.parquet")).await.is_err());
        assert!(find(&path("none.csv")).await.is_err());
    }
}

//! The files of a table.

use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::Schema;
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use glob::Pattern;
use xai_files::Failure;
use xai_files::visible::visible;

use crate::failure::query_failure;
use crate::stores::{self, address_of, url_of};
use crate::tables::format::{EXPECTED, Format};

/// The files of a table, all of one format.
#[derive(Debug, Clone)]
pub(crate) struct Files {
    /// The file or folder as the query calls it.
    pub(crate) path: PathBuf,
    /// The same for the engine. For a pattern, one for each file.
    pub(crate) urls: Vec<ListingTableUrl>,
    /// All files, sorted by name.
    pub(crate) files: Vec<PathBuf>,
    pub(crate) format: Format,
    pub(super) hint: Option<String>,
}

impl Files {
    /// Finds the file, all files below a folder, or the files of a folder whose names match a pattern. Without a
    /// pattern, files and folders below the folder whose names begin with a dot or an underscore are left out.
    pub(crate) async fn find(session: &SessionContext, path: &Path) -> Result<Self, Failure> {
        let (place, pattern) = split_pattern(path)?;
        let is_folder = pattern.is_some();
        let mut url = match stores::address(&place)? {
            Some(address) => address_of(address, is_folder),
            None => {
                // The engine reports a missing file as a missing folder.
                std::fs::metadata(&place)
                    .map_err(|error| Failure::cannot_be_opened(error).in_file(&place))?;
                url_of(&place)
            }
        };
        let found = match &url {
            Ok(url) => list(session, url, &place).await?,
            Err(_) => Vec::new(),
        };
        let is_one_file = matches!(&found[..], [(parts, _)] if parts.is_empty());
        if let Some(address) = stores::address(&place)? {
            url = address_of(address, !is_one_file);
        }
        let url = url.map_err(|error| query_failure(&error).in_file(&place))?;
        let (mut files, mut notes) = (Vec::new(), Vec::new());
        for (parts, size) in found {
            // A pattern selects files of one folder.
            let is_selected = pattern
                .as_ref()
                .is_none_or(|pattern| matches!(&parts[..], [name] if pattern.matches(name)));
            if pattern.is_none() {
                check_that_it_is_plain(&parts, &place)?;
            }
            let mut file = place.clone();
            file.extend(&parts);
            let is_note = parts.iter().any(|part| part.starts_with(['.', '_']));
            if is_note && pattern.is_none() {
                notes.push(file);
            } else if is_selected {
                files.push((file, size));
            }
        }
        files.sort();
        let urls = match pattern {
            None => vec![url],
            Some(_) => {
                let urls = files
                    .iter()
                    .map(|(file, _)| url_of(file))
                    .collect::<Result<_, _>>();
                urls.map_err(|error| query_failure(&error).in_file(&place))?
            }
        };
        Self::new(place, urls, files, &notes, pattern.as_ref())
    }

    /// Sets the delimiter of CSV files.
    pub(crate) fn divided_by(mut self, delimiter: Option<u8>) -> Self {
        self.format = self.format.divided_by(delimiter);
        self
    }

    /// A hint for queries that name missing columns: a CSV file that seems to have only one column probably has another
    /// delimiter.
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

    /// A table of one of the files.
    pub(crate) fn alone(&self, file: &Path) -> Result<Self, DataFusionError> {
        Ok(Self {
            path: file.to_owned(),
            urls: vec![url_of(file)?],
            files: vec![file.to_owned()],
            format: self.format.clone(),
            hint: None,
        })
    }

    /// Checks that there are files, that all have one format, that no left-out file (`notes`) has this format, and that
    /// no file is empty. Some files of JSON lines may be empty, but not all.
    fn new(
        path: PathBuf,
        urls: Vec<ListingTableUrl>,
        files: Vec<(PathBuf, u64)>,
        notes: &[PathBuf],
        pattern: Option<&Pattern>,
    ) -> Result<Self, Failure> {
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

/// Splits a path whose last part is a pattern (`*`, `?`, `[…]`). A path that exists is no pattern.
fn split_pattern(path: &Path) -> Result<(PathBuf, Option<Pattern>), Failure> {
    let text = path.to_str().unwrap_or_default();
    let name = text.rsplit(['/', std::path::MAIN_SEPARATOR]).next();
    // In an address `?` begins what comes after the name.
    let signs: &[char] = if text.contains("://") {
        &['*', '[']
    } else {
        &['*', '?', '[']
    };
    let Some(name) = name.filter(|name| name.contains(signs) && !path.exists()) else {
        return Ok((path.to_owned(), None));
    };
    let pattern = Pattern::new(name).map_err(|error| Failure::usage(error).in_file(path))?;
    let place = match text.strip_suffix(name).unwrap_or_default() {
        "" => ".",
        place => place,
    };
    Ok((PathBuf::from(place), Some(pattern)))
}

/// Lists the object of a URL, or all objects below it: the parts of the name below the URL, and the size.
async fn list(
    session: &SessionContext,
    url: &ListingTableUrl,
    place: &Path,
) -> Result<Vec<(Vec<String>, u64)>, Failure> {
    let failed = |error: DataFusionError| match url.scheme() {
        "file" => query_failure(&error).as_bad_data().in_file(place),
        _ => stores::cannot_be_read(&error, url),
    };
    let store = session.runtime_env().object_store(url).map_err(failed)?;
    let state = session.state();
    let listed = url.list_all_files(&state, store.as_ref(), "").await;
    let objects: Vec<_> = listed
        .map_err(failed)?
        .try_collect()
        .await
        .map_err(failed)?;
    let mut found: Vec<(Vec<String>, u64)> = objects
        .iter()
        // Programs make an empty object where others make a folder.
        .filter(|object| {
            object.size > 0 || object.location.extension().is_some() || url.scheme() == "file"
        })
        .map(|object| {
            let parts = url.strip_prefix(&object.location).into_iter().flatten();
            (parts.map(str::to_owned).collect(), object.size)
        })
        .collect();
    found.sort();
    match url.scheme() {
        _ if !found.is_empty() => {}
        "file" => {}
        "http" | "https" => return Err(Failure::new("there is no such file").in_file(url.as_str())),
        _ => {
            let what = "there is no such object, and none below it";
            return Err(Failure::new(what).in_file(url.as_str()));
        }
    }
    Ok(found)
}

/// Error for a file without columns.
pub(super) fn empty(file: &Path) -> Failure {
    let failure = Failure::new("empty: there are no columns").in_file(file);
    failure.help("write the file again, or move it out of the folder")
}

fn format(file: &Path) -> Result<Format, Failure> {
    Format::from_name(file).ok_or_else(|| {
        let failure = Failure::new("the name does not tell a format").in_file(file);
        failure.help(format_args!("expected {EXPECTED}"))
    })
}

/// Folders in which a program keeps a list of the files that count.
const LISTS: [(&str, &str); 3] = [
    ("_delta_log", "Delta Lake"),
    (".hoodie", "Apache Hudi"),
    ("_spark_metadata", "streams of Apache Spark"),
];

/// Refuses a table of a program that keeps a list of the files that count, by the name of a file below the table.
fn check_that_it_is_plain(parts: &[String], table: &Path) -> Result<(), Failure> {
    let known = LISTS
        .into_iter()
        .find(|(list, _)| parts.iter().any(|part| part == list));
    // Others name a folder `metadata`, too.
    let is_iceberg = parts.iter().any(|part| part == "metadata")
        && parts
            .last()
            .is_some_and(|name| name.ends_with(".metadata.json"));
    let iceberg = is_iceberg.then_some(("metadata", "Apache Iceberg"));
    let Some((list, program)) = known.or(iceberg) else {
        return Ok(());
    };
    let what = format!("a table of {program}: `{list}` says which files count, and is not read");
    let failure = Failure::new(what).in_file(table);
    Err(failure.help(
        "write the rows that count to plain files with the program that made the table, and query those",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Limits, embedded};

    #[tokio::test]
    async fn a_folder_is_its_files_of_one_format() {
        // A session caches what it has listed.
        let find = async |path: &Path| {
            let session = embedded(&Limits::default()).expect("a session");
            Files::find(&session, path).await
        };
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

//! Results as a folder with one file for each combination of values of some columns.
//!
//! The partitioned writer of DataFusion is not used because it ignores NULL: such rows would be mixed with those of the
//! value stored in place of NULL, an empty string or usually 0.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use datafusion::arrow::array::{RecordBatch, UInt32Array};
use datafusion::arrow::compute::take_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use tempfile::TempDir;
use xai_files::destination::is_standard_output;
use xai_files::{Failure, InFile};

use super::file::{self, Format, OutFile, RowsFile};
use super::shared::Stopped;

/// Largest number of files, because all are open until the end, and Parquet files hold rows in memory until they are
/// compressed.
const MOST_FILES: usize = 1_000;

/// Name that Hive and Spark give the folder of NULL.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// An output folder with a folder `column=value` for each value, nested if there are several columns.
#[derive(Debug, Clone)]
pub(crate) struct OutFolder {
    pub(crate) path: PathBuf,
    format: Format,
    by: Vec<String>,
}

impl OutFolder {
    /// Checks that every column is given once, and that the folder is new or empty.
    pub(crate) fn new(path: &Path, format: Option<Format>, by: &[String]) -> Result<Self, Failure> {
        file::check_place(path)?;
        if is_standard_output(path) {
            let what = "expected a folder for --partition-by";
            return Err(Failure::for_option("--out", what).with_value(path.display()));
        }
        let twice = by
            .iter()
            .enumerate()
            .find(|(at, name)| by[..*at].contains(name));
        if let Some((_, name)) = twice {
            let what = "expected each column once";
            return Err(Failure::for_option("--partition-by", what).with_value(name));
        }
        let is_free = match std::fs::read_dir(path) {
            Ok(mut inside) => inside.next().is_none(),
            Err(_) => !path.exists(),
        };
        if !is_free {
            let what = "expected a folder that is new or empty";
            let failure = Failure::for_option("--out", what).with_value(path.display());
            return Err(failure.help("name another folder, or remove it"));
        }
        Ok(Self {
            path: path.to_owned(),
            format: format.unwrap_or(Format::Parquet),
            by: by.to_vec(),
        })
    }

    /// Indices of the columns that name folders, and of the others.
    fn columns(&self, schema: &SchemaRef) -> Result<(Vec<usize>, Vec<usize>), Failure> {
        let fields = schema.fields();
        let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
        let place = |column: &String| {
            let place = names
                .iter()
                .position(|name| *name == column)
                .ok_or_else(|| Failure::no_column(column, &names))?;
            if fields[place].data_type().is_nested() {
                let what = "a list names no folder";
                return Err(Failure::for_option("--partition-by", what));
            }
            Ok(place)
        };
        let by: Vec<usize> = self.by.iter().map(place).collect::<Result<_, _>>()?;
        let others: Vec<usize> = (0..names.len()).filter(|it| !by.contains(it)).collect();
        if others.is_empty() {
            let what = "no column is left for the files";
            return Err(Failure::for_option("--partition-by", what));
        }
        Ok((by, others))
    }

    /// Creates a temporary folder beside the final one.
    fn unfinished(&self) -> Result<TempDir, Failure> {
        let beside = match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".xai-sql-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // The usual permissions of a new folder (the umask still applies) instead of those of a private one.
            builder.permissions(std::fs::Permissions::from_mode(0o777));
        }
        let made = builder.tempdir_in(beside);
        made.map_err(Failure::cannot_be_written).in_file(&self.path)
    }

    /// Gives the folder its final name.
    fn finish(&self, unfinished: TempDir) -> Result<(), Failure> {
        // On Unix, renaming replaces an empty folder; elsewhere it has to be removed before.
        #[cfg(not(unix))]
        let _ = std::fs::remove_dir(&self.path);
        let renamed = std::fs::rename(unfinished.path(), &self.path);
        renamed
            .map_err(Failure::cannot_be_written)
            .in_file(&self.path)?;
        // The temporary folder has been renamed, so there is nothing to delete.
        let _ = unfinished.keep();
        Ok(())
    }
}

/// Writes all rows of a query.
pub(super) async fn write(
    mut rows: SendableRecordBatchStream,
    folder: &OutFolder,
) -> Result<(), Stopped> {
    let (by, others) = folder.columns(&rows.schema())?;
    let unfinished = folder.unfinished()?;
    let mut files = HashMap::new();
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        let parts = parts(&batch, &by, &others).map_err(|error| Failure::new(error.to_string()))?;
        for (name, part) in parts {
            if !files.contains_key(&name) {
                if files.len() == MOST_FILES {
                    let what = format_args!("more than {MOST_FILES} folders");
                    let failure = Failure::for_option("--partition-by", what);
                    return Err(failure.help("name columns with fewer values").into());
                }
                files.insert(
                    name.clone(),
                    begun(folder, unfinished.path(), &name, &part)?,
                );
            }
            if let Some(file) = files.get_mut(&name) {
                file.write(&part)?;
            }
        }
    }
    for file in files.into_values() {
        file.finish()?;
    }
    Ok(folder.finish(unfinished)?)
}

fn begun(
    folder: &OutFolder,
    unfinished: &Path,
    name: &str,
    rows: &RecordBatch,
) -> Result<RowsFile, Failure> {
    let inside = unfinished.join(name);
    let made = std::fs::create_dir_all(&inside);
    made.map_err(Failure::cannot_be_written)
        .in_file(folder.path.join(name))?;
    let file = OutFile {
        path: inside.join(format!("part.{}", folder.format.extension())),
        format: folder.format,
    };
    RowsFile::create(&file, rows.schema())
}

/// Divides rows by the folder they belong to.
fn parts(
    batch: &RecordBatch,
    by: &[usize],
    others: &[usize],
) -> Result<BTreeMap<String, RecordBatch>, ArrowError> {
    let schema = batch.schema();
    let options = FormatOptions::default();
    let columns: Vec<_> = by
        .iter()
        .map(|&place| {
            let column = batch.column(place);
            let name = escaped(schema.field(place).name());
            Ok((name, column, ArrayFormatter::try_new(column, &options)?))
        })
        .collect::<Result<_, ArrowError>>()?;
    let mut rows: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for row in 0..batch.num_rows() {
        let mut folders = Vec::with_capacity(columns.len());
        for (name, column, values) in &columns {
            let value = if column.is_null(row) {
                NULL.to_owned()
            } else {
                escaped(&values.value(row).try_to_string()?)
            };
            folders.push(format!("{name}={value}"));
        }
        // A batch has a few thousand rows, so that the index fits into `u32`.
        rows.entry(folders.join("/")).or_default().push(row as u32);
    }
    let kept = batch.project(others)?;
    let part = |(name, rows)| Ok((name, take_record_batch(&kept, &UInt32Array::from(rows))?));
    rows.into_iter().map(part).collect()
}

/// Escapes a column name or a value for a folder name: control characters and characters that are special in paths,
/// URLs, shells or partition names become `%` and two hexadecimal digits.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '\0'..='\x1f' | '\x7f' => escaped += &format!("%{:02X}", u32::from(c)),
            '"' | '#' | '%' | '\'' | '*' | '/' | ':' | '<' | '=' | '>' | '?' | '\\' | '|' => {
                escaped += &format!("%{:02X}", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_part_of_a_name() {
        assert_eq!(escaped("lime, k = 5"), "lime, k %3D 5");
        assert_eq!(escaped("../a\n"), "..%2Fa%0A");
        assert_eq!(escaped("é%"), "é%25");
    }
}

//! A result as a file that is whole or not there.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::json::LineDelimitedWriter;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use futures::StreamExt;
use tempfile::NamedTempFile;

use super::stopped::Stopped;
use crate::failure::Failure;
use crate::plain::without_dictionaries;

#[derive(Debug, Clone, Copy)]
enum Format {
    Parquet,
    Csv,
    JsonLines,
    Arrow,
}

/// The format of an output by the end of its name.
fn format(path: &Path) -> Result<Format, Failure> {
    let extension = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "parquet" => Ok(Format::Parquet),
        "csv" => Ok(Format::Csv),
        "json" | "jsonl" | "ndjson" => Ok(Format::JsonLines),
        "arrow" => Ok(Format::Arrow),
        _ => Err(Failure::usage(format_args!(
            "--out {}: expected a name that ends in .parquet, .csv, .json (an object on each line) or .arrow",
            path.display()
        ))),
    }
}

/// Holds a name against what can be seen before the query runs.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    format(path)?;
    if path.is_dir() {
        return Err(Failure::new("a folder: expected the name of a file").in_file(path));
    }
    match std::fs::metadata(folder(path)) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(cannot_be_written(path, "its folder is a file")),
        Err(error) => Err(cannot_be_written(path, error)),
    }
}

/// Writes all rows of a query.
pub(super) async fn write(mut rows: SendableRecordBatchStream, path: &Path) -> Result<(), Stopped> {
    let mut file = WholeFile::new(path, rows.schema())?;
    while let Some(batch) = rows.next().await {
        file.write(&batch?)?;
    }
    Ok(file.finish()?)
}

/// A file that is written beside its name, and renamed when it is whole.
pub(crate) struct WholeFile<'a> {
    path: &'a Path,
    beside: NamedTempFile,
    rows: Rows,
}

impl<'a> WholeFile<'a> {
    /// The beginning of a file, in the format of its name.
    pub(crate) fn new(path: &'a Path, schema: SchemaRef) -> Result<Self, Failure> {
        let format = format(path)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".xai-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What the umask leaves, as of any new file.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let beside = builder.tempfile_in(folder(path));
        let beside = beside.map_err(|error| cannot_be_written(path, error))?;
        let rows = Rows::new(format, &beside, schema);
        let rows = rows.map_err(|error| cannot_be_written(path, error))?;
        Ok(Self { path, beside, rows })
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let written = self.rows.write(batch);
        written.map_err(|error| cannot_be_written(self.path, error))
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let Self { path, beside, rows } = self;
        rows.finish()
            .map_err(|error| cannot_be_written(path, error))?;
        let renamed = beside.persist(path);
        renamed.map_err(|error| cannot_be_written(path, error.error))?;
        Ok(())
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn cannot_be_written(path: &Path, reason: impl std::fmt::Display) -> Failure {
    Failure::new(format_args!("cannot be written: {reason}")).in_file(path)
}

/// A writer of one of the formats.
enum Rows {
    Parquet(Box<ArrowWriter<BufWriter<File>>>),
    Csv(Box<csv::Writer<BufWriter<File>>>),
    JsonLines(Box<LineDelimitedWriter<BufWriter<File>>>),
    Arrow(Box<FileWriter<BufWriter<File>>>, SchemaRef),
}

impl Rows {
    fn new(format: Format, file: &NamedTempFile, schema: SchemaRef) -> Result<Self, ArrowError> {
        let file = BufWriter::new(file.reopen()?);
        Ok(match format {
            Format::Parquet => Self::Parquet(Box::new(ArrowWriter::try_new(file, schema, None)?)),
            Format::Csv => {
                let mut writer = csv::Writer::new(file);
                // The names of the columns also where there are no rows.
                writer.write(&RecordBatch::new_empty(schema))?;
                Self::Csv(Box::new(writer))
            }
            Format::JsonLines => Self::JsonLines(Box::new(LineDelimitedWriter::new(file))),
            Format::Arrow => {
                // A file holds one dictionary for each column, and batches have their own.
                let schema = without_dictionaries(&schema);
                let writer = FileWriter::try_new(file, &schema)?;
                Self::Arrow(Box::new(writer), schema)
            }
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::Parquet(writer) => writer.write(batch).map_err(ArrowError::from),
            Self::Csv(writer) => writer.write(batch),
            Self::JsonLines(writer) => writer.write(batch),
            Self::Arrow(writer, schema) => {
                let columns = batch.columns().iter().zip(schema.fields());
                let columns = columns.map(|(column, field)| cast(column, field.data_type()));
                let columns = columns.collect::<Result<_, _>>()?;
                writer.write(&RecordBatch::try_new(schema.clone(), columns)?)
            }
        }
    }

    fn finish(self) -> Result<(), ArrowError> {
        let mut file = match self {
            Self::Parquet(writer) => writer.into_inner()?,
            Self::Csv(writer) => writer.into_inner(),
            Self::JsonLines(mut writer) => {
                writer.finish()?;
                writer.into_inner()
            }
            Self::Arrow(writer, _) => writer.into_inner()?,
        };
        file.flush()?;
        Ok(())
    }
}

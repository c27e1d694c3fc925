//! A result as a file that is whole or not there.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::compute::cast;
use datafusion::arrow::csv;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ipc::writer::FileWriter;
use datafusion::arrow::json::writer::JsonFormat;
use datafusion::arrow::json::{LineDelimitedWriter, Writer, WriterBuilder};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::parquet::arrow::ArrowWriter;
use futures::StreamExt;
use xai_files::{Failure, InFile, WholeFile, destination};

use super::stopped::Stopped;
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
        _ => Err(Failure::of_option(
            "--out",
            "expected a name that ends in .parquet, .csv, .json (an object on each line) or .arrow",
        )
        .with_value(path.display())),
    }
}

/// Holds a name against what can be seen before the query runs.
pub(crate) fn check(path: &Path) -> Result<(), Failure> {
    if path.to_string_lossy().contains("://") {
        let failure = Failure::of_option("--out", "expected a file of this machine");
        return Err(failure
            .with_value(path.display())
            .help("write one, and copy it to the store"));
    }
    format(path)?;
    destination::check(path).in_file(path)
}

/// The same where rows have lists.
pub(crate) fn check_of_lists(path: &Path) -> Result<(), Failure> {
    check(path)?;
    match format(path)? {
        Format::Csv => {
            let failure = Failure::of_option("--out", "a CSV file cannot hold lists");
            Err(failure.help("write .parquet, .json (an object on each line) or .arrow"))
        }
        _ => Ok(()),
    }
}

/// Writes all rows of a query.
pub(super) async fn write(mut rows: SendableRecordBatchStream, path: &Path) -> Result<(), Stopped> {
    let mut file = RowsFile::create(path, rows.schema())?;
    while let Some(batch) = rows.next().await {
        file.write(&batch?)?;
    }
    Ok(file.finish()?)
}

/// A [whole file](WholeFile) of rows.
pub(crate) struct RowsFile<'a> {
    path: &'a Path,
    rows: Rows,
}

impl<'a> RowsFile<'a> {
    /// The beginning of a file, in the format of its name.
    pub(crate) fn create(path: &'a Path, schema: SchemaRef) -> Result<Self, Failure> {
        let format = format(path)?;
        let rows = Rows::new(format, WholeFile::create(path)?, schema);
        let rows = rows.map_err(|error| cannot_be_written(path, &error))?;
        Ok(Self { path, rows })
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let written = self.rows.write(batch);
        written.map_err(|error| cannot_be_written(self.path, &error))
    }

    /// Gives the file its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let file = self.rows.finish();
        let file = file.map_err(|error| cannot_be_written(self.path, &error))?;
        file.finish()
    }
}

fn cannot_be_written(path: &Path, reason: &ArrowError) -> Failure {
    Failure::cannot_be_written(format_args!("{reason}")).in_file(path)
}

/// A writer of objects, in which a column that is NULL is `null`.
pub(super) fn with_nulls<W: Write, F: JsonFormat>(to: W) -> Writer<W, F> {
    WriterBuilder::new().with_explicit_nulls(true).build(to)
}

/// A writer of one of the formats.
enum Rows {
    Parquet(Box<ArrowWriter<WholeFile>>),
    Csv(Box<csv::Writer<WholeFile>>),
    JsonLines(Box<LineDelimitedWriter<WholeFile>>),
    Arrow(Box<FileWriter<WholeFile>>, SchemaRef),
}

impl Rows {
    fn new(format: Format, file: WholeFile, schema: SchemaRef) -> Result<Self, ArrowError> {
        Ok(match format {
            Format::Parquet => Self::Parquet(Box::new(ArrowWriter::try_new(file, schema, None)?)),
            Format::Csv => {
                let mut writer = csv::Writer::new(file);
                // The names of the columns also where there are no rows.
                writer.write(&RecordBatch::new_empty(schema))?;
                Self::Csv(Box::new(writer))
            }
            Format::JsonLines => Self::JsonLines(Box::new(with_nulls(file))),
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

    fn finish(self) -> Result<WholeFile, ArrowError> {
        Ok(match self {
            Self::Parquet(writer) => writer.into_inner()?,
            Self::Csv(writer) => writer.into_inner(),
            Self::JsonLines(mut writer) => {
                writer.finish()?;
                writer.into_inner()
            }
            Self::Arrow(writer, _) => writer.into_inner()?,
        })
    }
}

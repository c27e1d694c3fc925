//! Results as files that are written completely or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
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
use xai_files::destination::{self, display_name};
use xai_files::{Failure, InFile, WholeFile};

use super::shared::{Stopped, without_dictionaries};

/// The format of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    Parquet,
    Csv,
    /// An object on each line.
    Json,
    Arrow,
}

impl Format {
    /// The format of a file name.
    fn from_name(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "parquet" => Some(Self::Parquet),
            "csv" => Some(Self::Csv),
            "json" | "jsonl" | "ndjson" => Some(Self::Json),
            "arrow" => Some(Self::Arrow),
            _ => None,
        }
    }

    /// The extension of file names.
    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Parquet => "parquet",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Arrow => "arrow",
        }
    }
}

/// A file to write, `-` for standard output, or a device.
#[derive(Debug, Clone)]
pub(crate) struct OutFile {
    pub(super) path: PathBuf,
    pub(super) format: Format,
}

impl OutFile {
    /// Checks the name and the format before the query runs.
    pub(crate) fn new(path: &Path, format: Option<Format>) -> Result<Self, Failure> {
        check_place(path)?;
        let format = match (Format::from_name(path), format) {
            (Some(of_name), Some(given)) if of_name != given => {
                let what = format_args!("{} is not the format of this name", given.extension());
                let failure = Failure::for_option("--format", what).with_value(path.display());
                return Err(failure.help("give --out another ending, or leave --format out"));
            }
            (Some(format), _) | (None, Some(format)) => format,
            (None, None) => return Err(unknown(path)),
        };
        destination::check(path).in_file(path)?;
        Ok(Self {
            path: path.to_owned(),
            format,
        })
    }

    /// Checks the name of a file for rows with lists, which CSV cannot hold.
    pub(crate) fn for_lists(path: &Path) -> Result<Self, Failure> {
        let file = Self::new(path, None)?;
        match file.format {
            Format::Csv => {
                let failure = Failure::for_option("--out", "a CSV file cannot hold lists");
                Err(failure.help("write .parquet, .json (an object on each line) or .arrow"))
            }
            _ => Ok(file),
        }
    }
}

/// Refuses an output in a store.
pub(super) fn check_place(path: &Path) -> Result<(), Failure> {
    if !path.to_string_lossy().contains("://") {
        return Ok(());
    }
    let failure =
        Failure::for_option("--out", "expected a file of this machine").with_value(path.display());
    Err(failure.help("write one, and copy it to the store"))
}

fn unknown(path: &Path) -> Failure {
    let failure = Failure::for_option(
        "--out",
        "expected a name that ends in .parquet, .csv, .json (an object on each line) or .arrow",
    );
    failure.with_value(path.display())
}

/// Writes all rows of a query.
pub(super) async fn write(
    mut rows: SendableRecordBatchStream,
    file: &OutFile,
) -> Result<(), Stopped> {
    let mut file = RowsFile::create(file, rows.schema())?;
    while let Some(batch) = rows.next().await {
        file.write(&batch?)?;
    }
    Ok(file.finish()?)
}

/// Rows that are written to a [`WholeFile`].
pub(crate) struct RowsFile {
    path: PathBuf,
    rows: Rows,
}

impl RowsFile {
    /// Begins a file.
    pub(crate) fn create(file: &OutFile, schema: SchemaRef) -> Result<Self, Failure> {
        let path = display_name(&file.path).to_owned();
        let rows = Rows::new(file.format, WholeFile::create(&file.path)?, schema)
            .map_err(|error| cannot_be_written(&path, &error))?;
        Ok(Self { path, rows })
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, batch: &RecordBatch) -> Result<(), Failure> {
        let written = self.rows.write(batch);
        written.map_err(|error| cannot_be_written(&self.path, &error))
    }

    /// Completes the file and gives it its name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let file = self
            .rows
            .finish()
            .map_err(|error| cannot_be_written(&self.path, &error))?;
        file.finish()
    }
}

fn cannot_be_written(path: &Path, reason: &ArrowError) -> Failure {
    Failure::cannot_be_written(format_args!("{reason}")).in_file(path)
}

/// A JSON writer that writes NULL as `null` instead of leaving it out.
pub(super) fn with_nulls<W: Write, F: JsonFormat>(to: W) -> Writer<W, F> {
    WriterBuilder::new().with_explicit_nulls(true).build(to)
}

/// The writer of a format.
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
                // The header is written even if there are no rows.
                writer.write(&RecordBatch::new_empty(schema))?;
                Self::Csv(Box::new(writer))
            }
            Format::Json => Self::JsonLines(Box::new(with_nulls(file))),
            Format::Arrow => {
                // A file holds one dictionary per column, but batches have their own.
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
                let columns = batch
                    .columns()
                    .iter()
                    .zip(schema.fields())
                    .map(|(column, field)| cast(column, field.data_type()))
                    .collect::<Result<_, _>>()?;
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

//! Output of results.

mod file;
mod folder;
mod shared;
mod table;

use std::io::Write;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::ArrayWriter;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use xai_files::Failure;
use xai_files::destination::{is_standard_output, standard_output_until_closed};

pub(crate) use file::{Format, OutFile, RowsFile};
pub(crate) use folder::OutFolder;
pub(crate) use shared::{Stopped, without_dictionaries};

/// Destination and format of the rows.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    /// A table on standard output.
    Table,
    /// A list of objects on standard output.
    Json,
    /// A file.
    File(OutFile),
    /// A folder of files divided by the values of some columns.
    Folder(OutFolder),
}

impl Output {
    /// Returns `true` if rows are printed as they arrive.
    pub(crate) fn is_printed_at_once(&self) -> bool {
        match self {
            Self::Json => true,
            Self::File(file) => is_standard_output(&file.path),
            Self::Table | Self::Folder(_) => false,
        }
    }
}

/// Writes all rows. Only a table on standard output is held in memory.
pub(crate) async fn write(
    mut rows: SendableRecordBatchStream,
    output: &Output,
) -> Result<(), Stopped> {
    match output {
        Output::Table => {
            let schema = rows.schema();
            let mut batches: Vec<RecordBatch> = Vec::new();
            while let Some(batch) = rows.next().await {
                batches.push(batch?);
            }
            let text = table::table(&schema, &batches).map_err(arrow_failure)?;
            print(text.as_bytes())?;
        }
        Output::Json => {
            let mut writer: ArrayWriter<_> = file::with_nulls(standard_output_until_closed());
            while let Some(batch) = rows.next().await {
                writer.write(&batch?).map_err(arrow_failure)?;
            }
            writer.finish().map_err(arrow_failure)?;
            print(b"\n")?;
        }
        Output::File(file) => file::write(rows, file).await?,
        Output::Folder(folder) => folder::write(rows, folder).await?,
    }
    Ok(())
}

fn arrow_failure(error: ArrowError) -> Failure {
    Failure::new(error.to_string())
}

/// Prints to standard output. A reader that closes it early (`| head`) is no error.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = standard_output_until_closed();
    let printed = out.write_all(bytes).and_then(|()| out.flush());
    printed.map_err(Failure::standard_output)
}

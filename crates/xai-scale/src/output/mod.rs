//! Where the rows of a result go.

mod file;
mod stopped;
mod table;

use std::io::Write;
use std::path::PathBuf;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::json::ArrayWriter;
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use xai_files::Failure;
use xai_files::destination::standard_output_until_closed;

pub(crate) use file::{RowsFile, check, check_of_lists};
pub(crate) use stopped::Stopped;

/// What a person wants to see of a result.
#[derive(Debug, Clone)]
pub(crate) enum Output {
    /// A table on standard output.
    Table,
    /// A list of objects on standard output.
    Json,
    /// A file, in the format of its name.
    File(PathBuf),
}

/// Writes all rows; a table on standard output is held in memory, the other outputs are not.
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
            let text = table::table(&schema, &batches);
            let text = text.map_err(|error| Failure::new(error.to_string()))?;
            print(text.as_bytes())?;
        }
        Output::Json => {
            let mut writer: ArrayWriter<_> = file::with_nulls(standard_output_until_closed());
            while let Some(batch) = rows.next().await {
                writer.write(&batch?).map_err(of_arrow)?;
            }
            writer.finish().map_err(of_arrow)?;
            print(b"\n")?;
        }
        Output::File(path) => file::write(rows, path).await?,
    }
    Ok(())
}

fn of_arrow(error: ArrowError) -> Failure {
    Failure::new(error.to_string())
}

/// Prints; a reader who has seen enough (`| head`) is no error.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = standard_output_until_closed();
    let printed = out.write_all(bytes).and_then(|()| out.flush());
    printed.map_err(Failure::standard_output)
}

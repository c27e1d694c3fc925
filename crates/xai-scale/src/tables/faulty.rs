//! Which file of a table cannot be read.
//!
//! The engine reads many files at the same time and does not tell of which one an error is. After an error the files
//! are read again, one after the other, until one fails.

use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use futures::StreamExt;

use crate::failure::Failure;
use crate::tables::files::Files;
use crate::tables::listed::Listed;

/// A table that a query reads.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) files: Files,
    /// The columns of its files.
    pub(super) schema: SchemaRef,
}

/// Whether an error can come from the bytes of a file.
pub(super) fn is_of_reading(error: &DataFusionError) -> bool {
    use DataFusionError as E;
    match error.find_root() {
        E::ParquetError(_) | E::ObjectStore(_) | E::IoError(_) => true,
        E::ArrowError(reason, _) => matches!(
            **reason,
            ArrowError::ParseError(_)
                | ArrowError::CsvError(_)
                | ArrowError::JsonError(_)
                | ArrowError::IpcError(_)
                | ArrowError::IoError(..)
                | ArrowError::ParquetError(_)
                | ArrowError::ExternalError(_)
        ),
        // An executor tells what happened as text alone.
        E::Execution(text) => names_reading(text),
        other => names_reading(&other.to_string()),
    }
}

/// Whether the text of an executor is about the bytes of a file.
fn names_reading(text: &str) -> bool {
    ["Parquet", "Arrow", "Csv", "Json", "Object Store"]
        .iter()
        .any(|format| text.contains(&format!("{format} error")))
}

/// The first file of a table that cannot be read to its end.
pub(super) async fn first(table: &Table) -> Option<Failure> {
    for file in &table.files.files {
        let alone = table.files.alone(file);
        if let Err(error) = read(&alone, table.schema.clone()).await {
            return Some(Failure::of_query(&error).about_data().in_file(file));
        }
    }
    None
}

async fn read(alone: &Files, schema: SchemaRef) -> Result<(), DataFusionError> {
    let session = SessionContext::new();
    let listed = Listed::new(&session, alone).await?;
    let frame = session.read_table(Arc::new(listed.table(schema)?))?;
    let mut rows = frame.execute_stream().await?;
    while let Some(batch) = rows.next().await {
        batch?;
    }
    Ok(())
}

/// Why the columns of a table are not known: the file that does not tell its columns, or that the files have
/// different ones.
pub(super) async fn without_schema(files: &Files, error: &DataFusionError) -> Failure {
    let session = SessionContext::new();
    for file in &files.files {
        let inferred = match Listed::new(&session, &files.alone(file)).await {
            Ok(listed) => listed.schema(&session).await.err(),
            Err(error) => Some(error),
        };
        if let Some(error) = inferred {
            return Failure::of_query(&error).about_data().in_file(file);
        }
    }
    Failure::of_query(error).about_data().in_file(&files.path)
}

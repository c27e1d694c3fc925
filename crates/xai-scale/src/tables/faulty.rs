//! Which file of a table cannot be read.
//!
//! The engine reads many files at the same time and does not tell of which one an error is. After an error the files
//! are read again, one after the other, until one fails.

use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use datafusion::object_store;
use datafusion::parquet::errors::ParquetError;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use xai_files::Failure;

use crate::failure::of_query;
use crate::tables::files::{Files, Readers};
use crate::tables::listed::Listed;

/// A table that a query reads.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) files: Files,
    /// The columns of its files.
    pub(super) schema: SchemaRef,
}

/// Whether an error can come from the bytes of a file.
pub(super) fn is_of_reading(error: &DataFusionError, readers: Readers) -> bool {
    match readers {
        Readers::Here => is_about_bytes(error),
        Readers::Cluster => is_about_bytes(error) || names_reading(error),
    }
}

/// Whether a reader of a file made an error, or one that another wraps. Readers hand their errors through streams that
/// wrap them in kinds of their own, so the kinds are looked through to the innermost.
fn is_about_bytes(error: &(dyn Error + 'static)) -> bool {
    use DataFusionError as E;
    match error.downcast_ref::<DataFusionError>() {
        Some(E::ParquetError(_) | E::ObjectStore(_) | E::IoError(_)) => return true,
        Some(E::ArrowError(reason, _)) => return is_about_bytes(reason.as_ref()),
        Some(E::External(reason)) => return is_about_bytes(reason.as_ref()),
        Some(E::Context(_, reason) | E::Diagnostic(_, reason)) => {
            return is_about_bytes(reason.as_ref());
        }
        Some(E::Shared(reason)) => return is_about_bytes(reason.as_ref()),
        Some(E::Collection(all)) => return all.iter().any(|one| is_about_bytes(one)),
        Some(_) => return false,
        None => {}
    }
    match error.downcast_ref::<ArrowError>() {
        Some(ArrowError::ExternalError(reason)) => is_about_bytes(reason.as_ref()),
        Some(reason) => matches!(
            reason,
            ArrowError::ParseError(_)
                | ArrowError::CsvError(_)
                | ArrowError::JsonError(_)
                | ArrowError::IpcError(_)
                | ArrowError::IoError(..)
                | ArrowError::ParquetError(_)
        ),
        None => {
            error.is::<ParquetError>()
                || error.is::<object_store::Error>()
                || error.is::<std::io::Error>()
        }
    }
}

/// Whether the text of an executor is about the bytes of a file. Between executors, scheduler and client an error travels
/// as text alone; looking for a faulty file after every failed query instead would read whole tables here.
fn names_reading(error: &DataFusionError) -> bool {
    let text = error.to_string();
    ["Parquet", "Arrow", "Csv", "Json", "Object Store"]
        .iter()
        .any(|format| text.contains(&format!("{format} error")))
}

/// The first file of a table that cannot be read to its end.
pub(super) async fn first(table: &Table) -> Option<Failure> {
    for file in &table.files.files {
        let alone = table.files.alone(file);
        if let Err(error) = read(&alone, table.schema.clone()).await {
            return Some(of_query(&error).as_bad_data().in_file(file));
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
            return of_query(&error).as_bad_data().in_file(file);
        }
    }
    of_query(error).as_bad_data().in_file(&files.path)
}

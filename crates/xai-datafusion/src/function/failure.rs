//! Errors of the metrics as errors of a query.

use datafusion::common::DataFusionError;

/// An error of a metric, with the function that it came from. The index is left out: it is a place in
/// a batch, and batches are the engine's.
pub(crate) fn failed(function: &str, error: xai_core::Error) -> DataFusionError {
    DataFusionError::Execution(format!("{function}: {}", error.at(&[])))
}

//! Errors of the metrics as errors of a query.

use datafusion::common::DataFusionError;

/// An error of a metric, with the function that it came from. The index is left out: it is a place in
/// a batch, and batches are the engine's.
pub(crate) fn failed(function: &str, error: xai_core::Error) -> DataFusionError {
    let error = error.at(&[]);
    let mut text = format!("{function}: {}", error.problem());
    if let Some(help) = error.help() {
        text += "; ";
        text += &help.in_terms_of(as_option);
    }
    DataFusionError::Execution(text)
}

/// A setting of a parameter as SQL has it: a word among the options.
fn as_option(name: &str, value: Option<&str>) -> String {
    format!("'{}'", value.unwrap_or(name))
}

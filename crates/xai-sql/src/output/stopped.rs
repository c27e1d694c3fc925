//! Why rows were not written.

use datafusion::error::DataFusionError;
use xai_files::Failure;

/// Why rows were not written.
#[derive(Debug)]
pub(crate) enum Stopped {
    /// The query.
    Query(DataFusionError),
    /// The output.
    Output(Failure),
}

impl From<DataFusionError> for Stopped {
    fn from(error: DataFusionError) -> Self {
        Self::Query(error)
    }
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Output(failure)
    }
}

//! Errors of the engine as Python's.

use datafusion::error::DataFusionError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyOSError, PyValueError};
use xai_datafusion::failure::message;

/// The exception that says what the engine says.
pub(crate) fn raised(error: &DataFusionError) -> PyErr {
    use DataFusionError as E;
    let message = message(error);
    match error.find_root() {
        E::ResourcesExhausted(_) => PyMemoryError::new_err(message),
        E::IoError(_) | E::ObjectStore(_) => PyOSError::new_err(message),
        E::NotImplemented(_) => PyNotImplementedError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

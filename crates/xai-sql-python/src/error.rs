//! Conversion of errors of the engine to Python exceptions.

use datafusion::error::DataFusionError;
use pyo3::PyErr;
use pyo3::exceptions::{PyMemoryError, PyNotImplementedError, PyOSError, PyValueError};
use xai_datafusion::failure::message;

/// Converts an error to an exception with the same message.
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

//! States as bytes, for pickling, and results as Python values.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Written before each state, because another version may lay out its bytes differently.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A state as bytes that [`from_bytes`] reads.
pub(crate) fn to_bytes<'py, T: Serialize>(
    py: Python<'py>,
    state: &T,
) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = postcard::to_stdvec(&(VERSION, state))
        .map_err(|e| PyValueError::new_err(format!("state cannot be stored: {e}")))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The state of some bytes.
///
/// # Errors
/// `ValueError` for bytes that another version wrote, and for what is no state.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    let damaged = |why: String| PyValueError::new_err(format!("stored state: {why}"));
    let (version, rest): (String, &[u8]) =
        postcard::take_from_bytes(bytes).map_err(|e| damaged(e.to_string()))?;
    if version != VERSION {
        let why = format!("written by version {version} of xai-metrics, this is {VERSION}");
        return Err(damaged(why));
    }
    postcard::from_bytes(rest).map_err(|e| damaged(e.to_string()))
}

/// A result as dictionaries, lists and numbers.
pub(crate) fn to_python<'py, T: Serialize + ?Sized>(
    py: Python<'py>,
    result: &T,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, result)?)
}

/// Undefined values as NaN.
pub(crate) fn or_nan(values: &[Option<f64>]) -> Vec<f64> {
    values
        .iter()
        .map(|value| value.unwrap_or(f64::NAN))
        .collect()
}

/// NaN as undefined values.
pub(crate) fn or_none(values: impl IntoIterator<Item = f64>) -> Vec<Option<f64>> {
    let defined = |value: f64| (!value.is_nan()).then_some(value);
    values.into_iter().map(defined).collect()
}

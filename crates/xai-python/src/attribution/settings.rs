//! Parameters of metrics, as the Python side sets them.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PySequence, PyString};
use xai_attribution::metric::Value;

/// A value of a parameter: what Python has as a boolean, a number, a string, a sequence, an array or a
/// scalar of an array library. Any other object is taken as the text that it prints as, which no parameter takes, so
/// that an error says which parameter it was given for.
#[derive(Clone)]
pub(super) struct Given(pub(super) Value);

impl<'py> FromPyObject<'_, 'py> for Given {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        value(&object).map(Self)
    }
}

fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    // A boolean is an integer in Python, and a string a sequence.
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(flag.is_true().into());
    }
    if object.cast::<PyInt>().is_ok() {
        let number = object.extract::<i64>().map(Value::from);
        return number.or_else(|_| Ok(Value::Text(object.str()?.to_string())));
    }
    if object.cast::<PyFloat>().is_ok() {
        return Ok(object.extract::<f64>()?.into());
    }
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Text(text.to_string()));
    }
    if let Ok(items) = object.cast::<PySequence>() {
        let items: PyResult<Vec<Value>> = items.try_iter()?.map(|item| value(&item?)).collect();
        return Ok(Value::List(items?));
    }
    if object.hasattr("tolist")? {
        return value(&object.call_method0("tolist")?);
    }
    Ok(Value::Text(object.repr()?.to_string()))
}

/// Settings as the library takes them.
pub(super) fn settings(given: Vec<(String, Given)>) -> Vec<(String, Value)> {
    let settings = given.into_iter().map(|(name, Given(value))| (name, value));
    settings.collect()
}

//! Conversion of errors of the library to Python exceptions.

use std::error::Error as _;

use pyo3::create_exception;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use xai_attribution::EvaluationError;
use xai_attribution::input::VALUES;
use xai_attribution::metric::Entry;
use xai_attribution::metric::registry::find;
use xai_core::input::PARAMETER;
use xai_core::{Error, ErrorKind};

create_exception!(
    xai_metrics._native,
    UndefinedError,
    PyValueError,
    "A metric has a value for no sample."
);

/// A result whose error Python can raise.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or converts the error to an exception with the same message.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| raised(py, &error, String::new(), None))
    }
}

impl<T> OrRaise<T> for Result<T, EvaluationError> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|stopped| {
            let judged = match (stopped.explainer(), stopped.metric()) {
                (Some(explainer), Some(metric)) => format!("{metric} of `{explainer}`: "),
                (Some(explainer), None) => format!("`{explainer}`: "),
                _ => String::new(),
            };
            let metric = stopped.metric().and_then(|name| find(name).ok());
            raised(py, stopped.error(), judged, metric)
        })
    }
}

/// The exception that a model or an explainer raised. For other errors, a new exception whose message says what was
/// evaluated, what is wrong, and on a line of its own what to do. Advice on a parameter of a metric is given as a call
/// of the class of the metric: `AverageDrop(base_score_policy="skip")`.
fn raised(
    py: Python<'_>,
    error: &Error,
    mut message: String,
    metric: Option<&'static Entry>,
) -> PyErr {
    if let Some(raised) = raised_by_python(py, error) {
        return raised;
    }
    message.push_str(&error.problem());
    if let Some(help) = error.help() {
        message.push('\n');
        message.push_str(&help.render(|name, value| {
            let argument = as_argument(name, value);
            let has = |entry: &&Entry| entry.params().iter().any(|param| param.name == name);
            match metric.filter(has) {
                Some(entry) if value.is_some() => format!("{}({argument})", class_of(entry)),
                _ => argument,
            }
        }));
    }
    match error.kind() {
        ErrorKind::Io { .. } => PyOSError::new_err(message),
        ErrorKind::Empty if error.input() == VALUES => UndefinedError::new_err(message),
        // No parameter has the name that was given.
        _ if error.input() == PARAMETER => PyTypeError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// The exception in an error, with its type and its traceback.
fn raised_by_python(py: Python<'_>, error: &Error) -> Option<PyErr> {
    let mut source = error.source();
    while let Some(cause) = source {
        if let Some(raised) = cause.downcast_ref::<PyErr>() {
            return Some(raised.clone_ref(py));
        }
        source = cause.source();
    }
    None
}

/// The class of a metric: `AverageDrop`.
fn class_of(entry: &Entry) -> String {
    let words = entry.info.name.split('-').map(|word| {
        let (first, rest) = word.split_at(1.min(word.len()));
        first.to_uppercase() + rest
    });
    words.collect()
}

/// A setting of a parameter as an argument: `return_type="logits"`, `logits=True`, `k=5`.
fn as_argument(name: &str, value: Option<&str>) -> String {
    match value {
        None => format!("`{name}`"),
        Some("true") => format!("{name}=True"),
        Some("false") => format!("{name}=False"),
        Some(number) if number.parse::<f64>().is_ok() => format!("{name}={number}"),
        Some(word) => format!("{name}={word:?}"),
    }
}

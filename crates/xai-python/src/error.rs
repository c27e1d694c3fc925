//! Our errors as Python's.

use std::error::Error as _;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use xai_attribution::EvaluationError;
use xai_core::{Error, ErrorKind};

use crate::{attribution, casebased, graph, repro};

/// A result whose error Python can raise.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception that says what ours says.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, Error> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|error| {
            let message = message(&error.to_string(), &error);
            raised_by_python(py, &error).unwrap_or_else(|| exception(&error, message))
        })
    }
}

impl<T> OrRaise<T> for Result<T, EvaluationError> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|stopped| {
            let error = stopped.error();
            let message = message(&stopped.to_string(), error);
            raised_by_python(py, error).unwrap_or_else(|| exception(error, message))
        })
    }
}

/// The exception that a model or an explainer raised, itself: with its type and its traceback.
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

fn exception(error: &Error, message: String) -> PyErr {
    match error.kind() {
        ErrorKind::Io { .. } => PyOSError::new_err(message),
        _ => PyValueError::new_err(message),
    }
}

/// What is wrong, and on a line of its own what to do, in Python's terms.
fn message(text: &str, error: &Error) -> String {
    let Some(help) = error.help() else {
        return text.to_owned();
    };
    let problem = text.strip_suffix(&format!("; {help}")).unwrap_or(text);
    let families = [
        attribution::help::WAYS_OUT,
        casebased::help::WAYS_OUT,
        graph::help::WAYS_OUT,
        repro::help::WAYS_OUT,
    ];
    let in_python = families
        .iter()
        .copied()
        .flatten()
        .find(|(of, _)| *of == help);
    let advice = in_python.map_or(help.text(), |(_, advice)| advice);
    format!("{problem}\n{advice}")
}

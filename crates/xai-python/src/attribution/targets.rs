//! Targets as they lie in memory.

use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use xai_attribution::model::Targets;

/// Classes `(n,)`, or rows of weights `(n, n_outputs)`.
#[derive(FromPyObject)]
pub(super) enum GivenTargets<'py> {
    Classes(PyReadonlyArray1<'py, i64>),
    Rows(PyReadonlyArray2<'py, f64>),
}

impl GivenTargets<'_> {
    pub(super) fn targets(&self) -> Targets {
        match self {
            Self::Classes(classes) => Targets::Classes(classes.as_array().to_vec()),
            Self::Rows(rows) => Targets::Rows(rows.as_array().to_owned()),
        }
    }
}

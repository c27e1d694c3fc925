//! The functions and classes of `xai_metrics.casebased`.
//!
//! Classes are integers here: Python numbers labels of other types. What the model of a similarity
//! gives for rows (activations, leaves) comes in as arrays, asked for in Python.

use pyo3::prelude::*;
use xai_casebased::result::Listing;
use xai_casebased::{CaseExplainerBuilder, CorrespondenceMetric};

use crate::described::{Operation, params_of};

/// Functions of Python whose parameters the library describes.
pub(crate) const OPERATIONS: &[Operation] = &[
    ("casebased.explainer", params_of::<CaseExplainerBuilder>),
    (
        "casebased.correspondence",
        params_of::<CorrespondenceMetric>,
    ),
    ("casebased.search", params_of::<search::SearchChoices>),
    ("casebased.audit", params_of::<Listing>),
];

mod arrays;
mod audit;
mod choices;
mod correspondence;
mod distances;
mod explainer;
mod given;
mod search;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    correspondence::register(module)?;
    distances::register(module)?;
    module.add_class::<explainer::CasebasedExplainer>()?;
    module.add_class::<search::CasebasedSearch>()?;
    audit::register(module)
}

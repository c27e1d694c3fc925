//! The functions and classes of `xai_metrics.casebased`.
//!
//! Classes are integers here: Python numbers labels of other types. The outputs of the model of a similarity
//! (activations, leaves) are computed in Python and passed as arrays.

use pyo3::prelude::*;
use xai_core::describe::Operation;

/// Operations with parameters that only Python has.
pub(crate) const OPERATIONS: &[Operation] =
    &[Operation::new::<search::SearchChoices>("casebased.search")];

mod arrays;
mod audit;
mod choices;
mod correspondence;
mod data_attribution;
mod distances;
mod explainer;
mod given;
mod search;

pub(crate) use audit::CasebasedAudit;
pub(crate) use data_attribution::AttributionOutcomes;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(choices::casebased_kernels, module)?)?;
    correspondence::register(module)?;
    distances::register(module)?;
    module.add_class::<explainer::CasebasedExplainer>()?;
    module.add_class::<search::CasebasedSearch>()?;
    data_attribution::register(module)?;
    audit::register(module)
}

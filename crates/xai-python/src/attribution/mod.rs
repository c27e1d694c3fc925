//! The functions and classes of `xai_metrics.attribution`.

use pyo3::prelude::*;

mod calls;
mod catalogue;
mod evaluate;
mod inputs;
mod masked;
mod own;
mod request;
mod samples;
mod scores;
mod several_models;
mod texts;
mod values;

pub(crate) use catalogue::{add_details, layout};
pub(crate) use values::AttributionValues;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    catalogue::register(module)?;
    evaluate::register(module)?;
    inputs::register(module)?;
    masked::register(module)?;
    scores::register(module)?;
    several_models::register(module)?;
    texts::register(module)?;
    values::register(module)
}

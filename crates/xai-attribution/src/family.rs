//! The family of attribution metrics.

use xai_core::describe::Family;

use crate::inputs::INPUTS;
use crate::metric::registry::metrics;

/// The metrics of attribution maps.
pub const FAMILY: Family = Family {
    name: "attribution",
    package: env!("CARGO_PKG_NAME"),
    title: "Attribution maps",
    summary: "Does the model still believe its answer on what an attribution map keeps?",
    metrics: || metrics().iter().map(|entry| entry.description()).collect(),
    operations: &[],
    inputs: INPUTS,
};

//! Explainers, which turn training rows into explanations.

pub(crate) mod builder;
pub(crate) mod case_arrays;
pub(crate) mod case_explainer;
pub(crate) mod choices;
pub(crate) mod disclosure;
pub(crate) mod feature_comparisons;
#[cfg(feature = "persistence")]
pub(crate) mod persistence;
pub(crate) mod slices;

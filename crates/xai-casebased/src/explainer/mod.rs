//! Explainers, which turn training rows into explanations.
//!
//! [`CaseExplainerBuilder`] has the settings; [`CaseExplainer`] is a fitted explainer.

pub(crate) mod builder;
pub(crate) mod case_explainer;
pub(crate) mod choices;
pub(crate) mod disclosure;
pub(crate) mod feature_comparisons;
#[cfg(feature = "persistence")]
pub(crate) mod persistence;
pub(crate) mod precedents;

pub use case_explainer::CaseExplainer;
pub use choices::{CaseExplainerBuilder, RowDistance};
#[cfg(feature = "persistence")]
pub use persistence::SaveOptions;

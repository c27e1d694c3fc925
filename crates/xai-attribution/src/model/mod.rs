//! What the caller brings: a model, explainers, samples and their targets, and how scores are taken.

pub(crate) mod black_box;
pub(crate) mod counted;
pub(crate) mod explainer;
pub(crate) mod samples;
pub(crate) mod scoring;
pub(crate) mod smoothed;
pub(crate) mod targets;

pub use black_box::Concurrent;
pub use black_box::{BoxError, Job, Model};
pub use counted::{Counted, ModelCalls};
pub use explainer::Explainer;
pub use samples::Samples;
pub use scoring::{CurveScore, Scoring};
pub use smoothed::Smoothed;
pub use targets::{IntoTargets, Targets};

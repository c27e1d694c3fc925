//! Inputs provided by the caller: model, explainers, samples, targets, and scoring settings.

pub(crate) mod batch_dependence;
pub(crate) mod black_box;
pub(crate) mod counted;
pub(crate) mod explainer;
pub(crate) mod function;
pub(crate) mod samples;
pub(crate) mod scoring;
pub(crate) mod smoothed;

pub use black_box::Concurrent;
pub use black_box::{BoxError, Job, Model};
pub use counted::Counted;
pub use explainer::Explainer;
pub use function::Function;
pub use precision::{Converted, SinglePrecision};
pub use samples::{Images, IntoTargets, Samples, Targets};
pub use scoring::{CurveScore, Scoring, rows_per_call};
pub use smoothed::Smoothed;
pub use xai_core::evaluation::ModelCalls;

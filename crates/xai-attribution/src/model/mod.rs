//! Inputs provided by the caller: model, explainers, samples, targets, and scoring settings.

pub(crate) mod batch_dependence;
pub(crate) mod batch_size;
pub(crate) mod black_box;
pub(crate) mod closures;
pub(crate) mod counted;
pub(crate) mod explainer;
pub(crate) mod function;
pub(crate) mod precision;
pub(crate) mod samples;
pub(crate) mod scoring;
pub(crate) mod smoothed;

pub use batch_size::{RowKind, rows_per_call};
pub use black_box::{BoxError, Concurrent, Job, Model};
pub use closures::{
    ExplainerMut, ModelMut, SliceExplainer, SliceModel, SliceModelMut, explainer_fn,
    explainer_fn_mut, model_fn, model_fn_mut, samples_from_slice, slice_explainer_fn,
    slice_model_fn, slice_model_fn_mut,
};
pub use counted::Counted;
pub use explainer::Explainer;
pub use function::Function;
pub use precision::{Converted, SinglePrecision};
pub use samples::{Images, IntoTargets, Samples, Targets};
pub use scoring::{CurveScore, Scoring};
pub use smoothed::Smoothed;
pub use xai_core::evaluation::ModelCalls;

//! The data that a metric reads, batch by batch, and the computations that metrics share. For authors of metrics.
//!
//! A run visits the samples batch by batch. For each batch and explainer, a metric receives an [`ExplainedBatch`]:
//! the inputs, the explainer's maps, the model's scores, and the explainer itself. Results that several metrics or
//! explainers need are *shared work*, cached under the type and parameters of the work:
//!
//! | work | computed once | examples |
//! |---|---|---|
//! | [`DatasetWork`] | per run | the mean of all inputs, the schedule of a curve |
//! | [`BatchWork`] | per batch | scores of baseline inputs, drops of random subsets |
//! | [`MapWork`] | per batch and explainer | orders of positions, scores along a removal curve |
//!
//! A metric that compares samples with each other is called once more after the last batch, with [`AllSamples`] and
//! the notes that it took of each batch; see [`DatasetMetric`](crate::metric::DatasetMetric).
//!
//! The module [`perturbation`](crate::perturbation) contains the shared work of the metrics of this crate. Your own
//! metrics can use it and add their own.

pub(crate) mod data;
pub(crate) mod explained;
pub(crate) mod output_kind;
pub(crate) mod plan;
pub(crate) mod run_data;
pub(crate) mod samples;
pub(crate) mod second_maps;
pub(crate) mod side;

pub use explained::{AllSamples, ExplainedBatch, MapWork};
pub use plan::Plan;
pub use run_data::{Dataset, DatasetWork};
pub use samples::{BatchWork, SampleBatch};

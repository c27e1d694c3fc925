//! The data of a run and its batches: what metrics read, and what they share.
//!
//! A run visits the samples batch by batch. Of each batch a metric is given an [`ExplainedBatch`]:
//! the inputs and one explainer's maps, the model's scores, and the explainer. What several metrics
//! or explainers may need is *shared work*, found by its type and its parameters:
//!
//! | work | done once | for instance |
//! |---|---|---|
//! | [`RunWork`] | per run | the mean of all inputs, the schedule of a curve |
//! | [`BatchWork`] | per batch | scores of baseline inputs, drops of random subsets |
//! | [`MapWork`] | per batch and explainer | orders of positions, scores along a removal curve |
//!
//! A metric that relates samples to each other is asked once more when all batches are visited, with
//! [`AllSamples`] and what it took down of each: see [`WholeMetric`](crate::metric::WholeMetric).
//!
//! The module [`perturbation`](crate::perturbation) has the works that the metrics of this crate
//! share; any metric may use them, and bring its own.

pub(crate) mod data;
pub(crate) mod explained;
pub(crate) mod output_kind;
mod plan;
pub(crate) mod run_data;
pub(crate) mod samples;
pub(crate) mod second_maps;
pub(crate) mod side;

pub use data::Data;
pub use explained::AllSamples;
pub use explained::{ExplainedBatch, MapWork};
pub use plan::{Plan, PlannedRows};
pub use run_data::{RunData, RunWork};
pub use samples::{BatchWork, SampleBatch};
pub use second_maps::ReferenceMaps;
pub use second_maps::{SecondExplainer, SecondMaps, SecondMapsOfBatch};
pub use side::Planes;
pub use side::{Masks, Segments, SideInput};

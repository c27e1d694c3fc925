//! Metrics of training-data attribution.
//!
//! Training-data attribution estimates how much each training case raised the output for each test case, by
//! influence functions, gradients, representations, or the neighbours of this crate
//! ([`CaseExplainer::attributions`](crate::CaseExplainer::attributions)). The attributions `τ` are `(n_test,
//! n_train)`; above 0 means that the case raised the output. [`AttributionData`] has the attributions and the
//! arrays that they are compared with. Most metrics are structs with parameters, whose `evaluate` reads the
//! attributions row by row, from memory or elsewhere; [`MislabelingDetection`], [`TailPatch`] and [`brittleness()`]
//! take other arrays instead. [`evaluate_all`] computes several metrics in one pass.
//!
//! # Choosing a metric
//!
//! | available data | metric |
//! |---|---|
//! | models trained on subsets | [`LinearDatamodelingScore`] |
//! | models trained without single cases, or without the top cases | [`LeaveOneOutCorrelation`], [`brittleness()`] |
//! | one training step after the training | [`TailPatch`] |
//! | classes or subclasses | [`ClassDetection`], [`SubclassDetection`], [`ClassAuroc`], [`ClassRecall`] |
//! | flipped labels, an inserted shortcut or cases of another data set | [`MislabelingDetection`], [`ShortcutDetection`], [`MixedDatasets`] |
//! | training cases known to be relevant | [`MeanReciprocalRank`], [`HitAtK`], [`RecallAtK`] |
//! | attributions for a model with random weights | [`AttributionRandomization`] |
//! | attributions only | [`TopKCardinality`] |
//!
//! The metrics in the first three rows measure whether attributions predict the effect of training; those in the first
//! two need many trainings. The others measure properties that good attributions should have, for example that they
//! find cases of the same class; an explainer that has these properties need not be faithful.
//!
//! # Ties
//!
//! In a ranking that is cut (the top `k`) and for the rank of the first relevant case, ties go to the case with the
//! lower index, so if all attributions are equal, the first cases are at the top. In the other statistics (AUROC,
//! average precision, correlations), equal attributions count as tied, so attributions that are all equal are at chance
//! level, or undefined.
//!
//! # All metrics
//!
//! The metrics of this crate, those of [explainers](crate::CaseExplainer) first.
//!
#![doc = include_str!("../../METRICS.md")]

mod array;
mod brittleness;
mod cardinality;
mod class_detection;
mod class_ranking;
mod comparison;
mod data;
mod entry;
mod flagged;
mod inputs;
mod leave_one_out;
mod linear_datamodeling;
mod list;
mod metric;
mod mislabeling;
mod outcome;
mod randomization;
mod relevance;
mod retrieved;
mod rows;
mod subsets;
mod tail_patch;
mod top;
mod values;
mod walk;

pub use array::{InputArray, InputElement, IntoInput, TooLarge};
pub use brittleness::{Brittleness, brittleness};
pub use cardinality::{Cardinality, TopKCardinality};
pub use class_detection::{ClassDetection, SubclassDetection};
pub use class_ranking::{ClassAuroc, ClassRecall};
pub use comparison::{AttributionComparison, DatasetResult, negative_means};
pub use data::AttributionData;
pub use entry::{Computation, Entry};
pub use flagged::{MixedDatasets, ShortcutDetection};
pub use inputs::{INPUTS, spec};
pub use leave_one_out::LeaveOneOutCorrelation;
pub use linear_datamodeling::LinearDatamodelingScore;
pub use list::{METRICS, evaluate_all, find};
pub use metric::AttributionMetric;
pub use mislabeling::{Mislabeling, MislabelingDetection};
pub use outcome::Outcome;
pub use randomization::AttributionRandomization;
pub use relevance::{HitAtK, MeanReciprocalRank, RecallAtK};
pub use retrieved::RetrievedRows;
pub use rows::{AttributionRows, RowReader, rows_with};
pub use subsets::Subsets;
pub use tail_patch::{TailPatch, TailPatchScale};
pub use values::TestCaseValues;
pub use walk::{Row, RowFunction};
pub use xai_core::statistics::Correlation;

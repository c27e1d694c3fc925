//! Are explanations by training cases any good?
//!
//! Training-data attribution tells how far each training case raised the output for each test case: by influence
//! functions, gradients, representations, or the neighbours of this crate
//! ([`CaseExplainer::attributions`](crate::CaseExplainer::attributions)). The attributions `τ` are `(n_test, n_train)`,
//! above 0 = the case raised the output. [`AttributionData`] holds them and what they are judged by; a metric is a struct
//! with parameters, whose `evaluate` reads them row by row, whether they are in memory or not. Several metrics are computed
//! from one reading by [`evaluate_all`].
//!
//! # Which metric when
//!
//! | there is | metric |
//! |---|---|
//! | models trained on subsets | [`LinearDatamodelingScore`] |
//! | models trained without single cases, or without the top ones | [`LeaveOneOutCorrelation`], [`brittleness()`] |
//! | one training step after the training | [`TailPatch`] |
//! | classes, or finer ones | [`ClassDetection`], [`SubclassDetection`], [`ClassAuroc`], [`ClassRecall`] |
//! | labels that were flipped, a shortcut or other data that were put in | [`MislabelingDetection`], [`ShortcutDetection`], [`MixedDatasets`] |
//! | training cases that are known to be relevant | [`MeanReciprocalRank`], [`HitAtK`], [`RecallAtK`] |
//! | the same explainer for a model with random weights | [`AttributionRandomization`] |
//! | nothing else | [`TopKCardinality`] |
//!
//! The first two rows ask whether attributions tell what training does; they cost many trainings. The others ask for something
//! that good attributions should find: an explainer that finds it need not be faithful.
//!
//! # Ties
//!
//! In a ranking that is cut (the top `k`) the lower case goes first; in statistics of ranks equal attributions share their
//! mean rank, so that attributions that are all equal are as good as chance, or undefined.

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
pub use entry::Entry;
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
pub use rows::{AttributionRows, rows_with};
pub use subsets::Subsets;
pub use tail_patch::{TailPatch, TailPatchScale};
pub use values::TestCaseValues;
pub use walk::{Row, RowFunction};

metric::made_by_default!(
    AttributionRandomization,
    ClassAuroc,
    ClassDetection,
    ClassRecall,
    HitAtK,
    LeaveOneOutCorrelation,
    LinearDatamodelingScore,
    MeanReciprocalRank,
    MislabelingDetection,
    MixedDatasets,
    RecallAtK,
    ShortcutDetection,
    SubclassDetection,
    TailPatch,
    TopKCardinality
);

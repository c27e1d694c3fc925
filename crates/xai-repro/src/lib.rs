//! Do repeated trainings make the same predictions, and the same errors?
//!
//! `k` runs of one method predict the same `n` samples. [`PairwiseReproducibility`] takes every
//! metric on each of the `k (k − 1)/2` pairs of runs; the result is the distribution over pairs, its
//! summary, and intervals that respect that pairs share runs.
//!
//! # Which metric when
//!
//! | metric | asks of a pair | range |
//! |---|---|---|
//! | [`EcLocal`](PairMetric::EcLocal) | of the samples either gets wrong, how many do both? | [0, 1] |
//! | [`EcGlobal`](PairMetric::EcGlobal) | how many samples do both get wrong? | [0, 1] |
//! | [`EcAcc`](PairMetric::EcAcc) | how often are both right or both wrong? | [0, 1] |
//! | [`EcCorr`](PairMetric::EcCorr) | are errors correlated (φ)? | [−1, 1] |
//! | [`EcMatthews`](PairMetric::EcMatthews) | the same, constant errors counting as uncorrelated | [−1, 1] |
//! | [`PaAcc`](PairMetric::PaAcc) | how often do both predict the same? | [0, 1] |
//! | [`PaDisagreement`](PairMetric::PaDisagreement) | how often do they not? | [0, 1] |
//! | [`PaKappa`](PairMetric::PaKappa) | how often the same, beyond chance (Cohen)? | [−1, 1] |
//! | [`PaCramersV`](PairMetric::PaCramersV) | are predictions associated at all? | [0, 1] |
//! | [`PaNmi`](PairMetric::PaNmi) | how much does one prediction tell of the other? | [0, 1] |
//!
//! - All runs at once: [`agreement`] (Fleiss' κ, Krippendorff's α, Gwet's AC1 and AC2); [`ErrorSets`] (always and
//!   ever wrong, leave one out).
//! - Sample by sample: [`SampleConsistency`] (entropy, which samples ever change).
//! - Numbers instead of classes: [`RegressionReproducibility`].
//! - Two groups of runs: [`GroupComparison`], a permutation test.
//! - How such metrics behave where the truth is known: the simulators [`ClassDistribution`],
//!   [`LabelSimulator`] and [`PredictionSimulator`], and the [`Study`] over all of them.
//!
//! # Much data
//!
//! Pairs are counted on bits, all metrics of a pair from one pass. Who has thousands of runs packs them
//! once, one at a time if need be ([`PackedRunsBuilder`]), and asks for summaries alone
//! ([`summarize`](PairwiseReproducibilityBuilder::summarize)): memory then is one bit a sample and run for the error
//! metrics, and nothing for the pairs. Who has samples in blocks, or on several machines, folds them
//! into a [`PairwiseAccumulator`]. Both give the same numbers, to the last bit.
//!
//! # What the numbers do not tell
//!
//! High agreement comes cheap to accurate models: read error consistency beside accuracy. κ corrects
//! for the chance agreement of *independent* raters, which runs of one method are not. And agreement
//! is not correctness: runs can share their mistakes.
//!
//! ```
//! use ndarray::array;
//! use xai_repro::{PairMetric, PairwiseReproducibility};
//! let labels = [0, 1, 1, 0];
//! let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
//! let runs = PairwiseReproducibility::from_predictions(predictions.view(), &labels)?;
//! // Errors {2, 3}, {1, 2}, {3}: one of three shared, one of two, none of three.
//! let local = runs.pairs(PairMetric::EcLocal);
//! assert_eq!(local, [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
//! assert!((runs.summary(PairMetric::EcLocal).mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
//! # Ok::<(), xai_repro::Error>(())
//! ```
//!
//! # Features
//!
//! - `rayon` (default): pairs in parallel. Results are bit-identical without it.
//! - `serde`: results and states can be stored.
#![deny(unsafe_code)]

pub mod agreement;
mod agreement_weights;
mod classes;
mod contingency;
mod error_sets;
mod group_comparison;
mod kernels;
mod packed_runs;
mod pair_metric;
mod pair_tiles;
mod pairwise;
mod regression;
mod run_interval;
mod sample_consistency;
mod simulate;
mod spread;
mod streaming;
mod study;

pub use error_sets::ErrorSets;
pub use group_comparison::{GroupComparison, GroupDifference};
pub use kernels::InstructionSet;
pub use packed_runs::{PackedRuns, PackedRunsBuilder};
pub use pair_metric::{EmptyUnion, PairMetric};
pub use pairwise::{PairwiseReproducibility, PairwiseReproducibilityBuilder, PairwiseSummaries};
pub use regression::{RegressionMetric, RegressionReproducibility};
pub use run_interval::{PairStatistic, RunInterval};
pub use sample_consistency::SampleConsistency;
pub use simulate::{
    AliasTable, ClassDistribution, Dependence, ErrorSet, LabelSimulator, PredictionSimulator,
    sample_labels,
};
pub use streaming::{PairwiseAccumulator, StreamedReproducibility};
pub use study::{
    AccuracyProfile, MetricBehavior, ProfilePoint, Study, StudyBuilder, StudyDraw, StudySummary,
    mean_metrics,
};
pub use xai_core::{Accumulator, Error, Interval, Label, Result, Summary};

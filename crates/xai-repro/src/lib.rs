//! Reproducibility of predictions: do repeated trainings of a model make the same predictions and the same errors?
//!
//! `k` runs of one method predict the same `n` samples. Arrays of predictions, whether classes or numbers, have the
//! shape `(k, n)`, one row per run. [`Pairwise`] evaluates every metric for each of the `k (k − 1)/2` pairs of runs:
//! error consistency (EC) tells whether they make the same errors, prediction agreement (PA) whether they predict the
//! same classes. Results are the distribution over pairs, its summary, and confidence intervals over runs, because
//! pairs share runs and are not independent.
//!
//! ```
//! use ndarray::array;
//! use xai_repro::{PairMetric, Pairwise};
//! let labels = [0, 1, 1, 0];
//! let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
//! let runs = Pairwise::new().evaluate(predictions.view(), &labels)?;
//! // Error sets {2, 3}, {1, 2} and {3}: the pairs have 1 of 3, 1 of 2 and 0 of 3 errors in common.
//! let local = runs.pairs(PairMetric::EC_LOCAL);
//! assert_eq!(local, [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
//! assert!((runs.summary(PairMetric::EC_LOCAL).mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
//! # Ok::<(), xai_repro::Error>(())
//! ```
//!
//! # Which metric when
//!
//! | question | use |
//! |---|---|
//! | Do pairs of runs make the same errors? | [`PairMetric::EC_LOCAL`]; [`PairMetric::EC_KAPPA`] is corrected for chance |
//! | Do pairs of runs predict the same classes? | [`PairMetric::PA_ACC`]; [`PairMetric::PA_KAPPA`] is corrected for chance |
//! | Do the classes correspond, also if they are swapped? | [`PairMetric::PA_CRAMERS_V`], [`PairMetric::PA_NMI`] |
//! | Do all runs together agree beyond chance? | [`Agreement`]; [`gwet_ac2`](across_runs::gwet_ac2) for ordered classes |
//! | Which samples are always or ever wrong, and which run differs? | [`ErrorSets`] |
//! | On which samples do runs disagree? | [`SampleConsistency`] |
//! | Do runs of a regression model make the same errors? | [`RegressionReproducibility`] |
//! | Is one method more reproducible than another? | [`GroupComparison`], a permutation test |
//! | How do the metrics behave where the truth is known? | [`SimulationStudy`] |
//!
//! [`metrics`] describes them all, with formulas, ranges and sources.
//!
//! Accurate models agree often, so read error consistency together with accuracy. κ corrects for the agreement by
//! chance of *independent* raters, but runs of one method are not independent. Agreement is not correctness: runs can
//! make the same mistakes.
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`metrics`] | all metrics of the crate |
//! | [`pair_metric`] | definition of further metrics of pairs of runs |
//! | [`pairwise`] | the order of pairs, reports, results of blocks of samples |
//! | [`across_runs`] | agreement of all runs, votes and inconsistent samples |
//! | [`interval`] | confidence intervals over runs, for values of any metric of pairs |
//! | [`comparison`] | results of the comparison of two groups of runs |
//! | [`simulate`], [`study`] | simulated labels and runs, and the study of the metrics on them |
//! | [`stop`] | stopping work from another thread |
//! | [`input`] | names of arrays and parameters in errors |
//!
//! Arrays are those of `ndarray` 0.17, re-exported as [`ndarray`].
//! [`examples/adapters/arrow`](https://github.com/xai-metrics/xai-metrics/tree/main/examples/adapters/arrow) reads runs
//! from an Arrow table, in which each row is a sample and each run a column. For thousands of runs or millions of
//! samples see [`PairwiseAccumulator`](PairwiseAccumulator#large-data).
//!
//! # Features
//!
//! - `rayon` (default): evaluates pairs in parallel. Results have the same bits without it.
//! - `serde`: serialises packed runs, states and results, and draws of the study as CSV.
// Only `counting::registers` allows unsafe code, for the population counts of 512-bit registers.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod across_runs;
pub mod comparison;
mod counting;
#[doc(hidden)]
pub mod help;
pub mod input;
pub mod interval;
pub mod metrics;
mod named;
mod packed;
pub mod pair_metric;
pub mod pairwise;
mod regression;
pub mod simulate;
pub mod study;

#[doc(no_inline)]
pub use ndarray;

#[doc(inline)]
pub use across_runs::agreement::Agreement;
#[doc(inline)]
pub use across_runs::error_sets::ErrorSets;
#[doc(inline)]
pub use across_runs::sample_consistency::SampleConsistency;
#[doc(inline)]
pub use comparison::group_comparison::GroupComparison;
#[doc(inline)]
pub use interval::pair_distribution::PairStatistic;
#[doc(inline)]
pub use interval::run_interval::RunInterval;
#[doc(hidden)]
pub use metrics::family::FAMILY;
#[doc(inline)]
pub use packed::builder::PackedRunsBuilder;
#[doc(inline)]
pub use packed::packed_runs::PackedRuns;
#[doc(inline)]
pub use pair_metric::definition::PairMetric;
#[doc(inline)]
pub use pairwise::accumulator::PairwiseAccumulator;
#[doc(inline)]
pub use pairwise::options::{EmptyUnion, Pairwise};
#[doc(inline)]
pub use pairwise::reproducibility::{PairwiseReproducibility, PairwiseSummaries};
#[doc(inline)]
pub use regression::definition::RegressionMetric;
#[doc(inline)]
pub use regression::reproducibility::RegressionReproducibility;
#[doc(inline)]
pub use study::simulation::SimulationStudy;
#[doc(no_inline)]
pub use xai_core::{Accumulator, Error, ErrorKind, Interval, Label, Result, Summary};

#[doc(inline)]
pub use xai_core::stop;

// Fails to compile if one of these types can no longer be sent to and shared with other threads.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<PackedRuns>();
    crosses_threads::<PairwiseAccumulator>();
    crosses_threads::<PairwiseReproducibility>();
    crosses_threads::<SimulationStudy>();
};

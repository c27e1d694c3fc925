//! Reproducibility of predictions: do repeated trainings of a model make the same predictions and the same errors?
//!
//! `k` runs of one method predict the same `n` samples. Arrays of predictions, whether classes or numbers, have the
//! shape `(k, n)`, one row per run; in tables, which have one row per sample, a run is a column. [`Pairwise`] evaluates
//! every metric for each of the `k (k − 1)/2` pairs of runs. Results are the distribution over pairs, its summary, and
//! confidence intervals over runs, because pairs share runs and are not independent.
//!
//! # Choosing a metric
//!
#![doc = include_str!("../METRICS.md")]
//!
//! Pair metrics are constants of [`PairMetric`], for example [`PairMetric::EC_LOCAL`], and you can define your own. The
//! [`registry`] lists all metrics for programs.
//!
//! - All runs together: [`Agreement`] (Fleiss' κ, Krippendorff's α, Gwet's AC1), Gwet's [AC2](across_runs::gwet_ac2),
//!   and [`ErrorSets`] (samples that are always or ever wrong, leave-one-out consistency).
//! - Per sample: [`SampleConsistency`] (entropy, samples whose prediction changes).
//! - Regression: [`RegressionReproducibility`].
//! - Two groups of runs: [`GroupComparison`], a permutation test.
//! - Behaviour of the metrics where the truth is known: the [simulators](simulate) and the [`SimulationStudy`].
//!
//! # Large data
//!
//! Predictions are packed into bits, and one pass over the bits of a pair gives all its metrics. For thousands of runs,
//! pack them once, if necessary one at a time ([`PackedRunsBuilder`]), and compute only summaries
//! ([`Pairwise::summarize`]). Error metrics then need one bit of memory per sample and run, and nothing is stored per
//! pair. For samples in blocks or on several machines, update a [`PairwiseAccumulator`]. The results have the same bits
//! either way.
//!
//! # Limits
//!
//! Accurate models agree often, so read error consistency together with accuracy. κ corrects for the agreement by
//! chance of *independent* raters, but runs of one method are not independent. Agreement is not correctness: runs can
//! make the same mistakes.
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
//! # Features
//!
//! - `rayon` (default): evaluates pairs in parallel. Results have the same bits without it.
//! - `serde`: serialises results and states, and draws of the study as CSV.
// Only `counting::registers` allows unsafe code, for the population counts of 512-bit registers.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod across_runs;
pub mod comparison;
mod counting;
pub mod help;
pub mod input;
pub mod interval;
mod named;
pub mod packed;
pub mod pair_metric;
pub mod pairwise;
pub mod registry;
pub mod regression;
pub mod simulate;
pub mod study;

pub use across_runs::{Agreement, ErrorSets, SampleConsistency};
pub use comparison::GroupComparison;
pub use interval::{PairStatistic, RunInterval};
pub use packed::{PackedRuns, PackedRunsBuilder};
pub use pair_metric::PairMetric;
pub use pairwise::{
    EmptyUnion, Pairwise, PairwiseAccumulator, PairwiseReproducibility, PairwiseSummaries,
};
pub use registry::FAMILY;
pub use regression::{RegressionMetric, RegressionReproducibility};
pub use simulate::ClassDistribution;
pub use study::SimulationStudy;
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

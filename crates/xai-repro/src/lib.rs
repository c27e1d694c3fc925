//! Do repeated trainings make the same predictions, and the same errors?
//!
//! `k` runs of one method predict the same `n` samples. Arrays of predictions are `(k, n)`, a row for each run, whether they
//! hold classes or numbers; in tables, which have a row for each sample, a run is a column. [`Pairwise`] takes every metric on each of the
//! `k (k − 1)/2` pairs of runs; the result is the distribution over pairs, its summary, and intervals
//! that respect that pairs share runs.
//!
//! # Which metric when
//!
#![doc = include_str!("../METRICS.md")]
//!
//! Those of a pair are constants of [`PairMetric`], [`PairMetric::EC_LOCAL`] for instance; a metric of
//! your own is a [`PairMetric`] too. The [`registry`] lists all metrics for programs.
//!
//! - All runs at once: [`Agreement`] (Fleiss' κ, Krippendorff's α, Gwet's AC1) and Gwet's
//!   [AC2](across_runs::gwet_ac2); [`ErrorSets`] (always and ever wrong, leave one out).
//! - Per sample: [`SampleConsistency`] (entropy, which samples ever change).
//! - Numbers instead of classes: [`RegressionReproducibility`].
//! - Two groups of runs: [`GroupComparison`], a permutation test.
//! - How such metrics behave where the truth is known: the [simulators](simulate), and the
//!   [`SimulationStudy`] over all of them.
//!
//! # Much data
//!
//! Pairs are counted on bits, all metrics of a pair from one pass. Who has thousands of runs packs them
//! once, one at a time if need be ([`PackedRunsBuilder`]), and asks for summaries alone
//! ([`Pairwise::summarize`]): memory then is one bit per sample and run for the error metrics, and
//! nothing for the pairs. Who has samples in blocks, or on several machines, updates a
//! [`PairwiseAccumulator`] with them. Both give the same numbers, to the last bit.
//!
//! # What the numbers do not tell
//!
//! Accurate models agree often: read error consistency beside accuracy. κ corrects for the chance
//! agreement of *independent* raters, which runs of one method are not. And agreement is not
//! correctness: runs can share their mistakes.
//!
//! ```
//! use ndarray::array;
//! use xai_repro::{PairMetric, Pairwise};
//! let labels = [0, 1, 1, 0];
//! let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
//! let runs = Pairwise::new().evaluate(predictions.view(), &labels)?;
//! // Errors {2, 3}, {1, 2}, {3}: one of three shared, one of two, none of three.
//! let local = runs.pairs(PairMetric::EC_LOCAL);
//! assert_eq!(local, [Some(1.0 / 3.0), Some(0.5), Some(0.0)]);
//! assert!((runs.summary(PairMetric::EC_LOCAL).mean.unwrap() - 5.0 / 18.0).abs() < 1e-15);
//! # Ok::<(), xai_repro::Error>(())
//! ```
//!
//! # Features
//!
//! - `rayon` (default): pairs in parallel. Results are bit-identical without it.
//! - `serde`: results and states can be stored, and draws of the study as CSV.
// `counting::registers` alone allows it, for the population counts of 512-bit registers.
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
pub use regression::{RegressionMetric, RegressionReproducibility};
pub use simulate::ClassDistribution;
pub use study::SimulationStudy;
pub use xai_core::{Accumulator, Error, ErrorKind, Interval, Label, Result, Summary};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<PackedRuns>();
    crosses_threads::<PairwiseAccumulator>();
    crosses_threads::<PairwiseReproducibility>();
    crosses_threads::<SimulationStudy>();
};

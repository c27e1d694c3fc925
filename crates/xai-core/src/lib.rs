//! The ground under the crates that measure explanations.
//!
//! Nothing is measured here. This crate holds what at least two of the metric families need:
//! the [error type](Error), [sums](ExactSum) and [means](ExactMean) that are the same to the last
//! bit in any order, the [`Accumulator`] trait, [per-item randomness](random_stream),
//! [parallel loops](parallel) that cannot be told from sequential ones.
//!
//! # Should I depend on this crate?
//!
//! Depend on the family you need (`xai-casebased`, `xai-attribution`, `xai-graph`, `xai-repro`);
//! each re-exports what it takes from here. Depend on `xai-core` alone to write a metric of your
//! own with the same manners.
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: states and results can be stored.
#![forbid(unsafe_code)]

mod accumulator;
mod activation;
mod arg_max;
mod distance;
mod divergence;
pub mod elementary;
mod error;
mod exact_sum;
mod finite;
mod interval;
mod label;
mod mask;
pub mod parallel;
mod random;
mod real;
mod summary;
mod trapezoid;
mod weighting;

pub use accumulator::Accumulator;
pub use activation::Activation;
pub use arg_max::{arg_max, arg_max_rows};
pub use distance::{Distance, Mahalanobis, Metric, squared_euclidean};
pub use divergence::{kl_divergence, kl_divergence_from_logs, kl_term};
pub use error::{Error, Name, Result};
pub use exact_sum::{ExactMean, ExactSum};
pub use finite::{check_finite, check_finite_slice};
pub use interval::{
    Interval, IntervalMethod, bootstrap_bca, bootstrap_percentile, bootstrap_replicates, jackknife,
};
pub use label::{Label, class_index, labels_to_i64};
pub use mask::{Layout, mask_inputs, position_attributions, position_magnitudes};
pub use random::{Xoshiro256PlusPlus, random_stream, uniform, uniform_index};
pub use real::Real;
pub use summary::{Summary, quantile};
pub use trapezoid::trapezoid;
pub use weighting::{Kernel, Weighting};

//! Shared foundations of the crates that measure explanations.
//!
//! The crate has distances, weightings and tensors, statistics with their uncertainty,
//! [sums](mod@sum) that are the same to the last bit in any order, the [`Accumulator`] trait for
//! mergeable states, [random streams](random) per item, [parallel loops](parallel) with the results
//! of sequential ones, [loops](simd) compiled for the processor's SIMD registers, [text] from files
//! that is safe to show, and the [error type](error), whose errors are data. It compares explainers
//! by values of metrics of any family ([`evaluation`]) and measures how reliable these metrics are
//! ([`reliability`]). The metrics of explanations themselves are in the crates of the families.
//!
//! # Should I depend on this crate?
//!
//! Depend on the family you need (`xai-casebased`, `xai-attribution`, `xai-graph`, `xai-repro`);
//! each re-exports the items of this crate that it uses. Depend on `xai-core` alone to write a
//! metric of your own with the same conventions.
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: states and results can be serialized.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Only `simd` allows unsafe code, to call functions that are compiled for SIMD registers.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

// The derive macros generate paths that start with `::xai_core`.
extern crate self as xai_core;

pub mod accumulator;
pub mod describe;
pub mod distance;
pub mod error;
pub mod evaluation;
pub mod input;
pub mod number;
pub mod output;
pub mod parallel;
pub mod random;
pub mod reliability;
pub mod simd;
pub mod statistics;
pub mod stop;
#[cfg(feature = "serde")]
#[doc(hidden)]
pub mod stored;
pub mod sum;
pub mod tensor;
pub mod text;

pub use accumulator::Accumulator;
pub use describe::{Direction, MetricInfo};
pub use distance::{Distance, Kernel, Weighting};
pub use error::{Error, ErrorKind, Help, Input, Result};
pub use number::{Label, Real};
pub use output::Activation;
pub use statistics::{Interval, Summary};
pub use sum::{ExactMean, ExactSum};
pub use tensor::InputLayout;

// Checks at compile time that values can be sent to other threads and shared among them.
const _: () = {
    const fn assert_send_and_sync<T: Send + Sync>() {}
    assert_send_and_sync::<Distance>();
    assert_send_and_sync::<Error>();
    assert_send_and_sync::<ExactMean>();
    assert_send_and_sync::<ExactSum>();
    assert_send_and_sync::<Interval>();
    assert_send_and_sync::<Summary>();
};

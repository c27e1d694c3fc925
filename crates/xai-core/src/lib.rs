//! What the crates that measure explanations share.
//!
//! No explanation is measured here. This crate holds distances, weightings and tensors, compares explainers by the
//! values that metrics of any family gave ([`evaluation`]), judges metrics by these ([`reliability`]), and has what several families need: the [error type](error) whose errors are data, [sums](mod@sum) that are
//! the same to the last bit in any order, the [`Accumulator`] trait, [`statistics`] with
//! their uncertainty, [randomness per item](random), [parallel loops](parallel) that give the
//! result of sequential ones, [loops](simd) compiled for the registers of the processor, and
//! [text] from files that is safe to show.
//!
//! # Should I depend on this crate?
//!
//! Depend on the family you need (`xai-casebased`, `xai-attribution`, `xai-graph`, `xai-repro`);
//! each re-exports what it takes from here. Depend on `xai-core` alone to write a metric of your
//! own with the same conventions.
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: states and results can be stored.
// `simd` alone allows it, to call what it has compiled for a processor's own registers.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

// The derive macros name this crate from outside.
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
pub use tensor::Layout;

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Distance>();
    crosses_threads::<Error>();
    crosses_threads::<ExactMean>();
    crosses_threads::<ExactSum>();
    crosses_threads::<Interval>();
    crosses_threads::<Summary>();
};

//! Shared foundations of the crates that measure explanations. You rarely depend on it directly.
//!
//! Depend on the family you need (`xai-attribution`, `xai-casebased`, `xai-counterfactual`,
//! `xai-graph`, `xai-repro`): each re-exports the items of this crate that it uses. Depend on
//! `xai-core` alone to write a metric of your own with the same conventions.
//!
//! ```
//! use xai_core::{Accumulator, ExactMean};
//! // States of two machines, merged in any order, have the bits of one pass over all values.
//! let (mut left, mut right) = (ExactMean::new(), ExactMean::new());
//! left.update(&[1e16, 1.0])?;
//! right.update(&[-1e16])?;
//! left.merge(right)?;
//! assert_eq!(left.finish()?, 1.0 / 3.0);
//! # Ok::<(), xai_core::Error>(())
//! ```
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`error`], [`input`] | errors as data: the kind, the input, the position and advice |
//! | [`distance`] | distances of rows, and weightings of neighbours by distance |
//! | [`sum`](mod@sum), [`statistics`] | sums that do not depend on the order; intervals, tests, correlations |
//! | [`evaluation`], [`reliability`] | tables of explainers by metrics of any family, and how far a metric can be trusted |
//! | [`stop`], [`parallel`] | stopping work from another thread; parallel loops with the results of sequential ones |
//! | [`tensor`], [`number`], [`output`] | samples, maps and masks; numbers and labels; outputs of models |
//! | [`random`], [`simd`], [`text`] | a random stream per item; loops for SIMD registers; text that is safe to show |
//! | [`describe`] | the registry: metrics and their parameters as data, for authors of metrics and programs |
//!
//! # Arrays
//!
//! Signatures use `ndarray` 0.17, which is re-exported as [`ndarray`]. Arrays of another version, such
//! as those of `linfa` (0.16), are passed as slices without a copy:
//!
//! ```
//! use xai_core::ndarray::ArrayView2;
//! # let other = xai_core::ndarray::array![[1.0, 2.0], [3.0, 4.0]];
//! // `other` is an array of another version of ndarray.
//! let slice = other.as_slice().expect("an array in row-major order");
//! let view = ArrayView2::from_shape(other.dim(), slice)?;
//! # assert_eq!(view, other);
//! # Ok::<(), xai_core::ndarray::ShapeError>(())
//! ```
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

mod accumulator;
mod activation;
pub mod describe;
pub mod distance;
pub mod error;
pub mod evaluation;
pub mod input;
mod input_name;
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

#[doc(no_inline)]
pub use ndarray;

pub use accumulator::Accumulator;
pub use activation::Activation;
pub use describe::metric_info::Direction;
pub use distance::distances::Distance;
pub use distance::weighting::{Kernel, Weighting};
pub use error::error_type::{Error, ErrorKind, Result};
pub use error::help::Help;
pub use input_name::Input;
pub use number::label::Label;
pub use number::real::Real;
pub use statistics::interval::Interval;
pub use statistics::summary::Summary;
pub use sum::exact_sum::ExactSum;
pub use sum::moments::ExactMean;
pub use tensor::positions::InputLayout;

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

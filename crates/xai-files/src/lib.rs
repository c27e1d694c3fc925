//! The files behind the programs of xai-metrics: what is read, what is written, and what is said when that fails.
//!
//! `xai` and `xai-sql` share this crate, so that a file means the same to both.
//!
//! - [`Failure`]: why a command stopped, as one line that names the file or the option, with advice and the exit code.
//! - [`visible`](mod@visible): text from files, shown so that no control character acts on a terminal.
//! - [`left_out`]: which columns of a table are not used, and the one rule for the index columns that pandas writes.
//! - [`WholeFile`]: output that is whole or not there; [`destination`] says where a path leads to.
//! - With the feature `readers`: [`arrays`] (`.npy`, entries of `.npz`), [`samples`] and planes for arrays that memory does
//!   not hold, [`table`] (`.csv`), [`classes`] as files call them, and [`content`], what a file holds by its header.
//! - With the feature `onnx`: models of the ONNX format, run by a pure-Rust engine or, with `onnxruntime`, by ONNX Runtime.
//! - With the feature `clap`: the options that several programs have, as arguments of `clap`.
//!
//! Messages name the options of these programs, as `--drop-column` is one of `xai casebased`.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

#[cfg(feature = "readers")]
pub mod arrays;
#[cfg(feature = "readers")]
pub mod classes;
#[cfg(feature = "readers")]
pub mod content;
pub mod destination;
pub mod failure;
#[cfg(feature = "readers")]
mod foreign;
pub mod left_out;
#[cfg(feature = "readers")]
mod npy;
#[cfg(feature = "readers")]
pub mod npy_file;
#[cfg(feature = "readers")]
mod npy_header;
#[cfg(feature = "readers")]
pub mod npz;
#[cfg(feature = "onnx")]
pub mod onnx;
#[cfg(feature = "readers")]
pub mod samples;
#[cfg(feature = "readers")]
pub mod table;
pub mod whole_file;

pub use failure::{Failure, Files, InFile, InFiles};
#[cfg(feature = "readers")]
pub use npy::Numbers;
pub use whole_file::WholeFile;
pub use xai_core::text as visible;

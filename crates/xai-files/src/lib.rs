//! Reading and writing of files for the programs of xai-metrics, and their error messages.
//!
//! `xai` and `xai-sql` share this crate, so both interpret a file in the same way.
//!
//! - [`Failure`]: an error message that names the file or the option, with advice and an exit code.
//! - [`visible`](mod@visible): text from files without control characters, for terminals.
//! - [`left_out`]: columns of a table that are not used, and the rule for index columns of pandas.
//! - [`WholeFile`]: an output file that is either complete or unchanged. [`destination`] follows its path.
//! - [`json`]: JSON documents as other programs write them.
//! - With the feature `readers`: [`arrays`] (`.npy`, entries of `.npz`), [`samples`] for arrays larger than memory,
//!   [`table`] (`.csv`), [`classes`] (labels), and [`content`], which recognizes a file by its name and
//!   header.
//! - With the feature `onnx`: models in ONNX format, run by a pure-Rust engine or, with `onnxruntime`, by ONNX Runtime.
//! - With the feature `clap`: options that several programs share, as arguments of `clap`.
//!
//! Messages name the options of these programs, for example `--drop-column`.
//!
//! Messages count lines of text files from 1, with the header, as an editor shows them, and elements of arrays from
//! 0, as in `labels[3]`.
#![cfg_attr(docsrs, feature(doc_cfg))]
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
pub mod json;
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

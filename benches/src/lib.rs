//! This project's side of the comparison with other packages, the peers (`cargo xtask peers`).
//!
//! The peers' process (`peers/compare.py`) writes the data of a workload to `target/peers/data/WORKLOAD/*.npy`. The
//! process of this crate ([`serve`]) reads the same files. The two are timed in turns, so that changes in the machine's
//! speed affect both. At the end this process writes its results next to the data, and the peers' process compares them
//! with its own: times are reported only together with the outcome of this comparison.
//!
//! A family lists its [`Workload`]s in its own module:
//!
//! ```
//! use ndarray::{Array2, Ix2};
//! use xai_benches::{Answers, Data, Prepared, Result, Workload};
//!
//! pub const WORKLOADS: &[Workload] = &[Workload {
//!     name: "row_sums",            // the argument of the command `prepare`; a row of the table
//!     data: "row_sums",            // the folder under target/peers/data
//!     prepare: row_sums,
//! }];
//!
//! fn row_sums(data: &Data) -> Result<Prepared> {
//!     let x: Array2<f64> = data.read::<f64, Ix2>("x")?; // x.npy
//!     let rows = x.nrows() as f64;                      // units of work in one run
//!     Ok(Prepared::new(
//!         rows,
//!         move || Ok(x.sum_axis(ndarray::Axis(1))),     // the run that is timed
//!         |sums, answers: &Answers| answers.write("sums", &sums.view()),
//!     ))
//! }
//! # assert_eq!(WORKLOADS[0].name, "row_sums");
//! ```
//!
//! A run is what a user would call, with the input in memory and nothing kept from an earlier run. Work that a user
//! does once (fitting an index, or packing predictions if the peer's time excludes its preparation too) belongs before
//! `Prepared::new`.
#![deny(unsafe_code)] // Only `limits::registers` needs it.

mod families;
pub mod limits;
#[cfg(doctest)]
mod readme;
pub mod rows;
mod serve;
mod workload;

pub use families::workloads;
pub use serve::serve;
pub use workload::{Answers, Data, Prepared, Result, Workload};

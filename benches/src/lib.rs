//! Our side of the run against the peers (`cargo xtask peers`), workload by workload.
//!
//! The peers' process (`peers/compare.py`) writes the data of a workload to `target/peers/data/WORKLOAD/*.npy`, our
//! process ([`serve`]) reads the same files, and the two are then timed in turns, so that a change
//! in the machine's speed meets both. At the end our answer is written beside the data and the
//! peer's process compares it with its own: a time is only reported together with that verdict.
//!
//! A family lists its [`Workload`]s in its own module:
//!
//! ```
//! use ndarray::{Array2, Ix2};
//! use xai_benches::{Answers, Data, Prepared, Result, Workload};
//!
//! pub const WORKLOADS: &[Workload] = &[Workload {
//!     name: "row_sums",            // what `prepare` is called with; one line of the table
//!     data: "row_sums",            // the folder under target/peers/data
//!     prepare: row_sums,
//! }];
//!
//! fn row_sums(data: &Data) -> Result<Prepared> {
//!     let x: Array2<f64> = data.read::<f64, Ix2>("x")?; // x.npy
//!     let rows = x.nrows() as f64;                      // units of work in one run
//!     Ok(Prepared::new(
//!         rows,
//!         move || Ok(x.sum_axis(ndarray::Axis(1))),     // what is timed
//!         |sums, answers: &Answers| answers.write("sums", &sums.view()),
//!     ))
//! }
//! # assert_eq!(WORKLOADS[0].name, "row_sums");
//! ```
//!
//! What is timed is what a user would call, with the input already in memory and nothing kept from
//! an earlier run; what a user does once (fitting an index, packing predictions when the peer's
//! time leaves out its own preparation too) belongs before `Prepared::new`.
#![deny(unsafe_code)] // `limits::registers` is where it is allowed

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

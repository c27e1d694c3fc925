//! The tests of this crate as one program.

mod any_arguments;
mod attribution;
mod casebased;
mod counterfactual;
mod data_attribution;
mod distributed;
mod explain;
mod graph;
mod memory;
mod repro;
mod sums;
mod tables;
mod two_stages;
mod windows;

//! What this machine can do, and the share of it that a workload reaches.
//!
//! A [`Work`] stands beside the workload that does it: how much, and what limits it. While criterion times the workload, a
//! [`Share`] measures the limit in turns with it, so that a change of the machine's speed meets both; of both, the best
//! run counts.

mod meter;
mod registers;
mod share;
mod work;

pub use meter::machine;
pub use share::{FILE, Share};
pub use work::{Limit, Work};

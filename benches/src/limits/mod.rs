//! Limits of this machine, and the share of them that a workload reaches.
//!
//! Each workload has a [`Work`]: the limiting resource and the amount of work. While criterion times the workload, a
//! [`Share`] measures the limit in turns with it, so that changes of the machine's speed affect both. The best run of
//! each is used.

mod meter;
mod registers;
mod share;
mod work;

pub use meter::machine;
pub use share::{FILE, Share};
pub use work::{Limit, Work};

//! Predictions of runs packed into bits: one bit per sample and run for errors, `⌈log2 c⌉` for `c` classes.

pub(crate) mod bit_planes;
pub(crate) mod builder;
pub(crate) mod class_tables;
pub(crate) mod classes;
pub(crate) mod packed_runs;
#[cfg(feature = "serde")]
mod stored_runs;

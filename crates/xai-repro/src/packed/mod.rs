//! Runs, packed for counting: one bit per sample and run for errors, a few for classes.

pub(crate) mod bit_planes;
pub(crate) mod builder;
pub(crate) mod class_tables;
pub(crate) mod classes;
pub(crate) mod packed_runs;

pub use builder::PackedRunsBuilder;
pub use packed_runs::PackedRuns;

//! Intervals over runs for what pairs of runs have in common.

pub(crate) mod pair_moments;
pub(crate) mod pair_values;
pub(crate) mod run_interval;

pub use pair_values::PairStatistic;
pub use run_interval::RunInterval;

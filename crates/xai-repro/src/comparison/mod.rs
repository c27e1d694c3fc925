//! Are two groups of runs equally reproducible?

mod assignments;
mod group_comparison;

pub use group_comparison::{FIRST, GroupComparison, GroupDifference, SECOND};

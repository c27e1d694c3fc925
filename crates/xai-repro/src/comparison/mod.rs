//! Results of the [comparison of two groups of runs](crate::GroupComparison).

pub(crate) mod group_comparison;

pub use group_comparison::{FIRST, GroupDifference, SECOND};

//! Sums, means and counts for any column.

pub(crate) mod exact_avg;
pub(crate) mod exact_sum;
pub(crate) mod n_null;

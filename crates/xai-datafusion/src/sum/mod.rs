//! Sums, means and counts for any column.

pub(crate) mod exact;
pub(crate) mod n_null;

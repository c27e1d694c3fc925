//! Cases: neighbours among training rows, and what they say of a prediction.

mod block_search;
pub(crate) mod correspondence;
pub(crate) mod data_attribution;
pub(crate) mod explain;
pub(crate) mod feature_distance;
mod near_cases;
pub(crate) mod nearest_cases;
mod partitions;

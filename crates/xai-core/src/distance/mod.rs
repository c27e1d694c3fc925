//! Distances between rows of features, and weightings of neighbours by their distance.
//!
//! The common distances are [`Distance`](crate::Distance), the kernels [`Kernel`](crate::Kernel);
//! your own implement [`DistanceFunction`] and [`Weighting`](crate::Weighting).

pub(crate) mod distances;
mod mahalanobis;
pub(crate) mod weighting;

pub use distances::{
    DistanceFunction, LEAVE_ROW_OUT, REGULAR_SQUARES, SCALE_FEATURE_DOWN, squared_euclidean,
};
pub use mahalanobis::{LEAVE_FEATURE_OUT, Mahalanobis};

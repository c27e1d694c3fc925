//! Parts of the correspondence of a prediction with neighbours that are already known, from any index or database.
//!
//! The correspondence itself is at the root of the crate: [`correspondence()`](fn@crate::correspondence),
//! [`CorrespondenceMetric`](crate::CorrespondenceMetric) and its result [`Correspondence`](crate::Correspondence).

pub(crate) mod class_weights;
pub(crate) mod known_classes;
pub(crate) mod level;
pub(crate) mod metric;
pub(crate) mod score;
pub(crate) mod tally;

pub use known_classes::check_known_classes;
pub use metric::{Scorer, correspondence_of_pairs};
pub use score::ClassWeightsSum;

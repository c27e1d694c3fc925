//! Correspondence: the share of the neighbours' total weight that neighbours of the predicted class have.

pub(crate) mod class_weights;
pub(crate) mod known_classes;
pub(crate) mod level;
pub(crate) mod metric;
pub(crate) mod score;
pub(crate) mod tally;

pub use class_weights::ClassWeights;
pub use known_classes::check_known_classes;
pub use level::{Level, Thresholds};
pub use metric::{CorrespondenceMetric, correspondence, correspondence_of_pairs};
pub use score::{ClassWeightsSum, Correspondence};

//! Ground truth: does the mask find the edges (or nodes, or features) that are known to matter?

mod accumulator;
mod choices;
mod confusion;
mod counted_element;
mod curves;
mod fewer_points;
pub(crate) mod metric;
mod ordered_pairs;
mod precision_recall_curve;
mod ranking;
mod roc_curve;
pub(crate) mod scores;
mod selection;
mod thresholds;

pub use accumulator::GroundTruthAccumulator;
pub use confusion::Confusion;
pub use counted_element::CountedElement;
pub use curves::GroundTruthCurves;
pub use metric::{BestOfTruths, GroundTruthMetric, ground_truth};
pub use ordered_pairs::OrderedPairs;
pub use precision_recall_curve::{PrecisionRecallCurve, PrecisionRecallPoint};
pub use roc_curve::{RocCurve, RocPoint};
pub use scores::GroundTruth;
pub use selection::{Selection, ZeroDivision};

//! Ground truth: does the mask find the edges (or nodes, or features) that are known to matter?

mod accumulator;
mod confusion;
mod curves;
mod evaluate;
pub(crate) mod metric;
mod ranking;
pub(crate) mod scores;

pub use accumulator::GroundTruthAccumulator;
pub use confusion::{Confusion, CountedElement};
pub use curves::{
    GroundTruthCurves, PrecisionRecallCurve, PrecisionRecallPoint, RocCurve, RocPoint,
};
pub use evaluate::{BestOfTruths, ground_truth};
pub use metric::{GroundTruthMetric, Selection, ZeroDivision};
pub use ranking::OrderedPairs;
pub use scores::GroundTruth;

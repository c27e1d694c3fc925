//! Comparison of a mask with a known ground truth over edges, nodes or features.

mod accumulator;
mod confusion;
mod curves;
pub(crate) mod evaluate;
pub(crate) mod metric;
mod ranking;
pub(crate) mod scores;

pub use accumulator::GroundTruthAccumulator;
pub use confusion::{Confusion, CountedElement};
pub use curves::{
    GroundTruthCurves, PrecisionRecallCurve, PrecisionRecallPoint, RocCurve, RocPoint,
};
pub use evaluate::BestOfTruths;
pub use metric::{Selection, ZeroDivision};
pub use ranking::OrderedPairs;

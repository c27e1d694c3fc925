//! Ground truth: does the mask find the edges (or nodes, or features) that are known to matter?

mod accumulator;
mod choices;
mod confusion;
pub(crate) mod metric;
mod radix_sort;
mod ranking;
pub(crate) mod scores;
mod selection;

pub use accumulator::GroundTruthAccumulator;
pub use confusion::Confusion;
pub use metric::{BestOfTruths, CountedElement, GroundTruthMetric, ground_truth};
pub use scores::GroundTruth;
pub use selection::{Selection, ZeroDivision};

//! Definition of metrics of a pair of runs.
//!
//! A [`PairMetric`](crate::PairMetric) is a description and a formula over the counts of a pair.

mod chance;
pub(crate) mod count_logs;
pub(crate) mod definition;
pub(crate) mod formulas;

pub use definition::{Cell, ClassTable, EqualPredictions, ErrorTable, PairDefinition, PairFormula};
#[doc(no_inline)]
pub use xai_core::Direction;
#[doc(no_inline)]
pub use xai_core::describe::{MetricInfo, Range};

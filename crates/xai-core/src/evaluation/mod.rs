//! Evaluation of several explainers by several metrics, with tests of their differences.
//!
//! A family creates [`EvaluationValues`]: the values of every explainer by every metric, sample by
//! sample. Their [`table`](EvaluationValues::table) has means with intervals over samples,
//! rankings, and a paired test for each pair of explainers. Their
//! [`reliability`](EvaluationValues::reliability) measures how far each metric can be trusted.

mod by_name;
mod display;
mod map_class_check;
mod paired_tests;
mod reliability;
mod remarks;
mod statistics;
mod table;
mod values;

pub use map_class_check::MapClassCheck;
pub use paired_tests::holm;
pub use reliability::{MetricPair, MetricReliability, Reliability};
pub use remarks::{Remark, add_remarks};
pub use statistics::Statistics;
pub use table::{
    Comparison, CurvePoint, Difference, EvaluationTable, ExplainerValue, MetricResult, ModelCalls,
    TiedFeatures,
};
pub use values::{
    COMPARE_FEWER, EVALUATE_AT_ONCE, EvaluationValues, MetricValues, OUTPUT_KIND, PooledValue,
    SPECIFY_OUTPUT_KIND, breaks_ties_randomly, check_names, check_size, parameter_settings,
    scatter,
};

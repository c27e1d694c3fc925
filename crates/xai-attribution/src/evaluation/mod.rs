//! Evaluation of many metrics and explainers together, and statistical tests of their differences.

mod builder;

pub use builder::Evaluation;
pub use xai_core::evaluation::{
    Comparison, Difference, EvaluationTable, EvaluationValues, ExplainerValue, MapClassCheck,
    MetricPair, MetricReliability, MetricResult, MetricValues, OUTPUT_KIND, PooledValue,
    Reliability, Remark, Statistics, holm,
};
pub use xai_core::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};

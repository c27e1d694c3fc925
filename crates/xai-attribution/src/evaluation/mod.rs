//! Many metrics of many explainers at once, and which differences are more than chance.

mod builder;

pub use builder::Evaluation;
pub use xai_core::evaluation::{
    ClassAgreement, Comparison, Difference, EvaluationTable, EvaluationValues, ExplainerValue,
    MetricPair, MetricReliability, MetricResult, MetricValues, OUTPUT_KIND, PooledValue,
    Reliability, Remark, Statistics, holm,
};
pub use xai_core::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};

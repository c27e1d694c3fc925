//! Tables of explainers by metrics, with intervals, rankings and paired tests: results of a
//! [`Benchmark`](crate::Benchmark).

pub use xai_core::evaluation::{
    Comparison, CurvePoint, Difference, EvaluationTable, EvaluationValues, ExplainerValue,
    MapClassCheck, MetricPair, MetricReliability, MetricResult, MetricValues, OUTPUT_KIND,
    PooledValue, Reliability, Remark, Statistics, TiedFeatures, holm,
};
pub use xai_core::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};

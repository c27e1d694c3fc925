//! Results of explainers: explanations, aggregates and audits.

pub(crate) mod aggregate;
pub(crate) mod audit;
pub(crate) mod explanation;
pub(crate) mod feature_comparison;
pub(crate) mod precedents;
pub(crate) mod training_info;

pub use aggregate::AggregateExplanation;
pub use audit::{
    Audit, AuditCases, AuditClass, AuditDistribution, AuditGroup, AuditReport, GroupDistribution,
    LeastSupported, LevelCount, Listing, ReliabilityBin,
};
pub use explanation::{Case, Explanation, ExplanationSummary, Neighbor};
pub use feature_comparison::FeatureComparison;
pub use precedents::Precedents;
pub use training_info::TrainingInfo;

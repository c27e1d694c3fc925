//! Parts of results, and summaries of explanations.
//!
//! The results themselves are at the root of the crate: [`Explanation`](crate::Explanation),
//! [`CaseArrays`](crate::CaseArrays), [`AggregateExplanation`](crate::AggregateExplanation),
//! [`AuditReport`](crate::AuditReport) and [`TrainingInfo`](crate::TrainingInfo).

pub(crate) mod aggregate;
pub(crate) mod audit;
pub(crate) mod case_arrays;
pub(crate) mod explanation;
pub(crate) mod feature_comparison;
pub(crate) mod training_info;

pub use audit::{
    AuditCases, AuditClass, AuditDistribution, AuditGroup, GroupDistribution, LeastSupported,
    LevelCount, Listing, ReliabilityBin,
};
pub use explanation::{CaseSummary, ExplanationSummary};
pub use feature_comparison::FeatureComparison;

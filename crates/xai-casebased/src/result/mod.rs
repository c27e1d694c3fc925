//! What an explainer answers: explanations, aggregates, audits.

pub(crate) mod aggregate;
pub(crate) mod audit;
pub(crate) mod explanation;
pub(crate) mod training_info;

pub use aggregate::AggregateExplanation;
pub use audit::{
    Audit, AuditCases, AuditClass, AuditGroup, AuditReport, EXPECTED_CALIBRATION_ERROR,
    LeastSupported, LevelCount, MEAN_CORRESPONDENCE, ReliabilityBin,
};
pub use explanation::{Case, Explanation, ExplanationSummary, Neighbor};
pub use training_info::TrainingInfo;

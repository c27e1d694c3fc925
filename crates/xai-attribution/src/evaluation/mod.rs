//! Many metrics of many explainers at once, and which differences are more than chance.

mod builder;
mod by_name;
mod display;
pub(crate) mod paired_tests;
mod reliability;
pub(crate) mod statistics;
pub(crate) mod table;
pub(crate) mod values;

pub use builder::Evaluation;
pub use paired_tests::holm;
pub use reliability::{MetricPair, MetricReliability, Reliability};
pub use statistics::Statistics;
pub use table::{Comparison, Difference, EvaluationTable, ExplainerValue, MetricResult};
pub use values::{EvaluationValues, MetricValues};
pub use xai_core::statistics::{SignedRankTest, ZeroMethod, wilcoxon_signed_rank};

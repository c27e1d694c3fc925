//! Simulation study of how the metrics behave where the truth is known.

mod accuracy_profile;
#[cfg(feature = "serde")]
mod csv;
mod mean_metrics;
pub(crate) mod simulation;
mod summary;

pub use accuracy_profile::{AccuracyProfile, ProfilePoint};
#[cfg(feature = "serde")]
pub use csv::{columns, read_draws, write_draws, write_header};
pub use mean_metrics::MeanMetrics;
pub use simulation::{StudyDraw, StudySettings};
pub use summary::{MetricBehavior, StudySummary};

//! The simulation study: how the metrics behave where the truth is known.

mod accuracy_profile;
mod correlation_ratio;
#[cfg(feature = "serde")]
mod csv;
mod draw;
mod mean_metrics;
mod setting;
mod simulation;
mod summary;

pub use accuracy_profile::{AccuracyProfile, ProfilePoint};
#[cfg(feature = "serde")]
pub use csv::{columns, read_draws, write_draws, write_header};
pub use draw::StudyDraw;
pub use mean_metrics::MeanMetrics;
pub use simulation::{SimulationStudy, StudySettings};
pub use summary::{MetricBehavior, StudySummary};

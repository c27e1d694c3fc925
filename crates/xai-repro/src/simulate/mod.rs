//! Labels and predictions without a classifier: what the metrics are tried on.

mod alias_table;
mod class_distribution;
mod labels;
mod predictions;

pub use alias_table::AliasTable;
pub use class_distribution::ClassDistribution;
pub use labels::{LabelSimulator, sample_labels};
pub use predictions::{Dependence, ErrorSet, PredictionSimulator};

pub(crate) use labels::sample;
pub(crate) use predictions::PredictionBuffers;

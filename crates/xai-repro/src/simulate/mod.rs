//! Labels and predictions without a classifier: what the metrics are tried on.

pub(crate) mod alias_table;
pub(crate) mod class_distribution;
pub(crate) mod labels;
pub(crate) mod predictions;

pub use alias_table::AliasTable;
pub use class_distribution::{ClassDistribution, ClassSimulator};
pub use labels::LabelSimulator;
pub use predictions::{ErrorSet, PredictionSimulator, RunErrors};

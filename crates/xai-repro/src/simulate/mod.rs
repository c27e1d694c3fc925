//! Simulated class probabilities, labels and predictions, to study how metrics behave where the truth is known.

pub(crate) mod alias_table;
pub(crate) mod class_distribution;
pub(crate) mod labels;
pub(crate) mod predictions;

pub use alias_table::AliasTable;
pub use class_distribution::{ClassDistribution, ClassSimulator};
pub use labels::LabelSimulator;
pub use predictions::{ErrorSet, PredictionSimulator, RunErrors};
#[doc(no_inline)]
pub use xai_core::random::{RandomStream, random_stream};

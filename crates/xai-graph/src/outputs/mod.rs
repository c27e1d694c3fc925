//! What a model's outputs are, and what is read from them: classes and probabilities.

pub(crate) mod output_rows;
pub(crate) mod predictions;

pub use output_rows::{OutputDistribution, ReturnType};
pub use predictions::Predictions;

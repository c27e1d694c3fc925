//! Outputs of a model, and the classes and probabilities that are read from them.

pub(crate) mod output_rows;
pub(crate) mod predictions;

pub use output_rows::OutputDistribution;

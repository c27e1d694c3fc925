//! What a model's outputs are, and what is read from them: classes and probabilities.

mod arg_maxima;
pub(crate) mod output_rows;
pub(crate) mod predictions;
pub(crate) mod return_type;
pub(crate) mod row_subset;

pub use predictions::Predictions;
pub use return_type::{OutputDistribution, ReturnType};

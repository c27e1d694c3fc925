//! Metrics of faithfulness: does the score react to the features with large attributions?

pub mod curves;
pub mod drops;
pub mod masking;
pub mod outputs;

pub use {curves::*, drops::*, masking::*, outputs::*};

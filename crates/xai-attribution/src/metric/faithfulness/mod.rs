//! Metrics of faithfulness: does the score react to the features with large attributions?

pub(crate) mod curves;
pub(crate) mod drops;
pub(crate) mod masking;
pub(crate) mod outputs;

pub use {curves::*, drops::*, masking::*, outputs::*};

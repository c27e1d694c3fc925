//! Does the model react to what the map marks?

pub mod curves;
pub mod drops;
pub mod masking;
pub mod outputs;

pub use {curves::*, drops::*, masking::*, outputs::*};

//! Replacements for removed parts of an input.

pub(crate) mod baseline;
pub(crate) mod blur;
pub(crate) mod dataset_mean;
pub(crate) mod impute;
pub(crate) mod linear_imputation;

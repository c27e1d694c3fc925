//! Reproducibility: predictions of several runs.

pub(crate) mod pairwise;

//! The run over all samples, and the evaluation of single metrics.

pub(crate) mod evaluation_run;
pub(crate) mod standalone;

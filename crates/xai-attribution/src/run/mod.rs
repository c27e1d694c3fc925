//! Runs: evaluation of single metrics, scores of the model, and the error that stops a run.

pub(crate) mod evaluation_run;
pub(crate) mod scores;
pub(crate) mod standalone;

pub use crate::error::{CompletedScores, EvaluationError};
pub use scores::{MaskedScores, base_scores, masked_scores, masked_scores_on};
pub use standalone::{Evaluate, Run, evaluate_together};

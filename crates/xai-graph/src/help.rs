//! The ways out that errors of this crate offer. Settings stand in braces, so that a front end can write
//! them as its own.

use xai_core::Help;

/// Outputs that are no probabilities may be raw scores.
pub const PASS_LOGITS: Help = Help::new("for raw scores choose {return_type=logits}");

/// Rows of probabilities that do not sum to 1 may be raw scores or independent columns.
pub const PASS_LOGITS_OR_BERNOULLI: Help = Help::new(
    "for raw scores choose {return_type=logits}, for independent columns {output_distribution=bernoulli}",
);

/// A single column is a yes or no.
pub const BERNOULLI_FOR_ONE_COLUMN: Help =
    Help::new("for a single score per row choose {output_distribution=bernoulli}");

/// A single column has no arg-max.
pub const PASS_LABELS_FOR_ONE_COLUMN: Help =
    Help::new("compare a single score with its threshold and pass the labels");

/// Scores of a mask outside [0, 1] may be logits.
pub const SCORES_ARE_LOGITS: Help = Help::new("for raw scores choose {logits=true}");

/// A truth that is no mask of zeros and ones.
pub const SCALE_TARGET: Help =
    Help::new("mark what is true by 1 and all else by 0; of 0 and 255, divide by 255");

/// Outputs that look like probabilities were read as raw scores.
pub const READ_AS_LOGITS: Help = Help::new(
    "outputs in [0, 1] whose rows sum to 1 were read as logits; for probabilities choose {return_type=probs}",
);

/// Where edges are removed, a mask must be hard.
pub const SPARSIFY_FIRST: Help = Help::new("sparsify the mask first");

/// A point where the curve has no value.
pub const LEAVE_THE_POINT_OUT: Help = Help::new("leave the point out");

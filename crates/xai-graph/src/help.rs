//! Hints in errors of this crate. Settings stand in braces, so that a front end can render them in its own syntax.

use xai_core::Help;

/// For outputs that are not probabilities and may be logits.
pub const PASS_LOGITS: Help = Help::new("for raw scores choose {return_type=logits}");

/// For rows of probabilities that do not sum to 1, which may be logits or independent columns.
pub const PASS_LOGITS_OR_BERNOULLI: Help = Help::new(
    "for raw scores choose {return_type=logits}, for independent columns {output_distribution=bernoulli}",
);

/// For outputs with a single column, which has no categorical distribution.
pub const BERNOULLI_FOR_ONE_COLUMN: Help =
    Help::new("for a single score per row choose {output_distribution=bernoulli}");

/// For outputs with a single column, which has no arg-max.
pub const PASS_LABELS_FOR_ONE_COLUMN: Help =
    Help::new("compare a single score with its threshold and pass the labels");

/// For scores of a mask outside [0, 1], which may be logits.
pub const SCORES_ARE_LOGITS: Help = Help::new("for raw scores choose {logits=true}");

/// For a ground truth outside [0, 1].
pub const SCALE_TARGET: Help =
    Help::new("mark what is true by 1 and all else by 0; of 0 and 255, divide by 255");

/// For outputs that look like probabilities but were read as logits.
pub const READ_AS_LOGITS: Help = Help::new(
    "outputs in [0, 1] whose rows sum to 1 were read as logits; for probabilities choose {return_type=probs}",
);

/// For soft masks where edges are removed.
pub const SPARSIFY_FIRST: Help = Help::new("sparsify the mask first");

/// For a point at which the curve is undefined.
pub const LEAVE_THE_POINT_OUT: Help = Help::new("leave the point out");

/// For a model that does not read the weights of edges.
pub const REMOVE_EDGES: Help =
    Help::new("read the weights of edges in the model, or choose {removal=remove}");

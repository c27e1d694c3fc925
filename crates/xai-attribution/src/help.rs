//! The ways out that errors of this crate name.

use xai_core::Help;

pub use xai_core::evaluation::EVALUATE_AT_ONCE;

pub use xai_core::tensor::SCALE_MAPS_DOWN;

/// For base scores that Average Drop and Average Gain cannot divide by.
pub const CHOOSE_ACTIVATION_OR_POLICY: Help =
    Help::new("choose {activation=softmax} or sigmoid, or {base_score_policy=skip} or as-is");
/// For maps that are no images.
pub const CHOOSE_SPEARMAN: Help = Help::new("choose {similarity=spearman}");
/// For a metric that no sample has a value of.
pub const NO_SAMPLE_HAS_A_VALUE: Help = Help::new(
    "the value of every sample is undefined: maps or scores that are all alike rank nothing, masks that mark nothing, \
     or everything, hold nothing to find, skipped base scores count for nothing, and where no map is near to another \
     or has its key, no two samples are compared: choose a larger {threshold} of sufficiency, a coarser \
     {discretizer} of consistency",
);
/// For maps that are no masks.
pub const NORMALIZE_MAPS: Help = Help::new("choose {normalize=true}");
/// For outputs that are no probabilities.
pub const ANSWERS_ARE_LOGITS: Help = Help::new("choose {answers=logits}");
/// For two metrics of one name.
pub const RENAME_METRIC: Help = Help::new("give one of them another name");
/// For a table, whose features have no neighbours.
pub const CHOOSE_OTHER_BASELINE: Help = Help::new("choose another {baseline}");
/// For a metric whose input was not given.
pub const GIVE_INPUT: Help =
    Help::new("give it by its name: there is a setter, or an argument, for each input");
/// For a metric that is no metric of a batch.
pub const CALL_DIRECTLY: Help = Help::new("call its own function");
/// For inputs that cannot be moved.
pub const CHOOSE_LOCAL_LIPSCHITZ: Help = Help::new("local_lipschitz takes inputs of any layout");
/// For a metric of all samples that was asked about a batch.
pub const ASK_FOR_WHOLE: Help = Help::new(
    "a run calls `Measure::dataset_metric` instead; a metric that wraps another forwards that call",
);
/// For a baseline that is made of what is left.
pub const REMOVE_LESS_THAN_ALL: Help =
    Help::new("choose a {max_fraction} below 1, or another {baseline}");
/// For classes of a model that has one output.
pub const ONE_OUTPUT: Help = Help::new(
    "the only output of the model is that of class 0: for two classes give targets of shape (n, 1) that are 1 \
     where it speaks for the target and -1 where against it, or let the model answer one output per class",
);
/// For a softmax of one output, which is 1 whatever the output is.
pub const CHOOSE_SIGMOID: Help = Help::new(
    "choose {activation=sigmoid} if the output is the logit of one of two classes, or {activation=none}",
);
/// For a model whose answer to a row depends on the rest of the batch.
pub const EVALUATE_OR_ALLOW: Help =
    Help::new("put the model in evaluation mode, or allow it by {allow_batch_dependence=true}");

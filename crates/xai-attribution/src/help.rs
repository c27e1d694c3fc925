//! Hints in errors of this crate.

use xai_core::Help;

pub use xai_core::evaluation::EVALUATE_AT_ONCE;

pub use xai_core::tensor::SCALE_MAPS_DOWN;

/// For base scores that Average Drop, Average Gain and IROF cannot divide by.
pub const CHOOSE_ACTIVATION_OR_POLICY: Help =
    Help::new("choose {activation=softmax} or sigmoid, or {base_score_policy=skip} or as-is");
/// For similarities of images on maps that are not images.
pub const CHOOSE_SPEARMAN: Help = Help::new("choose {similarity=spearman}");
/// For a metric without a value for any sample.
pub const NO_SAMPLE_HAS_A_VALUE: Help = Help::new(
    "the value of every sample is undefined: check for maps or scores that are all equal, and for masks that mark \
     nothing or everything; if no two samples are compared, choose a larger {threshold} of sufficiency or a coarser \
     {discretizer} of consistency",
);
/// For maps outside [0, 1] where masks are expected.
pub const NORMALIZE_MAPS: Help = Help::new("choose {normalize=true}");
/// For outputs that are not probabilities.
pub const ANSWERS_ARE_LOGITS: Help = Help::new("choose {answers=logits}");
/// For two metrics of the same name.
pub const RENAME_METRIC: Help = Help::new("give one of them another name");
/// For baselines made of neighbouring positions, which the inputs do not have: blur of tables, and linear imputation of
/// anything but images.
pub const CHOOSE_OTHER_BASELINE: Help = Help::new("choose another {baseline}");
/// For a metric whose input is missing.
pub const GIVE_INPUT: Help =
    Help::new("pass it by this name, which is that of a setter or an argument");
/// For a metric that cannot be computed batch by batch.
pub const CALL_DIRECTLY: Help = Help::new("call its own function");
/// For inputs that cannot be shifted.
pub const CHOOSE_LOCAL_LIPSCHITZ: Help = Help::new("local_lipschitz takes inputs of any layout");
/// For a metric over all samples that was called for a batch.
pub const ASK_FOR_WHOLE: Help = Help::new(
    "a run calls `Measure::dataset_metric` instead; a metric that wraps another forwards that call",
);
/// For linear imputation of an input without remaining pixels.
pub const REMOVE_LESS_THAN_ALL: Help =
    Help::new("choose a {max_fraction} below 1, or another {baseline}");
/// For target classes of a model with a single output.
pub const ONE_OUTPUT: Help = Help::new(
    "the only output of the model belongs to class 0: for two classes pass targets of shape (n, 1), 1 for samples \
     of the class that it is evidence for and -1 for the others, or let the model return one output per class",
);
/// For images whose channels may come first or last.
pub const CHOOSE_LAYOUT: Help = Help::new(
    "choose {layout=channels-first}, the order of PyTorch, or {layout=channels-last}, the order of TensorFlow",
);
/// For a softmax or log-softmax of one output, which is constant.
pub const CHOOSE_SIGMOID: Help = Help::new(
    "choose {activation=sigmoid} if the output is the logit of one of two classes, or {activation=none}",
);
/// For a model whose output for a row depends on the rest of the batch.
pub const EVALUATE_OR_ALLOW: Help =
    Help::new("put the model in evaluation mode, or allow it by {allow_batch_dependence=true}");

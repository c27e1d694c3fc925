//! The ways out that errors of the library offer, in Python's terms.

use xai_attribution::help;
use xai_core::Help;

/// For each advice of the library what a Python user does.
pub(crate) const WAYS_OUT: &[(Help, &str)] = &[
    (
        help::CHOOSE_ACTIVATION_OR_POLICY,
        "take activation=\"softmax\" or \"sigmoid\", or base_score_policy=\"as-is\" or \"skip\"",
    ),
    (help::CHOOSE_SPEARMAN, "choose similarity=\"spearman\""),
    (
        help::RENAME_METRIC,
        "a mapping of metrics gives them other names",
    ),
    (help::GIVE_INPUT, "give it by its name"),
    (help::CALL_DIRECTLY, "call its own function"),
];

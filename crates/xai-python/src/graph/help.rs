//! The ways out that errors of the library offer, in Python's terms.

use xai_core::Help;
use xai_graph::help;

/// For each advice of the library what a Python user does.
pub(crate) const WAYS_OUT: &[(Help, &str)] = &[
    (help::PASS_LOGITS, "for raw scores say return_type=\"raw\""),
    (
        help::PASS_LOGITS_OR_BERNOULLI,
        "for raw scores say return_type=\"raw\", for independent columns \
         distribution=\"bernoulli\"",
    ),
    (
        help::BERNOULLI_FOR_ONE_COLUMN,
        "for a single score per row say distribution=\"bernoulli\"",
    ),
    (
        help::SCORES_ARE_LOGITS,
        "for raw scores say that they are logits: logits=True, or compat=True of \
         groundtruth_metrics",
    ),
    (
        help::SPARSIFY_FIRST,
        "make the mask hard first, by xai_metrics.graph.sparsify",
    ),
];

//! The ways out that errors of the library offer, in Python's terms.

use xai_core::Help;
use xai_repro::help;

/// For each advice of the library what a Python user does.
pub(crate) const WAYS_OUT: &[(Help, &str)] = &[
    (
        help::CHOOSE_EMPTY_UNION,
        "choose another empty_union, \"undefined\" for instance",
    ),
    (
        help::PACK_FOR_METRIC,
        "pack the runs for this metric too: name it in the metrics of PackedRuns",
    ),
    (
        help::PACK_FOR_AGREEMENT,
        "pack the runs for a metric of agreement too, \"pa_acc\" for instance",
    ),
];

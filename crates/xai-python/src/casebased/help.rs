//! The ways out that errors of the library offer, in Python's terms.

use xai_casebased::help;
use xai_core::Help;

/// For each advice of the library what a Python user does.
pub(crate) const WAYS_OUT: &[(Help, &str)] = &[
    (
        help::DO_NOT_SCALE,
        "leave it out, say scale_data=False, or choose another metric",
    ),
    (help::USE_BRUTE_FORCE, "say algorithm=\"brute\""),
    (
        help::CHOOSE_A_KERNEL,
        "a function cannot be stored; choose a weighting by its name",
    ),
];

//! Descriptions of the inputs of the metrics.
//!
//! The options of `xai`, the keys of studies and the keywords in Python derive from [`INPUTS`]. To add an input,
//! add a line here and a metric that reads it.

use xai_core::Input;
use xai_core::describe::{Element, InputSpec};

use crate::input;

/// All inputs, in the order of the documentation.
///
/// ```
/// use xai_casebased::data_attribution::{INPUTS, METRICS};
/// let is_described = |need| INPUTS.iter().any(|spec| spec.input == need);
/// assert!(METRICS.iter().all(|entry| entry.info.needs.iter().all(|&need| is_described(need))));
/// ```
pub const INPUTS: &[InputSpec] = &[
    InputSpec::new(
        input::ATTRIBUTIONS,
        Element::Number,
        &["n_test", "n_train"],
        "Attributions, above 0 where a training row raised the score of a test row",
    )
    .per_explainer(),
    InputSpec::new(
        input::RANDOM_ATTRIBUTIONS,
        Element::Number,
        &["n_test", "n_train"],
        "Attributions by the same explainer of a model with random weights",
    )
    .per_explainer(),
    InputSpec::new(
        input::TRAIN_LABELS,
        Element::Class,
        &["n_train"],
        "Classes of the training rows",
    ),
    InputSpec::new(
        input::TEST_CLASSES,
        Element::Class,
        &["n_test"],
        "Classes of the test rows, true or predicted",
    ),
    InputSpec::new(
        input::SUBSETS,
        Element::Subset,
        &["n_subsets", "n_train"],
        "Training rows that each model was trained on",
    ),
    InputSpec::new(
        input::OUTPUTS,
        Element::Number,
        &["n_subsets", "n_test"],
        "Output of the model of each subset for each test row, averaged over its trainings",
    ),
    InputSpec::new(
        input::LOGITS,
        Element::Number,
        &["n_subsets", "n_test", "n_classes"],
        "Logits instead of outputs, which are then the margins of the targets",
    )
    .instead_of(input::OUTPUTS, input::TARGETS),
    InputSpec::new(
        input::TARGETS,
        Element::Integer,
        &["n_test"],
        "Class of each test row among the logits",
    ),
    InputSpec::new(
        input::REMOVED,
        Element::Integer,
        &["n_removed"],
        "Training row that each model was trained without",
    ),
    InputSpec::new(
        input::DROPS,
        Element::Number,
        &["n_removed", "n_test"],
        "Fall of the output of each test row without each removed row",
    ),
    InputSpec::new(
        input::RELEVANT,
        Element::Boolean,
        &["n_test", "n_train"],
        "Training rows that are relevant to each test row",
    ),
    InputSpec::new(
        input::SCORES,
        Element::Number,
        &["n_train"],
        "Score of each training row, high for suspicious ones",
    )
    .per_explainer(),
    InputSpec::new(
        input::FLAGS,
        Element::Boolean,
        &["n_train"],
        "Training rows that are flagged: mislabeled, with a shortcut, or from another data set",
    ),
    InputSpec::new(
        input::LOG_PROB,
        Element::Number,
        &["n_test"],
        "Log-probabilities of the targets",
    ),
    InputSpec::new(
        input::LOG_PROB_AFTER,
        Element::Number,
        &["n_test", "k"],
        "Log-probabilities of the targets after one step on each of the top rows",
    )
    .per_explainer(),
    InputSpec::new(
        input::KS,
        Element::Integer,
        &["n_ks"],
        "Numbers of top rows that were left out, ascending from 0",
    ),
    InputSpec::new(
        input::PREDICTIONS,
        Element::Class,
        &["n_test", "n_ks"],
        "Predictions of models that were trained without the top rows",
    )
    .per_explainer(),
    InputSpec::new(
        input::KEEP,
        Element::Boolean,
        &["n_test"],
        "Test rows that count; the others have no value",
    ),
];

/// Returns the description of an input.
#[must_use]
pub fn spec(input: Input) -> Option<&'static InputSpec> {
    INPUTS.iter().find(|spec| spec.input == input)
}

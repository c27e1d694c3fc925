//! Findings about agreement and errors of regression runs.

use crate::findings::{Finding, Verdict, count};
use crate::sections::regression::data::Regression;
use crate::sections::runs::{beyond_chance, undefined};

pub(super) fn findings(section: &Regression) -> Vec<Finding> {
    let (origin, runs) = (&section.origin, &section.runs);
    let agree = [
        "The runs predict similar numbers",
        "The runs do not predict more similar numbers than unrelated models",
        "The runs predict less similar numbers than unrelated models",
        "There are too few runs for an interval of their concordance",
    ];
    [
        beyond_chance(origin, runs, "concordance", agree),
        errors(section),
        undefined(origin, runs),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Range of the mean absolute errors.
fn errors(section: &Regression) -> Option<Finding> {
    let errors = section.mean_absolute_error.iter().copied();
    let (low, high) = (
        errors.clone().fold(f64::INFINITY, f64::min),
        errors.fold(f64::NEG_INFINITY, f64::max),
    );
    let text = format!(
        "The mean absolute error ranges from {low:.4} to {high:.4} over {}.",
        count(section.runs.n_runs as u64, "run"),
    );
    (low <= high).then(|| Finding::new(&section.origin, Verdict::Note, text))
}

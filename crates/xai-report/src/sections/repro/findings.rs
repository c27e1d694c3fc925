//! Findings about agreement, common errors and accuracy of runs.

use crate::findings::{Finding, Verdict, count};
use crate::sections::repro::data::Repro;
use crate::sections::runs::{beyond_chance, undefined};

pub(super) fn findings(section: &Repro) -> Vec<Finding> {
    let (origin, runs) = (&section.origin, &section.runs);
    let agree = [
        "The runs agree beyond chance",
        "The runs do not agree beyond chance",
        "The runs agree less than by chance",
        "There are too few runs for an interval of their agreement",
    ];
    let share_errors = [
        "The runs make the same errors more often than independent runs would",
        "The runs do not make the same errors more often than independent runs would",
        "The runs make the same errors less often than independent runs would",
        "There are too few runs, or no errors, for an interval of their common errors",
    ];
    [
        beyond_chance(origin, runs, "pa_kappa", agree),
        beyond_chance(origin, runs, "ec_corr", share_errors),
        accuracy(section),
        undefined(origin, runs),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Range of accuracies, and numbers of samples that are wrong in all runs and in at least one.
fn accuracy(section: &Repro) -> Option<Finding> {
    let values = section
        .accuracy
        .iter()
        .filter_map(|accuracy| accuracy.value);
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    let text = format!(
        "Accuracy ranges from {low:.4} to {high:.4} over {}; of {}, {} are wrong in every run and {} in at least one.",
        count(section.runs.n_runs as u64, "run"),
        count(section.runs.n_samples as u64, "sample"),
        section.always_wrong,
        section.ever_wrong,
    );
    (low <= high).then(|| Finding::new(&section.origin, Verdict::Note, text))
}

//! Findings about agreement, common errors and accuracy of runs.

use crate::findings::{Finding, Verdict};
use crate::findings::{IntervalRule, count, list};
use crate::sections::repro::data::{PairMetricSummary, Repro};

pub(super) fn findings(section: &Repro) -> Vec<Finding> {
    let metric = |name: &str| section.metrics.iter().find(|metric| metric.metric == name);
    let beyond_chance = metric("pa_kappa").map(|kappa| {
        compare_with_chance(
            section,
            kappa,
            "The runs agree beyond chance",
            "The runs do not agree beyond chance",
        )
    });
    let shared_errors = metric("ec_corr").map(|errors| {
        compare_with_chance(
            section,
            errors,
            "The runs make the same errors more often than independent runs would",
            "The runs do not make the same errors more often than independent runs would",
        )
    });
    let mut findings: Vec<Finding> = beyond_chance.into_iter().chain(shared_errors).collect();
    findings.extend(accuracy(section));
    findings.extend(undefined(section));
    findings
}

/// Compares a mean over pairs with 0, its value by chance.
fn compare_with_chance(
    section: &Repro,
    metric: &PairMetricSummary,
    yes: &str,
    no: &str,
) -> Finding {
    let rule = IntervalRule {
        estimate: &metric.mean,
        chance: 0.0,
        name: &metric.title,
        sentences: [
            yes,
            no,
            &format!("{no}, but significantly less"),
            "There are too few runs, or no errors, for an interval",
        ],
        consequence: "",
    };
    rule.finding(&section.origin)
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
        count(section.n_runs as u64, "run"),
        count(section.n_samples as u64, "sample"),
        section.always_wrong,
        section.ever_wrong,
    );
    (low <= high).then(|| Finding::new(&section.origin, Verdict::Note, text))
}

/// Metrics that are undefined for some pairs.
fn undefined(section: &Repro) -> Option<Finding> {
    let affected = section
        .metrics
        .iter()
        .filter(|metric| metric.mean.n_undefined > 0);
    let word = |metric: &PairMetricSummary| {
        let n = count(metric.mean.n_undefined, "pair");
        format!("{} ({n})", metric.title)
    };
    let words: Vec<String> = affected.map(word).collect();
    let text = format!(
        "Some metrics are undefined for some pairs of runs: {}.",
        list(&words)
    );
    (!words.is_empty()).then(|| Finding::new(&section.origin, Verdict::Undefined, text))
}

//! Findings about counterfactuals: the best method, unanswered queries, forbidden changes, plausibility, robustness
//! and agreement.

use std::collections::BTreeMap;

use xai_core::Direction;
use xai_core::describe::same_word;

use crate::findings::{Finding, Verdict, list};
use crate::sections::compared::{self, Rules};
use crate::sections::counterfactual::data::{Counterfactual, MethodAgreement};

const RULES: Rules = Rules {
    headline: "proximity",
    compared_with_random: (|metric| metric.better != Direction::None, "metrics"),
    samples: "queries",
};

/// Sentences about a metric that is a share of the counterfactuals or of their changes: the metric, the score by which
/// it is that share, the subject, and what is said of it.
const SHARES: [(&str, Option<&str>, &str, &str); 5] = [
    (
        "connectedness",
        None,
        "counterfactuals",
        "lie near training rows of their class",
    ),
    (
        "in_domain",
        Some("rows"),
        "counterfactuals",
        "have only possible values",
    ),
    (
        "redundancy",
        Some("share"),
        "changes",
        "are not needed for the prediction",
    ),
    (
        "noise_invalidation",
        None,
        "counterfactuals",
        "change their class under noise",
    ),
    (
        "model_validity",
        Some("mean"),
        "answers of other models",
        "are the class of the counterfactual",
    ),
];

pub(super) fn findings(section: &Counterfactual) -> Vec<Finding> {
    let mut findings = compared::findings(&section.origin, &section.compared, &RULES);
    let methods = || section.compared.explainers.iter();
    let n = section.compared.n_samples;
    let mut notes: Vec<String> = Vec::new();
    notes.extend(methods().zip(&section.success).filter_map(|(name, share)| {
        let answered = (share.filter(|share| *share < 1.0)? * n as f64).round();
        Some(format!("“{name}” has a valid counterfactual for {answered} of {n} queries: its means are over these."))
    }));
    notes.extend(methods().enumerate().filter_map(|(index, name)| {
        let changed = section.violations.iter().filter_map(|violation| {
            let share = violation.shares.get(index)?.filter(|share| *share > 0.0)?;
            Some(format!("{} ({:.0} %)", violation.feature, 100.0 * share))
        });
        let changed = list(&changed.collect::<Vec<String>>());
        (!changed.is_empty()).then(|| {
            format!("“{name}” changes features in ways that the schema forbids (share of its rows): {changed}.")
        })
    }));
    notes.extend(SHARES.iter().filter_map(|&(metric, score, subject, what)| {
        let values = values(section, metric, score)?;
        let shares = values
            .iter()
            .map(|(name, share)| format!("{:.0} % (“{name}”)", 100.0 * share));
        let shares = list(&shares.collect::<Vec<String>>());
        Some(format!("Share of the {subject} that {what}: {shares}."))
    }));
    notes.extend(values(section, "change_agreement", None).map(|values| {
        let values = values.iter().map(|(name, value)| format!("{value:.2} of “{name}”"));
        let values = list(&values.collect::<Vec<String>>());
        format!("The features that a method and the other run or method of the input `others` change have a Jaccard index of {values}.")
    }));
    let jaccard = |of: &&MethodAgreement| of.jaccard;
    let by_value = |a: &&MethodAgreement, b: &&MethodAgreement| {
        a.jaccard
            .unwrap_or(0.0)
            .total_cmp(&b.jaccard.unwrap_or(0.0))
    };
    let known = || section.agreement.iter().filter(|of| jaccard(of).is_some());
    if let (Some(least), Some(most)) = (known().min_by(by_value), known().max_by(by_value)) {
        let of = |pair: &MethodAgreement| {
            let [first, second] = &pair.methods;
            format!(
                "{:.2} (“{first}” and “{second}”)",
                pair.jaccard.unwrap_or(0.0)
            )
        };
        let range = if least == most {
            of(least)
        } else {
            format!("{} to {}", of(least), of(most))
        };
        notes.push(format!(
            "Jaccard index of the features that two methods change: {range}."
        ));
    }
    let note = |text| Finding::new(&section.origin, Verdict::Note, text);
    findings.extend(notes.into_iter().map(note));
    findings
}

/// Values of a metric by method, if it was evaluated with this score and some are defined.
fn values<'a>(
    section: &'a Counterfactual,
    metric: &str,
    score: Option<&str>,
) -> Option<Vec<(&'a String, f64)>> {
    let is_wanted = |settings: &BTreeMap<String, String>| match (score, settings.get("score")) {
        (Some(wanted), Some(score)) => score == wanted,
        _ => true,
    };
    let metric = section
        .compared
        .metrics
        .iter()
        .find(|of| same_word(&of.metric, metric) && is_wanted(&of.settings))?;
    let values = section.compared.explainers.iter().zip(&metric.values);
    let values: Vec<_> = values
        .filter_map(|(name, of)| Some((name, of.value?)))
        .collect();
    (!values.is_empty()).then_some(values)
}

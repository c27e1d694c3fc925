//! Findings about counterfactuals: the best method, unanswered queries, forbidden changes, plausibility, robustness
//! and agreement.

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

/// Sentences about shares of all methods: the metric, the words before the shares, and those after.
const SHARES: [(&str, &str, &str); 5] = [
    (
        "connectedness",
        "Near training rows of their class are",
        "of the counterfactuals",
    ),
    (
        "in_domain",
        "Only possible values have",
        "of the counterfactuals",
    ),
    (
        "redundancy",
        "Not needed for the prediction are",
        "of the changes",
    ),
    (
        "noise_invalidation",
        "Noise changes the class of",
        "of the counterfactuals",
    ),
    (
        "model_validity",
        "For other models keep their class",
        "of the counterfactuals",
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
            format!("“{name}” changes {changed} of its rows in ways that the schema forbids.")
        })
    }));
    notes.extend(SHARES.iter().filter_map(|&(metric, before, after)| {
        let values = values(section, metric)?;
        let shares = values
            .iter()
            .map(|(name, share)| format!("{:.0} % of “{name}”", 100.0 * share));
        Some(format!(
            "{before} {} {after}.",
            list(&shares.collect::<Vec<String>>())
        ))
    }));
    notes.extend(values(section, "change_agreement").map(|values| {
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

/// Values of a metric by method, if it was evaluated as a share and some are defined.
fn values<'a>(section: &'a Counterfactual, metric: &str) -> Option<Vec<(&'a String, f64)>> {
    let metric = section
        .compared
        .metrics
        .iter()
        .find(|of| same_word(&of.metric, metric))?;
    if metric
        .settings
        .get("score")
        .is_some_and(|score| score == "count")
    {
        return None;
    }
    let values = section.compared.explainers.iter().zip(&metric.values);
    let values: Vec<_> = values
        .filter_map(|(name, of)| Some((name, of.value?)))
        .collect();
    (!values.is_empty()).then_some(values)
}

//! Which explainer is best, and do the metrics agree on it?

use xai_core::Direction;

use crate::findings::words::{list, with_interval};
use crate::findings::{Finding, Verdict};
use crate::section::attribution::{Attribution, Comparison, MetricOfExplainers};

/// The metric whose ranking of explainers changes least with the baseline.
const HEADLINE: &str = "symmetric_relevance_gain";

pub(super) fn findings(section: &Attribution) -> Vec<Finding> {
    let mut findings: Vec<Finding> = headline(section)
        .and_then(|metric| best(section, metric))
        .into_iter()
        .collect();
    findings.extend(beside_random(section));
    findings.extend(disagreement(section));
    findings.extend(undefined(section));
    findings
}

/// The metric that is read first.
fn headline(section: &Attribution) -> Option<&MetricOfExplainers> {
    let named = section
        .metrics
        .iter()
        .find(|metric| metric.metric == HEADLINE);
    named.or_else(|| {
        section
            .metrics
            .iter()
            .find(|metric| metric.better != Direction::None)
    })
}

/// The explainer of rank 1, and those that it is not told apart from.
fn best(section: &Attribution, metric: &MetricOfExplainers) -> Option<Finding> {
    let ranked = metric
        .ranks
        .iter()
        .enumerate()
        .filter_map(|(e, rank)| Some((e, (*rank)?)));
    let (best, _) = ranked.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (name, estimate) = (section.explainers.get(best)?, *metric.values.get(best)?);
    let title = &metric.title;
    let number = with_interval(&estimate);
    if section.explainers.len() == 1 {
        let text = format!(
            "By {title}, “{name}” has {number}; with a single explainer there is nothing to compare it with."
        );
        let finding = Finding::new(&section.origin, Verdict::Described, text);
        return Some(finding.with(&estimate));
    }
    let is_of_best = |pair: &&Comparison| pair.first == *name || pair.second == *name;
    let pairs = metric.comparisons.iter().filter(is_of_best);
    let not_apart: Vec<&str> = pairs
        .filter(|pair| !pair.significant || pair.favours.as_ref() != Some(name))
        .map(|pair| {
            if pair.first == *name {
                pair.second.as_str()
            } else {
                pair.first.as_str()
            }
        })
        .collect();
    let (verdict, text) = match not_apart.is_empty() {
        true => (
            Verdict::AboveChance,
            format!(
                "By {title}, “{name}” is best ({number}) and told apart from every other explainer (signed ranks, p < 0.05 after Holm's correction)."
            ),
        ),
        false => (
            Verdict::NotToldApart,
            format!(
                "By {title}, “{name}” has the best value ({number}), but is not told apart from {}.",
                list(&not_apart)
            ),
        ),
    };
    Some(Finding::new(&section.origin, verdict, text).with(&estimate))
}

/// Explainers beside the one called random, if there is one: by how many metrics that ask the model each is told
/// to be better. A map that is simpler than a random one is no better for that.
fn beside_random(section: &Attribution) -> Vec<Finding> {
    let is_random = |name: &&String| name.to_lowercase().contains("random");
    let Some(random) = section.explainers.iter().find(is_random) else {
        return Vec::new();
    };
    let directed: Vec<&MetricOfExplainers> = section
        .metrics
        .iter()
        .filter(|metric| metric.better != Direction::None && metric.asks_model)
        .collect();
    let of = |name: &String| {
        let pair_of = |metric: &&MetricOfExplainers| {
            metric
                .comparisons
                .iter()
                .find(|pair| {
                    [&pair.first, &pair.second] == [name, random]
                        || [&pair.first, &pair.second] == [random, name]
                })
                .filter(|pair| pair.significant)
                .and_then(|pair| pair.favours.clone())
        };
        let favoured: Vec<String> = directed.iter().filter_map(pair_of).collect();
        let better = favoured.iter().filter(|favoured| *favoured == name).count();
        (better, favoured.len() - better)
    };
    let n = directed.len();
    let others = section.explainers.iter().filter(|name| *name != random);
    let sentence = |name: &String| {
        let (better, worse) = of(name);
        let verdict = match (better, worse) {
            (0, 0) => Verdict::NotToldApart,
            (better, worse) if better > worse => Verdict::AboveChance,
            (better, worse) if better < worse => Verdict::BelowChance,
            _ => Verdict::NotToldApart,
        };
        let text = format!(
            "“{name}” is told to be better than “{random}” by {better} of {n} metrics that ask the model, and worse by {worse}."
        );
        Finding::new(&section.origin, verdict, text)
    };
    others.map(sentence).collect()
}

/// Pairs of metrics that order the explainers in opposite ways.
fn disagreement(section: &Attribution) -> Option<Finding> {
    let opposite = section.opposite_metrics();
    let (pair, tau) = opposite.first()?;
    let text = format!(
        "{} of {} pairs of metrics rank the explainers in rather opposite orders, most of all {} and {} (Kendall's τ {tau:.2}): which explainer is best depends on the question.",
        opposite.len(),
        section.agreement_of_metrics.len(),
        section.title(&pair.first),
        section.title(&pair.second),
    );
    Some(Finding::new(&section.origin, Verdict::Described, text))
}

/// Metrics without a value for some samples.
fn undefined(section: &Attribution) -> Option<Finding> {
    let largest = |metric: &MetricOfExplainers| {
        metric
            .values
            .iter()
            .map(|value| value.n_undefined)
            .max()
            .unwrap_or_default()
    };
    let affected = section.metrics.iter().filter(|metric| largest(metric) > 0);
    let words: Vec<String> = affected
        .map(|metric| {
            format!(
                "{} ({} of {} samples)",
                metric.title,
                largest(metric),
                section.n_samples
            )
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let text = format!("Some samples have no value by {}.", list(&words));
    (!words.is_empty()).then(|| Finding::new(&section.origin, Verdict::Undefined, text))
}

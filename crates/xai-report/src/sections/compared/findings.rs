//! Which explainer is best, and do the metrics agree on it?

use std::cmp::Ordering;

use xai_core::Direction;

use crate::findings::{Finding, Verdict};
use crate::findings::{count, list, with_interval};
use crate::origin::Origin;
use crate::sections::compared::data::{Compared, Comparison, MetricOfExplainers};
use crate::text::{coverage, decimals};

/// How the sentences of a family are made.
pub(crate) struct Rules {
    /// The metric that is read first, where the section has it.
    pub(crate) headline: &'static str,
    /// Which metrics count beside random explanations, and what they are called: `metrics that ask
    /// the model`.
    pub(crate) beside_random: (fn(&MetricOfExplainers) -> bool, &'static str),
    /// What is explained: `samples`.
    pub(crate) samples: &'static str,
}

/// The findings of a section that compares explainers.
pub(crate) fn findings(origin: &Origin, section: &Compared, rules: &Rules) -> Vec<Finding> {
    let note = |text| Finding::new(origin, Verdict::Note, text);
    let mut findings = Vec::new();
    findings.extend(headline(section, rules).and_then(|metric| best(origin, section, metric)));
    findings.extend(beside_random(origin, section, rules));
    findings.extend(disagreement(section).map(note));
    findings.extend(resampled(section, rules).map(note));
    findings.extend(perturbed(section).map(note));
    let undefined = undefined(section, rules);
    findings.extend(undefined.map(|text| Finding::new(origin, Verdict::Undefined, text)));
    findings
}

/// The metric that is read first.
fn headline<'a>(section: &'a Compared, rules: &Rules) -> Option<&'a MetricOfExplainers> {
    let mut metrics = section.metrics.iter();
    let named = metrics
        .clone()
        .find(|metric| metric.metric == rules.headline);
    named.or_else(|| metrics.find(|metric| metric.better != Direction::None))
}

/// The explainer of rank 1, and those that it does not differ from significantly.
fn best(origin: &Origin, section: &Compared, metric: &MetricOfExplainers) -> Option<Finding> {
    let ranks = metric.ranks.iter().enumerate();
    let ranked = ranks.filter_map(|(e, rank)| Some((e, (*rank)?)));
    let (best, _) = ranked.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (name, estimate) = (section.explainers.get(best)?, *metric.values.get(best)?);
    let title = &metric.title;
    let number = with_interval(&estimate);
    if section.explainers.len() == 1 {
        let text = format!(
            "By {title}, “{name}” has {number}; with a single explainer there is nothing to compare it with."
        );
        let finding = Finding::new(origin, Verdict::Note, text);
        return Some(finding.with(&estimate));
    }
    let is_of_best = |pair: &&Comparison| pair.first == *name || pair.second == *name;
    let pairs = metric.comparisons.iter().filter(is_of_best);
    let not_apart: Vec<&str> = pairs
        .filter(|pair| !pair.significant || pair.favours.as_ref() != Some(name))
        .map(|pair| match pair.first == *name {
            true => pair.second.as_str(),
            false => pair.first.as_str(),
        })
        .collect();
    let (verdict, is_best, than) = if not_apart.is_empty() {
        let is_best = format!("is best ({number}) and significantly");
        (Verdict::Better, is_best, "every other explainer".to_owned())
    } else {
        let is_best = format!("has the best value ({number}), but is not significantly");
        (Verdict::NoDifference, is_best, list(&not_apart))
    };
    let text = format!(
        "By {title}, “{name}” {is_best} better than {than} (signed ranks, p < {} after Holm's correction).",
        section.alpha()
    );
    Some(Finding::new(origin, verdict, text).with(&estimate))
}

/// Explainers beside the one called random, if there is one: by how many metrics that ask the model each is
/// significantly better. A map that is simpler than a random one is no better for that.
fn beside_random(origin: &Origin, section: &Compared, rules: &Rules) -> Vec<Finding> {
    let is_random = |name: &&String| name.to_lowercase().contains("random");
    let Some(random) = section.explainers.iter().find(is_random) else {
        return Vec::new();
    };
    let (counts, called) = rules.beside_random;
    let metrics = section.metrics.iter();
    let directed = metrics.filter(|metric| metric.better != Direction::None && counts(metric));
    let of = |name: &String| {
        let is_pair = |pair: &&Comparison| {
            let names = [&pair.first, &pair.second];
            names == [name, random] || names == [random, name]
        };
        let pairs = directed
            .clone()
            .filter_map(|metric| metric.comparisons.iter().find(is_pair));
        let favoured = pairs
            .filter(|pair| pair.significant)
            .filter_map(|pair| pair.favours.as_ref());
        let (better, worse): (Vec<&String>, Vec<&String>) =
            favoured.partition(|favoured| *favoured == name);
        (better.len(), worse.len())
    };
    let n = directed.clone().count();
    let others = section.explainers.iter().filter(|name| *name != random);
    let sentence = |name: &String| {
        let (better, worse) = of(name);
        let verdict = match better.cmp(&worse) {
            Ordering::Greater => Verdict::Better,
            Ordering::Less => Verdict::Worse,
            Ordering::Equal => Verdict::NoDifference,
        };
        let text = format!(
            "“{name}” is significantly better than “{random}” by {better} of {n} {called}, and worse by {worse}."
        );
        Finding::new(origin, verdict, text)
    };
    others.map(sentence).collect()
}

/// Pairs of metrics that order the explainers in opposite ways.
fn disagreement(section: &Compared) -> Option<String> {
    let opposite = section.opposite_metrics();
    let (pair, tau) = opposite.first()?;
    Some(format!(
        "{} of {} pairs of metrics rank the explainers in rather opposite orders, most of all {} and {} (Kendall's τ {tau:.2}): which explainer is best depends on the question.",
        opposite.len(),
        section.agreement_of_metrics.len(),
        section.title(&pair.first),
        section.title(&pair.second),
    ))
}

/// By how many metrics other samples would have the same best explainer, as often as intervals
/// cover, and by which least.
fn resampled(section: &Compared, rules: &Rules) -> Option<String> {
    let metrics = section.metrics.iter();
    let drawn = metrics.filter_map(|m| Some((m, m.reliability.as_ref()?.same_best?)));
    let drawn: Vec<(&MetricOfExplainers, f64)> = drawn.collect();
    let (least, share) = drawn.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let n_stable = drawn.iter().filter(|(_, share)| *share >= section.level);
    Some(format!(
        "By {} of {} metrics with a better end, the best explainer stays the best in at least {} of the times that the {} are drawn again; least often by {} ({}).",
        n_stable.count(),
        drawn.len(),
        coverage(section.level),
        rules.samples,
        least.title,
        decimals(Some(*share)),
    ))
}

/// Which metric is most to be trusted under perturbations, and which least.
fn perturbed(section: &Compared) -> Option<String> {
    let trust = |metric: &MetricOfExplainers| {
        let of = metric.perturbed?;
        Some((of.noise_resilience? + of.reactivity?) / 2.0)
    };
    let judged = section
        .metrics
        .iter()
        .filter_map(|metric| Some((metric, trust(metric)?)));
    let judged: Vec<(&MetricOfExplainers, f64)> = judged.collect();
    // The first one of equals.
    let most = judged.iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let least = judged.iter().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let said =
        |of: &(&MetricOfExplainers, f64)| format!("{} ({})", of.0.title, decimals(Some(of.1)));
    Some(format!(
        "Under perturbations, of {} {} has the largest mean of resilience to noise and reactivity to disruption, {} the smallest.",
        count(judged.len() as u64, "metric"),
        said(most),
        said(least),
    ))
}

/// Metrics without a value for some samples.
fn undefined(section: &Compared, rules: &Rules) -> Option<String> {
    let words = section.metrics.iter().filter_map(|metric| {
        let largest = metric.values.iter().map(|value| value.n_undefined).max();
        let largest = largest.filter(|n| *n > 0)?;
        Some(format!(
            "{} ({largest} of {} {})",
            metric.title, section.n_samples, rules.samples
        ))
    });
    let words: Vec<String> = words.collect();
    let mut text = format!("Some {} have no value by {}.", rules.samples, list(&words));
    let reasons = section.metrics.iter();
    for (metric, why) in reasons.filter_map(|m| Some((m, m.undefined.as_ref()?))) {
        text += &format!(" {} is undefined: {why}.", metric.title);
    }
    (!words.is_empty()).then_some(text)
}

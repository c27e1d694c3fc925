//! Findings of sections that compare explainers: the best explainer, and agreement and reliability
//! of the metrics.

use std::cmp::Ordering;

use xai_core::Direction;

use crate::findings::{Finding, Verdict};
use crate::findings::{count, list, with_interval};
use crate::origin::Origin;
use crate::sections::compared::data::{Compared, Comparison, MetricOfExplainers};
use crate::text::{coverage, decimals};

/// Rules of the findings that differ between families.
pub(crate) struct Rules {
    /// Metric of the first finding, if the section has it.
    pub(crate) headline: &'static str,
    /// Filter of the metrics for the comparison with random explanations, and their name in sentences.
    pub(crate) compared_with_random: (fn(&MetricOfExplainers) -> bool, &'static str),
    /// Name of the explained items, for example `samples`.
    pub(crate) samples: &'static str,
}

/// Findings of a section that compares explainers.
pub(crate) fn findings(origin: &Origin, section: &Compared, rules: &Rules) -> Vec<Finding> {
    let note = |text| Finding::new(origin, Verdict::Note, text);
    let mut findings = Vec::new();
    findings.extend(headline(section, rules).and_then(|metric| best(origin, section, metric)));
    findings.extend(compare_with_random(origin, section, rules));
    findings.extend(disagreement(section).map(note));
    findings.extend(resampled(section, rules).map(note));
    findings.extend(perturbed(section).map(note));
    let undefined = undefined(section, rules);
    findings.extend(undefined.map(|text| Finding::new(origin, Verdict::Undefined, text)));
    findings
}

/// Metric of the first finding: the headline metric, or the first with a better direction.
fn headline<'a>(section: &'a Compared, rules: &Rules) -> Option<&'a MetricOfExplainers> {
    let mut metrics = section.metrics.iter();
    let named = metrics
        .clone()
        .find(|metric| metric.metric == rules.headline);
    named.or_else(|| metrics.find(|metric| metric.better != Direction::None))
}

/// The explainer with rank 1, and the explainers from which it does not differ significantly.
fn best(origin: &Origin, section: &Compared, metric: &MetricOfExplainers) -> Option<Finding> {
    let ranks = metric.ranks.iter().enumerate();
    let ranked = ranks.filter_map(|(e, rank)| Some((e, (*rank)?)));
    let (best, _) = ranked.min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (name, estimate) = (section.explainers.get(best)?, *metric.values.get(best)?);
    let title = &metric.title;
    let number = with_interval(&estimate);
    if section.explainers.len() == 1 {
        let text = format!(
            "{title} of “{name}” is {number}; with a single explainer there is no comparison."
        );
        let finding = Finding::new(origin, Verdict::Note, text);
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

/// Compares every explainer with the one called random, if there is one: number of metrics by which
/// it is significantly better and worse.
///
/// `Rules::compared_with_random` leaves out metrics of complexity, because a map that is simpler
/// than a random one is not better for that reason.
fn compare_with_random(origin: &Origin, section: &Compared, rules: &Rules) -> Vec<Finding> {
    let is_random = |name: &&String| name.to_lowercase().contains("random");
    let Some(random) = section.explainers.iter().find(is_random) else {
        return Vec::new();
    };
    let (is_counted, metrics_name) = rules.compared_with_random;
    let metrics = section.metrics.iter();
    let directed = metrics.filter(|metric| metric.better != Direction::None && is_counted(metric));
    let n_better_and_worse = |name: &String| {
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
        let (better, worse) = n_better_and_worse(name);
        let verdict = match better.cmp(&worse) {
            Ordering::Greater => Verdict::Better,
            Ordering::Less => Verdict::Worse,
            Ordering::Equal => Verdict::NoDifference,
        };
        let text = format!(
            "“{name}” is significantly better than “{random}” by {better} of {n} {metrics_name}, and worse by {worse}."
        );
        Finding::new(origin, verdict, text)
    };
    others.map(sentence).collect()
}

/// Number of pairs of metrics that rank the explainers in opposite orders.
fn disagreement(section: &Compared) -> Option<String> {
    let opposite = section.opposite_metrics();
    let (pair, tau) = opposite.first()?;
    Some(format!(
        "{} of {} pairs of metrics rank the explainers in opposite orders (Kendall's τ < 0), most of all {} and {} (τ {tau:.2}): which explainer is best depends on the metric.",
        opposite.len(),
        section.agreement_of_metrics.len(),
        section.title(&pair.first),
        section.title(&pair.second),
    ))
}

/// Number of metrics by which the best explainer stays the best in resamples, and the metric with
/// the smallest share.
fn resampled(section: &Compared, rules: &Rules) -> Option<String> {
    let metrics = section.metrics.iter();
    let shares: Vec<(&MetricOfExplainers, f64)> = metrics
        .filter_map(|m| Some((m, m.reliability.as_ref()?.same_best?)))
        .collect();
    let (least, share) = shares.iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let n_stable = shares.iter().filter(|(_, share)| *share >= section.level);
    Some(format!(
        "By {} of {} metrics with a direction, the best explainer stays the best in at least {} of the resamples of the {}; least often by {} ({}).",
        n_stable.count(),
        shares.len(),
        coverage(section.level),
        rules.samples,
        least.title,
        decimals(Some(*share)),
    ))
}

/// Metrics with the largest and the smallest mean of noise resilience and reactivity.
fn perturbed(section: &Compared) -> Option<String> {
    let mean_score = |metric: &MetricOfExplainers| {
        let scores = metric.perturbed?;
        Some((scores.noise_resilience? + scores.reactivity?) / 2.0)
    };
    let scored: Vec<(&MetricOfExplainers, f64)> = section
        .metrics
        .iter()
        .filter_map(|metric| Some((metric, mean_score(metric)?)))
        .collect();
    // The first metric among ties.
    let best = scored.iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let worst = scored.iter().reduce(|a, b| if b.1 < a.1 { b } else { a })?;
    let with_score = |(metric, score): &(&MetricOfExplainers, f64)| {
        format!("{} ({})", metric.title, decimals(Some(*score)))
    };
    Some(format!(
        "Under perturbations, of {} {} has the largest mean of resilience to noise and reactivity to disruption, {} the smallest.",
        count(scored.len() as u64, "metric"),
        with_score(best),
        with_score(worst),
    ))
}

/// Metrics that are undefined for some samples.
fn undefined(section: &Compared, rules: &Rules) -> Option<String> {
    let words = section.metrics.iter().filter_map(|metric| {
        let n_undefined = metric.values.iter().map(|value| value.n_undefined).max();
        let largest = n_undefined.filter(|n| *n > 0)?;
        Some(format!(
            "{} ({largest} of {} {})",
            metric.title, section.n_samples, rules.samples
        ))
    });
    let words: Vec<String> = words.collect();
    let mut text = format!(
        "Some metrics are undefined for some {}: {}.",
        rules.samples,
        list(&words)
    );
    let reasons = section.metrics.iter();
    for (metric, why) in reasons.filter_map(|m| Some((m, m.undefined.as_ref()?))) {
        text += &format!(" {} is undefined: {why}.", metric.title);
    }
    (!words.is_empty()).then_some(text)
}

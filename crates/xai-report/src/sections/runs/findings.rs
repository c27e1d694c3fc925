//! Findings about pairs of repeated runs.

use crate::findings::{Finding, IntervalRule, Verdict, count, list};
use crate::origin::Origin;
use crate::sections::runs::data::{PairMetricSummary, RunPairs};

/// Compares the mean of a metric over the pairs with 0, its value by chance; none if the metric was not evaluated.
///
/// The sentences are for an interval above 0, one that contains 0, one below 0, and no interval.
pub(crate) fn beyond_chance(
    origin: &Origin,
    section: &RunPairs,
    metric: &str,
    sentences: [&str; 4],
) -> Option<Finding> {
    let metric = section.metrics.iter().find(|of| of.metric == metric)?;
    let rule = IntervalRule {
        estimate: &metric.mean,
        chance: 0.0,
        name: &metric.title,
        sentences,
        consequence: "",
    };
    Some(rule.finding(origin))
}

/// Metrics that are undefined for some pairs.
pub(crate) fn undefined(origin: &Origin, section: &RunPairs) -> Option<Finding> {
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
    (!words.is_empty()).then(|| Finding::new(origin, Verdict::Undefined, text))
}

//! Values that sections about repeated runs have in common.

use kodama::{Method, linkage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Direction;
use xai_core::describe::MetricInfo;
use xai_repro::RunInterval;
use xai_repro::interval::{IntervalMethod, MetricReport};

use crate::estimate::{Estimate, Histogram};
use crate::section::Figure;

/// Number of bins of a histogram.
const N_BINS: usize = 20;

/// Metrics over the pairs of repeated runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RunPairs {
    /// Number of runs.
    pub n_runs: usize,
    /// Number of samples.
    pub n_samples: usize,
    /// Names of the runs; empty if they are only numbered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub run_names: Vec<String>,
    /// Level of the intervals.
    #[serde(default = "crate::estimate::default_level")]
    pub level: f64,
    /// Method of the intervals over runs: `jackknife` or `bca`.
    #[serde(default = "jackknife")]
    pub interval: String,
    /// Metrics over the pairs of runs.
    pub metrics: Vec<PairMetricSummary>,
    /// Similarity of every pair of runs.
    pub similarity: Similarity,
}

/// Method of the intervals of earlier reports, which do not store it.
fn jackknife() -> String {
    IntervalMethod::Jackknife.to_string()
}

/// One metric over all pairs of runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct PairMetricSummary {
    /// Name of the metric, for example `ec_local`.
    pub metric: String,
    /// Title of the metric.
    pub title: String,
    /// Summary of what the metric measures.
    pub question: String,
    /// Direction in which values are better.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// Range of possible values.
    pub range: String,
    /// Mean over the pairs, with an interval over runs.
    pub mean: Estimate,
    /// Standard deviation over the pairs.
    pub std: Option<f64>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Histogram of the pairs with twenty bins from the smallest to the largest value; `null` if no
    /// pair has a value.
    pub histogram: Option<Histogram>,
}

/// Similarity of every pair of runs by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Similarity {
    /// Name of the metric.
    pub metric: String,
    /// Title of the metric.
    pub title: String,
    /// Runs (from 0) in the order of the picture: the leaves of an average-linkage clustering.
    pub order: Vec<usize>,
    /// Values of the pairs (0, 1), (0, 2), …, (1, 2), … of the runs in their original order; `null`
    /// if undefined.
    pub pairs: Vec<Option<f64>>,
}

impl Similarity {
    /// Value of a pair of runs; `None` if it is undefined, and for a run with itself.
    #[must_use]
    pub fn value(&self, first: usize, second: usize) -> Option<f64> {
        let n = self.order.len();
        let is_pair = first != second && first.max(second) < n;
        let index = is_pair.then(|| pair_index(n, first, second))?;
        self.pairs.get(index).copied().flatten()
    }
}

impl RunPairs {
    /// Summarizes metrics of pairs. `infos` are the descriptions of the metrics of `reports` in their order. Runs are
    /// similar by the metric `similarity` if it was evaluated, otherwise by the first metric that has values.
    pub(crate) fn new<'a>(
        (n_runs, n_samples): (usize, usize),
        infos: impl IntoIterator<Item = &'a MetricInfo>,
        reports: &[(&str, MetricReport)],
        similarity: &str,
        interval: RunInterval,
    ) -> Self {
        let infos: Vec<&MetricInfo> = infos.into_iter().collect();
        let summaries = infos.iter().zip(reports);
        let index = reports
            .iter()
            .position(|(name, _)| *name == similarity)
            .or_else(|| reports.iter().position(|(_, of)| of.n_defined > 0))
            .unwrap_or_default();
        let pairs = reports
            .get(index)
            .map_or_else(Vec::new, |(_, of)| of.pairs.clone());
        let name =
            |of: fn(&MetricInfo) -> &'static str| infos.get(index).map_or("", |info| of(info));
        Self {
            n_runs,
            n_samples,
            run_names: Vec::new(),
            level: interval.coverage(),
            interval: interval.method().to_string(),
            metrics: summaries.map(|(info, (_, of))| summary(info, of)).collect(),
            similarity: Similarity {
                metric: name(|info| info.name).to_owned(),
                title: name(|info| info.title).to_owned(),
                order: leaf_order(n_runs, &pairs),
                pairs,
            },
        }
    }

    /// Means of the metrics, which comparisons of reports compare.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let metrics = self.metrics.iter().map(|metric| {
            let figure = Figure::new(&metric.metric, metric.better, metric.mean);
            figure
                .with("interval", &self.interval)
                .with("level", self.level)
        });
        metrics.collect()
    }

    /// Name of a run, or `run 3` if it has none.
    pub(crate) fn name(&self, run: usize) -> String {
        let name = self.run_names.get(run);
        name.map_or_else(|| format!("run {run}"), String::clone)
    }
}

fn summary(info: &MetricInfo, of: &MetricReport) -> PairMetricSummary {
    let defined = of.pairs.iter().copied().flatten();
    let range = of.min.zip(of.max);
    PairMetricSummary {
        metric: info.name.to_owned(),
        title: info.title.to_owned(),
        question: info.summary.to_owned(),
        better: info.direction,
        range: info.range.to_string(),
        mean: Estimate {
            value: of.mean,
            interval: of.interval,
            small_sample: of.small_sample,
            n: of.n_defined as u64,
            n_undefined: (of.pairs.len() - of.n_defined) as u64,
        },
        std: of.std,
        min: of.min,
        median: of.median,
        max: of.max,
        histogram: range.map(|range| Histogram::new(defined, range, N_BINS)),
    }
}

/// Orders items by the leaves of an average-linkage clustering, so that similar items are next to each other.
///
/// `similarities` are those of the pairs (0, 1), (0, 2), …, (1, 2), …; undefined ones count as the
/// smallest defined one. Two subtrees are joined at their most similar ends, ties by the lower
/// item. The order starts with the lower of its two ends.
pub(crate) fn leaf_order(n: usize, similarities: &[Option<f64>]) -> Vec<usize> {
    if n < 2 || similarities.len() != n * (n - 1) / 2 {
        return (0..n).collect();
    }
    let distances = distances(similarities);
    let tree = linkage(&mut distances.clone(), n, Method::Average);
    let mut subtrees: Vec<Vec<usize>> = (0..n).map(|item| vec![item]).collect();
    for step in tree.steps() {
        let first = std::mem::take(&mut subtrees[step.cluster1]);
        let second = std::mem::take(&mut subtrees[step.cluster2]);
        subtrees.push(joined(first, second, |a, b| distances[pair_index(n, a, b)]));
    }
    let mut order = subtrees.pop().unwrap_or_default();
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

/// Distances `1 − similarity`; the largest distance for undefined similarities.
fn distances(similarities: &[Option<f64>]) -> Vec<f64> {
    let distances = similarities.iter().map(|s| s.map(|s| 1.0 - s));
    let largest = distances
        .clone()
        .flatten()
        .max_by(f64::total_cmp)
        .unwrap_or(1.0);
    distances.map(|d| d.unwrap_or(largest)).collect()
}

/// Index of a pair of different items of `n` among the pairs (0, 1), (0, 2), …, (1, 2), …
pub(crate) fn pair_index(n: usize, first: usize, second: usize) -> usize {
    let (low, high) = (first.min(second), first.max(second));
    low * (2 * n - low - 1) / 2 + high - low - 1
}

/// Concatenates two subtrees, each reversed if that brings more similar ends together.
fn joined(
    mut first: Vec<usize>,
    mut second: Vec<usize>,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let (Some(&a), Some(&b)) = (first.first(), first.last()) else {
        return second;
    };
    let (Some(&c), Some(&d)) = (second.first(), second.last()) else {
        return first;
    };
    // Pairs of ends that could be adjacent: one of the first subtree, one of the second.
    let meetings = [(b, c), (b, d), (a, c), (a, d)];
    let nearer = |x: &(usize, usize), y: &(usize, usize)| {
        let lower = |pair: &(usize, usize)| (pair.0.min(pair.1), pair.0.max(pair.1));
        distance(x.0, x.1)
            .total_cmp(&distance(y.0, y.1))
            .then(lower(x).cmp(&lower(y)))
    };
    let (end, start) = meetings.into_iter().min_by(nearer).unwrap_or((b, c));
    if end != b {
        first.reverse();
    }
    if start != c {
        second.reverse();
    }
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_row_by_row() {
        let pairs = [(0, 1), (2, 0), (0, 3), (1, 2), (1, 3), (3, 2)];
        assert_eq!(pairs.map(|(a, b)| pair_index(4, a, b)), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn items_on_a_line_are_in_its_order() {
        // Places of the items on a line; similarity falls with distance.
        let line: [f64; 6] = [5.0, 0.0, 9.0, 1.0, 6.5, 10.4];
        let mut similarities = Vec::new();
        for i in 0..6 {
            for j in i + 1..6 {
                similarities.push(Some(1.0 - (line[i] - line[j]).abs()));
            }
        }
        assert_eq!(leaf_order(6, &similarities), [1, 3, 0, 4, 2, 5]);
    }

    #[test]
    fn an_undefined_pair_is_far_apart() {
        // 0 and 2 are alike, and 1 and 3; of these 2 and 1 are the nearest, 0 and 1 not known.
        let rest = [0.9, 0.1, 0.5, 0.6, 0.1].map(Some);
        let order = leaf_order(4, &[&[None], &rest[..]].concat());
        assert_eq!(order, [0, 2, 1, 3]);
        assert_eq!(leaf_order(3, &[None; 3]).len(), 3);
        assert_eq!(leaf_order(1, &[]), [0]);
    }
}

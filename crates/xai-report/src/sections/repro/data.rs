//! Data of the section about repeated runs.

use kodama::{Method, linkage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Direction;
use xai_repro::PairMetric;
use xai_repro::interval::IntervalMethod;
use xai_repro::pairwise::PairwiseReport;

use crate::estimate::{Estimate, Histogram};
use crate::origin::Origin;

/// Number of bins of a histogram.
const N_BINS: usize = 20;

/// Section about repeated runs: do repeated trainings make the same predictions and the same errors?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Repro {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Number of runs.
    pub n_runs: usize,
    /// Number of samples.
    pub n_samples: usize,
    /// Level of the intervals.
    #[serde(default = "crate::estimate::default_level")]
    pub level: f64,
    /// Method of the intervals over runs: `jackknife` or `bca`.
    #[serde(default = "jackknife")]
    pub interval: String,
    /// Metrics over the pairs of runs.
    pub metrics: Vec<PairMetricSummary>,
    /// Accuracy of each run, with Wilson's interval over samples.
    pub accuracy: Vec<Estimate>,
    /// Number of samples that all runs predict wrongly.
    pub always_wrong: u64,
    /// Number of samples that at least one run predicts wrongly.
    pub ever_wrong: u64,
    /// Fleiss' kappa: agreement of all runs beyond chance.
    pub fleiss_kappa: Option<f64>,
    /// Krippendorff's alpha: Fleiss' kappa corrected for the finite number of predictions.
    pub krippendorff_alpha: Option<f64>,
    /// Gwet's AC1: agreement beyond a chance that stays small if one class dominates.
    pub gwet_ac1: Option<f64>,
    /// Similarity of every pair of runs.
    pub similarity: Similarity,
    /// Number of samples on which the runs disagree.
    pub ever_changing: usize,
    /// Samples with the most disagreement, in descending order.
    pub most_inconsistent: Vec<Inconsistent>,
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

/// A sample on which runs disagree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Inconsistent {
    /// Index of the sample, from 0.
    pub sample: usize,
    /// True class.
    pub label: String,
    /// Entropy of the predictions in nats.
    pub entropy: f64,
    /// Share of runs that predict the most frequent class.
    pub modal_share: f64,
    /// Number of runs by predicted class, in descending order.
    pub votes: Vec<Votes>,
}

/// Number of runs that predict a class.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Votes {
    /// Class.
    pub class: String,
    /// Number of runs.
    pub n: usize,
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

/// Predictions of all runs for a sample on which they disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VotesOfSample {
    /// True class.
    pub label: String,
    /// Number of runs by predicted class, in descending order.
    pub votes: Vec<Votes>,
}

impl Repro {
    /// Creates the section from a report on all pairs of runs.
    ///
    /// `metrics` are the metrics of the report in its order, and `votes` the predictions of its
    /// most inconsistent samples in their order.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::{PackedRuns, Pairwise, RunInterval, metrics::PAIR_METRICS};
    /// use xai_report::sections::repro::Repro;
    /// use xai_report::Origin;
    ///
    /// let predictions = array![[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]];
    /// let runs = PackedRuns::new(PAIR_METRICS, predictions.view(), &[0, 1, 1, 0])?;
    /// let report = Pairwise::new().report(&runs, RunInterval::jackknife())?;
    /// let section = Repro::new(Origin::new(&Repro::KIND, 1, "Three runs"), PAIR_METRICS, &report, &[]);
    /// assert_eq!((section.n_runs, section.ever_wrong), (3, 3));
    /// # Ok::<(), xai_repro::Error>(())
    /// ```
    #[must_use]
    pub fn new(
        origin: Origin,
        metrics: &[PairMetric],
        report: &PairwiseReport,
        votes: &[VotesOfSample],
    ) -> Self {
        let samples = report.samples.as_ref();
        let inconsistent = samples.iter().flat_map(|of| &of.most_inconsistent);
        Self {
            origin,
            n_runs: report.n_runs,
            n_samples: report.n_samples,
            level: report.interval.coverage(),
            interval: report.interval.method().to_string(),
            metrics: summaries(metrics, report),
            accuracy: accuracies(report),
            always_wrong: report.always_wrong,
            ever_wrong: report.ever_wrong,
            fleiss_kappa: report.agreement.fleiss_kappa(),
            krippendorff_alpha: report.agreement.krippendorff_alpha(),
            gwet_ac1: report.agreement.gwet_ac1(),
            similarity: similarity(metrics, report),
            ever_changing: samples.map_or(0, |samples| samples.ever_changing),
            most_inconsistent: inconsistent
                .zip(votes)
                .map(|(sample, votes)| Inconsistent {
                    sample: sample.sample,
                    label: votes.label.clone(),
                    entropy: sample.entropy,
                    modal_share: sample.modal_share,
                    votes: votes.votes.clone(),
                })
                .collect(),
        }
    }
}

fn summaries(metrics: &[PairMetric], report: &PairwiseReport) -> Vec<PairMetricSummary> {
    let of_metrics = metrics.iter().zip(&report.metrics);
    of_metrics
        .map(|(metric, (name, values))| {
            let info = metric.info();
            let defined = values.pairs.iter().copied().flatten();
            let range = values.min.zip(values.max);
            PairMetricSummary {
                metric: (*name).to_owned(),
                title: info.title.to_owned(),
                question: info.summary.to_owned(),
                better: info.direction,
                range: info.range.to_string(),
                mean: Estimate {
                    value: values.mean,
                    interval: values.interval,
                    small_sample: values.small_sample,
                    n: values.n_defined as u64,
                    n_undefined: (values.pairs.len() - values.n_defined) as u64,
                },
                std: values.std,
                min: values.min,
                median: values.median,
                max: values.max,
                histogram: range.map(|range| Histogram::new(defined, range, N_BINS)),
            }
        })
        .collect()
}

fn accuracies(report: &PairwiseReport) -> Vec<Estimate> {
    let runs = report.accuracy.iter().zip(&report.accuracy_interval);
    runs.map(|(accuracy, interval)| Estimate {
        value: Some(*accuracy),
        interval: Some(*interval),
        n: report.n_samples as u64,
        ..Estimate::default()
    })
    .collect()
}

/// Similarity of runs by percent agreement if it was evaluated, otherwise by the first metric that
/// has values.
fn similarity(metrics: &[PairMetric], report: &PairwiseReport) -> Similarity {
    let (mut evaluated, mut values) = (metrics.iter(), report.metrics.iter());
    let index = evaluated
        .position(|metric| *metric == PairMetric::PA_ACC)
        .or_else(|| values.position(|(_, metric)| metric.n_defined > 0))
        .unwrap_or_default();
    let (name, pairs) = match report.metrics.get(index) {
        Some((name, metric)) => (*name, metric.pairs.clone()),
        None => ("", Vec::new()),
    };
    Similarity {
        metric: name.to_owned(),
        title: metrics
            .get(index)
            .map_or("", |metric| metric.info().title)
            .to_owned(),
        order: leaf_order(report.n_runs, &pairs),
        pairs,
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

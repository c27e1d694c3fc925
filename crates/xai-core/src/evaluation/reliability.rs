//! Reliability of the metrics of an evaluation, computed from their values without model calls.

use std::sync::Arc;

use crate::describe::Direction;
use crate::reliability::{
    Draws, EVALUATE_FEWER, InterMethodReliability, InternalConsistencyReliability, KendallW,
    KrippendorffAlpha, RankStability, RankedValues, inter_method_reliability,
    internal_consistency_reliability, kendall_w, krippendorff_alpha_of_ranks, rank_stability,
};
use crate::{Error, ExactMean, Result, input, parallel};

use crate::evaluation::{EvaluationTable, EvaluationValues, Statistics};

/// Reliability of the metrics of an evaluation, computed by [`EvaluationTable::reliability`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Reliability {
    /// Reliability of each metric.
    pub metrics: Vec<MetricReliability>,
    /// Consistency of every pair of metrics that have a better end (a [`Direction`] other than
    /// [`Direction::None`]): do they measure the same property?
    pub pairs: Vec<MetricPair>,
}

/// Reliability of one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MetricReliability {
    /// Name of the metric.
    pub metric: String,
    /// Better end of its scale.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// Agreement of the samples on the ranking of the explainers.
    pub kendall_w: KendallW,
    /// The same agreement, as a coefficient whose value by chance is 0 for any number of samples.
    pub krippendorff_alpha: KrippendorffAlpha,
    /// Agreement of the explainers on the ranking of the samples.
    pub inter_method_reliability: InterMethodReliability,
    /// Stability of the ranking of the explainers under resampling; `None` without a better end or
    /// without replicates.
    pub rank_stability: Option<RankStability>,
    /// Mean consistency with the other metrics; `None` if no pair with this metric has a value.
    pub internal_consistency: Option<f64>,
}

/// Consistency of two metrics.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MetricPair {
    /// Metric that comes first in the evaluation.
    pub first: Arc<str>,
    /// Other metric.
    pub second: Arc<str>,
    /// Correlation of both metrics over the samples of each explainer.
    pub internal_consistency_reliability: InternalConsistencyReliability,
}

impl EvaluationTable {
    /// Computes the reliability of each metric from the values of all explainers on all samples,
    /// see [`xai_core::reliability`]. For the stability of the ranking, samples are resampled with
    /// the number of replicates and the seed of the intervals.
    ///
    /// # Errors
    /// `InvalidParameter` for more than 8192 explainers, or if the results of all pairs of explainers
    /// and of metrics would take more than 2 GiB. For a table that was not created by an evaluation
    /// also `NonFinite` for a value, `ShapeMismatch` if a metric does not have one value per
    /// explainer and sample, and `Empty` for a metric without explainers.
    ///
    /// ```
    /// use xai_core::Direction;
    /// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
    /// let (sharp, spread) = ([0.5, 0.5].map(Some).to_vec(), [0.0, 0.2].map(Some).to_vec());
    /// let sparseness = MetricValues::new("sparseness", Direction::Higher, vec![sharp, spread]);
    /// let values = EvaluationValues::new(["sharp", "spread"], 2, vec![sparseness]);
    /// let reliability = values.table(&Statistics::default())?.reliability()?;
    /// assert_eq!(reliability.metrics[0].kendall_w.value, Some(1.0)); // both samples rank alike
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn reliability(&self) -> Result<Reliability> {
        let metrics = self.metrics.iter().map(|result| {
            let rows = result.values.iter().map(|value| &value.per_sample[..]);
            (&result.metric[..], result.direction, rows.collect())
        });
        evaluate_metrics(metrics.collect(), &self.statistics)
    }
}

impl EvaluationValues {
    /// Like [`EvaluationTable::reliability`], without a table.
    ///
    /// # Errors
    /// As [`EvaluationTable::reliability`], and `InvalidParameter` for a level outside (0, 1) or
    /// more than a million replicates.
    pub fn reliability(&self, statistics: &Statistics) -> Result<Reliability> {
        statistics.check()?;
        self.check()?;
        let metrics = self.metrics.iter().map(|metric| {
            let rows = metric.per_sample.iter().map(Vec::as_slice);
            (&metric.metric[..], metric.direction, rows.collect())
        });
        evaluate_metrics(metrics.collect(), statistics)
    }
}

/// Name, direction and values of a metric, with one row per explainer.
type MetricRows<'a> = (&'a str, Direction, Vec<&'a [Option<f64>]>);

/// Largest memory for the results of all pairs of explainers and of all pairs of metrics.
const MOST_BYTES: usize = 1 << 31;

/// Checks in advance that the results of all pairs fit into memory.
fn check_size(n_metrics: usize, n_explainers: usize) -> Result<()> {
    let pairs = |n: usize| n.saturating_mul(n.saturating_sub(1)) / 2;
    // Per metric and pair of explainers: a correlation, and how often each of the two ranks before the other.
    let metric_bytes = pairs(n_explainers).saturating_mul(16 + 2 * 8);
    // Per pair of metrics: a correlation for each explainer.
    let pair_bytes = size_of::<MetricPair>() + n_explainers.saturating_mul(16).max(32);
    let all_metrics = n_metrics.saturating_mul(metric_bytes);
    let bytes = all_metrics.saturating_add(pairs(n_metrics).saturating_mul(pair_bytes));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    // The error is about the dimension that takes most of the memory.
    let (input, n) = if all_metrics > bytes / 2 {
        (input::EXPLAINERS, n_explainers)
    } else {
        (input::METRICS, n_metrics)
    };
    let gib = bytes as f64 / f64::from(1 << 30);
    let expected = format!(
        "fewer: all pairs are compared, whose results would take {gib:.0} GiB of at most 2"
    );
    Err(Error::parameter(input, n, expected).with_help(EVALUATE_FEWER))
}

/// Computes the reliability of all metrics and the consistency of their pairs.
fn evaluate_metrics(metrics: Vec<MetricRows<'_>>, statistics: &Statistics) -> Result<Reliability> {
    let n_explainers = metrics.first().map_or(0, |(_, _, rows)| rows.len());
    check_size(metrics.len(), n_explainers)?;
    let ranked = metrics
        .iter()
        .map(|(name, direction, rows)| {
            let ranked = RankedValues::new(rows, *direction);
            ranked.map_err(|error| error.owner((*name).to_owned()))
        })
        .collect::<Result<Vec<_>>>()?;
    let has_better_end = |m: &usize| metrics[*m].1 != Direction::None;
    let directed: Vec<usize> = (0..metrics.len()).filter(has_better_end).collect();
    let pairs = metric_pairs(&metrics, &ranked, &directed)?;
    let mut consistency = vec![ExactMean::default(); metrics.len()];
    let mut values = pairs
        .iter()
        .map(|pair| pair.internal_consistency_reliability.value);
    // `pairs` has the order of these loops.
    for (i, &a) in directed.iter().enumerate() {
        for (&b, value) in directed[i + 1..].iter().zip(&mut values) {
            consistency[a].extend(value);
            consistency[b].extend(value);
        }
    }
    let draws = Draws::Seeded {
        n_draws: statistics.replicates,
        seed: statistics.seed,
    };
    let reliabilities = metrics
        .iter()
        .enumerate()
        .map(|(m, (name, direction, rows))| {
            let is_drawn = *direction != Direction::None && statistics.replicates > 0;
            Ok(MetricReliability {
                metric: (*name).to_owned(),
                direction: *direction,
                kendall_w: kendall_w(rows)?,
                krippendorff_alpha: krippendorff_alpha_of_ranks(rows)?,
                inter_method_reliability: inter_method_reliability(&ranked[m])?,
                rank_stability: is_drawn
                    .then(|| rank_stability(rows, *direction, draws))
                    .transpose()?,
                internal_consistency: consistency[m].value(),
            })
        });
    Ok(Reliability {
        metrics: reliabilities.collect::<Result<_>>()?,
        pairs,
    })
}

/// Consistency of every pair of the `directed` metrics (those with a better end), in their order.
///
/// The parallel loop is over metrics, not over the explainers of a pair, because a pair takes less
/// time than waking a thread.
fn metric_pairs(
    metrics: &[MetricRows<'_>],
    ranked: &[RankedValues<'_>],
    directed: &[usize],
) -> Result<Vec<MetricPair>> {
    let names: Vec<Arc<str>> = metrics.iter().map(|(name, ..)| Arc::from(*name)).collect();
    let n_values = |m: usize| metrics[m].2.iter().map(|row| row.len()).sum();
    let pairs_by_metric = parallel::try_map(directed.len(), |i| {
        let a = directed[i];
        let pair_with = |&b: &usize| {
            let reliability = parallel::with_work_size(n_values(a), || {
                internal_consistency_reliability(&ranked[a], &ranked[b])
            });
            Ok(MetricPair {
                first: names[a].clone(),
                second: names[b].clone(),
                internal_consistency_reliability: reliability?,
            })
        };
        let others = directed[i + 1..].iter();
        others.map(pair_with).collect::<Result<Vec<_>>>()
    })?;
    let mut pairs = Vec::with_capacity(pairs_by_metric.iter().map(Vec::len).sum());
    for metric_pairs in pairs_by_metric {
        pairs.extend(metric_pairs);
    }
    Ok(pairs)
}

//! Which metrics to believe on this data, as far as their values tell: no model is asked.

use std::sync::Arc;

use crate::describe::Direction;
use crate::reliability::{
    Draws, EVALUATE_FEWER, InterMethodReliability, InternalConsistencyReliability, KendallW,
    KrippendorffAlpha, RankStability, RankedValues, inter_method_reliability,
    internal_consistency_reliability, kendall_w, krippendorff_alpha_of_ranks, rank_stability,
};
use crate::{Error, ExactMean, Result, input, parallel};

use crate::evaluation::{EvaluationTable, EvaluationValues, Statistics};

/// The metrics of an evaluation judged, by [`EvaluationTable::reliability`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Reliability {
    /// What is said of each metric.
    pub metrics: Vec<MetricReliability>,
    /// Whether two metrics measure one property: every pair of metrics with a better end.
    pub pairs: Vec<MetricPair>,
}

/// One metric judged.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricReliability {
    /// The metric's name.
    pub metric: String,
    /// Which end of its scale is the good one.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// Whether the samples rank the explainers alike.
    pub kendall_w: KendallW,
    /// The same as a coefficient that is 0 by chance whatever the number of samples.
    pub krippendorff_alpha: KrippendorffAlpha,
    /// Whether the same samples are easy for every explainer.
    pub inter_method_reliability: InterMethodReliability,
    /// Whether the ranking is that of other samples, too; `None` without a better end, and without replicates.
    pub rank_stability: Option<RankStability>,
    /// The mean over the other metrics of what is said of their pair; `None` where no pair has a value.
    pub internal_consistency: Option<f64>,
}

/// Two metrics, and whether they measure one property.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricPair {
    /// The one that comes first in the evaluation.
    pub first: Arc<str>,
    /// The other one.
    pub second: Arc<str>,
    /// Over the samples of each explainer.
    pub internal_consistency_reliability: InternalConsistencyReliability,
}

impl EvaluationTable {
    /// Judges each metric by the values of all explainers on all samples: see
    /// [`xai_core::reliability`]. The ranking is drawn as often, and from the same seed, as intervals are.
    ///
    /// # Errors
    /// Not finite, for a value of a table that was not made by an evaluation; a shape mismatch for values that are not
    /// one per explainer and sample; an invalid parameter for so many explainers or metrics that the results of all pairs
    /// would take more than 2 GiB.
    ///
    /// ```
    /// use xai_core::Direction;
    /// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
    /// let (sharp, spread) = ([0.5, 0.5].map(Some).to_vec(), [0.0, 0.2].map(Some).to_vec());
    /// let sparseness = MetricValues::new("sparseness", Direction::Higher, vec![sharp, spread]);
    /// let values = EvaluationValues::new(["sharp", "spread"], 2, vec![sparseness]);
    /// let judged = values.table(&Statistics::default())?.reliability()?;
    /// assert_eq!(judged.metrics[0].kendall_w.value, Some(1.0)); // both samples rank alike
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    pub fn reliability(&self) -> Result<Reliability> {
        let metrics = self.metrics.iter().map(|result| {
            let rows = result.values.iter().map(|value| &value.per_sample[..]);
            (&result.metric[..], result.direction, rows.collect())
        });
        judge(metrics.collect(), &self.statistics)
    }
}

impl EvaluationValues {
    /// As [`EvaluationTable::reliability`], without a table.
    ///
    /// # Errors
    /// The same, and an invalid parameter for a level outside (0, 1) or more than a million replicates.
    pub fn reliability(&self, statistics: &Statistics) -> Result<Reliability> {
        statistics.check()?;
        self.check()?;
        let metrics = self.metrics.iter().map(|metric| {
            let rows = metric.per_sample.iter().map(Vec::as_slice);
            (&metric.metric[..], metric.direction, rows.collect())
        });
        judge(metrics.collect(), statistics)
    }
}

/// A metric's name, its better end, and its values: a row for each explainer.
type Judged<'a> = (&'a str, Direction, Vec<&'a [Option<f64>]>);

/// Most memory that the values of pairs of explainers and of pairs of metrics may take.
const MOST_BYTES: usize = 1 << 31;

/// Checks before any work that what is said of all pairs fits into memory.
fn check_size(n_metrics: usize, n_explainers: usize) -> Result<()> {
    let pairs = |n: usize| n.saturating_mul(n.saturating_sub(1)) / 2;
    // A correlation of each pair, and how often each of the two ranks before the other.
    let of_metric = pairs(n_explainers).saturating_mul(16 + 2 * 8);
    let of_pair = size_of::<MetricPair>() + n_explainers.saturating_mul(16).max(32);
    let of_metrics = n_metrics.saturating_mul(of_metric);
    let bytes = of_metrics.saturating_add(pairs(n_metrics).saturating_mul(of_pair));
    if bytes <= MOST_BYTES {
        return Ok(());
    }
    let (input, n) = match of_metrics > bytes / 2 {
        true => (input::EXPLAINERS, n_explainers),
        false => (input::METRICS, n_metrics),
    };
    let gib = bytes as f64 / f64::from(1 << 30);
    let expected = format!(
        "fewer: all pairs are compared, whose results would take {gib:.0} GiB of at most 2"
    );
    Err(Error::parameter(input, n, expected).with_help(EVALUATE_FEWER))
}

fn judge(metrics: Vec<Judged<'_>>, statistics: &Statistics) -> Result<Reliability> {
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
    let judged: Vec<usize> = (0..metrics.len()).filter(has_better_end).collect();
    let pairs = pairs_of_metrics(&metrics, &ranked, &judged)?;
    let mut of_metric = vec![ExactMean::default(); metrics.len()];
    let mut values = pairs
        .iter()
        .map(|pair| pair.internal_consistency_reliability.value);
    for (place, &a) in judged.iter().enumerate() {
        for (&b, value) in judged[place + 1..].iter().zip(&mut values) {
            of_metric[a].extend(value);
            of_metric[b].extend(value);
        }
    }
    let draws = Draws::Seeded {
        n_draws: statistics.replicates,
        seed: statistics.seed,
    };
    let judged = metrics
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
                internal_consistency: of_metric[m].value(),
            })
        });
    Ok(Reliability {
        metrics: judged.collect::<Result<_>>()?,
        pairs,
    })
}

/// Every pair of the `judged` metrics, in their order.
///
/// Threads share the metrics, not the explainers of a pair: a pair takes less time than waking a thread.
fn pairs_of_metrics(
    metrics: &[Judged<'_>],
    ranked: &[RankedValues<'_>],
    judged: &[usize],
) -> Result<Vec<MetricPair>> {
    let names: Vec<Arc<str>> = metrics.iter().map(|(name, ..)| Arc::from(*name)).collect();
    let n_values = |m: usize| metrics[m].2.iter().map(|row| row.len()).sum();
    let of_metrics = parallel::try_map(judged.len(), |place| {
        let a = judged[place];
        let of_pair = |&b: &usize| {
            let reliability = parallel::with_work_size(n_values(a), || {
                internal_consistency_reliability(&ranked[a], &ranked[b])
            });
            Ok(MetricPair {
                first: names[a].clone(),
                second: names[b].clone(),
                internal_consistency_reliability: reliability?,
            })
        };
        let others = judged[place + 1..].iter();
        others.map(of_pair).collect::<Result<Vec<_>>>()
    })?;
    let mut pairs = Vec::with_capacity(of_metrics.iter().map(Vec::len).sum());
    of_metrics.into_iter().for_each(|of| pairs.extend(of));
    Ok(pairs)
}

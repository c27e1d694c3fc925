//! Which metrics to believe on this data, as far as their values tell: no model is asked.

use crate::describe::Direction;
use crate::reliability::{
    Draws, InterMethodReliability, InternalConsistencyReliability, KendallW, KrippendorffAlpha,
    RankStability, RankedValues, inter_method_reliability, internal_consistency_reliability,
    kendall_w, krippendorff_alpha_of_ranks, rank_stability,
};
use crate::{ExactMean, Result};

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
    pub first: String,
    /// The other one.
    pub second: String,
    /// Over the samples of each explainer.
    pub internal_consistency_reliability: InternalConsistencyReliability,
}

impl EvaluationTable {
    /// Judges each metric by the values of all explainers on all samples: see
    /// [`xai_core::reliability`]. The ranking is drawn as often, and from the same seed, as intervals are.
    ///
    /// # Errors
    /// Not finite, for a value of a table that was not made by an evaluation; a shape mismatch for values that are not
    /// one per explainer and sample.
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

fn judge(metrics: Vec<Judged<'_>>, statistics: &Statistics) -> Result<Reliability> {
    let ranked = metrics
        .iter()
        .map(|(name, direction, rows)| {
            let ranked = RankedValues::new(rows, *direction);
            ranked.map_err(|error| error.owner((*name).to_owned()))
        })
        .collect::<Result<Vec<_>>>()?;
    let has_better_end = |m: &usize| metrics[*m].1 != Direction::None;
    let mut pairs = Vec::new();
    let mut of_metric = vec![ExactMean::default(); metrics.len()];
    for a in (0..metrics.len()).filter(has_better_end) {
        for b in (a + 1..metrics.len()).filter(has_better_end) {
            let reliability = internal_consistency_reliability(&ranked[a], &ranked[b])?;
            for m in [a, b] {
                of_metric[m].extend(reliability.value);
            }
            pairs.push(MetricPair {
                first: metrics[a].0.to_owned(),
                second: metrics[b].0.to_owned(),
                internal_consistency_reliability: reliability,
            });
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
                inter_method_reliability: inter_method_reliability(&ranked[m]),
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

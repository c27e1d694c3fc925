//! The values of an evaluation, sample by sample, and how parts of a data set join.

use xai_core::describe::{Direction, MetricInfo};
use xai_core::{Error, ExactMean, Interval, Result};

use crate::evaluation::paired_tests::compare;
use crate::evaluation::statistics::{Column, replicates};
use crate::evaluation::{EvaluationTable, ExplainerValue, MetricResult, Statistics};
use crate::metric::CurvePoint;
use crate::model::ModelCalls;
use crate::{help, input};

/// The values of every explainer by every metric, sample by sample.
///
/// Parts of a data set that were evaluated apart (on several machines, for instance) are joined by
/// [`merge`](Self::merge); the [`table`](Self::table) of the joined values is that of the whole.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::evaluation::Statistics;
/// use xai_attribution::{AverageDrop, Evaluation};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// // Two machines, one sample each. The first map leaves out what the model reads, the second keeps it.
/// let part = |input: [f64; 2], map: [f64; 2], first_sample: u64| {
///     Evaluation::new(&model, array![input], &[0])
///         .maps("mine", array![map])
///         .metric(AverageDrop::default())
///         .first_sample(first_sample)
///         .values()
/// };
/// let mut values = part([4.0, 1.0], [0.0, 1.0], 0)?;
/// values.merge(part([2.0, 1.0], [1.0, 0.0], 1)?)?;
/// let table = values.table(&Statistics::default())?;
/// let mine = table.result("mine", "average_drop").unwrap();
/// assert!((mine.value.unwrap() - 0.5).abs() < 1e-7); // (1 + 0)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EvaluationValues {
    /// How many samples were explained.
    pub n_samples: usize,
    /// The names of the explainers.
    pub explainers: Vec<String>,
    /// The values by each metric.
    pub metrics: Vec<MetricValues>,
    /// How often the model was called for all of it.
    pub model_calls: ModelCalls,
}

/// The values of every explainer by one metric, sample by sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricValues {
    /// The metric's name.
    pub metric: String,
    /// Which end of its scale is the good one.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// Whether the values are shares: Wilson's interval is then one of them.
    pub is_share: bool,
    /// Whether the metric relates all samples to each other, so that values of parts do not join.
    pub is_whole: bool,
    /// Why the metric is undefined for the scores, where it is: then it has no values.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub undefined: Option<String>,
    /// What the metric says of itself; values that were stored and read back have none.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub info: Option<&'static MetricInfo>,
    /// `[explainer][sample]`; `None` where undefined.
    pub per_sample: Vec<Vec<Option<f64>>>,
    /// The mean curve of each explainer, where that was [asked for](crate::Evaluation::with_curves) and the
    /// metric has one. Values that were joined of parts have none.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub curves: Vec<Option<Vec<CurvePoint>>>,
}

impl EvaluationValues {
    /// Adds the values of samples that come after these.
    ///
    /// # Errors
    /// An invalid parameter when explainers or metrics are not the same, in the same order; nothing
    /// is added then. So it is for a metric that relates all samples to each other, as
    /// [`Sufficiency`](crate::metric::Sufficiency) and [`Consistency`](crate::metric::Consistency) do: the values
    /// of parts are not those of the whole.
    pub fn merge(&mut self, next: Self) -> Result<()> {
        self.check()?;
        next.check()?;
        if self.explainers != next.explainers {
            let (actual, expected) = (next.explainers.join(", "), self.explainers.join(", "));
            return Err(Error::parameter(input::EXPLAINERS, actual, expected));
        }
        let metrics = |values: &Self| -> Vec<String> {
            let metrics = values.metrics.iter();
            metrics
                .map(|m| format!("{} ({})", m.metric, m.direction))
                .collect()
        };
        let (own, others) = (metrics(self), metrics(&next));
        if own != others {
            let (actual, expected) = (others.join(", "), own.join(", "));
            return Err(Error::parameter(input::METRICS, actual, expected));
        }
        if let Some(metric) = self.metrics.iter().find(|metric| metric.is_whole) {
            let expected = "metrics of single samples: this one relates all samples to each other";
            return Err(Error::parameter(input::METRICS, &metric.metric, expected)
                .with_help(help::EVALUATE_AT_ONCE));
        }
        self.n_samples += next.n_samples;
        self.model_calls += next.model_calls;
        for (metric, next) in self.metrics.iter_mut().zip(next.metrics) {
            metric.curves = Vec::new();
            metric.undefined = metric.undefined.take().or(next.undefined);
            for (values, next) in metric.per_sample.iter_mut().zip(next.per_sample) {
                values.extend(next);
                if metric.undefined.is_some() {
                    values.fill(None);
                }
            }
        }
        Ok(())
    }

    /// The values of samples that were evaluated in another order: `order` is the sample that each place is of.
    pub(crate) fn reordered(mut self, order: &[usize]) -> Self {
        for per_sample in self
            .metrics
            .iter_mut()
            .flat_map(|metric| &mut metric.per_sample)
        {
            *per_sample = in_places(per_sample, order, order.len());
        }
        self
    }

    /// Whether every metric has a value of every explainer for every sample.
    pub(super) fn check(&self) -> Result<()> {
        for metric in &self.metrics {
            let expected = [self.explainers.len(), self.n_samples];
            let actual = metric.per_sample.iter().map(Vec::len);
            if metric.per_sample.len() != expected[0] || actual.clone().any(|n| n != expected[1]) {
                let samples = actual.min().unwrap_or_default();
                let actual = [metric.per_sample.len(), samples];
                let error = Error::shape(input::VALUES, &expected, &actual);
                return Err(error.owner(metric.metric.clone()));
            }
        }
        Ok(())
    }

    /// Means, intervals, rankings and tests.
    ///
    /// # Errors
    /// An invalid parameter for a level outside (0, 1) or more than a million replicates, a shape
    /// mismatch for values that are not one per explainer and sample.
    pub fn table(&self, statistics: &Statistics) -> Result<EvaluationTable> {
        statistics.check()?;
        self.check()?;
        let columns: Vec<Column> = self
            .metrics
            .iter()
            .flat_map(|metric| &metric.per_sample)
            .map(|per_sample| Column::new(per_sample))
            .collect();
        let replicates = replicates(&columns, self.n_samples, statistics);
        let n_explainers = self.explainers.len();
        let metrics: Result<Vec<MetricResult>> = self
            .metrics
            .iter()
            .enumerate()
            .map(|(m, metric)| {
                let own = m * n_explainers..(m + 1) * n_explainers;
                let intervals = columns[own.clone()]
                    .iter()
                    .zip(&replicates[own])
                    .map(|(column, replicates)| {
                        column.interval(replicates, statistics.level, metric.is_share)
                    })
                    .collect::<Result<Vec<_>>>()?;
                metric.result(&self.explainers, &intervals)
            })
            .collect();
        Ok(EvaluationTable {
            n_samples: self.n_samples,
            explainers: self.explainers.clone(),
            metrics: metrics?,
            model_calls: self.model_calls,
            statistics: *statistics,
        })
    }
}

/// Values of some samples at their places among `n`.
pub(crate) fn in_places(values: &[Option<f64>], samples: &[usize], n: usize) -> Vec<Option<f64>> {
    let mut placed = vec![None; n];
    for (&sample, &value) in samples.iter().zip(values) {
        placed[sample] = value;
    }
    placed
}

impl MetricValues {
    fn result(
        &self,
        explainers: &[String],
        intervals: &[Option<Interval>],
    ) -> Result<MetricResult> {
        let values: Vec<ExplainerValue> = explainers
            .iter()
            .enumerate()
            .zip(&self.per_sample)
            .zip(intervals)
            .map(|(((e, explainer), per_sample), &interval)| {
                let mean: ExactMean = per_sample.iter().flatten().copied().collect();
                ExplainerValue {
                    explainer: explainer.clone(),
                    value: mean.value(),
                    interval,
                    per_sample: per_sample.clone(),
                    n_undefined: per_sample.iter().filter(|value| value.is_none()).count(),
                    curve: self.curves.get(e).cloned().flatten(),
                }
            })
            .collect();
        let mut ranking: Vec<usize> = (0..values.len()).collect();
        // The key is lower for the better; a stable sort keeps ties in order, and the order of the
        // names where neither end is better.
        let key = |&e: &usize| match (values[e].value, self.direction) {
            (Some(value), Direction::Lower) => value,
            (Some(value), Direction::Higher) => -value,
            (Some(_), Direction::None) => 0.0,
            (None, _) => f64::INFINITY,
        };
        ranking.sort_by(|a, b| key(a).total_cmp(&key(b)));
        Ok(MetricResult {
            metric: self.metric.clone(),
            undefined: self.undefined.clone(),
            info: self.info,
            direction: self.direction,
            comparisons: compare(self.direction, &values, &ranking)?,
            values,
            ranking,
        })
    }
}

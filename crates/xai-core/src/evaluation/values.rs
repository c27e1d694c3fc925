//! The values of an evaluation, sample by sample, and how parts of a data set join.

use std::collections::HashSet;

use crate::describe::{Direction, MetricInfo, Param};
use crate::statistics::jackknife;
use crate::{Error, ExactMean, Help, Input, Interval, Result, parallel};

use crate::evaluation::paired_tests::compare;
use crate::evaluation::statistics::{Column, replicates};
use crate::evaluation::{
    ClassAgreement, CurvePoint, EvaluationTable, ExplainerValue, MetricResult, ModelCalls, Remark,
    Statistics, TiedFeatures, add_remarks,
};
use crate::input;

/// For parts of a data set that were evaluated by a metric of all samples.
pub const EVALUATE_AT_ONCE: Help = Help::new("evaluate this metric on the whole data set at once");
/// For parts of a data set whose outputs look like probabilities in one and like logits in another.
pub const SPECIFY_OUTPUT_KIND: Help =
    Help::new("choose {answers=probabilities} or {answers=logits}");

/// For an evaluation whose comparisons or replicates do not fit into memory.
pub const COMPARE_FEWER: Help = Help::new("compare some of the explainers or metrics at a time");

/// The values of every explainer by every metric, sample by sample.
///
/// Parts of a data set that were evaluated apart (on several machines, for instance) are joined by
/// [`merge`](Self::merge); the [`table`](Self::table) of the joined values is that of the whole.
///
/// ```
/// use xai_core::Direction;
/// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
/// // Two machines, one sample each.
/// let part = |drop: f64| {
///     let drop = MetricValues::new("average_drop", Direction::Lower, vec![vec![Some(drop)]]);
///     EvaluationValues::new(["mine"], 1, vec![drop])
/// };
/// let mut values = part(1.0);
/// values.merge(part(0.0))?;
/// let table = values.table(&Statistics::default())?;
/// assert_eq!(table.result("mine", "average_drop").unwrap().value, Some(0.5));
/// # Ok::<(), xai_core::Error>(())
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
    /// Choices that nobody made, and that the values depend on.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// What shows whether maps without a class axis explain the class that is scored, of a model of two classes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub class_agreement: Option<ClassAgreement>,
}

/// What [`Remark`]s are about that say whether outputs were read as probabilities or as logits. Parts of a data set that read them
/// differently do not join.
pub const OUTPUT_KIND: &str = "answers";

/// The value that a metric has for all samples together, where it has none per sample.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PooledValue {
    /// The value; `None` where it is undefined.
    pub value: Option<f64>,
    /// The value without one group of samples at a time, for the interval; empty where one of these is undefined.
    pub leave_one_out: Vec<f64>,
}

impl PooledValue {
    /// Most groups of samples that are left out: a value of many samples would otherwise be computed once per sample.
    const MAX_GROUPS: usize = 40;

    /// Computes the value of `n` samples, and the values without one of up to 40 groups of them. Sample `i` belongs to
    /// group `i mod n_groups`, so that a sorted data set has groups that are alike.
    ///
    /// `value` is told which samples to use.
    ///
    /// # Errors
    /// Those of `value`.
    pub fn new(
        n: usize,
        value: impl Fn(&dyn Fn(usize) -> bool) -> Result<Option<f64>> + Sync + Send,
    ) -> Result<Self> {
        let n_groups = n.min(Self::MAX_GROUPS);
        let all = value(&|_| true)?;
        let without = |group: usize| value(&|sample| sample % n_groups != group);
        let leave_one_out = if all.is_some() && n_groups > 1 {
            parallel::try_map(n_groups, without)?
        } else {
            Vec::new()
        };
        Ok(Self {
            value: all,
            leave_one_out: leave_one_out
                .into_iter()
                .collect::<Option<_>>()
                .unwrap_or_default(),
        })
    }

    fn interval(&self, statistics: &Statistics) -> Result<Option<Interval>> {
        match self.value {
            // No replicates: no intervals are asked for.
            Some(value) if self.leave_one_out.len() > 1 && statistics.replicates > 0 => {
                jackknife(value, &self.leave_one_out, statistics.level).map(Some)
            }
            _ => Ok(None),
        }
    }
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
    /// Values of the metric's parameters by name, as text; empty where they are not known. See [`parameter_settings`].
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub settings: Vec<(String, String)>,
    /// `[explainer][sample]`; `None` where undefined, and everywhere for a pooled metric.
    pub per_sample: Vec<Vec<Option<f64>>>,
    /// By explainer, the value of a metric that has one for all samples together; empty for metrics of single samples.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub pooled: Vec<PooledValue>,
    /// The mean curve of each explainer, where that was asked for and the
    /// metric has one. Values that were joined of parts have none.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub curves: Vec<Option<Vec<CurvePoint>>>,
    /// For each explainer how many features are tied with another one; empty for metrics that remove nothing in the order of
    /// attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub tied: Vec<TiedFeatures>,
}

impl EvaluationValues {
    /// Values that were made without a model.
    #[must_use]
    pub fn new<E: Into<String>>(
        explainers: impl IntoIterator<Item = E>,
        n_samples: usize,
        metrics: Vec<MetricValues>,
    ) -> Self {
        Self {
            n_samples,
            explainers: explainers.into_iter().map(Into::into).collect(),
            metrics,
            model_calls: ModelCalls::default(),
            assumed: Vec::new(),
            class_agreement: None,
        }
    }

    /// Adds the values of samples that come after these.
    ///
    /// # Errors
    /// An invalid parameter when explainers, metrics or their settings are not the same, in the same order; nothing
    /// is added then. The same holds for a metric that relates all samples to each other, because the values of parts are not
    /// those of the whole, and for parts whose outputs were read differently, as [probabilities or logits](OUTPUT_KIND).
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
        for (own, others) in self.metrics.iter().zip(&next.metrics) {
            if let Some((name, expected, actual)) = own.other_setting(others) {
                let actual = format!("{}({name}={actual})", own.metric);
                let expected = format!("the setting of the other parts, {name}={expected}");
                return Err(Error::parameter(input::METRICS, actual, expected));
            }
        }
        if let Some(metric) = self.metrics.iter().find(|metric| metric.is_whole) {
            let expected = "metrics of single samples: this one relates all samples to each other";
            return Err(Error::parameter(input::METRICS, &metric.metric, expected)
                .with_help(EVALUATE_AT_ONCE));
        }
        self.check_output_kinds(&next)?;
        self.n_samples += next.n_samples;
        self.model_calls += next.model_calls;
        add_remarks(&mut self.assumed, next.assumed);
        self.class_agreement = match (self.class_agreement.take(), next.class_agreement) {
            (Some(mut agreement), Some(next)) => {
                agreement.merge(next);
                Some(agreement)
            }
            _ => None,
        };
        for (metric, next) in self.metrics.iter_mut().zip(next.metrics) {
            metric.curves = Vec::new();
            for (tied, next) in metric.tied.iter_mut().zip(next.tied) {
                *tied += next;
            }
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

    /// Refuses a part whose outputs were read as probabilities where those of the other were read as logits.
    fn check_output_kinds(&self, next: &Self) -> Result<()> {
        let kinds = |values: &'_ Self| -> Vec<String> {
            let assumed = values.assumed.iter();
            let kinds = assumed.filter(|remark| remark.about == OUTPUT_KIND);
            kinds.map(|remark| remark.text.clone()).collect()
        };
        let (own, others) = (kinds(self), kinds(next));
        if own.is_empty() || others.is_empty() || own == others {
            return Ok(());
        }
        let expected = format!("{} as in the samples before", own.join("; "));
        let error = Error::parameter(input::OUTPUTS, others.join("; "), expected);
        Err(error.with_help(SPECIFY_OUTPUT_KIND))
    }

    /// The values of samples that were evaluated in another order: `order` is the sample that each place is of.
    #[must_use]
    pub fn reordered(mut self, order: &[usize]) -> Self {
        for per_sample in self
            .metrics
            .iter_mut()
            .flat_map(|metric| &mut metric.per_sample)
        {
            *per_sample = scatter(per_sample, order, order.len());
        }
        if let Some(agreement) = &mut self.class_agreement {
            agreement.reorder(order);
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
            if metric.is_pooled() && metric.pooled.len() != self.explainers.len() {
                let (expected, actual) = ([self.explainers.len()], [metric.pooled.len()]);
                let error = Error::shape(input::VALUES, &expected, &actual);
                return Err(error.owner(metric.metric.clone()));
            }
        }
        Ok(())
    }

    /// What to say of explainers with tied attributions, whose order is that of their indices. Metrics of single positions and
    /// of segments have different ties: the most of them.
    fn ties(&self) -> Option<Remark> {
        let metrics = self.metrics.iter();
        let by_index: Vec<_> = metrics
            .filter(|of| !breaks_ties_randomly(&of.settings))
            .collect();
        let explainers = self.explainers.iter().enumerate();
        TiedFeatures::remark(explainers.filter_map(|(e, explainer)| {
            let tied = by_index.iter().filter_map(|metric| metric.tied.get(e));
            let most = tied.max_by(|a, b| a.share().total_cmp(&b.share()));
            most.map(|tied| (explainer.as_str(), *tied))
        }))
    }

    /// Means, intervals, rankings and tests.
    ///
    /// # Errors
    /// An invalid parameter for a level outside (0, 1), for more than a million replicates, and for so many explainers and
    /// metrics that their comparisons or replicates would take more than 2 GiB; a shape mismatch for values that are not
    /// one per explainer and sample.
    pub fn table(&self, statistics: &Statistics) -> Result<EvaluationTable> {
        statistics.check()?;
        self.check()?;
        check_size(self.metrics.len(), self.explainers.len(), statistics)?;
        let columns: Vec<Column> = self
            .metrics
            .iter()
            .flat_map(|metric| &metric.per_sample)
            .map(|per_sample| Column::new(per_sample))
            .collect();
        let replicates = replicates(&columns, self.n_samples, statistics);
        let agreement = self.class_agreement.as_ref();
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
                let pooled = metric
                    .pooled
                    .iter()
                    .map(|pooled| pooled.interval(statistics));
                let pooled: Vec<Option<Interval>> = pooled.collect::<Result<_>>()?;
                let intervals = if metric.is_pooled() {
                    pooled
                } else {
                    intervals
                };
                metric.result(&self.explainers, &intervals)
            })
            .collect();
        Ok(EvaluationTable {
            n_samples: self.n_samples,
            explainers: self.explainers.clone(),
            metrics: metrics?,
            model_calls: self.model_calls,
            statistics: *statistics,
            assumed: self.assumed.iter().cloned().chain(self.ties()).collect(),
            warnings: agreement.map_or_else(Vec::new, |of| of.warnings(&self.explainers)),
        })
    }
}

/// Checks before any work that the comparisons of all pairs and the replicates of all means fit into 2 GiB.
///
/// # Errors
/// An invalid parameter about the explainers or the replicates.
pub fn check_size(n_metrics: usize, n_explainers: usize, statistics: &Statistics) -> Result<()> {
    /// A comparison with its three names takes about 220 bytes here, and up to 2 KB as JSON that is built in memory.
    const MOST_COMPARISONS: usize = 1_000_000;
    /// A replicate takes 24 bytes while it is made.
    const MOST_REPLICATES: usize = 80_000_000;
    let pairs = n_explainers.saturating_mul(n_explainers.saturating_sub(1)) / 2;
    let comparisons = pairs.saturating_mul(n_metrics);
    if comparisons > MOST_COMPARISONS {
        let expected = format!(
            "fewer: {n_metrics} {} {comparisons} comparisons of two explainers, and at most {MOST_COMPARISONS} fit into 2 GiB",
            if n_metrics == 1 {
                "metric needs"
            } else {
                "metrics need"
            }
        );
        let error = Error::parameter(input::EXPLAINERS, n_explainers, expected);
        return Err(error.with_help(COMPARE_FEWER));
    }
    let means = n_metrics.saturating_mul(n_explainers);
    if means.saturating_mul(statistics.replicates) > MOST_REPLICATES {
        let most = MOST_REPLICATES / means;
        let expected = format!("at most {most} for {means} means: more do not fit into 2 GiB");
        let error = Error::parameter(input::N_REPLICATES, statistics.replicates, expected);
        return Err(error.with_help(COMPARE_FEWER));
    }
    Ok(())
}

/// Values of some samples at their places among `n`; the others have none.
#[must_use]
pub fn scatter(values: &[Option<f64>], samples: &[usize], n: usize) -> Vec<Option<f64>> {
    let mut placed = vec![None; n];
    for (&sample, &value) in samples.iter().zip(values) {
        placed[sample] = value;
    }
    placed
}

impl MetricValues {
    /// Values `[explainer][sample]` of a metric that says nothing else of itself.
    pub fn new(
        metric: impl Into<String>,
        direction: Direction,
        per_sample: Vec<Vec<Option<f64>>>,
    ) -> Self {
        Self {
            metric: metric.into(),
            direction,
            is_share: false,
            is_whole: false,
            undefined: None,
            info: None,
            settings: Vec::new(),
            per_sample,
            pooled: Vec::new(),
            curves: Vec::new(),
            tied: Vec::new(),
        }
    }

    /// Whether there is one value for all samples together, and none per sample.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        !self.pooled.is_empty()
    }

    /// The first parameter that has another value in `other`, with both values. Settings that are not known are not compared.
    fn other_setting<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str, &'a str)> {
        self.settings.iter().find_map(|(name, own)| {
            let (_, value) = other.settings.iter().find(|(of, _)| of == name)?;
            (own != value).then_some((&**name, &**own, &**value))
        })
    }

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
                let n_undefined = per_sample.iter().filter(|value| value.is_none()).count();
                let pooled = self.pooled.get(e).map(|pooled| pooled.value);
                ExplainerValue {
                    explainer: explainer.clone(),
                    value: pooled.unwrap_or_else(|| mean.value()),
                    interval,
                    per_sample: per_sample.clone(),
                    n_undefined: match pooled {
                        Some(Some(_)) => 0,
                        _ => n_undefined,
                    },
                    curve: self.curves.get(e).cloned().flatten(),
                    tied: self.tied.get(e).copied(),
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
            settings: self.settings.clone(),
            direction: self.direction,
            is_pooled: self.is_pooled(),
            comparisons: compare(self.direction, &values, &ranking)?,
            values,
            ranking,
        })
    }
}

/// At least one name, and none twice: the index is that of the second.
///
/// # Errors
/// Empty, or an invalid parameter.
pub fn check_names(input: Input, names: &[&str]) -> Result<()> {
    if names.is_empty() {
        return Err(Error::empty(input));
    }
    let mut seen = HashSet::new();
    match names.iter().position(|name| !seen.insert(*name)) {
        None => Ok(()),
        Some(i) => Err(Error::parameter(input, names[i], "names that occur once").at(&[i])),
    }
}

/// Whether features with equal attributions are removed in an order that is drawn, by the settings of a metric.
#[must_use]
pub fn breaks_ties_randomly(settings: &[(String, String)]) -> bool {
    let mut settings = settings.iter();
    settings.any(|(name, value)| name == "ties" && value.starts_with("random"))
}

/// Values of a metric's parameters as text. The seed is left out: it is no setting, another one draws from the same
/// distribution.
#[must_use]
pub fn parameter_settings(params: &[Param]) -> Vec<(String, String)> {
    let settings = params.iter().filter(|param| param.name != "seed");
    settings
        .map(|param| (param.name.to_owned(), param.value.to_string()))
        .collect()
}

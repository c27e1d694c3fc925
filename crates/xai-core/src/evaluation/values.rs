//! Values of an evaluation, sample by sample, and how the values of several parts of a data set are
//! merged.

use std::collections::HashSet;

use crate::describe::{Direction, MetricInfo, Param};
use crate::statistics::jackknife;
use crate::{Error, ExactMean, Help, Input, Interval, Result, parallel};

use crate::evaluation::paired_tests::compare;
use crate::evaluation::statistics::{Column, replicates};
use crate::evaluation::{
    CurvePoint, EvaluationTable, ExplainerValue, MapClassCheck, MetricResult, ModelCalls, Remark,
    Statistics, TiedFeatures, add_remarks,
};
use crate::input;

/// Advice for parts of a data set with a metric that compares samples with each other.
pub const EVALUATE_AT_ONCE: Help = Help::new("evaluate this metric on the whole data set at once");
/// Advice for parts of a data set whose outputs look like probabilities in one part and like logits
/// in another.
pub const SPECIFY_OUTPUT_KIND: Help =
    Help::new("choose {answers=probabilities} or {answers=logits}");

/// Advice for an evaluation whose comparisons or replicates do not fit into memory.
pub const COMPARE_FEWER: Help = Help::new("compare some of the explainers or metrics at a time");

/// Values of every explainer by every metric, sample by sample.
///
/// Parts of a data set that were evaluated separately (on several machines, for instance) are
/// joined by [`merge`](Self::merge). The [`table`](Self::table) of the joined values is that of the
/// whole data set.
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
    /// Number of explained samples.
    pub n_samples: usize,
    /// Names of the explainers.
    pub explainers: Vec<String>,
    /// Values by each metric.
    pub metrics: Vec<MetricValues>,
    /// Model calls of the whole evaluation.
    pub model_calls: ModelCalls,
    /// Largest number of rows per call of the model and the explainers; of merged parts, the largest
    /// of theirs. `None` if neither was called.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub batch_size: Option<usize>,
    /// Assumptions that the values depend on, because the caller did not choose.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// Data that show whether maps without a class axis explain the scored class, for a model of
    /// two classes.
    #[cfg_attr(feature = "serde", serde(default))]
    pub map_class_check: Option<MapClassCheck>,
}

/// Subject of the [`Remark`]s that say whether outputs were read as probabilities or as logits.
/// Parts of a data set in which this differs cannot be merged.
pub const OUTPUT_KIND: &str = "answers";

/// Value that a metric has for all samples together instead of per sample.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PooledValue {
    /// Value; `None` if undefined.
    pub value: Option<f64>,
    /// Values without one group of samples at a time, for the interval; empty if one of them
    /// or the value is undefined, or for fewer than two samples.
    pub leave_one_out: Vec<f64>,
}

impl PooledValue {
    /// Largest number of groups of samples that are left out. Otherwise the value would be computed
    /// once per sample.
    const MAX_GROUPS: usize = 40;

    /// Computes the value of `n` samples, and the values without one of up to 40 groups of samples.
    /// Sample `i` belongs to group `i mod n_groups`, so that the groups of a sorted data set are
    /// alike.
    ///
    /// `value` receives a predicate that returns `true` for the samples to use.
    ///
    /// # Errors
    /// The errors of `value`.
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

    /// Jackknife interval over the groups.
    fn interval(&self, statistics: &Statistics) -> Result<Option<Interval>> {
        match self.value {
            // Without replicates no intervals are requested.
            Some(value) if self.leave_one_out.len() > 1 && statistics.replicates > 0 => {
                jackknife(value, &self.leave_one_out, statistics.level).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Values of every explainer by one metric, sample by sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricValues {
    /// Name of the metric.
    pub metric: String,
    /// Better end of its scale.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// `true` if the values are shares, so that Wilson's interval applies if all of them are 0 or
    /// 1.
    pub is_share: bool,
    /// `true` if the metric compares samples with each other, so that the values of parts cannot be
    /// merged.
    pub is_whole: bool,
    /// Reason why the metric is undefined for the scores, in which case it has no values.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub undefined: Option<String>,
    /// Description of the metric; `None` after deserialization.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub info: Option<&'static MetricInfo>,
    /// Names and values of the metric's parameters, as text; empty if unknown. See
    /// [`parameter_settings`].
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub settings: Vec<(String, String)>,
    /// Values `[explainer][sample]`; `None` if undefined, and everywhere for a pooled metric.
    pub per_sample: Vec<Vec<Option<f64>>>,
    /// Value of each explainer for all samples together; empty for metrics with values per sample.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub pooled: Vec<PooledValue>,
    /// Mean curve of each explainer, if requested and defined for the metric. Empty after merging.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub curves: Vec<Option<Vec<CurvePoint>>>,
    /// Number of tied features of each explainer; empty for metrics that do not remove features in
    /// the order of attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub tied: Vec<TiedFeatures>,
}

impl EvaluationValues {
    /// Creates values that needed no model calls.
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
            batch_size: None,
            assumed: Vec::new(),
            map_class_check: None,
        }
    }

    /// Appends the values of later samples.
    ///
    /// # Errors
    /// `InvalidParameter` if explainers, metrics or their settings differ or have another order,
    /// for a metric that compares samples with each other, and for parts whose outputs were read
    /// differently, as [probabilities or logits](OUTPUT_KIND). `ShapeMismatch` for values that are not
    /// one per explainer and sample. Nothing is added then.
    pub fn merge(&mut self, next: Self) -> Result<()> {
        self.check()?;
        next.check()?;
        if self.explainers != next.explainers {
            let (actual, expected) = (next.explainers.join(", "), self.explainers.join(", "));
            return Err(Error::parameter(input::EXPLAINERS, actual, expected));
        }
        let describe_metrics = |values: &Self| -> Vec<String> {
            values
                .metrics
                .iter()
                .map(|m| format!("{} ({})", m.metric, m.direction))
                .collect()
        };
        let (own, others) = (describe_metrics(self), describe_metrics(&next));
        if own != others {
            let (actual, expected) = (others.join(", "), own.join(", "));
            return Err(Error::parameter(input::METRICS, actual, expected));
        }
        for (own, others) in self.metrics.iter().zip(&next.metrics) {
            if let Some((name, expected, actual)) = own.other_setting(others) {
                let actual = format!("{}({name}={actual})", own.metric);
                let expected = format!("the setting of the other parts, {name} = {expected}");
                return Err(Error::parameter(input::METRICS, actual, expected));
            }
        }
        if let Some(metric) = self.metrics.iter().find(|metric| metric.is_whole) {
            let expected = "metrics of single samples: this one relates all samples to each other";
            return Err(Error::parameter(input::METRICS, &metric.metric, expected)
                .with_help(EVALUATE_AT_ONCE));
        }
        self.check_output_kinds(&next)?;
        // All checks are done: from here on nothing fails, so an error never leaves a part merged.
        self.n_samples += next.n_samples;
        self.model_calls += next.model_calls;
        self.batch_size = self.batch_size.max(next.batch_size);
        add_remarks(&mut self.assumed, next.assumed);
        self.map_class_check = match (self.map_class_check.take(), next.map_class_check) {
            (Some(mut check), Some(next)) => {
                check.merge(next);
                Some(check)
            }
            _ => None,
        };
        for (metric, next) in self.metrics.iter_mut().zip(next.metrics) {
            // Curves are means over the samples of one part; merged values have none.
            metric.curves = Vec::new();
            for (tied, next) in metric.tied.iter_mut().zip(next.tied) {
                *tied += next;
            }
            metric.undefined = metric.undefined.take().or(next.undefined);
            for (values, next) in metric.per_sample.iter_mut().zip(next.per_sample) {
                values.extend(next);
                // Undefined for the scores of one part means undefined for all.
                if metric.undefined.is_some() {
                    values.fill(None);
                }
            }
        }
        Ok(())
    }

    /// Checks that the outputs of both parts were read in the same way, as probabilities or as
    /// logits.
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

    /// Sorts the values of samples that were evaluated in another order: element `i` belongs to
    /// sample `order[i]`.
    #[must_use]
    pub fn reordered(mut self, order: &[usize]) -> Self {
        for per_sample in self
            .metrics
            .iter_mut()
            .flat_map(|metric| &mut metric.per_sample)
        {
            *per_sample = scatter(per_sample, order, order.len());
        }
        if let Some(check) = &mut self.map_class_check {
            check.reorder(order);
        }
        self
    }

    /// Checks that every metric has a value of every explainer for every sample.
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

    /// Remark on explainers with tied attributions that are removed in index order. Metrics of
    /// single positions and of segments have different ties; the largest share is reported.
    fn tie_remark(&self) -> Option<Remark> {
        let metrics = self.metrics.iter();
        let by_index: Vec<_> = metrics
            .filter(|m| !breaks_ties_randomly(&m.settings))
            .collect();
        let explainers = self.explainers.iter().enumerate();
        TiedFeatures::remark(explainers.filter_map(|(e, explainer)| {
            let tied = by_index.iter().filter_map(|metric| metric.tied.get(e));
            let most = tied.max_by(|a, b| a.share().total_cmp(&b.share()));
            most.map(|tied| (explainer.as_str(), *tied))
        }))
    }

    /// Computes means, intervals, rankings and tests.
    ///
    /// # Errors
    /// `InvalidParameter` for a level outside (0, 1), for more than a million replicates, and if
    /// the comparisons or replicates of all explainers and metrics would take more than 2 GiB.
    /// `ShapeMismatch` for values that are not one per explainer and sample, `NonFinite` for infinite
    /// or NaN values or replicates that intervals or tests use.
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
        let check = self.map_class_check.as_ref();
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
                let pooled_intervals = metric
                    .pooled
                    .iter()
                    .map(|pooled| pooled.interval(statistics))
                    .collect::<Result<Vec<_>>>()?;
                if metric.is_pooled() {
                    metric.result(&self.explainers, &pooled_intervals)
                } else {
                    metric.result(&self.explainers, &intervals)
                }
            })
            .collect();
        Ok(EvaluationTable {
            n_samples: self.n_samples,
            explainers: self.explainers.clone(),
            metrics: metrics?,
            model_calls: self.model_calls,
            batch_size: self.batch_size,
            statistics: *statistics,
            assumed: self
                .assumed
                .iter()
                .cloned()
                .chain(self.tie_remark())
                .collect(),
            warnings: check.map_or_else(Vec::new, |check| check.warnings(&self.explainers)),
        })
    }
}

/// Checks in advance that the comparisons of all pairs and the replicates of all means fit into 2
/// GiB.
///
/// # Errors
/// `InvalidParameter` about the explainers or the replicates.
pub fn check_size(n_metrics: usize, n_explainers: usize, statistics: &Statistics) -> Result<()> {
    /// Largest number of comparisons. A comparison with its three names takes about 220 bytes, and
    /// up to 2 KB as a JSON tree in memory.
    const MOST_COMPARISONS: usize = 1_000_000;
    /// Largest number of replicates. A replicate takes 24 bytes during the computation.
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

/// Writes values to the given sample indices of a vector of length `n`. Other elements are `None`.
#[must_use]
pub fn scatter(values: &[Option<f64>], samples: &[usize], n: usize) -> Vec<Option<f64>> {
    let mut scattered = vec![None; n];
    for (&sample, &value) in samples.iter().zip(values) {
        scattered[sample] = value;
    }
    scattered
}

impl MetricValues {
    /// Creates values `[explainer][sample]` of a metric, with defaults for everything else.
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

    /// Returns `true` if there is one value for all samples together and none per sample.
    #[must_use]
    pub fn is_pooled(&self) -> bool {
        !self.pooled.is_empty()
    }

    /// First parameter with different values in both, with its name and values. Unknown settings
    /// are not compared.
    fn other_setting<'a>(&'a self, other: &'a Self) -> Option<(&'a str, &'a str, &'a str)> {
        self.settings.iter().find_map(|(name, own)| {
            let (_, value) = other.settings.iter().find(|(key, _)| key == name)?;
            (own != value).then_some((&**name, &**own, &**value))
        })
    }

    /// Result of this metric, given the interval of each explainer.
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
        // Better values have smaller keys. The stable sort keeps ties, and all explainers if
        // neither end is better, in the order of the names.
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

/// Checks that there is at least one name and that no name occurs twice.
///
/// # Errors
/// `Empty` without names, `InvalidParameter` with the index of the second occurrence of a name.
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

/// Returns `true` if the settings of a metric remove features with equal attributions in random
/// order.
#[must_use]
pub fn breaks_ties_randomly(settings: &[(String, String)]) -> bool {
    let mut settings = settings.iter();
    settings.any(|(name, value)| name == "ties" && value.starts_with("random"))
}

/// Names and values of a metric's parameters, as text. The seed is left out, because values with
/// different seeds follow the same distribution and may be merged.
#[must_use]
pub fn parameter_settings(params: &[Param]) -> Vec<(String, String)> {
    let settings = params.iter().filter(|param| param.name != "seed");
    settings
        .map(|param| (param.name.to_owned(), param.value.to_string()))
        .collect()
}

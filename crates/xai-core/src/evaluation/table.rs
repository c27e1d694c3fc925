//! Results of an evaluation: values, intervals, rankings and significant differences.

use crate::Interval;
use crate::describe::{Direction, MetricInfo};

use crate::evaluation::{Remark, Statistics};

/// One point of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// Number of flipped positions of every sample, or of features in a subset.
    pub n_flipped: usize,
    /// Mean score over the samples.
    pub score: f64,
}

/// Number of features (positions, cells, segments) whose attribution equals that of another feature
/// of their sample, so that their order of removal is arbitrary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TiedFeatures {
    /// Number of tied features over all samples.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    pub tied: u64,
    /// Number of features over all samples.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    pub total: u64,
}

impl TiedFeatures {
    /// Share of tied features; 0 without features.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.tied as f64 / self.total as f64
        }
    }

    /// Remark on explainers with tied features, which are removed in index order; `None` without
    /// ties.
    ///
    /// ```
    /// use xai_core::evaluation::TiedFeatures;
    /// let tied = TiedFeatures { tied: 2, total: 5 };
    /// let remark = TiedFeatures::remark([("shap", tied), ("lime", TiedFeatures::default())]);
    /// assert_eq!(
    ///     remark.unwrap().text,
    ///     "40 % of the features of `shap` have the same attribution as another one and are removed in index order \
    ///      (ties=random shuffles them)"
    /// );
    /// ```
    pub fn remark<'a>(explainers: impl IntoIterator<Item = (&'a str, Self)>) -> Option<Remark> {
        const MOST_NAMED: usize = 5;
        let explainers = explainers.into_iter();
        let tied: Vec<(&str, Self)> = explainers.filter(|(_, tied)| tied.tied > 0).collect();
        let named = tied.iter().take(MOST_NAMED).map(|(name, tied)| {
            let percent = tied.percent();
            format!("{percent} of the features of `{name}`")
        });
        let mut named: Vec<String> = named.collect();
        if tied.len() > MOST_NAMED {
            let n_others = tied.len() - MOST_NAMED;
            named.push(format!("some of {n_others} more explainers"));
        }
        let last = named.pop()?;
        let whose = if named.is_empty() {
            last
        } else {
            format!("{} and {last}", named.join(", "))
        };
        let text = format!(
            "{whose} have the same attribution as another one and are removed in index order (ties=random shuffles them)"
        );
        Some(Remark::new("ties", text))
    }

    /// Share in whole percent. It is rounded neither down to 0 % nor up to 100 %.
    fn percent(self) -> String {
        match 100.0 * self.share() {
            low if low < 1.0 => "less than 1 %".to_owned(),
            high if high > 99.0 && self.tied < self.total => "more than 99 %".to_owned(),
            percent => format!("{percent:.0} %"),
        }
    }
}

impl std::ops::AddAssign for TiedFeatures {
    fn add_assign(&mut self, other: Self) {
        self.tied += other.tied;
        self.total += other.total;
    }
}

impl std::iter::Sum for TiedFeatures {
    fn sum<I: Iterator<Item = Self>>(tied: I) -> Self {
        tied.fold(Self::default(), |mut sum, tied| {
            sum += tied;
            sum
        })
    }
}

/// Number of model calls and of samples in all calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelCalls {
    /// Number of calls.
    pub calls: u64,
    /// Number of samples over all calls.
    pub rows: u64,
}

impl std::fmt::Display for ModelCalls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows in {} calls", self.rows, self.calls)
    }
}

impl std::ops::AddAssign for ModelCalls {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.rows += other.rows;
    }
}

/// Results of all explainers by all metrics: values, intervals, rankings and tests.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct EvaluationTable {
    /// Number of explained samples.
    pub n_samples: usize,
    /// Names of the explainers.
    pub explainers: Vec<String>,
    /// Results of each metric.
    pub metrics: Vec<MetricResult>,
    /// Model calls of the whole evaluation, without the one that checks whether outputs depend on
    /// the batch.
    pub model_calls: ModelCalls,
    /// Largest number of rows per call of the model and the explainers. `None` if neither was
    /// called.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub batch_size: Option<usize>,
    /// Settings of the intervals.
    pub statistics: Statistics,
    /// Assumptions that the values depend on, because the caller did not choose.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// Warnings about the inputs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub warnings: Vec<Remark>,
}

/// Result of one metric for all explainers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricResult {
    /// Name of the metric.
    pub metric: String,
    /// Reason why the metric is undefined for the scores, in which case it has no values.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub undefined: Option<String>,
    /// Description of the metric; `None` after deserialization.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub info: Option<&'static MetricInfo>,
    /// Names and values of the metric's parameters, as text; empty if unknown.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub settings: Vec<(String, String)>,
    /// Better end of its scale.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// `true` if there is one value for all samples together and none per sample. Then differences
    /// are not tested.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_pooled: bool,
    /// Value of each explainer, in the order of the explainers.
    #[cfg_attr(feature = "serde", serde(rename = "scores"))]
    pub values: Vec<ExplainerValue>,
    /// Indices of the explainers, best value first. Equal values are in the order of the
    /// explainers, as are all values of a metric without a better end. Undefined ones are last.
    pub ranking: Vec<usize>,
    /// Comparison of every pair of explainers, the one that ranks higher first.
    pub comparisons: Vec<Comparison>,
}

/// Value of one explainer by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplainerValue {
    /// Name of the explainer.
    pub explainer: String,
    /// Mean over the samples that have a value, or the value of all samples together if the metric
    /// is [pooled](MetricResult::is_pooled); `None` if undefined.
    pub value: Option<f64>,
    /// Interval of the mean by a bias-corrected bootstrap over samples, or by Wilson's formula for
    /// a proportion (see [`Statistics`]); for a pooled value by a jackknife over groups of samples.
    /// `None` for fewer than two values, or too few replicates.
    pub interval: Option<Interval>,
    /// Value of each sample; `None` if undefined, and for every sample of a pooled metric.
    pub per_sample: Vec<Option<f64>>,
    /// Number of samples that are not counted in the value.
    pub n_undefined: usize,
    /// Mean curve whose area is the value, if requested and defined for the metric.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub curve: Option<Vec<CurvePoint>>,
    /// Number of tied features, for metrics that remove features in the order of their
    /// attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied: Option<TiedFeatures>,
}

/// Paired test of the difference of two explainers by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Comparison {
    /// Explainer that ranks higher: the one with the better value, or the earlier one if neither is
    /// better.
    pub first: String,
    /// Other explainer.
    pub second: String,
    /// Number of samples with a value of both.
    pub n_pairs: usize,
    /// Mean difference over these samples, first minus second.
    pub difference: Option<f64>,
    /// Explainer that the signed ranks favour; `None` if they are balanced, or if the metric has no
    /// better end. A few large differences may give the mean the opposite sign.
    pub favours: Option<String>,
    /// p-value of the Wilcoxon signed-rank test; `None` if all differences are 0 or there are none.
    /// Differences up to 10⁻⁶ of the largest magnitude of both explainers count as 0, because an ε in
    /// a formula causes them.
    pub p_value: Option<f64>,
    /// p-value after Holm's correction for all pairs of this metric.
    pub p_corrected: Option<f64>,
}

impl EvaluationTable {
    /// Result of a metric by name.
    #[must_use]
    pub fn metric(&self, metric: &str) -> Option<&MetricResult> {
        self.metrics.iter().find(|result| result.metric == metric)
    }

    /// Value of one explainer by one metric, by their names.
    #[must_use]
    pub fn result(&self, explainer: &str, metric: &str) -> Option<&ExplainerValue> {
        let values = &self.metric(metric)?.values;
        values.iter().find(|value| value.explainer == explainer)
    }

    /// Significance level for corrected p-values: one minus the level of the intervals.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        1.0 - self.statistics.level
    }
}

/// Significant difference of two explainers by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Difference {
    /// Explainer that the signed ranks favour.
    pub better: String,
    /// Other explainer.
    pub worse: String,
    /// Mean difference over samples, better minus worse.
    pub difference: Option<f64>,
    /// Corrected p-value.
    pub p_corrected: f64,
}

impl MetricResult {
    /// Names of the explainers, best value first.
    pub fn ranked(&self) -> impl Iterator<Item = &str> {
        let ranking = self.ranking.iter();
        ranking.map(|&e| self.values[e].explainer.as_str())
    }

    /// Differences that are significant at level `alpha` after correction.
    #[must_use]
    pub fn differences(&self, alpha: f64) -> Vec<Difference> {
        let differences = self.comparisons.iter().filter_map(|c| {
            let p_corrected = c.p_corrected.filter(|p| *p < alpha)?;
            let better = c.favours.as_ref()?;
            let (worse, sign) = if *better == c.first {
                (&c.second, 1.0)
            } else {
                (&c.first, -1.0)
            };
            Some(Difference {
                better: better.clone(),
                worse: worse.clone(),
                difference: c.difference.map(|d| d * sign),
                p_corrected,
            })
        });
        differences.collect()
    }

    /// Returns whether one explainer is significantly better than another, at level `alpha` after
    /// correction. `None` for unknown names, and for an explainer and itself.
    ///
    /// ```
    /// use xai_core::Direction;
    /// use xai_core::evaluation::{EvaluationValues, MetricValues, Statistics};
    /// // Eight samples, of which the first explainer has the lower drop in all.
    /// let low = (1..=8).map(|i| Some(0.01 * f64::from(i))).collect();
    /// let high = (1..=8).map(|i| Some(0.02 * f64::from(i))).collect();
    /// let drop = MetricValues::new("average_drop", Direction::Lower, vec![low, high]);
    /// let values = EvaluationValues::new(["low", "high"], 8, vec![drop]);
    /// let table = values.table(&Statistics::default())?;
    /// let drop = table.metric("average_drop").unwrap();
    /// assert_eq!(drop.comparisons[0].p_value, Some(2.0 / 256.0)); // one of 2^8 signs, both sides
    /// assert_eq!(drop.is_better("low", "high", 0.01), Some(true));
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_better(&self, explainer: &str, than: &str, alpha: f64) -> Option<bool> {
        let comparison = self.comparisons.iter().find(|c| {
            (c.first == explainer && c.second == than) || (c.first == than && c.second == explainer)
        })?;
        let favoured = comparison.favours.as_deref() == Some(explainer);
        Some(favoured && comparison.p_corrected.is_some_and(|p| p < alpha))
    }
}

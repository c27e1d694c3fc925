//! What an evaluation says: values, intervals, rankings, and which differences are more than chance.

use crate::Interval;
use crate::describe::{Direction, MetricInfo};

use crate::evaluation::{Remark, Statistics};

/// One step of a curve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CurvePoint {
    /// How many positions of every sample are flipped, or features are in a subset.
    pub n_flipped: usize,
    /// The mean score over the samples.
    pub score: f64,
}

/// How many features (positions, cells, segments) have the attribution of another one of their sample: their order of removal is
/// arbitrary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TiedFeatures {
    /// Features that are tied with another one, over all samples.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    pub tied: u64,
    /// All features, over all samples.
    #[cfg_attr(
        feature = "serde",
        serde(deserialize_with = "crate::stored::bounded_count")
    )]
    pub total: u64,
}

impl TiedFeatures {
    /// The share of the features that are tied; 0 without features.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.total == 0 {
            0.0
        } else {
            self.tied as f64 / self.total as f64
        }
    }

    /// Returns the remark on explainers with tied features, which are removed in the order of their indices; `None` without
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

    /// The share in whole percent. Neither rounded down to none nor up to all of them.
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

/// How often a model was called, and with how many samples in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelCalls {
    /// Calls.
    pub calls: u64,
    /// Samples over all calls.
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

/// Explainers by metrics: values, intervals, rankings and tests.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EvaluationTable {
    /// How many samples were explained.
    pub n_samples: usize,
    /// The names of the explainers.
    pub explainers: Vec<String>,
    /// The results by each metric.
    pub metrics: Vec<MetricResult>,
    /// How often the model was called for all of it, without the row that shows whether its
    /// answers depend on the batch.
    pub model_calls: ModelCalls,
    /// How intervals were made.
    pub statistics: Statistics,
    /// Choices that nobody made, and that the values depend on.
    #[cfg_attr(feature = "serde", serde(default))]
    pub assumed: Vec<Remark>,
    /// What looks wrong with the inputs.
    #[cfg_attr(feature = "serde", serde(default))]
    pub warnings: Vec<Remark>,
}

/// What one metric says about all explainers.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricResult {
    /// The metric's name.
    pub metric: String,
    /// Why the metric is undefined for the scores, where it is: then it has no values.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub undefined: Option<String>,
    /// What the metric says of itself; a result that was stored and read back has none.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub info: Option<&'static MetricInfo>,
    /// Values of the metric's parameters by name, as text; empty where they are not known.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Vec::is_empty")
    )]
    pub settings: Vec<(String, String)>,
    /// Which end of its scale is the good one.
    #[cfg_attr(feature = "serde", serde(rename = "better"))]
    pub direction: Direction,
    /// Whether there is one value for all samples together, and none per sample: then no differences are tested.
    #[cfg_attr(feature = "serde", serde(default))]
    pub is_pooled: bool,
    /// The value of each explainer, in their order.
    #[cfg_attr(feature = "serde", serde(rename = "scores"))]
    pub values: Vec<ExplainerValue>,
    /// The explainers by their place among the names, best value first; equal values in the order
    /// of the names, undefined ones last.
    pub ranking: Vec<usize>,
    /// Every pair of explainers, the better value first.
    pub comparisons: Vec<Comparison>,
}

/// One explainer's value by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExplainerValue {
    /// The explainer.
    pub explainer: String,
    /// The mean over the samples that have a value, of a [pooled](MetricResult::is_pooled) metric the value of all samples
    /// together; `None` where there is none.
    pub value: Option<f64>,
    /// An interval of that mean by a bias-corrected bootstrap over samples, or Wilson's of a share (see
    /// [`Statistics`]), of a pooled value by a jackknife over samples; `None` with fewer than two values.
    pub interval: Option<Interval>,
    /// One per sample; `None` where undefined, and for every sample of a pooled metric.
    pub per_sample: Vec<Option<f64>>,
    /// Number of samples that the value does not count.
    pub n_undefined: usize,
    /// The mean curve under which the value is the area, where that was
    /// asked for and the metric has one.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub curve: Option<Vec<CurvePoint>>,
    /// How many features are tied with another one, for metrics that remove features in the order of their attributions.
    #[cfg_attr(
        feature = "serde",
        serde(default, skip_serializing_if = "Option::is_none")
    )]
    pub tied: Option<TiedFeatures>,
}

/// The paired test of the difference of two explainers by one metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Comparison {
    /// The explainer of the better value.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Samples on which both have a value.
    pub n_pairs: usize,
    /// The mean over those of the value of the first less that of the second.
    pub difference: Option<f64>,
    /// Which of the two the signed ranks speak for; `None` when for neither. A few large
    /// differences may move the mean the other way.
    pub favours: Option<String>,
    /// Of the Wilcoxon signed-rank test; `None` when all differences are 0. Differences up to 10⁻⁶ of
    /// the largest value of the two count as 0: the ε of a formula makes such ones.
    pub p_value: Option<f64>,
    /// The same after Holm's correction for all pairs of this metric.
    pub p_corrected: Option<f64>,
}

impl EvaluationTable {
    /// What one metric says.
    #[must_use]
    pub fn metric(&self, metric: &str) -> Option<&MetricResult> {
        self.metrics.iter().find(|result| result.metric == metric)
    }

    /// One explainer's value by one metric.
    #[must_use]
    pub fn result(&self, explainer: &str, metric: &str) -> Option<&ExplainerValue> {
        let values = &self.metric(metric)?.values;
        values.iter().find(|value| value.explainer == explainer)
    }

    /// The corrected significance level that differences are held to: what the intervals leave
    /// uncovered.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        1.0 - self.statistics.level
    }
}

/// A difference of two explainers by one metric that is more than chance.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Difference {
    /// The explainer that the signed ranks speak for.
    pub better: String,
    /// The other one.
    pub worse: String,
    /// The mean over samples of the value of the better less that of the worse.
    pub difference: Option<f64>,
    /// The corrected p-value.
    pub p_corrected: f64,
}

impl MetricResult {
    /// The names of the explainers, best value first.
    pub fn ranked(&self) -> impl Iterator<Item = &str> {
        let ranking = self.ranking.iter();
        ranking.map(|&e| self.values[e].explainer.as_str())
    }

    /// The differences at a corrected significance level `alpha`.
    #[must_use]
    pub fn differences(&self, alpha: f64) -> Vec<Difference> {
        let differences = self.comparisons.iter().filter_map(|c| {
            let p_corrected = c.p_corrected.filter(|p| *p < alpha)?;
            let better = c.favours.as_ref()?;
            let (worse, sign) = match *better == c.first {
                true => (&c.second, 1.0),
                false => (&c.first, -1.0),
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

    /// Whether one explainer is better than another at a corrected significance level `alpha`.
    ///
    /// `None` for names that are not in the table.
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

//! The section of attribution maps.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_attribution::evaluation::{EvaluationTable, ExplainerValue, MetricResult};
use xai_attribution::metric::registry;
use xai_attribution::{evaluation, input};
use xai_core::describe::{MetricInfo, same_word};
use xai_core::statistics::kendall;
use xai_core::statistics::ranks::mid_ranks;
use xai_core::{Activation, Direction, Result};

use crate::estimate::Estimate;
use crate::family::Origin;
use crate::section::gallery::Gallery;

/// Explainers below which an order says little.
const FEWEST_RANKED: usize = 3;

/// How good are attribution maps of a model?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attribution {
    /// What the section is called and what it was made from.
    #[serde(flatten)]
    pub origin: Origin,
    /// Samples that are explained.
    pub n_samples: usize,
    /// What is applied to the model's outputs.
    pub activation: String,
    /// Rows that the model was asked for.
    pub model_rows: u64,
    /// The coverage of the intervals; a difference is significant where its corrected p-value is below the rest.
    #[serde(default = "crate::estimate::usual_level")]
    pub level: f64,
    /// The explainers, in the order of the study.
    pub explainers: Vec<String>,
    /// What each metric says of all explainers.
    pub metrics: Vec<MetricOfExplainers>,
    /// Curves of the metrics that are areas under one.
    pub curves: Vec<CurvesOfMetric>,
    /// How far the metrics rank the explainers alike: Kendall's tau-b of every pair of metrics that have a
    /// better end and values of at least three explainers.
    pub agreement_of_metrics: Vec<RankAgreement>,
    /// Some maps, where the inputs are images.
    pub gallery: Option<Gallery>,
}

/// One metric, of every explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MetricOfExplainers {
    /// Its name in JSON: `average_drop`.
    pub metric: String,
    /// What people call it.
    pub title: String,
    /// What it asks.
    pub question: String,
    /// Why it is undefined for the scores, where it is: then it has no values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    /// Which end of its scale is the good one.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// Whether it asks the model; what does not judges the form of the maps alone.
    pub asks_model: bool,
    /// The values it can have.
    pub range: String,
    /// The mean over samples of each explainer, in the order of [`Attribution::explainers`].
    pub values: Vec<Estimate>,
    /// The rank of each explainer, 1 = best, equals the mean of theirs; `None` where undefined or where
    /// neither end is better.
    pub ranks: Vec<Option<f64>>,
    /// Every pair of explainers.
    pub comparisons: Vec<Comparison>,
    /// Whether it is to be believed on these samples, as far as its values tell; left out where there is one explainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Reliability>,
}

/// A metric judged by its values on all samples; `null` where a number is undefined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reliability {
    /// Kendall's W, in [0, 1]: 1 = every sample ranks the explainers alike.
    pub kendall_w: Option<f64>,
    /// Krippendorff's alpha of the ranks of each sample: 1 = every sample ranks alike, 0 = as by chance.
    pub krippendorff_alpha: Option<f64>,
    /// The mean Kendall's tau-b of the ranking with that of samples drawn again; `null` without a better end.
    pub rank_tau: Option<f64>,
    /// In which share of the draws the best explainers are those of all samples.
    pub same_best: Option<f64>,
    /// Spearman's correlation over samples of two explainers, mean over the pairs: 1 = the same samples score high
    /// whatever the explainer.
    pub same_samples: Option<f64>,
    /// The same of two metrics for one explainer, better ends alike, mean over explainers and the other metrics: 1 = all
    /// metrics say the same of a sample.
    pub other_metrics: Option<f64>,
}

/// Two explainers by one metric: a paired signed-rank test over samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The explainer of the better value.
    pub first: String,
    /// The other one.
    pub second: String,
    /// The mean difference over samples that both have a value of.
    pub difference: Option<f64>,
    /// Of the Wilcoxon signed-rank test.
    pub p_value: Option<f64>,
    /// After Holm's correction for all pairs of the metric.
    pub p_corrected: Option<f64>,
    /// Whether the corrected p-value is below 1 − [`Attribution::level`].
    pub significant: bool,
    /// Which of the two the signed ranks speak for.
    pub favours: Option<String>,
}

/// The curves of all explainers by one metric.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvesOfMetric {
    /// The metric.
    pub metric: String,
    /// What people call it.
    pub title: String,
    /// Which end of its scale is the good one.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// One per explainer that has one.
    pub curves: Vec<Curve>,
}

/// Mean scores of the model while positions are removed or restored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Curve {
    /// The explainer.
    pub explainer: String,
    /// Positions that are changed, and the mean score over the samples.
    pub points: Vec<CurvePoint>,
}

/// One step of a curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CurvePoint {
    /// How many positions are changed.
    pub n_flipped: usize,
    /// The mean score over the samples.
    pub score: f64,
}

/// Whether two metrics rank the explainers alike.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankAgreement {
    /// The one metric.
    pub first: String,
    /// The other one.
    pub second: String,
    /// Kendall's tau-b of the ranks, in [-1, 1]: 1 = the same order, -1 = the opposite one; `None` where
    /// one of them has all explainers at one rank.
    pub tau: Option<f64>,
}

impl Attribution {
    /// The section of a table of explainers and metrics; `activation` is what was applied to the model's outputs.
    ///
    /// # Errors
    /// Not finite, for a value of a table that was not made by an evaluation.
    ///
    /// ```
    /// use ndarray::{Array2, ArrayViewD, array};
    /// use xai_attribution::metric::complexity::Complexity;
    /// use xai_attribution::Evaluation;
    /// use xai_core::Activation;
    /// use xai_report::section::attribution::Attribution;
    /// use xai_report::{Family, Origin};
    ///
    /// let model = |rows: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
    ///     Ok(rows.into_dimensionality().unwrap().to_owned())
    /// };
    /// let (inputs, maps) = (array![[2.0, 1.0]].into_dyn(), array![[1.0, 1.0]].into_dyn());
    /// let table = Evaluation::new(&model, inputs.view(), &[0])
    ///     .maps("gradient", maps.view())
    ///     .metric(Complexity)
    ///     .evaluate()?;
    /// let origin = Origin::new(Family::Attribution, 1, "Two pixels");
    /// let section = Attribution::new(origin, &table, Activation::None, None)?;
    /// let complexity = section.metrics[0].values[0].value.unwrap();
    /// assert!((complexity - 2f64.ln()).abs() < 1e-6); // both pixels alike
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        origin: Origin,
        table: &EvaluationTable,
        activation: Activation,
        gallery: Option<Gallery>,
    ) -> Result<Self> {
        let alpha = table.alpha();
        let judged = match table.explainers.len() {
            0 | 1 => Vec::new(),
            _ => table.reliability()?.metrics,
        };
        let mut judged = judged.iter().map(Reliability::new);
        let metrics = table.metrics.iter();
        let metrics: Vec<_> = metrics
            .map(|result| MetricOfExplainers::new(result, alpha, judged.next()))
            .collect();
        Ok(Self {
            origin,
            n_samples: table.n_samples,
            activation: activation.to_string(),
            model_rows: table.model_calls.rows,
            level: table.statistics.level,
            explainers: table.explainers.clone(),
            agreement_of_metrics: agreements(&metrics)?,
            curves: curves(table),
            metrics,
            gallery,
        })
    }
}

impl Attribution {
    /// The corrected p-value below which a difference is significant.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        // 1 − 0.95 is a little more than 0.05.
        ((1.0 - self.level) * 1e9).round() / 1e9
    }

    /// What people call a metric of the section; its name in JSON where the section does not have it.
    #[must_use]
    pub fn title<'a>(&'a self, metric: &'a str) -> &'a str {
        let known = self.metrics.iter().find(|known| known.metric == metric);
        known.map_or(metric, |known| known.title.as_str())
    }

    /// The pairs of metrics that rank the explainers in rather opposite orders, with their negative tau, least first.
    #[must_use]
    pub fn opposite_metrics(&self) -> Vec<(&RankAgreement, f64)> {
        let pairs = self.agreement_of_metrics.iter();
        let negative = pairs.filter_map(|pair| Some((pair, pair.tau.filter(|tau| *tau < 0.0)?)));
        let mut negative: Vec<(&RankAgreement, f64)> = negative.collect();
        negative.sort_by(|a, b| a.1.total_cmp(&b.1));
        negative
    }
}

impl MetricOfExplainers {
    fn new(result: &MetricResult, alpha: f64, reliability: Option<Reliability>) -> Self {
        let info = described(result);
        let comparisons = result.comparisons.iter();
        Self {
            metric: result.metric.clone(),
            undefined: result.undefined.clone(),
            title: title(result),
            question: info.map_or_else(String::new, |info| info.question.to_owned()),
            asks_model: info.is_some_and(|info| info.needs.contains(&input::MODEL)),
            better: result.direction,
            range: info.map_or_else(String::new, |info| info.range.to_string()),
            values: result.values.iter().map(estimate).collect(),
            ranks: ranks(result),
            comparisons: comparisons
                .map(|pair| Comparison::new(pair, alpha))
                .collect(),
            reliability,
        }
    }
}

impl Reliability {
    fn new(judged: &evaluation::MetricReliability) -> Self {
        let stability = judged.rank_stability.as_ref();
        Self {
            kendall_w: judged.kendall_w.value,
            krippendorff_alpha: judged.krippendorff_alpha.value,
            rank_tau: stability.and_then(|of| of.mean_tau),
            same_best: stability.and_then(|of| of.top_share),
            same_samples: judged.inter_method_reliability.value,
            other_metrics: judged.internal_consistency,
        }
    }
}

impl Comparison {
    fn new(pair: &evaluation::Comparison, alpha: f64) -> Self {
        Self {
            first: pair.first.clone(),
            second: pair.second.clone(),
            difference: pair.difference,
            p_value: pair.p_value,
            p_corrected: pair.p_corrected,
            significant: pair.p_corrected.is_some_and(|p| p < alpha),
            favours: pair.favours.clone(),
        }
    }
}

fn estimate(value: &ExplainerValue) -> Estimate {
    let n = value.per_sample.len() - value.n_undefined;
    Estimate {
        n_undefined: value.n_undefined as u64,
        ..Estimate::new(value.value, value.interval, n as u64)
    }
}

/// What a metric says of itself: of a result that was read back, by its name.
fn described(result: &MetricResult) -> Option<&'static MetricInfo> {
    let listed = || registry::find(&result.metric).ok().map(|entry| entry.info);
    result.info.or_else(listed)
}

/// What people call a metric; its name where it is not in the registry.
fn title(result: &MetricResult) -> String {
    let name = result.metric.as_str();
    let (own, settings) = name.split_once('(').unwrap_or((name, ""));
    match described(result) {
        Some(info) if same_word(info.name, own) && settings.is_empty() => info.title.to_owned(),
        // A metric that was asked with several settings is called by them.
        Some(info) if same_word(info.name, own) => format!("{} ({settings}", info.title),
        _ => name.to_owned(),
    }
}

/// The rank of each explainer, 1 = best, equals the mean of theirs.
fn ranks(result: &MetricResult) -> Vec<Option<f64>> {
    let sign = match result.direction {
        Direction::Lower => 1.0,
        Direction::Higher => -1.0,
        Direction::None => return vec![None; result.values.len()],
    };
    let values = result.values.iter().map(|value| value.value);
    let defined: Vec<f64> = values.clone().flatten().map(|value| sign * value).collect();
    let mut ranks = mid_ranks(&defined).into_iter();
    values
        .map(|value| value.and_then(|_| ranks.next()))
        .collect()
}

/// Kendall's tau of the ranks of every two metrics.
fn agreements(metrics: &[MetricOfExplainers]) -> Result<Vec<RankAgreement>> {
    let ranked = metrics
        .iter()
        .filter(|metric| metric.better != Direction::None);
    let mut agreements = Vec::new();
    for (i, first) in ranked.clone().enumerate() {
        for second in ranked.clone().skip(i + 1) {
            let both = first.ranks.iter().zip(&second.ranks);
            let both = both.filter_map(|(a, b)| Some(((*a)?, (*b)?)));
            let (a, b): (Vec<f64>, Vec<f64>) = both.unzip();
            if a.len() >= FEWEST_RANKED {
                agreements.push(RankAgreement {
                    first: first.metric.clone(),
                    second: second.metric.clone(),
                    tau: kendall(&a, &b)?,
                });
            }
        }
    }
    Ok(agreements)
}

fn curves(table: &EvaluationTable) -> Vec<CurvesOfMetric> {
    let of_metric = |result: &MetricResult| {
        let curves = result.values.iter().filter_map(|value| {
            let points = value.curve.as_ref()?.iter();
            let points = points.map(|point| CurvePoint {
                n_flipped: point.n_flipped,
                score: point.score,
            });
            Some(Curve {
                explainer: value.explainer.clone(),
                points: points.collect(),
            })
        });
        CurvesOfMetric {
            metric: result.metric.clone(),
            title: title(result),
            better: result.direction,
            curves: curves.collect(),
        }
    };
    let all = table.metrics.iter().map(of_metric);
    all.filter(|metric| !metric.curves.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(name: &str, better: Direction, ranks: &[Option<f64>]) -> MetricOfExplainers {
        MetricOfExplainers {
            undefined: None,
            metric: name.to_owned(),
            title: name.to_owned(),
            question: String::new(),
            better,
            asks_model: true,
            range: String::new(),
            values: Vec::new(),
            ranks: ranks.to_vec(),
            comparisons: Vec::new(),
            reliability: None,
        }
    }

    #[test]
    fn metrics_that_rank_alike_agree_and_few_explainers_say_nothing() {
        let up = [Some(1.0), Some(2.0), Some(3.0)];
        let down = [Some(3.0), Some(2.0), Some(1.0)];
        let metrics = [
            metric("a", Direction::Lower, &up),
            metric("b", Direction::Higher, &down),
            metric("c", Direction::None, &[None, None, None]),
            metric("d", Direction::Lower, &[Some(1.0), None, Some(2.0)]),
        ];
        let agreements = agreements(&metrics).unwrap();
        assert_eq!(agreements.len(), 1);
        assert_eq!(
            (agreements[0].second.as_str(), agreements[0].tau),
            ("b", Some(-1.0))
        );
    }
}

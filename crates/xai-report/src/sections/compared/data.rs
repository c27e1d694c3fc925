//! Data of sections that compare explainers by metrics.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_attribution::input;
use xai_attribution::metric::registry;
use xai_casebased::data_attribution;
use xai_core::describe::{MetricInfo, same_word};
use xai_core::evaluation::{self, EvaluationTable, ExplainerValue, MetricResult};
use xai_core::statistics::kendall;
use xai_core::statistics::mid_ranks;
use xai_core::{Direction, Result};

use crate::diff::figure::Figure;
use crate::estimate::Estimate;
use crate::picture::{Point, Series};

/// Smallest number of explainers for which rank correlations are computed.
const MIN_RANKED: usize = 3;

/// Comparison of explainers by metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Compared {
    /// Number of explained samples.
    pub n_samples: usize,
    /// Confidence level of the intervals. A difference is significant if its corrected p-value is below
    /// 1 − level.
    #[serde(default = "crate::estimate::default_level")]
    pub level: f64,
    /// The explainers, in the order of the study.
    pub explainers: Vec<String>,
    /// Values of each metric for all explainers.
    pub metrics: Vec<MetricOfExplainers>,
    /// Agreement of the metrics on the ranking of the explainers: Kendall's tau-b of every pair of
    /// metrics with a better direction and values of at least three explainers.
    pub agreement_of_metrics: Vec<RankAgreement>,
}

/// Values of one metric for every explainer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct MetricOfExplainers {
    /// Name of the metric, for example `average_drop`.
    pub metric: String,
    /// Title.
    pub title: String,
    /// Summary of what the metric measures.
    pub question: String,
    /// Reason why the metric has no values, if it is undefined for scores of this kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undefined: Option<String>,
    /// Direction in which values are better.
    #[schemars(with = "String", extend("enum" = ["higher", "lower", "none"]))]
    pub better: Direction,
    /// True if the metric calls the model; other metrics depend only on the maps.
    pub asks_model: bool,
    /// Range of possible values.
    pub range: String,
    /// Values of the parameters, including defaults; empty if unknown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// Mean over samples for each explainer, in the order of [`Compared::explainers`].
    pub values: Vec<Estimate>,
    /// Rank of each explainer: 1 = best; equal values share the mean of their ranks. `None` if the value is
    /// undefined or neither direction is better.
    pub ranks: Vec<Option<f64>>,
    /// Every pair of explainers.
    pub comparisons: Vec<Comparison>,
    /// Reliability of the metric on these samples, from its values; left out for a single explainer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reliability: Option<Reliability>,
    /// Scores under perturbations of the inputs or the model; left out if not evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturbed: Option<PerturbedMetric>,
}

/// Scores of a metric, from the changes of its values under perturbations; `null` if undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PerturbedMetric {
    /// Resilience to perturbations that keep the prediction, in [0, 1]: mean of two scores, which measure
    /// whether values change equally in both directions and which share of the ranks stays the same.
    /// 1 = noise changes nothing.
    pub noise_resilience: Option<f64>,
    /// Reactivity to perturbations that change the prediction, in [0, 1]: mean of two scores, which measure
    /// whether values change in one direction and which share of them gets worse. 1 = every value gets worse.
    pub reactivity: Option<f64>,
    /// Meta-consistency, which uses p-values of the signed-rank test in place of how values change.
    pub meta_consistency: Option<f64>,
}

/// Scores of a metric, from its values on all samples; `null` if undefined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Reliability {
    /// Kendall's W, in [0, 1]: 1 = every sample ranks the explainers alike.
    pub kendall_w: Option<f64>,
    /// Krippendorff's alpha of the ranks of each sample: 1 = every sample ranks
    /// them alike, 0 = as by chance.
    pub krippendorff_alpha: Option<f64>,
    /// Mean Kendall's tau-b between the ranking and the rankings of bootstrap samples; `null` if neither
    /// direction is better.
    pub rank_tau: Option<f64>,
    /// Share of the bootstrap samples in which the best explainers are the same as on all samples.
    pub same_best: Option<f64>,
    /// Mean over pairs of explainers of Spearman's correlation of their values over samples: 1 = the same
    /// samples have high values for all explainers.
    pub same_samples: Option<f64>,
    /// Mean over explainers and the other metrics of Spearman's correlation of two metrics over samples, signed
    /// so that better values agree: 1 = all metrics order the samples alike.
    pub other_metrics: Option<f64>,
}

/// Two explainers by one metric: a paired signed-rank test over samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Comparison {
    /// The explainer with the better value, or the earlier one if neither is better.
    pub first: String,
    /// The other explainer.
    pub second: String,
    /// Mean of first minus second over the samples with a value for both.
    pub difference: Option<f64>,
    /// p-value of the Wilcoxon signed-rank test.
    pub p_value: Option<f64>,
    /// p-value after Holm's correction for all pairs of the metric.
    pub p_corrected: Option<f64>,
    /// True if the corrected p-value is below 1 − [`Compared::level`].
    pub significant: bool,
    /// Explainer that the signed ranks favour.
    pub favours: Option<String>,
}

/// Agreement of two metrics on the ranking of the explainers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct RankAgreement {
    /// One metric.
    pub first: String,
    /// The other metric.
    pub second: String,
    /// Kendall's tau-b of the ranks, in [-1, 1]: 1 = the same order, -1 = the opposite order; `None` if all
    /// explainers have the same rank by one of the metrics.
    pub tau: Option<f64>,
}

impl Compared {
    /// Creates the comparison from a table of explainers and metrics.
    ///
    /// # Errors
    /// `NonFinite` for a value that is NaN or infinite, which evaluations never return.
    pub fn new(table: &EvaluationTable) -> Result<Self> {
        let alpha = table.alpha();
        let judged = match table.explainers.len() {
            0 | 1 => Vec::new(),
            _ => table.reliability()?.metrics,
        };
        let mut judged = judged.iter().map(Reliability::new);
        let metrics: Vec<_> = table
            .metrics
            .iter()
            .map(|result| MetricOfExplainers::new(result, alpha, judged.next()))
            .collect();
        Ok(Self {
            n_samples: table.n_samples,
            level: table.statistics.level,
            explainers: table.explainers.clone(),
            agreement_of_metrics: agreements(&metrics)?,
            metrics,
        })
    }

    /// The values of all explainers by all metrics, by which two reports are compared.
    pub(crate) fn figures(&self) -> Vec<Figure> {
        let of_metric = |metric: &MetricOfExplainers| {
            let values = self.explainers.iter().zip(&metric.values);
            let figures = values.map(|(explainer, value)| {
                let name = format!("{} / {explainer}", metric.metric);
                let figure = Figure {
                    settings: metric.settings.clone(),
                    ..Figure::new(name, metric.better, *value)
                };
                figure.with("level", self.level)
            });
            figures.collect::<Vec<_>>()
        };
        self.metrics.iter().flat_map(of_metric).collect()
    }

    /// Sets the scores of a metric under perturbations.
    pub fn set_perturbed(&mut self, metric: &str, perturbed: PerturbedMetric) {
        let of_name = self.metrics.iter_mut().find(|of| of.metric == metric);
        if let Some(of_name) = of_name {
            of_name.perturbed = Some(perturbed);
        }
    }

    /// The corrected p-value below which a difference is significant.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        // 1 − 0.95 is a little more than 0.05.
        ((1.0 - self.level) * 1e9).round() / 1e9
    }

    /// Title of a metric of the section, or its name if the section does not have it.
    #[must_use]
    pub fn title<'a>(&'a self, metric: &'a str) -> &'a str {
        let known = self.metrics.iter().find(|known| known.metric == metric);
        known.map_or(metric, |known| known.title.as_str())
    }

    /// A line of an explainer, which looks the same in all pictures of the section.
    pub(crate) fn series(
        &self,
        explainer: &str,
        points: impl IntoIterator<Item = Point>,
    ) -> Series {
        let index = self.explainers.iter().position(|name| name == explainer);
        Series::new(explainer, index.unwrap_or(0), points)
    }

    /// The pairs of metrics that rank the explainers in rather opposite orders, with their negative
    /// tau, least first.
    #[must_use]
    pub fn opposite_metrics(&self) -> Vec<(&RankAgreement, f64)> {
        let pairs = self.agreement_of_metrics.iter();
        let mut negative: Vec<(&RankAgreement, f64)> = pairs
            .filter_map(|pair| Some((pair, pair.tau.filter(|tau| *tau < 0.0)?)))
            .collect();
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
            question: info.map_or_else(String::new, |info| info.summary.to_owned()),
            asks_model: info.is_some_and(|info| info.needs.contains(&input::MODEL)),
            better: result.direction,
            range: info.map_or_else(String::new, |info| info.range.to_string()),
            settings: result.settings.iter().cloned().collect(),
            values: result.values.iter().map(estimate).collect(),
            ranks: ranks(result),
            comparisons: comparisons
                .map(|pair| Comparison::new(pair, alpha))
                .collect(),
            reliability,
            perturbed: None,
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
    let estimate = Estimate::new(value.value, value.interval, n as u64);
    estimate.with_undefined(value.n_undefined as u64)
}

/// Description of a metric; for a result that was read from a file, found by its name.
fn described(result: &MetricResult) -> Option<&'static MetricInfo> {
    let of_maps = || registry::find(&result.metric).ok().map(|entry| entry.info);
    let of_data = || {
        data_attribution::find(&result.metric)
            .ok()
            .map(|entry| entry.info)
    };
    result.info.or_else(of_maps).or_else(of_data)
}

/// Title of a metric, or its name if it is not in a registry.
pub(crate) fn title(result: &MetricResult) -> String {
    let name = result.metric.as_str();
    let (own, settings) = name.split_once('(').unwrap_or((name, ""));
    match described(result) {
        Some(info) if same_word(info.name, own) && settings.is_empty() => info.title.to_owned(),
        // The name of a metric that was evaluated with several settings includes them.
        Some(info) if same_word(info.name, own) => format!("{} ({settings}", info.title),
        _ => name.to_owned(),
    }
}

/// The rank of each explainer, 1 = best; equal values have the mean of their ranks.
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

/// Kendall's tau-b of every two metrics with a better direction, over the explainers that both rank.
/// Pairs of metrics with fewer than [`MIN_RANKED`] such explainers are left out.
fn agreements(metrics: &[MetricOfExplainers]) -> Result<Vec<RankAgreement>> {
    let ranked = metrics
        .iter()
        .filter(|metric| metric.better != Direction::None);
    let mut agreements = Vec::new();
    for (i, first) in ranked.clone().enumerate() {
        for second in ranked.clone().skip(i + 1) {
            let (a, b): (Vec<f64>, Vec<f64>) = first
                .ranks
                .iter()
                .zip(&second.ranks)
                .filter_map(|(a, b)| Some(((*a)?, (*b)?)))
                .unzip();
            if a.len() >= MIN_RANKED {
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
            settings: BTreeMap::new(),
            values: Vec::new(),
            ranks: ranks.to_vec(),
            comparisons: Vec::new(),
            reliability: None,
            perturbed: None,
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

//! Summary of the study: correlations, explained variance and discrimination of each metric.

use std::fmt;
use std::mem::discriminant;

use xai_core::Direction;
use xai_core::describe::{MetricInfo, Range, Score, Scores};
use xai_core::statistics::{auroc, pearson, spearman};
use xai_core::{ExactSum, Result, Summary, parallel};

use crate::simulate::class_distribution::ClassDistribution;
use crate::study::mean_metrics::MeanMetrics;
use crate::study::simulation::{StudyDraw, check_draws};

/// Summary of the draws of a study: the behaviour of each metric.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct StudySummary {
    /// Number of draws.
    pub n_draws: usize,
    /// Distribution of the mean accuracy of the runs over draws.
    pub accuracy: Summary,
    /// Behaviour by metric, in the order of [`MeanMetrics::names`].
    pub metrics: Vec<MetricBehavior>,
}

/// Behaviour of a metric over the draws of the study for which it is defined.
///
/// A good reproducibility metric is related to accuracy without being determined by it, does not depend on the number
/// of classes or their distribution, and distinguishes dependent from independent errors.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct MetricBehavior {
    /// Name of the metric.
    pub metric: String,
    /// Distribution of its values over all draws.
    pub values: Summary,
    /// Pearson's correlation with the mean accuracy, in [−1, 1].
    pub pearson_with_accuracy: Option<f64>,
    /// Spearman's rank correlation with the mean accuracy, in [−1, 1].
    pub spearman_with_accuracy: Option<f64>,
    /// Pearson's correlation with the number of classes, in [−1, 1].
    pub pearson_with_n_classes: Option<f64>,
    /// Spearman's rank correlation with the number of classes, in [−1, 1].
    pub spearman_with_n_classes: Option<f64>,
    /// Share of the variance that is explained by the shape of the label distribution, η² in [0, 1].
    pub variance_by_label_distribution: Option<f64>,
    /// Share of the variance that is explained by the shape of the error distribution, η² in [0, 1].
    pub variance_by_error_distribution: Option<f64>,
    /// Probability that the metric is higher for dependent than for independent errors (AUROC): 0.5 = it does not
    /// distinguish them, 1 = it is always higher for dependent errors, 0 = always lower.
    pub auroc_of_dependence: Option<f64>,
}

impl Scores for MetricBehavior {
    const SCORES: &'static [Score<Self>] = &[
        Score::new(
            const {
                &column(
                    "mean",
                    "mean",
                    "Mean of the metric over the draws",
                    Range::REAL,
                )
            },
            |behavior| behavior.values.mean,
        ),
        Score::new(
            const {
                &column(
                    "std",
                    "std",
                    "Standard deviation of the metric over the draws",
                    Range::NON_NEGATIVE,
                )
            },
            |behavior| behavior.values.std,
        ),
        Score::new(
            const {
                &column(
                    "pearson_with_accuracy",
                    "accuracy (r)",
                    "Pearson correlation with the accuracy of the runs",
                    Range::SIGNED_SHARE,
                )
            },
            |behavior| behavior.pearson_with_accuracy,
        ),
        Score::new(
            const {
                &column(
                    "spearman_with_accuracy",
                    "accuracy (ρ)",
                    "Rank correlation with the accuracy of the runs",
                    Range::SIGNED_SHARE,
                )
            },
            |behavior| behavior.spearman_with_accuracy,
        ),
        Score::new(
            const {
                &column(
                    "pearson_with_n_classes",
                    "classes (r)",
                    "Pearson correlation with the number of classes",
                    Range::SIGNED_SHARE,
                )
            },
            |behavior| behavior.pearson_with_n_classes,
        ),
        Score::new(
            const {
                &column(
                    "spearman_with_n_classes",
                    "classes (ρ)",
                    "Rank correlation with the number of classes",
                    Range::SIGNED_SHARE,
                )
            },
            |behavior| behavior.spearman_with_n_classes,
        ),
        Score::new(
            const {
                &column(
                    "variance_by_label_distribution",
                    "label law (η²)",
                    "Share of the variance between distributions of the true labels",
                    Range::SHARE,
                )
            },
            |behavior| behavior.variance_by_label_distribution,
        ),
        Score::new(
            const {
                &column(
                    "variance_by_error_distribution",
                    "error law (η²)",
                    "Share of the variance between distributions of the errors",
                    Range::SHARE,
                )
            },
            |behavior| behavior.variance_by_error_distribution,
        ),
        Score::new(
            const {
                &MetricInfo {
                    direction: Direction::Higher,
                    ..column(
                        "auroc_of_dependence",
                        "dependence (AUROC)",
                        "Probability that the metric is higher for dependent than for independent errors",
                        Range::SHARE,
                    )
                }
            },
            |behavior| behavior.auroc_of_dependence,
        ),
    ];
}

/// Describes a column of the summary.
const fn column(
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    range: Range,
) -> MetricInfo {
    MetricInfo {
        title,
        summary,
        range,
        ..MetricInfo::named(name)
    }
}

impl StudySummary {
    /// Summarises draws, which may be in any order.
    ///
    /// # Errors
    /// `Empty` without draws, `Corrupt` for a draw without exactly one value per metric.
    pub fn new(draws: &[StudyDraw]) -> Result<Self> {
        check_draws(draws)?;
        let names: Vec<&str> = MeanMetrics::names().collect();
        Ok(Self {
            n_draws: draws.len(),
            accuracy: Summary::from_values(draws.iter().map(|draw| Some(draw.accuracy)))?,
            metrics: parallel::try_map(names.len(), |metric| {
                behavior(draws, metric, names[metric])
            })?,
        })
    }

    /// Behaviour of the metric with this name.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<&MetricBehavior> {
        self.metrics.iter().find(|metric| metric.metric == name)
    }
}

fn behavior(draws: &[StudyDraw], metric: usize, name: &str) -> Result<MetricBehavior> {
    let value = |draw: &StudyDraw| draw.metrics[metric];
    let defined: Vec<(&StudyDraw, f64)> = draws
        .iter()
        .filter_map(|draw| value(draw).map(|value| (draw, value)))
        .collect();
    let column = |property: fn(&StudyDraw) -> f64| -> Vec<f64> {
        defined.iter().map(|(draw, _)| property(draw)).collect()
    };
    let groups = |property: fn(&StudyDraw) -> ClassDistribution| -> Vec<usize> {
        // Exponential shapes with any `lowest` are one group, hence the comparison of discriminants.
        let index = |shape: ClassDistribution| {
            let same = |other: &ClassDistribution| discriminant(other) == discriminant(&shape);
            ClassDistribution::ALL
                .iter()
                .position(same)
                .unwrap_or_default()
        };
        defined
            .iter()
            .map(|(draw, _)| index(property(draw)))
            .collect()
    };
    let values: Vec<f64> = defined.iter().map(|&(_, value)| value).collect();
    let accuracy = column(|draw| draw.accuracy);
    let n_classes = column(|draw| draw.n_classes as f64);
    let dependent: Vec<bool> = defined
        .iter()
        .map(|(draw, _)| draw.copied.is_some())
        .collect();
    Ok(MetricBehavior {
        metric: name.to_owned(),
        values: Summary::from_values(draws.iter().map(value))?,
        pearson_with_accuracy: pearson(&values, &accuracy)?,
        spearman_with_accuracy: spearman(&values, &accuracy)?,
        pearson_with_n_classes: pearson(&values, &n_classes)?,
        spearman_with_n_classes: spearman(&values, &n_classes)?,
        variance_by_label_distribution: correlation_ratio(
            &values,
            &groups(|draw| draw.label_distribution),
        ),
        variance_by_error_distribution: correlation_ratio(
            &values,
            &groups(|draw| draw.error_distribution),
        ),
        auroc_of_dependence: auroc(&values, &dependent),
    })
}

impl fmt::Display for StudySummary {
    /// One line per metric.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} draws", self.n_draws)?;
        for metric in &self.metrics {
            let two = |value: Option<f64>| value.map_or("–".to_owned(), |x| format!("{x:.2}"));
            writeln!(
                f,
                "{:18} mean {}, rank correlation with accuracy {}, with classes {}, AUROC of dependence {}",
                metric.metric,
                two(metric.values.mean),
                two(metric.spearman_with_accuracy),
                two(metric.spearman_with_n_classes),
                two(metric.auroc_of_dependence),
            )?;
        }
        Ok(())
    }
}

/// Correlation ratio η²: share of the variance of values that lies between groups. `None` if the values are constant or
/// there are fewer than two groups.
pub(crate) fn correlation_ratio(values: &[f64], groups: &[usize]) -> Option<f64> {
    let n_groups = groups.iter().max().map_or(0, |&group| group + 1);
    let deviations = centred(values);
    let mut sums = vec![(ExactSum::new(), 0u64); n_groups];
    for (&value, &group) in deviations.iter().zip(groups) {
        sums[group].0.add(value);
        sums[group].1 += 1;
    }
    let present = sums.iter().filter(|(_, n)| *n > 0);
    let between: ExactSum = present
        .clone()
        .map(|(sum, n)| sum.value() * sum.value() / *n as f64)
        .collect();
    let total = sum_of_squares(&deviations);
    let share = between.value() / total;
    (total > 0.0 && present.count() > 1).then(|| share.clamp(0.0, 1.0))
}

/// Values minus their mean.
fn centred(x: &[f64]) -> Vec<f64> {
    // The mean of equal values may round to another number, which would leave deviations other than 0.
    if x.iter().all(|&value| value == x[0]) {
        return vec![0.0; x.len()];
    }
    let mean = x.iter().copied().collect::<ExactSum>().value() / x.len() as f64;
    x.iter().map(|value| value - mean).collect()
}

fn sum_of_squares(x: &[f64]) -> f64 {
    let squares = x.iter().map(|a| a * a);
    squares.collect::<ExactSum>().value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_correlation_ratio_is_between_over_total() {
        assert_eq!(
            correlation_ratio(&[1.0, 1.0, 3.0, 3.0], &[0, 0, 2, 2]),
            Some(1.0)
        );
        // Group means 2 and 3 around 2.5: between 4·0.25 = 1, total 2.25 + 0.25 + 0.25 + 2.25 = 5.
        assert_eq!(
            correlation_ratio(&[1.0, 3.0, 2.0, 4.0], &[0, 0, 1, 1]),
            Some(1.0 / 5.0)
        );
        assert_eq!(correlation_ratio(&[1.0, 3.0], &[0, 0]), None);
        assert_eq!(correlation_ratio(&[1.0, 1.0], &[0, 1]), None);
    }
}

//! Metrics of the numeric predictions of two runs.

use xai_core::ExactMean;
use xai_core::describe::metric;

use crate::input;
use crate::named::impl_by_name;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};

/// All regression metrics, in the order of reports.
pub const METRICS: &[RegressionMetric] = &[
    RegressionMetric::EC_RATIO,
    RegressionMetric::EC_RATIO_SIGNED,
    RegressionMetric::EC_RATIO_DIFF,
    RegressionMetric::EC_RATIO_DIFF_SIGNED,
    RegressionMetric::CONCORDANCE,
    RegressionMetric::PEARSON,
    RegressionMetric::MAE,
];

impl_by_name!(RegressionMetric, METRICS);

impl RegressionMetric {
    /// Mean ratio of the smaller to the larger absolute error of both runs.
    ///
    /// ```text
    /// mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))
    /// ```
    ///
    /// A sample that both runs get right counts 1.
    ///
    /// # Extremes
    /// 1: errors of equal size. 0: wherever one run errs, the other does not.
    ///
    /// # Source
    /// Error consistency, extended to residuals.
    #[metric(
        name = "ec_ratio",
        title = "Ratio of residuals",
        direction = Direction::Higher,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::TARGETS],
    )]
    pub const EC_RATIO: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| Some(pair.residual_ratios().ratio),
    });

    /// Mean signed ratio of the errors of both runs; negative where they point in opposite directions.
    ///
    /// ```text
    /// mean(sign(r_i r_j) min(|r_i|, |r_j|) / max(|r_i|, |r_j|))
    /// ```
    ///
    /// A sample that both runs get right counts 1.
    ///
    /// # Extremes
    /// 1: equal errors. −1: errors of equal size in opposite directions.
    ///
    /// # Source
    /// Error consistency, extended to residuals.
    #[metric(
        name = "ec_ratio_signed",
        title = "Signed ratio of residuals",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::TARGETS],
    )]
    pub const EC_RATIO_SIGNED: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| Some(pair.residual_ratios().signed_ratio),
    });

    /// Mean relative difference of the sizes of the errors of both runs.
    ///
    /// ```text
    /// mean(||r_i| − |r_j|| / (|r_i| + |r_j|))
    /// ```
    ///
    /// A sample that both runs get right counts 0.
    ///
    /// # Extremes
    /// 0: errors of equal size. 1: wherever one run errs, the other does not.
    ///
    /// # Source
    /// Error consistency, extended to residuals.
    #[metric(
        name = "ec_ratio_diff",
        title = "Relative difference of residuals",
        direction = Direction::Lower,
        range = Range::SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::TARGETS],
    )]
    pub const EC_RATIO_DIFF: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| Some(pair.residual_ratios().difference),
    });

    /// Mean relative difference of the sizes of the errors of both runs, negative where they point in opposite
    /// directions.
    ///
    /// ```text
    /// mean(sign(r_i r_j) ||r_i| − |r_j|| / (|r_i| + |r_j|))
    /// ```
    ///
    /// A sample that at least one of the runs gets right counts 0.
    ///
    /// # Extremes
    /// 0: errors of equal size. 1 or −1: one run errs much more, in the same or in the opposite direction.
    ///
    /// # Limits
    /// Opposite signs cancel.
    ///
    /// # Source
    /// Error consistency, extended to residuals.
    #[metric(
        name = "ec_ratio_diff_signed",
        title = "Signed relative difference of residuals",
        direction = Direction::None,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS, input::TARGETS],
    )]
    pub const EC_RATIO_DIFF_SIGNED: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| Some(pair.residual_ratios().signed_difference),
    });

    /// Agreement of the predictions of both runs with the line of equality (Lin's concordance correlation).
    ///
    /// ```text
    /// 2 cov(ŷ_i, ŷ_j) / (var ŷ_i + var ŷ_j + (mean ŷ_i − mean ŷ_j)²)
    /// ```
    ///
    /// Undefined for two equal constant predictions.
    ///
    /// # Extremes
    /// 1: the same predictions. 0: unrelated. −1: opposite predictions.
    ///
    /// # Source
    /// Lin, *A concordance correlation coefficient to evaluate reproducibility*, 1989.
    #[metric(
        name = "concordance",
        title = "Concordance correlation",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const CONCORDANCE: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| pair.covariance().concordance(),
    });
}

impl RegressionMetric {
    /// Pearson correlation of the predictions of both runs.
    ///
    /// ```text
    /// cov(ŷ_i, ŷ_j) / √(var ŷ_i var ŷ_j)
    /// ```
    ///
    /// Undefined where either is constant.
    ///
    /// # Extremes
    /// 1: on a rising line. 0: no linear relation. −1: on a falling line.
    ///
    /// # Limits
    /// A line need not be the line of equality: see the concordance correlation.
    ///
    /// # Source
    /// Pearson 1895.
    ///
    /// # Elsewhere
    /// `scipy.stats.pearsonr`
    #[metric(
        name = "pearson",
        title = "Pearson's correlation",
        direction = Direction::Higher,
        range = Range::SIGNED_SHARE,
        invariance = Invariance::SCALE,
        needs = &[input::PREDICTIONS],
    )]
    pub const PEARSON: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| pair.covariance().pearson(),
    });
}

impl RegressionMetric {
    /// Mean absolute difference of the predictions of both runs.
    ///
    /// ```text
    /// mean |ŷ_i − ŷ_j|
    /// ```
    ///
    /// # Extremes
    /// 0: the same predictions. There is no upper end.
    ///
    /// # Limits
    /// In units of the target: values of different targets do not compare.
    ///
    /// # Source
    /// Mean absolute error between runs.
    ///
    /// # Elsewhere
    /// `sklearn.metrics.mean_absolute_error`
    #[metric(
        name = "mae",
        title = "Mean absolute difference",
        direction = Direction::Lower,
        range = Range::NON_NEGATIVE,
        needs = &[input::PREDICTIONS],
    )]
    pub const MAE: Self = Self::new(&RegressionDefinition {
        info: INFO,
        formula: |pair| {
            let predictions = pair.first.predictions.iter().zip(&pair.second.predictions);
            let differences: ExactMean = predictions.map(|(a, b)| (a - b).abs()).collect();
            differences.value()
        },
    });
}

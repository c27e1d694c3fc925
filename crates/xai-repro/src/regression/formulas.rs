//! The metrics of two runs' numeric predictions.

use xai_core::ExactMean;
use xai_core::describe::{Direction, Invariance, MetricInfo, Range, Reading};

use crate::input;
use crate::named::known_by_name;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};

/// All of them, in the order they are reported.
pub const METRICS: &[RegressionMetric] = &[
    RegressionMetric::EC_RATIO,
    RegressionMetric::EC_RATIO_SIGNED,
    RegressionMetric::EC_RATIO_DIFF,
    RegressionMetric::EC_RATIO_DIFF_SIGNED,
    RegressionMetric::CONCORDANCE,
    RegressionMetric::PEARSON,
    RegressionMetric::MAE,
];

known_by_name!(RegressionMetric, METRICS);

impl RegressionMetric {
    /// Ratio of residuals: `mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))` in [0, 1], a sample that both
    /// get right counting 1. 1 = errors of equal size, 0 = wherever one errs the other does not.
    pub const EC_RATIO: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "ec_ratio",
            title: "Ratio of residuals",
            question: "How alike are the errors of both runs in size?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
            reading: Reading::NONE,
        },
        formula: |pair| Some(pair.residual_ratios().ratio),
    });

    /// The same, a sample counting negative where the two err in opposite directions, in [−1, 1].
    pub const EC_RATIO_SIGNED: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "ec_ratio_signed",
            title: "Signed ratio of residuals",
            question: "How alike are the errors of both runs in size and direction?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
            reading: Reading::NONE,
        },
        formula: |pair| Some(pair.residual_ratios().signed_ratio),
    });

    /// Relative difference of residuals: `mean(||r_i| − |r_j|| / (|r_i| + |r_j|))` in [0, 1], a sample
    /// that both get right counting 0. 0 = errors of equal size.
    pub const EC_RATIO_DIFF: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "ec_ratio_diff",
            title: "Relative difference of residuals",
            question: "How far are the errors of both runs apart in size?",
            direction: Direction::Lower,
            invariance: Invariance::SCALE,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
            reading: Reading::NONE,
        },
        formula: |pair| Some(pair.residual_ratios().difference),
    });

    /// The same times the sign of `r_i r_j`, in [−1, 1]; a sample that one of them gets right counts 0.
    pub const EC_RATIO_DIFF_SIGNED: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "ec_ratio_diff_signed",
            title: "Signed relative difference of residuals",
            question: "How far are the errors of both runs apart in size, opposite directions counting negative?",
            direction: Direction::None,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
            reading: Reading::NONE,
        },
        formula: |pair| Some(pair.residual_ratios().signed_difference),
    });

    /// Lin's concordance correlation of predictions, in [−1, 1]: 1 = the same predictions. Undefined for
    /// two equal constant predictions.
    pub const CONCORDANCE: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "concordance",
            title: "Concordance correlation",
            question: "How near are the predictions of both runs to the line of equality?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Lin 1989",
            reading: Reading::NONE,
        },
        formula: |pair| pair.covariance().concordance(),
    });
}

impl RegressionMetric {
    /// Pearson's correlation of predictions, in [−1, 1]. Undefined where either is constant.
    pub const PEARSON: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "pearson",
            title: "Pearson's correlation",
            question: "Are the predictions of both runs on one rising line?",
            direction: Direction::Higher,
            invariance: Invariance::SCALE,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Pearson 1895",
            reading: Reading::NONE,
        },
        formula: |pair| pair.covariance().pearson(),
    });
}

impl RegressionMetric {
    /// Mean absolute difference of predictions, in units of the target, 0 and more.
    pub const MAE: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "mae",
            title: "Mean absolute difference",
            question: "How far are the predictions of both runs apart, in units of the target?",
            direction: Direction::Lower,
            invariance: Invariance::NONE,
            range: Range::NON_NEGATIVE,
            needs: &[input::PREDICTIONS],
            source: "mean absolute error between runs",
            reading: Reading::NONE,
        },
        formula: |pair| {
            let predictions = pair.first.predictions.iter().zip(&pair.second.predictions);
            let differences: ExactMean = predictions.map(|(a, b)| (a - b).abs()).collect();
            differences.value()
        },
    });
}

//! How alike two runs' residuals are in size.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};

impl RegressionMetric {
    /// Ratio of residuals: `mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))` in [0, 1], a sample that both
    /// get right counting 1. 1 = errors of equal size, 0 = wherever one errs the other does not.
    pub const EC_RATIO: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "ec_ratio",
            title: "Ratio of residuals",
            question: "How alike are the errors of both runs in size?",
            direction: Direction::Higher,
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
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
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
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
            range: Range::SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
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
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS, input::TARGETS],
            source: "error consistency, extended to residuals",
        },
        formula: |pair| Some(pair.residual_ratios().signed_difference),
    });
}

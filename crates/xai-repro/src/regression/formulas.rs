//! The metrics of two runs' numeric predictions.

use crate::named::{known_by_name, metrics};
use crate::regression::definition::{RegressionDefinition, RegressionMetric};
use crate::regression::run_pair::{RunPair, exponent, mean_absolute};

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

metrics! {
    RegressionMetric: RegressionDefinition;

    /// Ratio of residuals: `mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))` in [0, 1], a sample that both
    /// get right counting 1. 1 = errors of equal size, 0 = wherever one errs the other does not.
    EC_RATIO: "ec_ratio", "Ratio of residuals",
        "How alike are the errors of both runs in size?",
        Higher, SHARE of PREDICTIONS TARGETS, "error consistency, extended to residuals",
        { formula: |pair| Some(pair.residual_ratios().ratio) };

    /// The same, a sample counting negative where the two err in opposite directions, in [−1, 1].
    EC_RATIO_SIGNED: "ec_ratio_signed", "Signed ratio of residuals",
        "How alike are the errors of both runs in size and direction?",
        Higher, SIGNED_SHARE of PREDICTIONS TARGETS, "error consistency, extended to residuals",
        { formula: |pair| Some(pair.residual_ratios().signed_ratio) };

    /// Relative difference of residuals: `mean(||r_i| − |r_j|| / (|r_i| + |r_j|))` in [0, 1], a sample
    /// that both get right counting 0. 0 = errors of equal size.
    EC_RATIO_DIFF: "ec_ratio_diff", "Relative difference of residuals",
        "How far are the errors of both runs apart in size?",
        Lower, SHARE of PREDICTIONS TARGETS, "error consistency, extended to residuals",
        { formula: |pair| Some(pair.residual_ratios().difference) };

    /// The same times the sign of `r_i r_j`, in [−1, 1]; a sample that one of them gets right counts 0.
    EC_RATIO_DIFF_SIGNED: "ec_ratio_diff_signed", "Signed relative difference of residuals",
        "How far are the errors of both runs apart in size, opposite directions counting negative?",
        None, SIGNED_SHARE of PREDICTIONS TARGETS, "error consistency, extended to residuals",
        { formula: |pair| Some(pair.residual_ratios().signed_difference) };

    /// Lin's concordance correlation of predictions, in [−1, 1]: 1 = the same predictions. Undefined for
    /// two equal constant predictions.
    CONCORDANCE: "concordance", "Concordance correlation",
        "How near are the predictions of both runs to the line of equality?",
        Higher, SIGNED_SHARE of PREDICTIONS, "Lin 1989",
        { formula: concordance };
}

/// `2 s_ij / (s_i² + s_j² + (m_i − m_j)²)`
fn concordance(pair: &RunPair<'_>) -> Option<f64> {
    let (first, second) = (&pair.first.centred, &pair.second.centred);
    let shift = (first.mean - second.mean) + (first.rest - second.rest);
    let common = first
        .exponent
        .max(second.exponent)
        .max(exponent(shift.abs()));
    let (of_first, of_second) = (
        2f64.powi(first.exponent - common),
        2f64.powi(second.exponent - common),
    );
    let shift = shift * 2f64.powi(-common);
    let room = first.squares * of_first * of_first
        + second.squares * of_second * of_second
        + pair.n_samples() as f64 * shift * shift;
    let concordance = 2.0 * pair.covariance() * of_first * of_second / room;
    (room > 0.0 && concordance.is_finite()).then(|| concordance.clamp(-1.0, 1.0))
}

metrics! {
    RegressionMetric: RegressionDefinition;

    /// Pearson's correlation of predictions, in [−1, 1]. Undefined where either is constant.
    PEARSON: "pearson", "Pearson's correlation",
        "Are the predictions of both runs on one rising line?",
        Higher, SIGNED_SHARE of PREDICTIONS, "Pearson 1895",
        { formula: pearson };
}

fn pearson(pair: &RunPair<'_>) -> Option<f64> {
    let (first, second) = (&pair.first.centred, &pair.second.centred);
    let spread = first.squares.sqrt() * second.squares.sqrt();
    let correlation = pair.covariance() / spread;
    (spread > 0.0 && correlation.is_finite()).then(|| correlation.clamp(-1.0, 1.0))
}

metrics! {
    RegressionMetric: RegressionDefinition;

    /// Mean absolute difference of predictions, in units of the target, 0 and more.
    MAE: "mae", "Mean absolute difference",
        "How far are the predictions of both runs apart, in units of the target?",
        Lower, NON_NEGATIVE of PREDICTIONS, "mean absolute error between runs",
        { formula: mean_absolute_difference };
}

fn mean_absolute_difference(pair: &RunPair<'_>) -> Option<f64> {
    let predictions = pair.first.predictions.iter().zip(&pair.second.predictions);
    let differences = predictions.map(|(a, b)| a - b);
    Some(mean_absolute(differences, pair.n_samples()))
}

//! How alike two runs' predictions are in value.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::regression::centred::exponent;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};
use crate::regression::run_pair::RunPair;

impl RegressionMetric {
    /// Lin's concordance correlation of predictions, in [−1, 1]: 1 = the same predictions. Undefined for
    /// two equal constant predictions.
    pub const CONCORDANCE: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "concordance",
            title: "Concordance correlation",
            question: "How near are the predictions of both runs to the line of equality?",
            direction: Direction::Higher,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Lin 1989",
        },
        formula: concordance,
    });
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

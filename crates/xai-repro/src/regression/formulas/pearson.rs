//! How predictions of two runs are correlated.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};
use crate::regression::run_pair::RunPair;

impl RegressionMetric {
    /// Pearson's correlation of predictions, in [−1, 1]. Undefined where either is constant.
    pub const PEARSON: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "pearson",
            title: "Pearson's correlation",
            question: "Are the predictions of both runs on one rising line?",
            direction: Direction::Higher,
            range: Range::SIGNED_SHARE,
            needs: &[input::PREDICTIONS],
            source: "Pearson 1895",
        },
        formula: pearson,
    });
}

fn pearson(pair: &RunPair<'_>) -> Option<f64> {
    let (first, second) = (&pair.first.centred, &pair.second.centred);
    let spread = first.squares.sqrt() * second.squares.sqrt();
    let correlation = pair.covariance() / spread;
    (spread > 0.0 && correlation.is_finite()).then(|| correlation.clamp(-1.0, 1.0))
}

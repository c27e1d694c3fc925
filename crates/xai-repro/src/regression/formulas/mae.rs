//! How far predictions of two runs are apart.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::input;
use crate::regression::definition::{RegressionDefinition, RegressionMetric};
use crate::regression::mean_absolute::mean_absolute;
use crate::regression::run_pair::RunPair;

impl RegressionMetric {
    /// Mean absolute difference of predictions, in units of the target, 0 and more.
    pub const MAE: Self = Self::new(&RegressionDefinition {
        info: MetricInfo {
            name: "mae",
            title: "Mean absolute difference",
            question: "How far are the predictions of both runs apart, in units of the target?",
            direction: Direction::Lower,
            range: Range::NON_NEGATIVE,
            needs: &[input::PREDICTIONS],
            source: "mean absolute error between runs",
        },
        formula: mean_absolute_difference,
    });
}

fn mean_absolute_difference(pair: &RunPair<'_>) -> Option<f64> {
    let predictions = pair.first.predictions.iter().zip(&pair.second.predictions);
    let differences = predictions.map(|(a, b)| a - b);
    Some(mean_absolute(differences, pair.n_samples()))
}

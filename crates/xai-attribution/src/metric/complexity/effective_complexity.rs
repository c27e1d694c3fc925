//! Effective complexity.

use xai_core::{Direction, MetricInfo, Result};

use crate::input;
use crate::metric::kinds::curve_metric::{CurveKind, CurveMetric, CurvePoints};
use crate::metric::kinds::score_metric::SCORE_NEEDS;
use crate::metric::options::{MetricOption, OptionInfo, parse};
use crate::metric::registry::monotonicity::check_tolerance;
use crate::perturbation::removal::removal_curve::Start;
use crate::perturbation::removal::removal_order::RemovalOrder;

/// How many of the largest attributions does the model need for its answer?
///
/// ```text
/// k*_i = min k :  |g(f, x_i) − g(f, x_i with the k' largest |attributions| only)| ≤ tolerance  for all k' ≥ k
/// ```
///
/// A number of features of 0 to all, **lower is simpler**. It is found at the points of the curve
/// only: with 10 steps it is a multiple of a tenth of the features; one step per feature
/// (`steps(None)`) finds it exactly. The tolerance is in units of the score and 0.1 by default.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::EffectiveComplexity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 0.05]].into_dyn();
/// let value = EffectiveComplexity::new().evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020. Quantus counts
/// attributions above a threshold instead and asks no model:
/// [`NonzeroFeatures`](crate::metric::NonzeroFeatures).
pub type EffectiveComplexity = CurveMetric<FeaturesNeeded>;

/// The formula of [`EffectiveComplexity`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeaturesNeeded {
    tolerance: f64,
}

impl Default for FeaturesNeeded {
    fn default() -> Self {
        Self { tolerance: 0.1 }
    }
}

impl CurveMetric<FeaturesNeeded> {
    /// By how much the score may differ from that of the whole input, at least 0.
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.kind.tolerance = tolerance;
        self
    }
}

impl CurveKind for FeaturesNeeded {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "effective-complexity",
        title: "Effective complexity",
        question: "How many of the largest attributions does the model need for its answer?",
        direction: Direction::Lower,
        range: "[0, n_features]",
        needs: SCORE_NEEDS,
        source: "Nguyen and Martínez, On quantitative aspects of model interpretability, 2020",
    };
    const OPTIONS: &'static [MetricOption<EffectiveComplexity>] = &[
        EffectiveComplexity::STEPS,
        EffectiveComplexity::BASELINE,
        EffectiveComplexity::FEATURES,
        MetricOption {
            info: OptionInfo {
                name: "score-tolerance",
                value_name: "SCORE",
                default: "0.1",
                help: "By how much the score may differ from that of the whole input",
            },
            set: |metric, text| {
                let expected = "a number, at least 0";
                Ok(metric.tolerance(parse(input::TOLERANCE, text, expected)?))
            },
        },
    ];
    const START: Start = Start::Blank;
    const ORDER: RemovalOrder = RemovalOrder::LargestFirst;

    fn check(&self) -> Result<()> {
        check_tolerance(self.tolerance)
    }

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        let last = points.scores.len() - 1;
        let whole = points.scores[last];
        let near = |score: &&f64| (*score - whole).abs() <= self.tolerance;
        let n_near = points.scores.iter().rev().take_while(near).count();
        Ok(Some(points.n_flipped[last + 1 - n_near] as f64))
    }
}

//! Effective complexity: the number of features that preserve the score.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{CurveKind, CurveMetric, CurvePoints, SCORE_NEEDS};
use crate::perturbation::{RemovalOrder, Start};

/// Number of the largest attributions that the model needs to keep its score.
///
/// ```text
/// least k such that |g(x) − g(x with its k' largest |attributions| only)| ≤ tolerance for all k' ≥ k, over the
/// numbers k of the curve's points
/// ```
///
/// A number of features from 0 to all, **lower is simpler**. Only the points of the curve are
/// evaluated: with 10 steps it is a multiple of a tenth of the features, and exact with one step per feature
/// (`steps(None)`). The tolerance is in units of the score and 0.1 by default.
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
/// # Extremes
/// 0: the baseline alone has the score. n_features: the model needs every feature.
///
/// # Limits
/// Its resolution is that of the steps. If the curve ends before all features are restored, the score at its last point
/// takes the place of g(x). It depends on the tolerance and the baseline, and for a model that needs many
/// features a faithful map has a high value.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020.
///
/// Quantus counts attributions above a threshold instead, without a model:
/// [`NonzeroFeatures`](crate::metric::NonzeroFeatures).
#[metric(
    name = "effective-complexity",
    describes = FeaturesNeeded,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE.up_to_data("n_features"),
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 2.5,
)]
pub type EffectiveComplexity = CurveMetric<FeaturesNeeded>;

/// The formula of [`EffectiveComplexity`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[params(of = EffectiveComplexity, at = kind)]
pub struct FeaturesNeeded {
    /// Largest difference from the score at the end of the curve, where the input is whole.
    #[param(at_least = 0, default = 0.1)]
    tolerance: f64,
}

impl CurveKind for FeaturesNeeded {
    const START: Start = Start::Blank;
    const ORDER: RemovalOrder = RemovalOrder::LargestFirst;

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        let last = points.scores.len() - 1;
        let whole = points.scores[last];
        // Counted from the end: the score has to stay within the tolerance for all larger numbers of features.
        let near = |score: &&f64| (*score - whole).abs() <= self.tolerance;
        let n_near = points.scores.iter().rev().take_while(near).count();
        Ok(Some(points.n_flipped[last + 1 - n_near] as f64))
    }
}

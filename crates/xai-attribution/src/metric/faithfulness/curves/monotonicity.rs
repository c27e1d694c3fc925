//! Monotonicity of the score while features are restored.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{CurveKind, CurveMetric, CurvePoints, SCORE_NEEDS};
use crate::perturbation::{RemovalOrder, Start};

/// Share of steps on which the score does not fall while features are restored, the least relevant first.
///
/// ```text
/// share of the steps after the first in which g(baseline with the first k features of ascending attribution) does
/// not fall
/// ```
///
/// Starting from the baseline, features are restored by ascending attribution. The value of a sample is the share of
/// the steps after the first in which the score does not fall by more than [`tolerance`](CurveMetric::tolerance). With
/// [`strict`](CurveMetric::strict) it is 1 if the score falls on no step and otherwise 0, as in the paper. In [0, 1],
/// **higher is better**. A curve of less than two steps has no value. [`RemovalOrder::SmallestFirst`] restores features
/// by ascending magnitude of their attributions.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Monotonicity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[-1.0, 2.0, 3.0]].into_dyn();
/// let map = array![[0.2, 0.1, 0.3]].into_dyn(); // scores 2, 1, 4: one of two steps falls
/// let metric = Monotonicity::new();
/// assert_eq!(metric.evaluate(&sum, x.view(), &[0], map.view())?.value, 0.5);
/// assert_eq!(metric.strict(true).evaluate(&sum, x.view(), &[0], map.view())?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the score falls at every step. 1: it never falls.
///
/// # Limits
/// It ignores the size of the steps. If every feature is evidence for the target, the score never falls, whatever the
/// order.
///
/// # Source
/// Arya et al., *One Explanation Does Not Fit All*, 2019.
///
/// Quantus restores nothing unless it is given a function that does, so its result is always true.
///
/// # Elsewhere
/// `quantus.Monotonicity`
#[metric(
    name = "monotonicity",
    describes = Rising,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 1.0,
)]
pub type Monotonicity = CurveMetric<Rising>;

/// The formula of [`Monotonicity`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Parameters)]
#[params(of = Monotonicity, at = kind)]
pub struct Rising {
    /// Largest fall of the score in a step that does not count as falling.
    #[param(at_least = 0)]
    tolerance: f64,
    /// Makes the value 0 if the score falls on any step, as in the paper.
    strict: bool,
}

impl CurveKind for Rising {
    const START: Start = Start::Blank;
    const ORDER: RemovalOrder = RemovalOrder::LeastRelevantFirst;

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        // As in AIX360 and Quantus, scores are compared from the first restored feature on; that of the baseline is not
        // one of them.
        let steps = points.scores[1..].windows(2);
        let n_steps = steps.len();
        let rises = |step: &&[f64]| step[1] >= step[0] - self.tolerance;
        let n_rising = steps.filter(rises).count();
        if n_steps == 0 {
            return Ok(None);
        }
        Ok(Some(if self.strict {
            f64::from(u8::from(n_rising == n_steps))
        } else {
            n_rising as f64 / n_steps as f64
        }))
    }
}

//! Monotonicity.

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
/// From the baseline, features are put back by ascending attribution. The value of a sample is the
/// share of the steps, from the first put back on, in which the score does not fall by more than
/// [`tolerance`](CurveMetric::tolerance); [`strict`](CurveMetric::strict), it is 1 where no step
/// falls and else 0, as in the paper. In [0, 1], **higher is better**. A curve of less than two steps
/// has no value. [`RemovalOrder::SmallestFirst`] puts features back by the size of their
/// attributions.
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
/// It does not look at the sizes of the steps, and a model that all features speak for never falls, whatever the order.
///
/// # Source
/// Arya et al., *One Explanation Does Not Fit All*, 2019.
///
/// Quantus never puts anything back unless it is given a function that does: its answer is always true.
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
    /// By how much the score may fall in a step that does not count as falling.
    #[param(at_least = 0)]
    tolerance: f64,
    /// Whether one step that falls makes the value 0, as in the paper.
    strict: bool,
}

impl CurveKind for Rising {
    const START: Start = Start::Blank;
    const ORDER: RemovalOrder = RemovalOrder::LeastRelevantFirst;

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        let steps = points.scores[1..].windows(2);
        let n_steps = steps.len();
        let rises = |step: &&[f64]| step[1] >= step[0] - self.tolerance;
        let n_rising = steps.filter(rises).count();
        Ok((n_steps > 0).then(|| match self.strict {
            true => f64::from(u8::from(n_rising == n_steps)),
            false => n_rising as f64 / n_steps as f64,
        }))
    }
}

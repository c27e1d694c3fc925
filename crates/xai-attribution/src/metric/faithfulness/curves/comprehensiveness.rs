//! Comprehensiveness of a rationale (ERASER).

use std::sync::Arc;

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{CurveKind, CurveMetric, CurvePoints, SCORE_NEEDS};
use crate::perturbation::{Start, StepCount, Steps};

/// Mean score drop after removal of the most relevant 1 to 50 % of the features.
///
/// ```text
/// mean over n of (g(x) − g(x without its first n features)),
/// where n takes the different values of max(1, round(q d)) for q = 1, 5, 10, 20, 50 % of d features
/// ```
///
/// In units of the score, **higher is better**: the rest of the input does not support the prediction. With few
/// features, several shares are one point. [`steps`](Self::steps) and
/// `steps = 1,2,5` set other sizes: with a single size `k`, the value is the drop without the top `k`. ferret's numbers
/// are those of 10 steps and [`positive_only`](Self::positive_only).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Comprehensiveness};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0, 1.0]].into_dyn();
/// // 1 to 20 % of four features are one, 50 % are two.
/// let value = Comprehensiveness::new().evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, (4.0 + 6.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0 or below: the features that the map ranks first do not matter. Near the score itself: the first features carry all
/// of it.
///
/// # Limits
/// A model that can predict the target from the other features loses nothing, though the map may be right. Read it with
/// rationale sufficiency.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// The comprehensiveness of `time_interpret` uses one share of the cells of a time series, after a softmax:
/// [`shares`](CurveMetric::shares).
///
/// # Elsewhere
/// `ferret.AOPC_Comprehensiveness_Evaluation`, `ERASER.comprehensiveness`, `tint.comprehensiveness`
#[metric(
    name = "comprehensiveness",
    describes = DropWithout,
    direction = Direction::Higher,
    range = Range::REAL,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.1142,
)]
pub type Comprehensiveness = CurveMetric<DropWithout>;

/// Default shares of removed features, those of DeYoung et al.
pub(crate) fn shares() -> Steps {
    Steps {
        count: StepCount::Shares(Arc::new([0.01, 0.05, 0.1, 0.2, 0.5])),
        max_fraction: 1.0,
    }
}

/// Mean of `from − score` over the scores of the points; `None` without points.
pub(crate) fn mean_drop(from: f64, scores: &[f64]) -> Option<f64> {
    let sum: f64 = scores.iter().map(|score| from - score).sum();
    (!scores.is_empty()).then(|| sum / scores.len() as f64)
}

/// The formula of [`Comprehensiveness`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = Comprehensiveness, at = kind)]
pub struct DropWithout {
    /// Excludes features without a positive attribution from all rationales. Larger rationales that are equal for this
    /// reason count once, and a sample without any positive attribution has no value.
    positive_only: bool,
}

impl CurveKind for DropWithout {
    const START: Start = Start::Input;

    fn default_steps() -> Steps {
        shares()
    }

    fn only_positive(&self) -> bool {
        self.positive_only
    }

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        // The first point is the whole input, whose drop is 0 by definition and not part of the mean.
        Ok(mean_drop(points.scores[0], &points.scores[1..]))
    }
}

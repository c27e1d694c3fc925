//! Iterative removal of features (IROF).

use xai_core::describe::{Parameters, metric};
use xai_core::{Error, Result};

use crate::metric::{BaseScorePolicy, CurveKind, CurveMetric, CurvePoints, area};
use crate::perturbation::{Features, RankBy, Start, StepCount, Steps};
use crate::{help, input};

/// Area over the relative score curve while segments are removed, the most relevant first.
///
/// ```text
/// 1 − mean of the trapezoids of g(x without its first k segments) / g(x), k = 0..L
/// ```
///
/// Segments are removed by descending mean attribution. **Higher is better**, and the value is below 1 unless the score
/// becomes negative: if it is 0 from the first of `L` segments on, the value is `1 − 1 / (2 L)`. The segments are an
/// input ([`Segments`](crate::side::Segments)): any segmentation can be used, and samples may have different numbers
/// of segments. Base scores of 0 and below cannot be divided by: see
/// [`base_score_policy`](CurveMetric::base_score_policy).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{EvaluationData, side::Segments};
/// use xai_attribution::{Evaluate, metric::Irof};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 2.0]];
/// let data = EvaluationData::new(x.view(), &[0]).model(&sum).maps(x.view())
///     .with(Segments::new(array![[[0, 1, 1]]]));
/// // 8, 4, 0 of 8: trapezoids of 0.75 and 0.25.
/// assert_eq!(Irof::new().evaluate_on(data)?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: removing segments changes nothing. 1: the score is gone at once. Below 0: it rises. Above 1: it becomes negative.
///
/// # Limits
/// It depends on the segmentation and on the baseline. It is undefined for base scores of 0 and below.
///
/// # Source
/// Rieger and Hansen, *IROF: a low resource evaluation metric for explanation methods*, 2020.
///
/// Quantus returns `L − Σ_{k=1..L−1} (c_k + c_{k+1}) / 2` of the same shares `c_k`, which grows with the number of
/// segments, and counts the missing points of samples with fewer segments as 0.
///
/// # Elsewhere
/// `quantus.IROF`
#[metric(
    name = "irof",
    title = "IROF",
    describes = ShareLost,
    direction = Direction::Higher,
    range = Range::REAL.up_to(1.0).when("for scores of at least 0"),
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = &[input::MODEL, input::INPUTS, input::TARGETS, input::EXPLANATIONS, input::SEGMENTS],
    example = 0.6687,
)]
pub type Irof = CurveMetric<ShareLost>;

/// The formula of [`Irof`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = Irof, at = kind)]
pub struct ShareLost {
    /// Treatment of base scores that the formula cannot divide by: those of 0 and below.
    base_score_policy: BaseScorePolicy,
}

impl CurveKind for ShareLost {
    const START: Start = Start::Input;
    // By the mean, as in the paper: a sum would rank large segments first.
    const RANK_BY: RankBy = RankBy::Mean;

    fn default_steps() -> Steps {
        Steps {
            count: StepCount::All,
            max_fraction: 1.0,
        }
    }

    fn default_features() -> Features {
        Features::Segments
    }

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        let base = points.scores[0];
        let shares: Vec<f64> = points.scores.iter().map(|score| score / base).collect();
        let value = 1.0 - area(&shares);
        // Quotients of a tiny positive base score may be infinite. They are treated like those of a base score of 0.
        match self.base_score_policy {
            _ if base > 0.0 && value.is_finite() => Ok(Some(value)),
            BaseScorePolicy::AsIs if value.is_finite() => Ok(Some(value)),
            BaseScorePolicy::AsIs | BaseScorePolicy::Skip => Ok(None),
            BaseScorePolicy::Error => {
                let why = "IROF divides by the base score, which must be positive";
                Err(Error::undefined_score(input::SCORES, 0, base, why)
                    .with_help(help::CHOOSE_ACTIVATION_OR_POLICY))
            }
        }
    }
}

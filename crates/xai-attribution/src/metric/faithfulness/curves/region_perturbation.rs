//! Region perturbation: the area over the removal curve (AOPC).

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::metric::{CurveKind, CurveMetric, CurvePoints, SCORE_NEEDS};
use crate::perturbation::Start;

/// Mean score drop while the most relevant features are removed (AOPC).
///
/// ```text
/// 1 / (L + 1) Σ_{k = 0..L} (g(x) − g(x without its first k features))
/// ```
///
/// In units of the score, **higher is better** for the order by descending attribution. The features
/// of the paper are patches ([`Features::Patches`](crate::perturbation::Features::Patches)); the
/// default is single positions in 10 steps. A patch is ranked by the sum of its attributions.
/// The curve itself is the one of [`Deletion`](crate::metric::Deletion) over the same features, which
/// Montavon et al. call Selectivity.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::RegionPerturbation};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// let aopc = RegionPerturbation::new().evaluate(&sum, x.view(), &[0], x.view())?;
/// assert_eq!(aopc.value, (0.0 + 4.0 + 6.0) / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: removing features changes nothing. Near the score itself: the first features carry all of it. Below 0: the score
/// rises.
///
/// # Limits
/// It evaluates the order of the features only. Inputs with many features removed are unlike the training data, and
/// values of different models are not comparable (those of NAOPC are).
///
/// # Source
/// Samek et al., *Evaluating the visualization of what a deep neural network has learned*, 2017.
///
/// Quantus returns the drops for k = 1..L, and computes the area by trapezoids.
///
/// # Elsewhere
/// `quantus.RegionPerturbation`, `quantus.PixelFlipping`
#[metric(
    name = "region-perturbation",
    describes = MeanDrop,
    direction = Direction::Higher,
    range = Range::REAL,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.1546,
)]
pub type RegionPerturbation = CurveMetric<MeanDrop>;

/// The formula of [`RegionPerturbation`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct MeanDrop;

impl CurveKind for MeanDrop {
    const START: Start = Start::Input;

    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        // The mean includes the drop of 0 at k = 0, as the L + 1 in the paper's divisor does.
        let drops = points.scores.iter().map(|score| points.scores[0] - score);
        Ok(Some(drops.sum::<f64>() / points.scores.len() as f64))
    }
}

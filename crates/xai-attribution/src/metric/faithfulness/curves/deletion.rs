//! Deletion and Insertion (RISE).

use crate::metric::{CurveKind, CurveMetric, Parameters, SCORE_NEEDS};
use crate::perturbation::Start;
use xai_core::describe::metric;

/// Curve of [`Deletion`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct Deleting;

/// Area under the score curve while the most important positions are removed first.
///
/// ```text
/// 1/J Σ_{j = 1..J} (s_{j−1} + s_j) / 2, s_j = g(x without its first k_j features), k_0 = 0 < … < k_J the steps,
/// each of which counts alike
/// ```
///
/// Positions are ordered by descending attribution (the signed mean over channels; of equal ones, the lower position
/// comes first). At step `j = 0..=steps`, the first `⌊j · max / steps⌋` are set to the baseline, with
/// `max = ⌊n_positions · max_fraction⌋`; all channels of a pixel are set together. The curve has the mean score over
/// samples at each step; the area is the mean of the trapezoids. **Lower is better**: the score is lost with the
/// features that the map ranks first.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Deletion};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// let curve = Deletion::new().steps(None).evaluate(&sum, x.view(), &[0], x.view())?;
/// let scores: Vec<f64> = curve.curve.unwrap().iter().map(|p| p.score).collect();
/// assert_eq!(scores, [6.0, 2.0, 0.0]);
/// assert_eq!(curve.value, 2.5); // ((6 + 2)/2 + (2 + 0)/2)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: 10 steps over all positions, baseline 0; of positions with equal attributions, the lowest index first.
///
/// # Extremes
/// Low: the score is gone with the first features. The score of the whole input: removing features changes nothing.
///
/// # Limits
/// Inputs with removed features are unlike the training data, and the score may fall for that reason: compare with
/// Insertion, other baselines, or a random order. Values of different models are not comparable.
///
/// # Source
/// Petsiuk et al., *RISE*, 2018.
///
/// Chefer et al., *Transformer Interpretability Beyond Attention Visualization*, 2021, take the accuracy instead of the
/// score: [`CurveScore::Top1`](crate::model::CurveScore).
///
/// # Elsewhere
/// `quantus.PixelFlipping`, `quantus.Selectivity`, `xplique.Deletion`, `torchcam.DeletionInsertionMetric
/// (deletion_auc)`
#[metric(
    name = "deletion",
    describes = Deleting,
    direction = Direction::Lower,
    range = Range::REAL.when("as the scores"),
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.0458,
)]
pub type Deletion = CurveMetric<Deleting>;

impl CurveKind for Deleting {
    const START: Start = Start::Input;
}

/// Curve of [`Insertion`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct Inserting;

/// Area under the score curve while the most important positions are restored first.
///
/// ```text
/// 1/J Σ_{j = 1..J} (s_{j−1} + s_j) / 2, s_j = g(baseline with the first k_j features of x), k_0 = 0 < … < k_J the
/// steps, each of which counts alike
/// ```
///
/// As [`Deletion`](crate::metric::Deletion), from the baseline towards the input; **higher is better**. With
/// `max_fraction = 1` the last step is the score of the whole input.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Insertion};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// let curve = Insertion::new().steps(Some(2)).evaluate(&sum, x.view(), &[0], x.view())?;
/// assert_eq!(curve.value, 3.5); // ((0 + 4)/2 + (4 + 6)/2)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: 10 steps over all positions, baseline 0; of positions with equal attributions, the lowest index first.
///
/// # Extremes
/// The score of the baseline: no restored feature matters. The score of the whole input or more: the first features are
/// enough.
///
/// # Limits
/// It depends on the model's score for the baseline. Values of different models are not comparable.
///
/// # Source
/// Petsiuk et al., *RISE*, 2018.
///
/// Chefer et al., *Transformer Interpretability Beyond Attention Visualization*, 2021, take the accuracy instead of the
/// score: [`CurveScore::Top1`](crate::model::CurveScore).
///
/// # Elsewhere
/// `xplique.Insertion`, `torchcam.DeletionInsertionMetric (insertion_auc)`
#[metric(
    name = "insertion",
    describes = Inserting,
    direction = Direction::Higher,
    range = Range::REAL.when("as the scores"),
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.1598,
)]
pub type Insertion = CurveMetric<Inserting>;

impl CurveKind for Inserting {
    const START: Start = Start::Blank;
}

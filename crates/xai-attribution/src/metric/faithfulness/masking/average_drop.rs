//! Average Drop.

use xai_core::Help;
use xai_core::describe::metric;

use crate::help;
use crate::metric::kinds::score_metric::EPSILON;
use crate::metric::{SCORE_NEEDS, ScoreFormula, ScoreMetric};

/// The formula of [`AverageDrop`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DropFormula;

/// Relative score drop when the input is multiplied by its map.
///
/// ```text
/// max(0, g(x) − g(x ⊙ M)) / (g(x) + 1e-8), M = (|a| − min |a|) / (max |a| − min |a|)
/// ```
///
/// With scores in (0, 1]: 0 = nothing is lost, 1 = everything; **lower is better**, because the mask
/// *keeps* the features with large attributions. A constant map has no mask, and so no value. Rises count as 0; see
/// [`AverageIncrease`](crate::metric::AverageIncrease) for them. Base scores of 0 and below are an error unless
/// [`base_score_policy`](ScoreMetric::base_score_policy) says otherwise.
///
/// ```
/// use xai_attribution::metric::AverageDrop;
/// let drop = AverageDrop::new().evaluate_scores(&[0.8, 0.5], &[0.2, 0.9])?;
/// assert!((drop.value - 0.375).abs() < 1e-8); // (0.6/0.8 + 0)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: nothing of the score is lost. 1: all of it is.
///
/// # Limits
/// A map that keeps everything also has 0: read it with Sparseness or Complexity. Rises of the score count as 0, and
/// masked inputs are unlike the training data.
///
/// # Source
/// Chattopadhay et al., *Grad-CAM++*, 2018, section 4.1.
///
/// Xplique's `AverageDropMetric` divides by any base score;
/// [`BaseScorePolicy::AsIs`](crate::metric::BaseScorePolicy::AsIs) gives the same number.
///
/// # Elsewhere
/// `xplique.AverageDropMetric`, `pytorch-grad-cam.DropInConfidence`, `torchcam.ClassificationMetric (avg_drop)`
#[metric(
    name = "average-drop",
    title = "Average Drop",
    describes = DropFormula,
    direction = Direction::Lower,
    range = Range::SHARE.when("for scores in (0, 1]"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.5415,
)]
pub type AverageDrop = ScoreMetric<DropFormula>;

impl ScoreFormula for DropFormula {
    #[inline(always)]
    fn undefined(base: f64) -> Option<(&'static str, Help)> {
        (base <= 0.0).then_some((
            "Average Drop divides by the base score, which must be positive",
            help::CHOOSE_ACTIVATION_OR_POLICY,
        ))
    }

    #[inline(always)]
    fn value(base: f64, masked: f64) -> f64 {
        (base - masked).max(0.0) / (base + EPSILON)
    }
}

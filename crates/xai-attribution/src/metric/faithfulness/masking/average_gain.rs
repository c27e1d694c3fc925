//! Average Gain and Average Increase.

use xai_core::Help;
use xai_core::describe::metric;

use crate::help;
use crate::metric::kinds::score_metric::EPSILON;
use crate::metric::{SCORE_NEEDS, ScoreFormula, ScoreMetric};

/// The formula of [`AverageGain`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GainFormula;

/// Score gain, relative to the distance from certainty, when the input is multiplied by its map.
///
/// ```text
/// max(0, g(x ⊙ M) − g(x)) / (1 − g(x) + 1e-8), M = (|a| − min |a|) / (max |a| − min |a|)
/// ```
///
/// With scores in [0, 1]: 0 = no rise, 1 = certainty; higher is better. A constant map has no mask, and so no value.
/// Base scores above 1 are an error unless [`base_score_policy`](ScoreMetric::base_score_policy) says otherwise.
///
/// ```
/// use xai_attribution::metric::AverageGain;
/// let gain = AverageGain::new().evaluate_scores(&[0.5, 0.8], &[0.75, 0.1])?;
/// assert!((gain.value - 0.25).abs() < 1e-8); // (0.25/0.5 + 0)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the score does not rise. 1: it rises to 1.
///
/// # Limits
/// Losses count as 0: read it with Average Drop. If the base score is near 1, the divisor is small, and tiny changes of
/// the score decide the value.
///
/// # Source
/// Zhang et al., *Opti-CAM*, arXiv 2301.07002.
///
/// # Elsewhere
/// `xplique.AverageGainMetric`
#[metric(
    name = "average-gain",
    title = "Average Gain",
    describes = GainFormula,
    direction = Direction::Higher,
    range = Range::SHARE.when("for scores in [0, 1]"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.0,
)]
pub type AverageGain = ScoreMetric<GainFormula>;

impl ScoreFormula for GainFormula {
    #[inline(always)]
    fn undefined(base: f64) -> Option<(&'static str, Help)> {
        (base > 1.0).then_some((
            "Average Gain divides by 1 less the base score, which must be at most 1",
            help::CHOOSE_ACTIVATION_OR_POLICY,
        ))
    }

    #[inline(always)]
    fn value(base: f64, masked: f64) -> f64 {
        (masked - base).max(0.0) / (1.0 - base + EPSILON)
    }
}

/// The formula of [`AverageIncrease`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IncreaseFormula;

/// Share of samples whose score rises when the input is multiplied by its map.
///
/// ```text
/// 1[g(x ⊙ M) > g(x)], M = (|a| − min |a|) / (max |a| − min |a|)
/// ```
///
/// In [0, 1], higher is better; an equal score is no increase. A constant map has no mask, and so no value.
///
/// ```
/// use xai_attribution::metric::AverageIncrease;
/// let increase = AverageIncrease::new().evaluate_scores(&[0.8, 0.5, 0.5], &[0.2, 0.9, 0.5])?;
/// assert_eq!(increase.value, 1.0 / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the score rises for no sample. 1: it rises for every sample.
///
/// # Limits
/// It does not measure how far the score rises (Average Gain does), and masked inputs are unlike the training data.
///
/// # Source
/// Chattopadhay et al., *Grad-CAM++*, 2018, section 4.1.
///
/// # Elsewhere
/// `xplique.AverageIncreaseMetric`, `pytorch-grad-cam.IncreaseInConfidence`,
/// `torchcam.ClassificationMetric (conf_increase)`
#[metric(
    name = "average-increase",
    title = "Average Increase",
    describes = IncreaseFormula,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.0,
)]
pub type AverageIncrease = ScoreMetric<IncreaseFormula>;

impl ScoreFormula for IncreaseFormula {
    #[inline(always)]
    fn value(base: f64, masked: f64) -> f64 {
        f64::from(u8::from(masked > base))
    }
}

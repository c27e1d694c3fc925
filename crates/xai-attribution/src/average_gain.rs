//! Average Gain.

use crate::Better;
use crate::sample_scores::{EPSILON, ScoreFormula, ScoreMetric, Sealed};

/// The formula of [`AverageGain`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GainFormula;

/// How far towards certainty the score rises when only what the map marks is kept.
///
/// ```text
/// AG_i = max(0, after_i − base_i) / (1 − base_i + 1e-8)      AG = mean_i AG_i
/// ```
///
/// With scores in [0, 1]: 0 = no rise, 1 = certainty; higher is better. Base scores above 1 are an
/// error unless [`base_score_policy`](ScoreMetric::base_score_policy) says otherwise.
///
/// ```
/// use xai_attribution::AverageGain;
/// let gain = AverageGain::new().from_scores(&[0.5, 0.8], &[0.75, 0.1])?;
/// assert!((gain.value - 0.25).abs() < 1e-8); // (0.25/0.5 + 0)/2
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Zhang et al., *Opti-CAM*, arXiv 2301.07002.
pub type AverageGain = ScoreMetric<GainFormula>;

impl Sealed for GainFormula {}

impl ScoreFormula for GainFormula {
    const NAME: &'static str = "average_gain";
    const BETTER: Better = Better::Higher;

    fn undefined(base: f64) -> Option<&'static str> {
        (base > 1.0).then_some(
            "Average Gain divides by 1 less the base score, which must be at most 1; apply \
             Activation::Softmax or Sigmoid, or choose BaseScorePolicy::AsIs or Skip",
        )
    }

    fn value(base: f64, masked: f64) -> f64 {
        (masked - base).max(0.0) / (1.0 - base + EPSILON)
    }
}

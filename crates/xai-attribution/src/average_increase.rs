//! Average Increase.

use crate::Better;
use crate::sample_scores::{ScoreFormula, ScoreMetric, Sealed};

/// The formula of [`AverageIncrease`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IncreaseFormula;

/// How often the score rises when only what the map marks is kept.
///
/// ```text
/// AI = mean_i 1[after_i > base_i]
/// ```
///
/// In [0, 1], higher is better; an equal score is no increase.
///
/// ```
/// use xai_attribution::AverageIncrease;
/// let increase = AverageIncrease::new().from_scores(&[0.8, 0.5, 0.5], &[0.2, 0.9, 0.5])?;
/// assert_eq!(increase.value, 1.0 / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Chattopadhay et al., *Grad-CAM++*, 2018, section 4.1.
pub type AverageIncrease = ScoreMetric<IncreaseFormula>;

impl Sealed for IncreaseFormula {}

impl ScoreFormula for IncreaseFormula {
    const NAME: &'static str = "average_increase";
    const BETTER: Better = Better::Higher;

    fn undefined(_: f64) -> Option<&'static str> {
        None
    }

    fn value(base: f64, masked: f64) -> f64 {
        f64::from(u8::from(masked > base))
    }
}

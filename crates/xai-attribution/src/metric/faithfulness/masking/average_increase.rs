//! Average Increase.

use xai_core::describe::{Direction, MetricInfo, Range};

use crate::metric::kinds::score_metric::{SCORE_NEEDS, ScoreFormula, ScoreMetric};

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
/// let increase = AverageIncrease::new().evaluate_scores(&[0.8, 0.5, 0.5], &[0.2, 0.9, 0.5])?;
/// assert_eq!(increase.value, 1.0 / 3.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Chattopadhay et al., *Grad-CAM++*, 2018, section 4.1.
pub type AverageIncrease = ScoreMetric<IncreaseFormula>;

impl ScoreFormula for IncreaseFormula {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "average-increase",
        title: "Average Increase",
        question: "How often does the score rise when only what the map marks is kept?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: SCORE_NEEDS,
        source: "Chattopadhay et al., Grad-CAM++, 2018",
    };

    #[inline(always)]
    fn value(base: f64, masked: f64) -> f64 {
        f64::from(u8::from(masked > base))
    }
}

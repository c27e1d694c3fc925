//! Detection of mislabeled training cases.

use std::fmt;

use xai_core::Interval;
use xai_core::describe::{Parameters, metric};
use xai_core::number::check_finite_slice;
use xai_core::statistics::{ThresholdPoint, auroc_interval, thresholds};
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};

use crate::data_attribution::values::decimals;
use crate::input;

/// Probability that a mislabeled training row scores above a correctly labeled one (AUROC).
///
/// ```text
/// area = 1 − (mean mid-rank of the flagged − ½) / n      AUROC = (area − M/2n) / (1 − M/n)
/// ```
///
/// `scores`, `(n,)`, are high for suspicious training cases, for example their influence on themselves, or the
/// negative mean attribution. `M` of the `n` cases are flagged. The curve from (0, 0) to (1, 1) is the share of the
/// flagged cases found when cases are inspected by descending score; `area` is the area under it.
///
/// ```
/// use xai_casebased::data_attribution::MislabelingDetection;
/// let found = MislabelingDetection::new().evaluate(&[0.9, 0.2, 0.6, 0.1], &[true, false, false, true])?;
/// assert_eq!((found.area, found.auroc), (Some(0.5), Some(0.5)));
/// assert_eq!(found.curve, Some(vec![0.0, 0.5, 0.5, 0.5, 1.0]));
/// assert_eq!(found.to_string(), "AUROC 0.5000, area 0.5000, 2 flagged");
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: all flagged cases come first. 0.5: chance level. 0: all come last.
///
/// # Limits
/// Hard cases with a correct label also have large scores. The area depends on the share of flagged cases; AUROC
/// does not.
///
/// # Source
/// Koh and Liang 2017; AUROC as reported by Kwon et al., *`DataInf`*, 2024.
///
/// quanda's curve begins after the first case, and it adds 10⁻⁴ times the index to the scores, so small scores are
/// ranked by index.
///
/// # Elsewhere
/// `quanda.MislabelingDetectionMetric`, `dattri.mislabel_detection_auc`
#[metric(
    name = "mislabeling-detection",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::SCORES, input::FLAGS],
    example = 0.6111,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct MislabelingDetection;

/// Confidence level of the interval.
const LEVEL: f64 = 0.95;

/// Result of [`MislabelingDetection`].
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Mislabeling {
    /// Probability that a flagged case has a higher score than one that is not flagged, in [0, 1]; `None` if no or
    /// every case is flagged.
    pub auroc: Option<f64>,
    /// 95 % confidence interval of the AUROC, see [`auroc_interval`](xai_core::statistics::auroc_interval). It assumes
    /// independent cases. `None` if no or every case is flagged.
    pub interval: Option<Interval>,
    /// Area under the curve, in [M/2n, 1 − M/2n], ½ = chance level; `None` without a flagged case.
    pub area: Option<f64>,
    /// Share of the flagged cases found after inspecting 0, 1, …, n cases; with equal scores, the mean over their
    /// orders. `None` without a flagged case.
    pub curve: Option<Vec<f64>>,
    /// Number of flagged cases.
    pub n_flagged: usize,
}

impl fmt::Display for Mislabeling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (auroc, area) = (decimals(self.auroc), decimals(self.area));
        write!(f, "AUROC {auroc}, area {area}, {} flagged", self.n_flagged)
    }
}

impl MislabelingDetection {
    /// Evaluates the ranking of the flagged cases by `scores`. Both arrays are `(n_train,)`.
    ///
    /// # Errors
    /// `Empty` without scores, `NonFinite` for a score that is not finite, `ShapeMismatch` for different lengths.
    pub fn evaluate(&self, scores: &[f64], flags: &[bool]) -> Result<Mislabeling> {
        if scores.is_empty() {
            return Err(Error::empty(input::SCORES));
        }
        check_finite_slice(input::SCORES, scores)?;
        check_shape(input::FLAGS, &[scores.len()], &[flags.len()])?;
        let interval = auroc_interval(scores, flags, LEVEL)?;
        let thresholds = thresholds(scores, flags);
        let (n, n_flagged) = (scores.len(), thresholds[0].n_second);
        let (all, flagged) = (n as f64, n_flagged as f64);
        // Ascending mid-ranks; counted from the top, a rank r is n + 1 − r. Ranks are multiples of ½, so their sum
        // is exact.
        let rank = |tie: &Tie| (n - tie.before) as f64 - (tie.n as f64 - 1.0) / 2.0;
        let rank_sum: f64 = ties(&thresholds)
            .map(|tie| tie.n_flagged as f64 * rank(&tie))
            .sum();
        // Number of pairs in which the flagged case has the higher score (Mann-Whitney U): the smallest possible
        // rank sum, 1 + … + M, is subtracted.
        let above = rank_sum - flagged * (flagged + 1.0) / 2.0;
        Ok(Mislabeling {
            auroc: (0 < n_flagged && n_flagged < n).then(|| above / ((all - flagged) * flagged)),
            interval,
            area: (n_flagged > 0).then(|| 1.0 - (all + 0.5 - rank_sum / flagged) / all),
            curve: (n_flagged > 0).then(|| curve(&thresholds, n_flagged)),
            n_flagged,
        })
    }
}

/// A group of cases with equal scores.
struct Tie {
    /// Number of cases with larger scores.
    before: usize,
    /// Number of flagged cases with larger scores.
    flagged_before: usize,
    n: usize,
    n_flagged: usize,
}

/// Groups of equal scores in descending order.
fn ties(thresholds: &[ThresholdPoint]) -> impl Iterator<Item = Tie> {
    // Threshold points are cumulative; differences between neighbours are the sizes of the groups.
    let pairs = thresholds.iter().rev().scan((0, 0), |before, point| {
        let previous = std::mem::replace(before, (point.n, point.n_second));
        Some((previous, point))
    });
    pairs.map(|((before, flagged_before), point)| Tie {
        before,
        flagged_before,
        n: point.n - before,
        n_flagged: point.n_second - flagged_before,
    })
}

/// Share of the flagged cases found after each number of inspected cases, from 0 on.
fn curve(thresholds: &[ThresholdPoint], n_flagged: usize) -> Vec<f64> {
    // Within a group, flagged cases are spread evenly: the mean over all orders.
    let steps = |tie: Tie| {
        (1..=tie.n).map(move |step| {
            let found_in_tie = tie.n_flagged as f64 * step as f64 / tie.n as f64;
            (tie.flagged_before as f64 + found_in_tie) / n_flagged as f64
        })
    };
    std::iter::once(0.0)
        .chain(ties(thresholds).flat_map(steps))
        .collect()
}

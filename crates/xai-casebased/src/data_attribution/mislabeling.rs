//! Mislabeled training cases.

use std::fmt;

use xai_core::describe::{Parameters, metric};
use xai_core::number::check_finite_slice;
use xai_core::statistics::{Interval, ThresholdPoint, auroc_interval, thresholds};
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
/// `scores` are one a training case, `(n,)`, high = suspicious: influence on itself, or the negative mean attribution.
/// `M` of the `n` cases are flagged. The curve leads from (0, 0) to (1, 1): the share of the flagged that is found when
/// the cases with the largest scores are inspected; `area` lies under it.
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
/// 1: all flagged cases come first. 0.5: as by chance. 0: all come last.
///
/// # Limits
/// Cases that are hard, not mislabeled, have large scores, too. The area depends on the share of flagged cases; AUROC
/// does not.
///
/// # Source
/// Koh and Liang 2017; AUROC as reported by Kwon et al., *`DataInf`*, 2024.
///
/// quanda's curve begins after the first case, and it adds 10⁻⁴ times the index to the scores, which for small scores
/// ranks cases by index.
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

/// The coverage of the interval.
const LEVEL: f64 = 0.95;

/// How early flagged cases come.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Mislabeling {
    /// The chance that a flagged case has a higher score than another, in [0, 1]; `None` where nobody or everybody is flagged.
    pub auroc: Option<f64>,
    /// An interval of the AUROC that covers 95 %, see [`auroc_interval`](xai_core::statistics::auroc_interval); it takes the
    /// cases for independent.
    pub interval: Option<Interval>,
    /// The area under the curve, in [M/2n, 1 − M/2n], ½ = as by chance; `None` where nobody is flagged.
    pub area: Option<f64>,
    /// The share of the flagged that is found after 0, 1, …, n inspected cases; of equal scores the mean over their
    /// orders. `None` where nobody is flagged.
    pub curve: Option<Vec<f64>>,
    /// How many cases are flagged.
    pub n_flagged: usize,
}

impl fmt::Display for Mislabeling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (auroc, area) = (decimals(self.auroc), decimals(self.area));
        write!(f, "AUROC {auroc}, area {area}, {} flagged", self.n_flagged)
    }
}

impl MislabelingDetection {
    /// How early the flagged cases come, `scores` and `flags` are `(n_train,)`.
    ///
    /// # Errors
    /// `Empty` without scores, `NonFinite`, `ShapeMismatch`.
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
        // Ranks ascend with the scores; from the top the rank r is n + 1 − r. Halves, so the sum is exact.
        let rank = |tie: &Tie| (n - tie.before) as f64 - (tie.n as f64 - 1.0) / 2.0;
        let of_flagged = |tie: Tie| tie.n_flagged as f64 * rank(&tie);
        let sum: f64 = ties(&thresholds).map(of_flagged).sum();
        let above = sum - flagged * (flagged + 1.0) / 2.0;
        Ok(Mislabeling {
            auroc: (0 < n_flagged && n_flagged < n).then(|| above / ((all - flagged) * flagged)),
            interval,
            area: (n_flagged > 0).then(|| 1.0 - (all + 0.5 - sum / flagged) / all),
            curve: (n_flagged > 0).then(|| curve(&thresholds, n_flagged)),
            n_flagged,
        })
    }
}

/// Cases of equal scores.
struct Tie {
    /// How many cases have larger scores, and how many of those are flagged.
    before: usize,
    flagged_before: usize,
    n: usize,
    n_flagged: usize,
}

/// The runs of equal scores, the largest first.
fn ties(thresholds: &[ThresholdPoint]) -> impl Iterator<Item = Tie> {
    let with_before = thresholds.iter().rev().scan((0, 0), |before, at| {
        let was = std::mem::replace(before, (at.n, at.n_second));
        Some((was, at))
    });
    with_before.map(|((before, flagged_before), at)| Tie {
        before,
        flagged_before,
        n: at.n - before,
        n_flagged: at.n_second - flagged_before,
    })
}

/// The share of the flagged that is found after each number of inspected cases.
fn curve(thresholds: &[ThresholdPoint], n_flagged: usize) -> Vec<f64> {
    let of_tie = |tie: Tie| {
        (1..=tie.n).map(move |step| {
            let of_tie = tie.n_flagged as f64 * step as f64 / tie.n as f64;
            (tie.flagged_before as f64 + of_tie) / n_flagged as f64
        })
    };
    std::iter::once(0.0)
        .chain(ties(thresholds).flat_map(of_tie))
        .collect()
}

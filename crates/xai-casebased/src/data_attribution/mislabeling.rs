//! Mislabeled training cases.

use std::fmt;

use xai_core::describe::{Direction, MetricInfo, Parameters, Range, Reading};
use xai_core::number::check_finite_slice;
use xai_core::statistics::{Interval, auroc, auroc_interval, ranks::mid_ranks};
use xai_core::tensor::check_shape;
use xai_core::{Error, Result};

use crate::data_attribution::values::decimals;
use crate::input;

/// Do mislabeled training cases come first when cases are inspected by a score?
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
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Koh and Liang 2017; AUROC as reported by Kwon et al., *`DataInf`*, 2024. quanda's curve begins after the first case, and it
/// adds 10⁻⁴ times the index to the scores, which for small scores ranks cases by index.
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
    pub(super) const INFO: &'static MetricInfo = &MetricInfo {
        name: "mislabeling-detection",
        title: "Mislabeling detection",
        question: "Do mislabeled training cases come first when cases are inspected by a score?",
        direction: Direction::Higher,
        range: Range::SHARE,
        needs: &[input::SCORES, input::FLAGS],
        source: "Koh and Liang 2017; AUROC as reported by Kwon et al., DataInf, 2024",
        reading: Reading {
            formula: "AUROC of the scores against the flags; area = 1 − (mean mid-rank of the flagged − ½) / n",
            extremes: "1: all flagged cases come first. 0.5: as by chance. 0: all come last.",
            limits: "Cases that are hard, not mislabeled, have large scores, too. The area depends on the share of flagged cases; AUROC does not.",
            peers: &[
                "quanda.MislabelingDetectionMetric",
                "dattri.mislabel_detection_auc",
            ],
            example: Some(0.6111),
        },
    };

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
        let (n, n_flagged) = (scores.len(), flags.iter().filter(|&&flag| flag).count());
        let some = n_flagged > 0;
        Ok(Mislabeling {
            auroc: auroc(scores, flags),
            interval: auroc_interval(scores, flags, LEVEL)?,
            area: some.then(|| {
                // Ranks ascend with the scores; from the top the rank r is n + 1 − r. Halves, so the sum is exact.
                let flagged = mid_ranks(scores).into_iter().zip(flags);
                let ranks = flagged.filter(|(_, flag)| **flag).map(|(rank, _)| rank);
                let mean = ranks.sum::<f64>() / n_flagged as f64;
                1.0 - (n as f64 + 0.5 - mean) / n as f64
            }),
            curve: some.then(|| curve(scores, flags, n_flagged)),
            n_flagged,
        })
    }
}

/// The share of the flagged that is found after each number of inspected cases.
fn curve(scores: &[f64], flags: &[bool], n_flagged: usize) -> Vec<f64> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    // +0.0: 0 and −0 are equal.
    order.sort_unstable_by(|&i, &j| (scores[j] + 0.0).total_cmp(&(scores[i] + 0.0)));
    let mut curve = vec![0.0];
    let mut found = 0.0;
    for equal in order.chunk_by(|&i, &j| scores[i] == scores[j]) {
        let of_equal = equal.iter().filter(|&&case| flags[case]).count() as f64;
        let steps = 1..=equal.len();
        curve.extend(
            steps.map(|step| {
                (found + of_equal * step as f64 / equal.len() as f64) / n_flagged as f64
            }),
        );
        found += of_equal;
    }
    curve
}

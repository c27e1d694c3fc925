//! Options of ground-truth scores, and counts of a block of elements.

use xai_core::describe::{Parameter, Parameters};
use xai_core::number::check_finite_slice;
use xai_core::number::elementary::sigmoid;
use xai_core::{Error, Real, Result};

use crate::ground_truth::confusion::Confusion;
use crate::{help, input};

/// Ground-truth scores with options.
///
/// ```
/// use ndarray::array;
/// use xai_graph::GroundTruthMetric;
/// use xai_graph::ground_truth::{Selection, ZeroDivision};
/// let nothing = array![0.0f32, 0.0];
/// let scores = GroundTruthMetric::new().zero_division(ZeroDivision::Zero);
/// assert_eq!(scores.evaluate(nothing.view(), nothing.view())?.recall, Some(0.0));
/// let top = GroundTruthMetric::new().selection(Selection::TopK(1));
/// let found = top.evaluate(array![0.2, 0.3].view(), array![0.0, 1.0].view())?;
/// assert_eq!(found.jaccard, Some(1.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// `groundtruth_metrics` of PyTorch Geometric computes the first five with [`ZeroDivision::Zero`]. It silently
/// applies a sigmoid to all scores if one lies outside [0, 1]; here that is an error unless [`logits`](Self::logits)
/// is set.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruthMetric {
    /// Threshold in [0, 1]: an element is true if `target ≥ threshold`, and predicted if `predicted > threshold`.
    ///
    /// The two sides differ as in PyTorch Geometric with torchmetrics: hard 0/1 masks work with any threshold 0 < t <
    /// 1, and a score exactly at the threshold is not predicted.
    ///
    /// Both sides are compared in the precision of the predictions, whatever the type of the target. With
    /// single-precision scores a threshold of 0.3 is rounded to single precision, and so is a double-precision target
    /// of 0.3, which therefore is true.
    #[param(at_least = 0, at_most = 1, default = 0.5)]
    pub(crate) threshold: f64,
    /// Elements that count as predicted; a whole number selects that many of the largest.
    ///
    /// The truth always uses the threshold.
    pub(crate) selection: Selection,
    /// Value of undefined statistics.
    pub(crate) zero_division: ZeroDivision,
    /// Whether the predictions are logits (any finite numbers), whose sigmoid is compared with the threshold.
    ///
    /// Ranks use the logits themselves, which do not saturate.
    pub(crate) logits: bool,
}

impl GroundTruthMetric {
    /// Threshold ½, undefined statistics as `None`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// Value of a statistic that divides 0 by 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ZeroDivision {
    /// Undefined (`None`).
    #[default]
    Undefined,
    /// 0, as in PyTorch Geometric.
    #[param(alias = "0")]
    Zero,
    /// 1.
    #[param(alias = "1")]
    One,
}

impl ZeroDivision {
    pub(crate) fn value(self) -> Option<f64> {
        match self {
            Self::Undefined => None,
            Self::Zero => Some(0.0),
            Self::One => Some(1.0),
        }
    }
}

/// Elements of a mask that count as predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Selection {
    /// Elements above the threshold.
    #[default]
    Threshold,
    /// The `k` largest elements. Ties go to the lower index.
    #[param(plain, at_least = 1)]
    TopK(usize),
    /// The largest elements, as many as are true. Ties go to the lower index. Precision, recall and F1 are then
    /// equal.
    TruthSize,
}

impl GroundTruthMetric {
    /// Number of elements out of `n` that are predicted by rank, with `n_true` true ones. `None` if the threshold
    /// decides.
    pub(crate) fn n_selected(&self, n: usize, n_true: usize) -> Result<Option<usize>> {
        match self.selection {
            Selection::Threshold => Ok(None),
            Selection::TruthSize => Ok(Some(n_true)),
            Selection::TopK(k) if (1..=n).contains(&k) => Ok(Some(k)),
            Selection::TopK(k) => {
                let expected = format!("1 to {n}, the number of elements");
                Err(Error::parameter(input::SELECTION, k, expected))
            }
        }
    }

    /// Counts a block by threshold. `None` if any score or target is invalid.
    pub(crate) fn count<T: Real, U: Real>(
        &self,
        predicted: &[T],
        target: &[U],
        threshold: T,
    ) -> Option<Confusion> {
        // `u32` has twice the lanes of `u64`, and a block is far smaller than 2^32.
        let (mut n_true, mut n_predicted, mut n_both) = (0u32, 0u32, 0u32);
        // Counts invalid elements instead of returning early, so that the loop vectorises.
        let mut n_bad = 0u32;
        for (&score, &truth) in predicted.iter().zip(target) {
            let is_true = is_true(truth, threshold);
            let above = if self.logits {
                n_bad += u32::from(!score.is_finite());
                sigmoid(score.to_f64_exact()) > self.threshold
            } else {
                n_bad += u32::from(!is_in_unit(score));
                score > threshold
            };
            n_bad += u32::from(!is_in_unit(truth));
            n_true += u32::from(is_true);
            n_predicted += u32::from(above);
            n_both += u32::from(is_true & above);
        }
        let n = predicted.len() as u64;
        let [n_true, n_predicted, n_both] = [n_true, n_predicted, n_both].map(u64::from);
        (n_bad == 0).then(|| Confusion {
            true_positives: n_both,
            false_positives: n_predicted - n_both,
            false_negatives: n_true - n_both,
            // Inclusion and exclusion, in an order in which no intermediate result is negative.
            true_negatives: n + n_both - n_true - n_predicted,
        })
    }

    /// Returns whether a score is above the threshold, which is also given in the type of the scores.
    pub(crate) fn is_above<T: Real>(&self, score: T, threshold: T) -> bool {
        if self.logits {
            sigmoid(score.to_f64_exact()) > self.threshold
        } else {
            score > threshold
        }
    }

    /// Error for an invalid score or target, of which there must be one: values that are not finite come first (scores
    /// before targets), then targets outside [0, 1], then scores outside it.
    #[cold]
    pub(crate) fn first_error<T: Real, U: Real>(&self, predicted: &[T], target: &[U]) -> Error {
        let finite = check_finite_slice(input::PREDICTED, predicted)
            .and_then(|()| check_finite_slice(input::TARGET, target));
        if let Err(error) = finite {
            return error;
        }
        if let Some(i) = target.iter().position(|truth| !is_in_unit(*truth)) {
            let (value, expected) = (target[i].to_f64_exact(), "0 or 1, or a score in [0, 1]");
            let error = Error::out_of_domain(input::TARGET, &[i], value, expected);
            return error.with_help(help::SCALE_TARGET);
        }
        let i = predicted
            .iter()
            .position(|score| !is_in_unit(*score))
            .unwrap_or_default();
        let (value, expected) = (predicted[i].to_f64_exact(), "a score in [0, 1]");
        let error = Error::out_of_domain(input::PREDICTED, &[i], value, expected);
        error.with_help(help::SCORES_ARE_LOGITS)
    }
}

/// Returns whether a score lies in [0, 1]. False for NaN.
#[inline(always)]
pub(crate) fn is_in_unit<T: Real>(score: T) -> bool {
    score >= T::ZERO && score <= T::ONE
}

/// Returns whether an element is true: `target ≥ threshold` in the precision of the predictions.
#[inline(always)]
pub(crate) fn is_true<T: Real, U: Real>(target: U, threshold: T) -> bool {
    T::from_f64_nearest(target.to_f64_exact()) >= threshold
}

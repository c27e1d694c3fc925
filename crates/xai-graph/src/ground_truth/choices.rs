//! What the choices of a comparison with the truth make of a block of elements.

use xai_core::number::check_finite_slice;
use xai_core::number::elementary::sigmoid;
use xai_core::{Error, Real, Result};

use crate::ground_truth::confusion::Confusion;
use crate::ground_truth::metric::GroundTruthMetric;
use crate::ground_truth::selection::Selection;
use crate::{help, input};

impl GroundTruthMetric {
    /// How many of the `n` elements are predicted by their rank, with `n_true` true ones; `None`
    /// where the threshold decides.
    pub(crate) fn n_selected(&self, n: usize, n_true: usize) -> Result<Option<usize>> {
        match self.selection {
            Selection::Threshold => Ok(None),
            Selection::TruthSize => Ok(Some(n_true)),
            Selection::TopK(k) if (1..=n).contains(&k) => Ok(Some(k)),
            Selection::TopK(k) => {
                let expected = format!("1..={n}, the number of elements");
                Err(Error::parameter(input::SELECTION, k, expected))
            }
        }
    }

    /// Counts a block by threshold; `None` if it holds something that is not a score.
    pub(crate) fn count<T: Real, U: Real>(
        &self,
        predicted: &[T],
        target: &[U],
        threshold: T,
    ) -> Option<Confusion> {
        let (mut n_true, mut n_predicted, mut n_both) = (0u32, 0u32, 0u32);
        // Sums instead of early exits, so that the loop vectorises.
        let mut n_bad = 0u32;
        for (&score, &truth) in predicted.iter().zip(target) {
            let is_true = is_true(truth, threshold);
            let above = if self.logits {
                n_bad += u32::from(!score.is_finite());
                sigmoid(score.to_f64_exact()) > self.threshold
            } else {
                n_bad += u32::from(!(score >= T::zero() && score <= T::one()));
                score > threshold
            };
            n_bad += u32::from(!truth.is_finite());
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
            true_negatives: n + n_both - n_true - n_predicted,
        })
    }

    /// Whether a score is above the threshold, which is given in the type of the scores, too.
    pub(crate) fn is_above<T: Real>(&self, score: T, threshold: T) -> bool {
        match self.logits {
            true => sigmoid(score.to_f64_exact()) > self.threshold,
            false => score > threshold,
        }
    }

    /// What is wrong with scores or truth; something is.
    #[cold]
    pub(crate) fn first_error<T: Real, U: Real>(&self, predicted: &[T], target: &[U]) -> Error {
        let finite = check_finite_slice(input::PREDICTED, predicted)
            .and_then(|()| check_finite_slice(input::TARGET, target));
        if let Err(error) = finite {
            return error;
        }
        let outside = |x: &T| *x < T::zero() || *x > T::one();
        let i = predicted.iter().position(outside).unwrap_or_default();
        let (value, expected) = (predicted[i].to_f64_exact(), "a score in [0, 1]");
        let error = Error::out_of_domain(input::PREDICTED, &[i], value, expected);
        error.with_help(help::SCORES_ARE_LOGITS)
    }
}

/// Whether an element is true: `target ≥ threshold`, in the precision of the predictions.
#[inline(always)]
pub(crate) fn is_true<T: Real, U: Real>(target: U, threshold: T) -> bool {
    T::from_f64_nearest(target.to_f64_exact()) >= threshold
}

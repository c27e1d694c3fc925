//! Ground-truth scores with their choices, and what these make of a block of elements.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::describe::{Parameter, Parameters};
use xai_core::number::check_finite_slice;
use xai_core::number::elementary::sigmoid;
use xai_core::{Accumulator, Error, Real, Result};

use crate::ground_truth::accumulator::GroundTruthAccumulator;
use crate::ground_truth::confusion::{Confusion, CountedElement};
use crate::ground_truth::curves::GroundTruthCurves;
use crate::ground_truth::scores::GroundTruth;
use crate::mask::top_k::largest;
use crate::{help, input};

/// Agreement of a soft mask with the truth at threshold ½, undefined statistics as `None`.
///
/// An element is true when `target ≥ ½`, predicted when `predicted > ½` (strictly; see
/// [`GroundTruthMetric::threshold`]).
///
/// # Errors
/// `ShapeMismatch`, `Empty`, `NonFinite`, and `OutOfDomain`
/// for a score outside [0, 1].
///
/// ```
/// use ndarray::array;
/// let truth = array![1.0, 1.0, 0.0, 0.0];
/// let scores = array![0.9, 0.4, 0.6, 0.1];
/// let agreement = xai_graph::ground_truth(scores.view(), truth.view())?;
/// assert_eq!(agreement.accuracy, 0.5);
/// assert_eq!((agreement.recall, agreement.precision), (Some(0.5), Some(0.5)));
/// assert_eq!(agreement.auroc, Some(0.75)); // of 4 pairs only (0.4, 0.6) is the wrong way round
/// assert!((agreement.average_precision.unwrap() - 5.0 / 6.0).abs() < 1e-15); // (1/1 + 2/3) / 2
/// assert_eq!(agreement.jaccard, Some(1.0 / 3.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn ground_truth<T: Real, U: Real>(
    predicted: ArrayView1<'_, T>,
    target: ArrayView1<'_, U>,
) -> Result<GroundTruth> {
    GroundTruthMetric::new().evaluate(predicted, target)
}

/// The truth that a mask fits best.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BestOfTruths {
    /// Which of the truths it is.
    pub truth: usize,
    /// The scores against it.
    pub scores: GroundTruth,
}

/// Ground-truth scores with their choices.
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
/// `groundtruth_metrics` of `PyTorch` Geometric gives the first five with
/// [`ZeroDivision::Zero`]. It applies a sigmoid to all scores when one lies outside [0, 1], without a word;
/// here that is an error unless [`logits`](Self::logits) says so.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruthMetric {
    /// The threshold in [0, 1]: an element is true when `target ≥ threshold`, predicted when
    /// `predicted > threshold`.
    ///
    /// The two sides differ on purpose: it is the rule of `PyTorch` Geometric with torchmetrics, so
    /// hard 0/1 masks work with thresholds 0 < t < 1 and a score exactly at the threshold is not
    /// predicted.
    ///
    /// Both sides are compared in the precision of the predictions, whatever the target is stored as:
    /// with single-precision scores a threshold of 0.3 is the nearest single-precision number, and so is
    /// a double-precision target of 0.3, which is true.
    #[param(at_least = 0, at_most = 1)]
    pub(crate) threshold: f64,
    /// Which elements count as predicted: a whole number is how many, the largest.
    ///
    /// The truth is always by threshold.
    pub(crate) selection: Selection,
    /// What undefined statistics are.
    pub(crate) zero_division: ZeroDivision,
    /// Whether the predictions are logits, any finite numbers: the threshold meets their sigmoid.
    ///
    /// Ranks are those of the logits themselves, which do not saturate.
    pub(crate) logits: bool,
}

impl Default for GroundTruthMetric {
    fn default() -> Self {
        Self {
            threshold: 0.5,
            selection: Selection::default(),
            zero_division: ZeroDivision::default(),
            logits: false,
        }
    }
}

impl GroundTruthMetric {
    /// Threshold ½, undefined statistics as `None`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Scores one mask.
    ///
    /// `predicted` and `target` are `(n_elements,)`, in [0, 1], and may be of different types.
    ///
    /// # Errors
    /// `InvalidParameter` for a threshold outside [0, 1], `ShapeMismatch` when the lengths differ, `Empty` without elements,
    /// `NonFinite`, `OutOfDomain` for a score outside [0, 1] that is not said to
    /// be a logit, `InvalidParameter` for a top-k beyond the elements.
    pub fn evaluate<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        target: ArrayView1<'_, U>,
    ) -> Result<GroundTruth> {
        let mut state = self.accumulator()?;
        state.update((predicted, target))?;
        state.finish_into()
    }

    /// Scores one mask against several valid truths, `(n_truths, n_elements)`, and takes the one
    /// with the largest Jaccard index (the lowest of several; an undefined one counts as least).
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); `Empty` without a truth.
    ///
    /// ```
    /// use ndarray::array;
    /// let predicted = array![0.0, 0.9, 0.8];
    /// let truths = array![[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    /// let best = xai_graph::GroundTruthMetric::new().best_of(predicted.view(), truths.view())?;
    /// assert_eq!((best.truth, best.scores.jaccard), (1, Some(1.0)));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Explanation accuracy in Agarwal et al., `GraphXAI`, arXiv 2208.09339.
    pub fn best_of<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        truths: ArrayView2<'_, U>,
    ) -> Result<BestOfTruths> {
        let mut best: Option<BestOfTruths> = None;
        for (truth, target) in truths.rows().into_iter().enumerate() {
            let scores = self.evaluate(predicted, target)?;
            let jaccard = scores.confusion.jaccard();
            if best
                .as_ref()
                .is_none_or(|best| jaccard > best.scores.confusion.jaccard())
            {
                best = Some(BestOfTruths { truth, scores });
            }
        }
        best.ok_or_else(|| Error::empty(input::TRUTHS))
    }

    /// The curves of one mask over all its different scores: threshold and selection play no part.
    ///
    /// Which elements are true is as for [`evaluate`](Self::evaluate).
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// ```
    /// use ndarray::array;
    /// let (predicted, target) = (array![0.9, 0.9, 0.1], array![1.0, 0.0, 0.0]);
    /// let curves = xai_graph::GroundTruthMetric::new().curves(predicted.view(), target.view())?;
    /// assert_eq!(curves.roc.map(|roc| (roc.points.len(), roc.area())), Some((3, 0.75)));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn curves<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        target: ArrayView1<'_, U>,
    ) -> Result<GroundTruthCurves> {
        let mut state = self.accumulator()?;
        state.update((predicted, target))?;
        state.curves()
    }

    /// What each element counts as, in the order of the elements: what
    /// [`evaluate`](Self::evaluate) counts.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// ```
    /// use ndarray::array;
    /// let (predicted, target) = (array![0.9, 0.2], array![0.0, 1.0]);
    /// let metric = xai_graph::GroundTruthMetric::new();
    /// let elements = metric.per_element(predicted.view(), target.view())?;
    /// assert!(elements[0].is_predicted && !elements[0].is_true);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn per_element<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        target: ArrayView1<'_, U>,
    ) -> Result<Vec<CountedElement>> {
        // It checks both.
        let n_true = self.evaluate(predicted, target)?.confusion.n_true();
        let threshold = T::from_f64_nearest(self.threshold);
        let elements = predicted.iter().zip(target);
        let elements = elements.map(|(&score, &truth)| CountedElement {
            is_predicted: self.is_above(score, threshold),
            is_true: is_true(truth, threshold),
        });
        let mut elements: Vec<CountedElement> = elements.collect();
        if let Some(k) = self.n_selected(elements.len(), n_true)? {
            elements
                .iter_mut()
                .for_each(|element| element.is_predicted = false);
            for selected in largest(&predicted.to_vec(), k) {
                elements[selected].is_predicted = true;
            }
        }
        Ok(elements)
    }

    /// What one element counts as by the threshold, whatever the [selection](Self::selection) is: for
    /// programs that group elements by themselves.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate), at index 0.
    ///
    /// ```
    /// use xai_graph::GroundTruthMetric;
    /// use xai_graph::ground_truth::Confusion;
    /// let mut counts = Confusion::default();
    /// for (predicted, target) in [(0.9, 0.0), (0.7, 1.0)] {
    ///     counts.add(GroundTruthMetric::new().element(predicted, target)?);
    /// }
    /// assert_eq!(counts.precision(), Some(0.5));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    #[inline]
    pub fn element<T: Real, U: Real>(&self, predicted: T, target: U) -> Result<CountedElement> {
        let threshold = T::from_f64_nearest(self.threshold);
        let is_score = match self.logits {
            true => predicted.is_finite(),
            false => predicted >= T::zero() && predicted <= T::one(),
        };
        if !(is_score && target.is_finite()) {
            return Err(self.first_error(&[predicted], &[target]));
        }
        Ok(CountedElement {
            is_predicted: self.is_above(predicted, threshold),
            is_true: is_true(target, threshold),
        })
    }

    /// A state of no elements with these choices.
    ///
    /// # Errors
    /// `InvalidParameter` for a threshold outside [0, 1].
    pub fn accumulator<T: Real, U: Real>(&self) -> Result<GroundTruthAccumulator<T, U>> {
        self.check_params()?;
        Ok(GroundTruthAccumulator::new(*self))
    }
}

/// What a statistic is that divides nothing by nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ZeroDivision {
    /// No number.
    #[default]
    Undefined,
    /// 0, as in `PyTorch` Geometric.
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

/// Which elements of a mask count as predicted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Selection {
    /// Those above the threshold.
    #[default]
    Threshold,
    /// The `k` largest, ties to the lower index.
    #[param(plain, at_least = 1)]
    TopK(usize),
    /// As many as the truth has, the largest, ties to the lower index. Precision, recall and F1
    /// are one number then.
    TruthSize,
}

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

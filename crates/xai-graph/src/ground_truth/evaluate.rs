//! What ground-truth scores are taken of: a mask, several truths, one element.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::describe::Parameters;
use xai_core::{Accumulator, Error, Real, Result};

use crate::ground_truth::accumulator::GroundTruthAccumulator;
use crate::ground_truth::confusion::CountedElement;
use crate::ground_truth::curves::GroundTruthCurves;
use crate::ground_truth::metric::{GroundTruthMetric, is_in_unit, is_true};
use crate::ground_truth::scores::GroundTruth;
use crate::input;
use crate::mask::top_k::largest;

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

impl GroundTruthMetric {
    /// Scores one mask.
    ///
    /// `predicted` and `target` are `(n_elements,)`, in [0, 1], and may be of different types.
    ///
    /// # Errors
    /// `InvalidParameter` for a threshold outside [0, 1], `ShapeMismatch` when the lengths differ, `Empty` without elements,
    /// `NonFinite`, `OutOfDomain` for a target outside [0, 1] and for a score outside it that is not said to
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
    /// Explanation accuracy in Agarwal et al., GraphXAI, arXiv 2208.09339.
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
        let is_score = if self.logits {
            predicted.is_finite()
        } else {
            is_in_unit(predicted)
        };
        if !(is_score && is_in_unit(target)) {
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

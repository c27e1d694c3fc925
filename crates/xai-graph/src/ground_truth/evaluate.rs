//! Evaluation of a mask against one or several ground truths, and of single elements.

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

/// Agreement of a soft mask with the ground truth at threshold ½. Undefined statistics are `None`.
///
/// An element is true if `target ≥ ½`, and predicted if `predicted > ½` (strictly; see
/// [`GroundTruthMetric::threshold`]).
///
/// # Errors
/// `ShapeMismatch`, `Empty`, `NonFinite`, and `OutOfDomain` for a score outside [0, 1].
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

/// The best-fitting of several ground truths.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct BestOfTruths {
    /// Index of the truth.
    pub truth: usize,
    /// Scores against it.
    pub scores: GroundTruth,
}

impl GroundTruthMetric {
    /// Evaluates one mask.
    ///
    /// `predicted` and `target` have the shape `(n_elements,)` and values in [0, 1], possibly of different types.
    ///
    /// # Errors
    /// `InvalidParameter` for a threshold outside [0, 1] and for a top-k of 0 or above the number of elements;
    /// `ShapeMismatch` if the lengths differ; `Empty` without elements; `NonFinite`; `OutOfDomain` for a target
    /// outside [0, 1], and for a score outside it unless scores are declared to be logits.
    pub fn evaluate<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        target: ArrayView1<'_, U>,
    ) -> Result<GroundTruth> {
        let mut state = self.accumulator()?;
        state.update((predicted, target))?;
        state.finish_into()
    }

    /// Evaluates one mask against several valid truths, `(n_truths, n_elements)`, and returns the one with the
    /// largest Jaccard index. Ties go to the lowest index; an undefined Jaccard index counts as the smallest.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); `Empty` without a truth.
    ///
    /// ```
    /// use ndarray::array;
    /// let predicted = array![0.0, 0.9, 0.8];
    /// let truths = array![[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]];
    /// let best = xai_graph::GroundTruthMetric::new().best_truth(predicted.view(), truths.view())?;
    /// assert_eq!((best.truth, best.scores.jaccard), (1, Some(1.0)));
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Explanation accuracy in Agarwal et al., GraphXAI, arXiv 2208.09339.
    pub fn best_truth<T: Real, U: Real>(
        &self,
        predicted: ArrayView1<'_, T>,
        truths: ArrayView2<'_, U>,
    ) -> Result<BestOfTruths> {
        let mut best: Option<BestOfTruths> = None;
        for (truth, target) in truths.rows().into_iter().enumerate() {
            let scores = self.evaluate(predicted, target)?;
            // `None` is less than any value. Strictly larger below, so that the first of several best truths wins.
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

    /// Computes the curves of one mask over all its distinct scores. Threshold and selection have no effect on the
    /// predictions; true elements are those of [`evaluate`](Self::evaluate).
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

    /// Classifies each element, in their order, as [`evaluate`](Self::evaluate) counts them.
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
        // Also checks both inputs.
        let n_true = self.evaluate(predicted, target)?.confusion.n_true();
        let threshold = T::from_f64_nearest(self.threshold);
        let classified = |(&score, &truth): (&T, &U)| CountedElement {
            is_predicted: self.is_above(score, threshold),
            is_true: is_true(truth, threshold),
        };
        let mut elements: Vec<CountedElement> =
            predicted.iter().zip(target).map(classified).collect();
        if let Some(k) = self.n_selected(elements.len(), n_true)? {
            for element in &mut elements {
                element.is_predicted = false;
            }
            for selected in largest(&predicted.to_vec(), k) {
                elements[selected].is_predicted = true;
            }
        }
        Ok(elements)
    }

    /// Classifies one element by the threshold, ignoring the [selection](Self::selection). For programs that group
    /// elements themselves.
    ///
    /// # Errors
    /// `NonFinite` and `OutOfDomain` as [`evaluate`](Self::evaluate), at index 0. The threshold is not checked.
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

    /// Creates an empty state with these options.
    ///
    /// # Errors
    /// `InvalidParameter` for a threshold outside [0, 1] and for a top-k of 0.
    pub fn accumulator<T: Real, U: Real>(&self) -> Result<GroundTruthAccumulator<T, U>> {
        self.check_params()?;
        Ok(GroundTruthAccumulator::new(*self))
    }
}

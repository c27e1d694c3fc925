//! Fidelity with its options, its batches and its state.

use std::fmt;

use ndarray::ArrayView2;
use xai_core::{Accumulator, Error, Real, Result};

use crate::fidelity::change_kinds::ChangeKinds;
use crate::fidelity::changes::{Changes, Compared, ThreeOutputs, ThreePredictions};
use crate::fidelity::characterization::Fidelity;
use crate::input;
use crate::outputs::output_rows::{ReturnType, RowSubset};
use crate::outputs::predictions::Predictions;

/// Fidelity of explanations of the *model*: share of the predictions that change.
///
/// ```text
/// fid₊ = 1 − mean_i 1[ŷ_i^{G∖S} = ŷ_i]      fid₋ = 1 − mean_i 1[ŷ_i^{S} = ŷ_i]
/// ```
///
/// - `full`: predictions ŷ on the whole graph
/// - `kept`: predictions on the explanation S alone
/// - `complement`: predictions on the graph without the explanation
///
/// Each is an array of labels or outputs, see [`Predictions`]. [`FidelityMetric`] can compare with true labels, on a
/// subset of the samples, or by probabilities.
///
/// # Errors
/// `ShapeMismatch` if the numbers of samples differ, `Empty` without samples, and the errors of
/// [`Predictions::classes`].
///
/// ```
/// let full = [0, 1, 2, 1];
/// let kept = [0, 1, 2, 0]; // one of four changes
/// let complement = [1, 0, 2, 0]; // three of four change
/// let fidelity = xai_graph::fidelity(&full, &kept, &complement)?;
/// assert_eq!((fidelity.pos, fidelity.neg), (0.75, 0.25));
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Source
/// Amara et al., *GraphFramEx*, arXiv 2206.09677, section 3.2. PyTorch Geometric's `fidelity`
/// computes the same in single precision.
pub fn fidelity<F, K, C>(full: &F, kept: &K, complement: &C) -> Result<Fidelity>
where
    F: Predictions + ?Sized,
    K: Predictions + ?Sized,
    C: Predictions + ?Sized,
{
    FidelityMetric::model().evaluate(full, kept, complement)
}

/// Fidelity with options: reference and subset of the samples.
///
/// ```
/// use xai_graph::FidelityMetric;
/// let target = [0, 1, 1, 0];
/// let (full, kept, complement) = ([0, 1, 1, 1], [0, 1, 0, 0], [1, 1, 0, 1]);
/// let fidelity = FidelityMetric::phenomenon(&target).evaluate(&full, &kept, &complement)?;
/// // right on the full graph: yes, yes, yes, no; on the kept: yes, yes, no, yes
/// assert_eq!((fidelity.pos, fidelity.neg), (0.5, 0.5));
/// let first = FidelityMetric::phenomenon(&target).index(&[0]).evaluate(&full, &kept, &complement)?;
/// assert_eq!((first.pos, first.neg), (1.0, 0.0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct FidelityMetric<'a> {
    compared: Compared<'a>,
}

impl fmt::Debug for FidelityMetric<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FidelityMetric")
            .field(&self.compared)
            .finish()
    }
}

impl<'a> FidelityMetric<'a> {
    /// Creates a metric for explanations of the model: the prediction on the full graph is the reference.
    #[must_use]
    pub fn model() -> Self {
        Self::default()
    }

    /// Creates a metric for explanations of the phenomenon: predictions are compared with the true labels.
    ///
    /// ```text
    /// fid₊ = mean_i |1[ŷ_i = y_i] − 1[ŷ_i^{G∖S} = y_i]|      fid₋ = mean_i |1[ŷ_i = y_i] − 1[ŷ_i^{S} = y_i]|
    /// ```
    ///
    /// `target` contains the true label of every sample. Labels of samples outside of an [`index`](Self::index) are
    /// ignored.
    #[must_use]
    pub fn phenomenon(target: &'a dyn Predictions) -> Self {
        let target = Some(target);
        let rows = RowSubset::default();
        Self {
            compared: Compared { target, rows },
        }
    }

    /// Restricts the comparison to these samples. A repeated index counts repeatedly.
    #[must_use]
    pub fn index(mut self, index: &'a [usize]) -> Self {
        self.compared.rows = RowSubset::new(index);
        self
    }

    /// Evaluates fidelity by predicted classes.
    ///
    /// # Errors
    /// As [`fidelity`]; `OutOfDomain` for an index beyond the samples; `LabelOutOfRange` for a target label without a
    /// column in the outputs.
    pub fn evaluate<F, K, C>(&self, full: &F, kept: &K, complement: &C) -> Result<Fidelity>
    where
        F: Predictions + ?Sized,
        K: Predictions + ?Sized,
        C: Predictions + ?Sized,
    {
        let mut state = FidelityAccumulator::new();
        state.update(self.batch(&full, &kept, &complement))?;
        state.finish()
    }

    /// Evaluates fidelity by the probability of one class instead of the predicted class.
    ///
    /// ```text
    /// fid₊ = mean_i |p_i(y) − p_i^{G∖S}(y)|      fid₋ = mean_i |p_i(y) − p_i^{S}(y)|
    /// ```
    ///
    /// `y` is the true label for explanations of the phenomenon, and the class predicted on the full graph for
    /// explanations of the model. Outputs have the shape `(n_samples, n_classes)`, and `returns` is their kind. The
    /// differences are in [0, 1], like the changes that they soften.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate); `NonFinite` for an output that is not finite; `OutOfDomain` for rows that are
    /// not distributions, see [`ReturnType`].
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::{FidelityMetric, ReturnType};
    /// let full = array![[0.9, 0.1]];
    /// let kept = array![[0.7, 0.3]];
    /// let complement = array![[0.2, 0.8]];
    /// let fidelity = FidelityMetric::model().evaluate_probabilities(
    ///     full.view(), kept.view(), complement.view(), ReturnType::Probs)?;
    /// assert!((fidelity.pos - 0.7).abs() < 1e-15 && (fidelity.neg - 0.2).abs() < 1e-15);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    ///
    /// # Source
    /// Amara et al., *GraphFramEx*, arXiv 2206.09677.
    pub fn evaluate_probabilities<T: Real>(
        &self,
        full: ArrayView2<'_, T>,
        kept: ArrayView2<'_, T>,
        complement: ArrayView2<'_, T>,
        returns: ReturnType,
    ) -> Result<Fidelity> {
        let mut state = FidelityAccumulator::new();
        state.update_probabilities(self.probability_batch(full, kept, complement, returns))?;
        state.finish()
    }

    /// Creates a batch for [`FidelityAccumulator`] from predictions of some samples.
    #[must_use]
    pub fn batch<'b>(
        &self,
        full: &'b dyn Predictions,
        kept: &'b dyn Predictions,
        complement: &'b dyn Predictions,
    ) -> FidelityBatch<'b>
    where
        'a: 'b,
    {
        FidelityBatch {
            compared: self.compared,
            predictions: ThreePredictions {
                full,
                kept,
                complement,
            },
        }
    }

    /// Creates a batch for [`FidelityAccumulator::update_probabilities`] from outputs of some samples.
    #[must_use]
    pub fn probability_batch<'b, T: Real>(
        &self,
        full: ArrayView2<'b, T>,
        kept: ArrayView2<'b, T>,
        complement: ArrayView2<'b, T>,
        returns: ReturnType,
    ) -> ProbabilityBatch<'b, T>
    where
        'a: 'b,
    {
        ProbabilityBatch {
            compared: self.compared,
            outputs: ThreeOutputs {
                full,
                kept,
                complement,
                returns,
            },
        }
    }

    pub(crate) fn compared(&self) -> &Compared<'a> {
        &self.compared
    }
}

/// Predictions of some samples, created by [`FidelityMetric::batch`](crate::FidelityMetric::batch). Target and index
/// refer to the samples of this batch.
#[derive(Clone, Copy)]
pub struct FidelityBatch<'a> {
    pub(crate) compared: Compared<'a>,
    pub(crate) predictions: ThreePredictions<'a>,
}

impl FidelityBatch<'_> {
    /// Counts samples by the graphs on which their predicted class changes.
    pub(crate) fn kinds(&self) -> Result<ChangeKinds> {
        self.predictions.kinds(&self.compared)
    }
}

impl fmt::Debug for FidelityBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FidelityBatch")
            .field("compared", &self.compared)
            .field("n_samples", &self.predictions.full.n_samples())
            .finish_non_exhaustive()
    }
}

/// Outputs of some samples, created by
/// [`FidelityMetric::probability_batch`](crate::FidelityMetric::probability_batch).
#[derive(Debug, Clone, Copy)]
pub struct ProbabilityBatch<'a, T> {
    pub(crate) compared: Compared<'a>,
    pub(crate) outputs: ThreeOutputs<'a, T>,
}

/// Accumulator of [`Fidelity`]. Every sample has the same weight, whatever its batch.
///
/// ```
/// use xai_graph::fidelity::FidelityAccumulator;
/// use xai_graph::{Accumulator, FidelityMetric};
/// let metric = FidelityMetric::model();
/// let mut state = FidelityAccumulator::new();
/// state.update(metric.batch(&[0, 1], &[0, 1], &[1, 1]))?;
/// state.update(metric.batch(&[2, 1], &[2, 0], &[2, 0]))?;
/// let fidelity = state.finish()?;
/// assert_eq!((fidelity.pos, fidelity.neg), (0.5, 0.25));
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct FidelityAccumulator {
    changes: Changes,
}

impl FidelityAccumulator {
    /// Creates an empty state.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds samples by the probability of one class, as
    /// [`FidelityMetric::evaluate_probabilities`](crate::FidelityMetric::evaluate_probabilities).
    ///
    /// # Errors
    /// As there. The state is not changed in that case.
    pub fn update_probabilities<T: Real>(&mut self, batch: ProbabilityBatch<'_, T>) -> Result<()> {
        self.changes.merge(&batch.outputs.changes(&batch.compared)?);
        Ok(())
    }
}

impl Accumulator for FidelityAccumulator {
    type Batch<'a> = FidelityBatch<'a>;
    type Output = Fidelity;

    fn update(&mut self, batch: FidelityBatch<'_>) -> Result<()> {
        self.changes
            .merge(&batch.predictions.changes(&batch.compared)?);
        Ok(())
    }

    fn merge(&mut self, other: Self) -> Result<()> {
        self.changes.merge(&other.changes);
        Ok(())
    }

    fn finish(&self) -> Result<Fidelity> {
        let n_samples = self.changes.n_samples;
        if n_samples == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        let n = n_samples as f64;
        Ok(Fidelity {
            pos: self.changes.pos.value() / n,
            neg: self.changes.neg.value() / n,
            n_samples,
        })
    }
}

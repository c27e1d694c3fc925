//! Fidelity as a state that batches fold into.

use std::fmt;

use xai_core::{Accumulator, Error, Real, Result};

use crate::fidelity::changes::{Changes, ThreeOutputs, ThreePredictions};
use crate::fidelity::compared::Compared;
use crate::fidelity::scores::Fidelity;
use crate::input;

/// Predictions of some samples, made by [`FidelityMetric::batch`](crate::FidelityMetric::batch): a
/// target and an index count the samples of this batch.
#[derive(Clone, Copy)]
pub struct FidelityBatch<'a> {
    pub(crate) compared: Compared<'a>,
    pub(crate) predictions: ThreePredictions<'a>,
}

impl fmt::Debug for FidelityBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FidelityBatch")
            .field("compared", &self.compared)
            .field("n_samples", &self.predictions.full.n_samples())
            .finish_non_exhaustive()
    }
}

/// Outputs of some samples, made by
/// [`FidelityMetric::probability_batch`](crate::FidelityMetric::probability_batch).
#[derive(Debug, Clone, Copy)]
pub struct ProbabilityBatch<'a, T> {
    pub(crate) compared: Compared<'a>,
    pub(crate) outputs: ThreeOutputs<'a, T>,
}

/// [`Fidelity`] as a state: every sample counts the same, whatever batch it came in.
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
    /// A state of no samples.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Folds in samples by the probability of one class, as
    /// [`FidelityMetric::evaluate_probabilities`](crate::FidelityMetric::evaluate_probabilities).
    ///
    /// # Errors
    /// As there; the state is unchanged then.
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

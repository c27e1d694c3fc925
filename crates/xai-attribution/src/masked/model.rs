//! Models queried by kept features, and their adapter to models of inputs.

use ndarray::{Array2, ArrayView2, ArrayViewD, Axis};

use crate::model::{BoxError, Model, RowKind};

/// A model that can be queried for samples with some features removed.
///
/// Implemented by closures `Fn(&[usize], ArrayView2<bool>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64`. A
/// call contains one row per query: the index of a sample, and which of its features are kept. All samples of a call
/// have the same number of features. The result has shape `(rows, n_outputs)`; scores are read from it as for any
/// [`Model`]. Several threads may call it at once.
///
/// Equal queries must have equal outputs. If calls are expensive, wrap the model in a
/// [`CachedModel`](super::CachedModel).
pub trait MaskedModel: Sync {
    /// Outputs for `samples[i]` with the features `kept[i]`.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError>;
}

impl<F, O, E> MaskedModel for F
where
    O: xai_core::Real,
    E: Into<BoxError>,
    F: Fn(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, E> + Sync,
{
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let answer = self(samples, kept).map_err(Into::into)?;
        Ok(answer.mapv_into_any(xai_core::Real::to_f64_exact))
    }
}

/// Adapts a masked model to a model of inputs: 1 for a feature that is kept, 0 for one that is removed.
pub(super) struct PresenceModel<'a> {
    pub(super) model: &'a dyn MaskedModel,
    /// Sample that each row of the inputs stands for.
    pub(super) samples: &'a [usize],
}

impl Model<f64> for PresenceModel<'_> {
    fn outputs(&self, batch: ArrayViewD<'_, f64>) -> Result<Array2<f64>, BoxError> {
        self.outputs_for_samples(batch, &|row| row)
    }

    fn row_kind(&self, _: &[usize]) -> RowKind {
        RowKind::Structured
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, f64>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        if let Some(value) = batch.iter().find(|&&value| value != 0.0 && value != 1.0) {
            let message = format!(
                "a masked model knows features that are kept or removed, and the metric sets one to {value}"
            );
            return Err(message.into());
        }
        let n_rows = batch.len_of(Axis(0));
        let samples: Vec<usize> = (0..n_rows)
            .map(|row| self.samples[sample_of(row)])
            .collect();
        let kept = batch.mapv(|value| value != 0.0).into_dimensionality()?;
        self.model.outputs(&samples, kept.view())
    }
}

//! Models queried by kept features, and their adapter to models of inputs.

use std::sync::Mutex;

use ndarray::{Array2, ArrayView2, ArrayViewD, Axis};
use xai_core::{Real, parallel};

use crate::model::black_box::{lock, run_in_parallel};
use crate::model::{BoxError, Concurrent, Job, Model, RowKind};

/// A model that can be queried for samples with some features removed.
///
/// Implemented by closures `Fn(&[usize], ArrayView2<bool>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64`. A
/// call contains one row per query: the index of a sample, and which of its features are kept. All samples of a call
/// have the same number of features. The result has shape `(rows, n_outputs)`; scores are read from it as for any
/// [`Model`].
///
/// Calls are made one after another, so a model need not be `Sync`. To allow concurrent calls, wrap it in
/// [`Concurrent`]. Closures without annotations are created by [`masked_model_fn`], those that change their state by
/// [`masked_model_fn_mut`].
///
/// Equal queries must have equal outputs. If calls are expensive, wrap the model in a
/// [`CachedModel`](super::CachedModel).
pub trait MaskedModel {
    /// Outputs for `samples[i]` with the features `kept[i]`.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError>;

    /// Runs jobs `0..n_jobs`, each with the model, until one returns `false`, as [`Model::run`].
    #[doc(hidden)]
    fn run(&self, n_jobs: usize, job: &MaskedJob<'_>) {
        let model = Borrowed(self);
        (0..n_jobs).all(|index| job(index, &model));
    }

    /// Number of jobs that can run at the same time.
    #[doc(hidden)]
    fn threads(&self) -> usize {
        1
    }
}

/// Work that calls the model. Receives the number of the job and the model, and returns whether to continue.
pub type MaskedJob<'a> = dyn Fn(usize, &dyn MaskedModel) -> bool + Sync + 'a;

/// Returns a closure as a [`MaskedModel`], with the types of its arguments inferred.
///
/// ```
/// use ndarray::{Axis, array};
/// use xai_attribution::masked::{MaskedModel, masked_model_fn};
/// let n_kept = masked_model_fn(|_samples, kept| {
///     Ok(kept.map(|&kept| f64::from(kept)).sum_axis(Axis(1)).insert_axis(Axis(1)))
/// });
/// assert_eq!(n_kept.outputs(&[0], array![[true, false, true]].view())?, array![[2.0]]);
/// # Ok::<(), xai_attribution::model::BoxError>(())
/// ```
pub fn masked_model_fn<O, F>(model: F) -> F
where
    O: Real,
    F: Fn(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, BoxError>,
{
    model
}

/// Creates a [`MaskedModel`] from a closure that changes its state, such as an inference session whose `run` takes
/// `&mut self`. Its calls are made one after another.
///
/// ```
/// use ndarray::Array2;
/// use xai_attribution::masked::{MaskedBenchmark, masked_model_fn_mut};
/// use xai_attribution::metric::Deletion;
/// let mut n_rows = 0;
/// let model = masked_model_fn_mut(|samples, _kept| {
///     n_rows += samples.len();
///     Ok(Array2::<f64>::ones((samples.len(), 1)))
/// });
/// let maps = [[0.2, 0.1], [0.3, 0.5]];
/// MaskedBenchmark::new(&model, &[2, 2])
///     .maps("maps", &maps)
///     .values(|evaluation, _samples| evaluation.metric(Deletion::new()))?;
/// assert!(n_rows >= 6); // each sample with 2, 1 and 0 features
/// # Ok::<(), xai_attribution::EvaluationError>(())
/// ```
pub fn masked_model_fn_mut<O, F>(model: F) -> MaskedModelMut<F>
where
    O: Real,
    F: FnMut(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, BoxError>,
{
    MaskedModelMut(Mutex::new(model))
}

/// A masked model that is called one call at a time, created by [`masked_model_fn_mut`].
pub struct MaskedModelMut<F>(Mutex<F>);

impl<F> std::fmt::Debug for MaskedModelMut<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("MaskedModelMut").finish_non_exhaustive()
    }
}

impl<O, F> MaskedModel for MaskedModelMut<F>
where
    O: Real,
    F: FnMut(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, BoxError>,
{
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        Ok(lock(&self.0)(samples, kept)?.mapv_into_any(Real::to_f64_exact))
    }
}

impl<F, O, E> MaskedModel for F
where
    O: Real,
    E: Into<BoxError>,
    F: Fn(&[usize], ArrayView2<'_, bool>) -> Result<Array2<O>, E>,
{
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let answer = self(samples, kept).map_err(Into::into)?;
        Ok(answer.mapv_into_any(Real::to_f64_exact))
    }
}

impl<M: MaskedModel + Sync + ?Sized> MaskedModel for Concurrent<'_, M> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(samples, kept)
    }

    fn run(&self, n_jobs: usize, job: &MaskedJob<'_>) {
        run_in_parallel(n_jobs, |index| job(index, &Concurrent(self.0)));
    }

    fn threads(&self) -> usize {
        parallel::threads()
    }
}

/// A model behind a reference, which makes unsized models usable as trait objects.
struct Borrowed<'a, M: ?Sized>(&'a M);

impl<M: MaskedModel + ?Sized> MaskedModel for Borrowed<'_, M> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(samples, kept)
    }

    fn run(&self, n_jobs: usize, job: &MaskedJob<'_>) {
        self.0.run(n_jobs, job);
    }

    fn threads(&self) -> usize {
        self.0.threads()
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

    fn run(&self, n_jobs: usize, job: &Job<'_, f64>) {
        let samples = self.samples;
        self.model.run(n_jobs, &|index, model| {
            job(index, &PresenceModel { model, samples })
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

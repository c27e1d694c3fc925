//! The model under evaluation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::{Array2, ArrayViewD};
use xai_core::{Real, parallel};

use crate::model::batch_size::RowKind;

/// Any error type of a model. It becomes the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A model: maps a batch of inputs to one row of outputs per sample.
///
/// Implemented by closures `Fn(ArrayViewD<T>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64`, and by
/// references and boxes of `dyn Model`. The first axis of the batch is the sample, and the outputs have shape
/// `(batch, n_outputs)`. The batch is always contiguous in row-major order, so `batch.as_slice()` is `Some`.
///
/// Metrics call a model with at most the batch size of rows, one call after another, so it need not be `Sync`. To allow
/// concurrent calls, wrap the model in [`Concurrent`](super::Concurrent).
///
/// | model | constructor |
/// |---|---|
/// | closure without annotations | [`model_fn`](super::model_fn) |
/// | closure that changes its state (`FnMut`) | [`model_fn_mut`](super::model_fn_mut) |
/// | function of slices, for another version of `ndarray` | [`slice_model_fn`](super::slice_model_fn), [`slice_model_fn_mut`](super::slice_model_fn_mut) |
/// | model of `f32` for inputs or maps of `f64` | [`SinglePrecision`](super::SinglePrecision) |
pub trait Model<T: Real> {
    /// Outputs for one batch.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError>;

    /// Outputs for one batch whose row `r` is derived from sample `sample_of(r)` of the data set.
    ///
    /// Override this if the score of a row depends on more of its sample than the weights in the target, for example
    /// on the overlap with a bounding box. By default the samples are ignored.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        _sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.outputs(batch)
    }

    /// Kind of the rows of inputs of this shape, samples first. Decides the [default batch
    /// size](super::rows_per_call). Override this if the model takes token ids or runs on a GPU.
    fn row_kind(&self, shape: &[usize]) -> RowKind {
        RowKind::from_shape(shape)
    }

    /// Runs jobs `0..n_jobs`, each with the model, until one returns `false`. All jobs below the lowest one that
    /// returns `false` are run.
    #[doc(hidden)]
    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let model = BorrowedModel(self);
        for index in 0..n_jobs {
            if !job(index, &model) {
                break;
            }
        }
    }

    /// Number of jobs that can run at the same time.
    #[doc(hidden)]
    fn threads(&self) -> usize {
        1
    }
}

/// Work that calls the model. Receives the number of the job and the model, and returns whether to continue.
pub type Job<'a, T> = dyn Fn(usize, &dyn Model<T>) -> bool + Sync + 'a;

impl<T, F, O, E> Model<T> for F
where
    T: Real,
    O: Real,
    E: Into<BoxError>,
    F: Fn(ArrayViewD<'_, T>) -> Result<Array2<O>, E>,
{
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Ok(self(batch)
            .map_err(Into::into)?
            .mapv_into_any(Real::to_f64_exact))
    }
}

/// Implements [`Model`] for pointers to trait objects. Pointers to other models are not possible, because a pointer to
/// a closure is a closure itself.
macro_rules! pointers_to_models {
    ($($pointer:ty),+) => {$(
        impl<T: Real> Model<T> for $pointer {
            fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
                (**self).outputs(batch)
            }

            fn outputs_for_samples(
                &self,
                batch: ArrayViewD<'_, T>,
                sample_of: &dyn Fn(usize) -> usize,
            ) -> Result<Array2<f64>, BoxError> {
                (**self).outputs_for_samples(batch, sample_of)
            }

            fn row_kind(&self, shape: &[usize]) -> RowKind {
                (**self).row_kind(shape)
            }

            fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
                (**self).run(n_jobs, job);
            }

            fn threads(&self) -> usize {
                (**self).threads()
            }
        }
    )+};
}

pointers_to_models!(
    &(dyn Model<T> + '_),
    &(dyn Model<T> + Sync + '_),
    &(dyn Model<T> + Send + Sync + '_),
    Box<dyn Model<T> + '_>,
    Box<dyn Model<T> + Send + '_>,
    Box<dyn Model<T> + Send + Sync + '_>,
    std::sync::Arc<dyn Model<T> + Send + Sync + '_>
);

/// A model behind a reference, which makes unsized models usable as trait objects.
pub(crate) struct BorrowedModel<'a, M: ?Sized>(pub(crate) &'a M);

impl<T: Real, M: Model<T> + ?Sized> Model<T> for BorrowedModel<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(batch)
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs_for_samples(batch, sample_of)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.0.row_kind(shape)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        self.0.run(n_jobs, job);
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}

/// Placeholder for a missing model, for metrics of maps or explainers alone. Calling it is an error.
pub(crate) struct MissingModel;

impl<T: Real> Model<T> for MissingModel {
    fn outputs(&self, _: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Err("this run has no model, and the metric does not say that it needs one".into())
    }
}

/// A model that several threads may call at the same time. Its batches are processed in parallel.
///
/// Results are the same as without it, provided that the model returns the same outputs for a batch each time:
/// batches do not depend on the number of threads.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::AverageDrop, model::Concurrent};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let x = array![[1.0, 2.0], [3.0, 1.0]].into_dyn();
/// let metric = AverageDrop::new().batch_size(1);
/// assert_eq!(
///     metric.evaluate(&Concurrent(&model), x.view(), &[1, 0], x.view())?,
///     metric.evaluate(&model, x.view(), &[1, 0], x.view())?,
/// );
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Concurrent<'a, M: ?Sized>(pub &'a M);

impl<T: Real, M: Model<T> + Sync + ?Sized> Model<T> for Concurrent<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(batch)
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs_for_samples(batch, sample_of)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.0.row_kind(shape)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        run_in_parallel(n_jobs, |index| job(index, &Concurrent(self.0)));
    }

    fn threads(&self) -> usize {
        parallel::threads()
    }
}

/// Runs jobs `0..n_jobs` in parallel until one returns `false`. All jobs below the lowest one that returns `false` are
/// run.
pub(crate) fn run_in_parallel(n_jobs: usize, job: impl Fn(usize) -> bool + Sync + Send) {
    // A job is skipped only if a lower one has failed, so that the lowest failing job always runs and its error is the
    // one reported.
    let lowest_failed = AtomicUsize::new(usize::MAX);
    parallel::map(n_jobs, |index| {
        if index < lowest_failed.load(Ordering::Relaxed) && !job(index) {
            lowest_failed.fetch_min(index, Ordering::Relaxed);
        }
    });
}

/// Locks a mutex even if it is poisoned, so that a panic of the model on another thread is not masked by a lock
/// error.
pub(crate) fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the value of a mutex even if it is poisoned, like [`lock`].
pub(crate) fn into_inner<V>(mutex: Mutex<V>) -> V {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

//! The model under study.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ndarray::{Array2, ArrayViewD};
use xai_core::{Real, parallel};

/// Any error a model may give; it is kept as the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A model: a batch of inputs in, one row of outputs per sample out.
///
/// Closures `Fn(ArrayViewD<T>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64` are models.
/// The batch has the samples on its first axis; the answer is `(batch, n_outputs)`. The batch
/// always lies in memory in row-major order, so `batch.as_slice()` is `Some`.
///
/// The metrics call a model in batches of at most the batch size they were given, one after
/// another; a model that several threads may call at once says so by
/// [`Concurrent`](super::Concurrent).
pub trait Model<T: Real> {
    /// The outputs for one batch.
    ///
    /// # Errors
    /// The model's own.
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError>;

    /// The outputs for one batch, of which row `r` is made of sample `sample_of(r)` of the data set.
    ///
    /// A model whose score is more than a sum of its outputs by the weights of a target (the overlap with
    /// a box, for instance) finds the target of each row here. By default the samples do not matter.
    ///
    /// # Errors
    /// The model's own.
    fn outputs_of(
        &self,
        batch: ArrayViewD<'_, T>,
        _sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.outputs(batch)
    }

    /// Runs jobs `0..n_jobs`, each with the model, until one returns `false`. Jobs below the lowest
    /// that returns `false` always run.
    #[doc(hidden)]
    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let model = BorrowedModel(self);
        for index in 0..n_jobs {
            if !job(index, &model) {
                break;
            }
        }
    }

    /// How many jobs may run at once.
    #[doc(hidden)]
    fn threads(&self) -> usize {
        1
    }
}

/// Work that needs the model: given the number of the job and the model, says whether to go on.
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

/// A model behind a reference, whatever its size: what a trait object is made of.
pub(crate) struct BorrowedModel<'a, M: ?Sized>(pub(crate) &'a M);

impl<T: Real, M: Model<T> + ?Sized> Model<T> for BorrowedModel<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.0.outputs(batch)
    }

    fn outputs_of(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs_of(batch, sample_of)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        self.0.run(n_jobs, job);
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}

/// No model: metrics of maps alone, and of explainers, need none. Calling it is an error.
pub(crate) struct MissingModel;

impl<T: Real> Model<T> for MissingModel {
    fn outputs(&self, _: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Err("this run has no model, and the metric does not say that it needs one".into())
    }
}

/// A model that several threads may call at once: its batches run in parallel.
///
/// Results do not depend on it, as long as the model answers a batch the same way each time: the
/// batches are the same ones on any number of threads.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Concurrent, Evaluate};
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

    fn outputs_of(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.0.outputs_of(batch, sample_of)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        // The lowest job that fails is never skipped, so the reported error is always the same.
        let lowest_failed = AtomicUsize::new(usize::MAX);
        parallel::map(n_jobs, |index| {
            if index < lowest_failed.load(Ordering::Relaxed) && !job(index, &Concurrent(self.0)) {
                lowest_failed.fetch_min(index, Ordering::Relaxed);
            }
        });
    }

    fn threads(&self) -> usize {
        parallel::threads()
    }
}

/// A panic of the model in another thread must not hide behind a poisoned lock.
pub(crate) fn lock<V>(mutex: &Mutex<V>) -> MutexGuard<'_, V> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a lock holds, as [`lock`] has it.
pub(crate) fn into_inner<V>(mutex: Mutex<V>) -> V {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

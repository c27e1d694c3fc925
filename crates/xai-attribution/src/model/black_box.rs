//! The model under study.

use ndarray::{Array2, ArrayViewD};
use xai_core::Real;

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
        let model = Borrowed(self);
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
pub(crate) struct Borrowed<'a, M: ?Sized>(pub(crate) &'a M);

impl<T: Real, M: Model<T> + ?Sized> Model<T> for Borrowed<'_, M> {
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
pub(crate) struct Absent;

impl<T: Real> Model<T> for Absent {
    fn outputs(&self, _: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        Err("this run has no model, and the metric does not say that it needs one".into())
    }
}

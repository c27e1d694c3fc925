//! The model under study.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use ndarray::{Array2, ArrayViewD};
use xai_core::{Real, parallel};

/// Any error a model may give; it is kept as the source of ours.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// A model: a batch of inputs in, one row of outputs a sample out.
///
/// Closures `Fn(ArrayViewD<T>) -> Result<Array2<O>, E>` with outputs of `f32` or `f64` are models.
/// The batch has the samples on its first axis; the answer is `(batch, n_outputs)`. The batch
/// always lies in memory in row-major order, so `batch.as_slice()` is `Some`.
///
/// The metrics call a model in batches of at most the batch size they were given, one after
/// another; a model that several threads may call at once says so by [`Concurrent`].
pub trait Model<T: Real> {
    /// The outputs for one batch.
    ///
    /// # Errors
    /// The model's own.
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError>;

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

/// Work that needs the model.
pub(crate) type Job<'a, T> = dyn Fn(usize, &dyn Model<T>) -> bool + Sync + 'a;

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

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        self.0.run(n_jobs, job);
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}

/// A model that several threads may call at once: its batches run in parallel.
///
/// Results do not depend on it, as long as the model answers a batch the same way each time: the
/// batches are the same ones on any number of threads.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Concurrent};
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

/// How often a model was called, and with how many samples in all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ModelCalls {
    /// Calls.
    pub calls: u64,
    /// Samples over all calls.
    pub rows: u64,
}

impl std::fmt::Display for ModelCalls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} rows in {} calls", self.rows, self.calls)
    }
}

impl std::ops::AddAssign for ModelCalls {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.rows += other.rows;
    }
}

/// A model that counts how often it is called.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{AverageDrop, Counted, ModelCalls};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let counted = Counted::new(&model);
/// let x = array![[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]].into_dyn();
/// AverageDrop::new().batch_size(2).evaluate(&counted, x.view(), &[1, 0, 0], x.view())?;
/// assert_eq!(counted.calls(), ModelCalls { calls: 4, rows: 6 }); // each sample twice
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug)]
pub struct Counted<'a, M: ?Sized> {
    model: &'a M,
    counter: Counter,
}

impl<'a, M: ?Sized> Counted<'a, M> {
    /// A model that was not called yet.
    #[must_use]
    pub fn new(model: &'a M) -> Self {
        Self {
            model,
            counter: Counter::default(),
        }
    }

    /// The calls so far.
    #[must_use]
    pub fn calls(&self) -> ModelCalls {
        self.counter.calls()
    }
}

impl<T: Real, M: Model<T> + ?Sized> Model<T> for Counted<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.counter.add(batch.shape());
        self.model.outputs(batch)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let counter = &self.counter;
        self.model.run(n_jobs, &|index, model| {
            job(index, &CountedInJob { model, counter })
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

#[derive(Debug, Default)]
struct Counter {
    calls: AtomicU64,
    rows: AtomicU64,
}

impl Counter {
    fn add(&self, shape: &[usize]) {
        let rows = shape.first().copied().unwrap_or_default() as u64;
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows, Ordering::Relaxed);
    }

    fn calls(&self) -> ModelCalls {
        ModelCalls {
            calls: self.calls.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
        }
    }
}

/// What a job of a [`Counted`] model is given.
struct CountedInJob<'a, T> {
    model: &'a dyn Model<T>,
    counter: &'a Counter,
}

impl<T: Real> Model<T> for CountedInJob<'_, T> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.counter.add(batch.shape());
        self.model.outputs(batch)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let counter = self.counter;
        self.model.run(n_jobs, &|index, model| {
            job(index, &CountedInJob { model, counter })
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

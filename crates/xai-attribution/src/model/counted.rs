//! Models that count their calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayViewD};
use xai_core::Real;
use xai_core::evaluation::ModelCalls;

use crate::model::{BoxError, Job, Model, RowKind};

/// Wraps a model and counts its calls and rows.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::model::{Counted, ModelCalls};
/// use xai_attribution::{Evaluate, metric::AverageDrop};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.into_dimensionality().unwrap().to_owned())
/// };
/// let counted = Counted::new(&model);
/// let x = array![[1.0, 2.0], [3.0, 1.0], [1.0, 1.0]].into_dyn();
/// AverageDrop::new().batch_size(2).evaluate(&counted, x.view(), &[1, 0, 0], x.view())?;
/// // Each sample twice (unchanged and masked), and the first one alone to check batch dependence.
/// assert_eq!(counted.calls(), ModelCalls { calls: 5, rows: 7 });
/// # Ok::<(), xai_attribution::Error>(())
/// ```
#[derive(Debug)]
pub struct Counted<'a, M: ?Sized> {
    model: &'a M,
    counter: Arc<Counter>,
}

impl<'a, M: ?Sized> Counted<'a, M> {
    /// Creates a model with counters at 0.
    #[must_use]
    pub fn new(model: &'a M) -> Self {
        let counter = Arc::default();
        Self { model, counter }
    }

    /// Numbers of calls and rows so far.
    #[must_use]
    pub fn calls(&self) -> ModelCalls {
        ModelCalls {
            calls: self.counter.calls.load(Ordering::Relaxed),
            rows: self.counter.rows.load(Ordering::Relaxed),
        }
    }
}

impl<T: Real, M: Model<T> + ?Sized> Model<T> for Counted<'_, M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.counter.add(batch.shape());
        self.model.outputs(batch)
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        self.counter.add(batch.shape());
        self.model.outputs_for_samples(batch, sample_of)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.model.row_kind(shape)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let counter = &self.counter;
        self.model.run(n_jobs, &|index, model| {
            // The model of a job counts into the same counter.
            let counted = Counted {
                model,
                counter: Arc::clone(counter),
            };
            job(index, &counted)
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
}

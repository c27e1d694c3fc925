//! Models that several threads may call at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::{Array2, ArrayViewD};
use xai_core::{Real, parallel};

use crate::model::{BoxError, Job, Model};

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

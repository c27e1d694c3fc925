//! Models whose answer to a row depends on the rest of the batch, as normalisation in training mode makes it.

use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{Array2, ArrayViewD, Axis, Slice};
use xai_core::Real;

use crate::model::{BoxError, Job, Model};

/// The share of the largest output of a call by which an output may differ from that of the row alone. Matrix
/// products in single precision differ by a hundredth of it from one size of batch to another.
const ROUNDING: f64 = 1e-3;

/// A model whose first call of several different rows is followed by one of its first row alone: the outputs
/// have to be the same. Only the first batch of a run is checked, and of jobs within it the first, so that
/// the answer does not depend on the number of threads.
pub(crate) struct GuardedModel<M> {
    model: M,
    is_checked: Arc<AtomicBool>,
}

/// Why a model was refused.
#[derive(Debug)]
pub(crate) struct BatchDependence {
    why: String,
    source: Option<BoxError>,
}

impl fmt::Display for BatchDependence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)
    }
}

impl Error for BatchDependence {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&**self.source.as_ref()?)
    }
}

impl<M> GuardedModel<M> {
    pub(crate) fn new(model: M) -> Self {
        let is_checked = Arc::default();
        Self { model, is_checked }
    }
}

/// Whether some row is not the first one: equal rows are no batch for a normalisation.
fn differ<T: Real>(batch: &ArrayViewD<'_, T>) -> bool {
    let mut rows = batch.outer_iter();
    rows.next()
        .is_some_and(|first| rows.any(|row| row != first))
}

/// Checks that the outputs of the first row are those of the row alone.
fn compare(in_batch: &Array2<f64>, alone: &Array2<f64>) -> Result<(), BatchDependence> {
    let size = in_batch.iter().fold(0.0f64, |size, x| size.max(x.abs()));
    let outputs = in_batch.row(0).into_iter().enumerate();
    for (output, in_batch) in outputs {
        let alone = alone.get((0, output)).copied().unwrap_or(f64::NAN);
        let is_same = (in_batch - alone).abs() <= ROUNDING * size;
        if !is_same {
            let why = format!(
                "output {output} of its first row is {in_batch} in this batch and {alone} alone, as \
                 normalisation or dropout in training mode makes it"
            );
            return Err(BatchDependence { why, source: None });
        }
    }
    Ok(())
}

impl<T: Real, M: Deref<Target: Model<T>>> Model<T> for GuardedModel<M> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.outputs_of(batch, &|row| row)
    }

    fn outputs_of(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        let outputs = self.model.outputs_of(batch.view(), sample_of)?;
        // What is wrong with the answer itself is told by whoever asked.
        let is_sound = outputs.nrows() == batch.shape()[0] && outputs.iter().all(|x| x.is_finite());
        if self.is_checked.load(Ordering::Relaxed) || !is_sound || !differ(&batch) {
            return Ok(outputs);
        }
        self.is_checked.store(true, Ordering::Relaxed);
        let first = batch.slice_axis(Axis(0), Slice::from(..1));
        let alone = self.model.outputs_of(first, sample_of);
        let alone = alone.map_err(|source| BatchDependence {
            why: format!(
                "its first row alone, which shows whether answers depend on the batch: {source}"
            ),
            source: Some(source),
        })?;
        compare(&outputs, &alone)?;
        Ok(outputs)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let is_checked = &self.is_checked;
        self.model.run(n_jobs, &|index, model| {
            let is_checked = Arc::clone(is_checked);
            match index {
                0 => job(index, &GuardedModel { model, is_checked }),
                _ => job(index, model),
            }
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

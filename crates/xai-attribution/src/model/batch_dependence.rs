//! Check that outputs for a row do not depend on the rest of the batch, as they do with normalisation in training
//! mode.

use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ndarray::{Array2, ArrayViewD, Axis, Slice};
use xai_core::Real;

use crate::model::{BoxError, Job, Model, RowKind};

/// Largest allowed difference between an output in a batch and alone, as a share of the largest output of the call.
/// Matrix products in single precision differ by about a hundredth of this between batch sizes.
const ROUNDING: f64 = 1e-3;

/// Wraps a model and checks its first call with several different rows: the first row is passed once more by itself,
/// and the outputs have to be the same up to [`ROUNDING`].
///
/// Only the first batch of a run is checked, and only the first job within it, so that the result does not depend on
/// the number of threads.
pub(crate) struct GuardedModel<M> {
    model: M,
    is_checked: Arc<AtomicBool>,
}

/// Reason why a model failed the check.
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

/// Returns whether the batch contains different rows. Equal rows would not reveal batch normalisation.
fn differ<T: Real>(batch: &ArrayViewD<'_, T>) -> bool {
    let mut rows = batch.outer_iter();
    rows.next()
        .is_some_and(|first| rows.any(|row| row != first))
}

/// Compares the outputs of the first row of a batch with those of the row alone.
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
        self.outputs_for_samples(batch, &|row| row)
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        let outputs = self.model.outputs_for_samples(batch.view(), sample_of)?;
        // Invalid outputs are reported by the caller, with the sample; the check would only hide that error.
        let is_sound = outputs.nrows() == batch.shape()[0] && outputs.iter().all(|x| x.is_finite());
        if self.is_checked.load(Ordering::Relaxed) || !is_sound || !differ(&batch) {
            return Ok(outputs);
        }
        self.is_checked.store(true, Ordering::Relaxed);
        let first = batch.slice_axis(Axis(0), Slice::from(..1));
        let alone = self
            .model
            .outputs_for_samples(first, sample_of)
            .map_err(|source| BatchDependence {
                why: "its first row alone, which shows whether answers depend on the batch"
                    .to_owned(),
                source: Some(source),
            })?;
        compare(&outputs, &alone)?;
        Ok(outputs)
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.model.row_kind(shape)
    }

    fn run(&self, n_jobs: usize, job: &Job<'_, T>) {
        let shared = &self.is_checked;
        self.model.run(n_jobs, &|index, model| {
            // Only job 0, whichever thread runs it, so that the checked row is always the same.
            if index == 0 {
                let is_checked = Arc::clone(shared);
                job(index, &GuardedModel { model, is_checked })
            } else {
                job(index, model)
            }
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

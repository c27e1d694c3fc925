//! How some positions of an input are removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use xai_core::tensor::Positions;
use xai_core::{Real, Result};

use crate::batch::{RunData, SampleBatch};
use crate::perturbation::absence::baseline::nothing_left;
use crate::perturbation::absence::linear_imputation::Image;
use crate::perturbation::features::Plane;
use crate::perturbation::{Baseline, BaselineInputs, BaselineRows};

/// Removes positions from inputs of a batch, on any thread: they become the baseline of the sample, or what is left around
/// them.
pub(crate) struct Remover<T> {
    places: Positions,
    how: How<T>,
    first_sample: usize,
    /// The first sample of which nothing was left to impute from.
    emptied: AtomicUsize,
}

enum How<T> {
    Copy(Arc<BaselineRows<T>>),
    Impute(Image),
}

/// The images of a run, for their imputation.
pub(crate) fn image<T: Real>(run: &RunData<'_, T>) -> Image {
    let plane = Plane::new(run.shape(), run.layout());
    Image {
        rows: plane.rows,
        columns: plane.columns,
        places: run.positions(),
    }
}

impl<T: Real> Remover<T> {
    pub(crate) fn new(batch: &SampleBatch<'_, T>, baseline: &Baseline) -> Result<Self> {
        Ok(Self {
            places: batch.run().positions(),
            how: match baseline {
                Baseline::LinearImputation => How::Impute(image(batch.run())),
                _ => How::Copy(batch.shared(&BaselineInputs(baseline.clone()))?),
            },
            first_sample: batch.samples().start,
            emptied: AtomicUsize::new(usize::MAX),
        })
    }

    /// Removes positions of a sample from its values, of which all others are those of the input.
    pub(crate) fn remove(
        &self,
        sample: usize,
        values: &mut [T],
        positions: impl Iterator<Item = u32>,
    ) {
        match &self.how {
            How::Copy(blank) => {
                self.places.copy_all(values, blank.row(sample), positions);
            }
            How::Impute(image) => {
                let missing: Vec<u32> = positions.collect();
                if missing.len() == self.places.positions {
                    self.emptied.fetch_min(sample, Ordering::Relaxed);
                    return;
                }
                image.impute(values, &[missing]);
            }
        }
    }

    /// Whether something was left of all inputs.
    ///
    /// # Errors
    /// An invalid parameter about the baseline, where it could not be had.
    pub(crate) fn check(&self) -> Result<()> {
        match self.emptied.load(Ordering::Relaxed) {
            usize::MAX => Ok(()),
            sample => {
                let owner = format!("sample {}", self.first_sample + sample);
                Err(nothing_left().owner(owner))
            }
        }
    }
}

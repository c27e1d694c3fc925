//! How some positions of an input are removed.

use std::rc::Rc;
use std::sync::atomic::{AtomicUsize, Ordering};

use xai_core::tensor::Positions;
use xai_core::{Real, Result};

use crate::batch::{RunData, SampleBatch};
use crate::perturbation::absence::baseline::nothing_left;
use crate::perturbation::absence::linear_imputation::Image;
use crate::perturbation::features::Plane;
use crate::perturbation::{Baseline, BlankInputs, Blanks};

/// What removed positions of a batch are set to, held on one thread: the baseline of every sample, or what
/// is left around them.
pub(crate) struct Absence<T>(Option<Rc<Blanks<T>>>);

/// Removes positions from inputs of a batch, on any thread.
pub(crate) struct Remover<'a, T> {
    places: Positions,
    how: How<'a, T>,
    first_sample: usize,
    /// The first sample of which nothing was left to impute from.
    emptied: AtomicUsize,
}

enum How<'a, T> {
    Copy(&'a Blanks<T>),
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

impl<T: Real> Absence<T> {
    /// Of a baseline.
    pub(crate) fn new(batch: &SampleBatch<'_, T>, baseline: &Baseline) -> Result<Self> {
        Ok(Self(match baseline {
            Baseline::LinearImputation => None,
            _ => Some(batch.shared(&BlankInputs(baseline.clone()))?),
        }))
    }

    /// What removes.
    pub(crate) fn remover(&self, batch: &SampleBatch<'_, T>) -> Remover<'_, T> {
        Remover {
            places: batch.run().positions(),
            how: match &self.0 {
                Some(blank) => How::Copy(blank),
                None => How::Impute(image(batch.run())),
            },
            first_sample: batch.samples().start,
            emptied: AtomicUsize::new(usize::MAX),
        }
    }
}

impl<T: Real> Remover<'_, T> {
    /// Removes positions of a sample from its values, of which all others are those of the input.
    pub(crate) fn remove(
        &self,
        sample: usize,
        values: &mut [T],
        positions: impl Iterator<Item = u32>,
    ) {
        match self.how {
            How::Copy(blank) => {
                self.places.copy_all(values, blank.of(sample), positions);
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

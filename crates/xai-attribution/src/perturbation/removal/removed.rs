//! Removal of positions from an input.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use xai_core::tensor::Positions;
use xai_core::{Real, Result};

use crate::batch::{Dataset, SampleBatch};
use crate::perturbation::absence::baseline::nothing_left;
use crate::perturbation::absence::linear_imputation::Image;
use crate::perturbation::features::Plane;
use crate::perturbation::{Baseline, BaselineInputs, BaselineRows};

/// Removes positions from inputs of a batch, by setting them to the baseline of the sample or by imputing them from
/// the remaining ones. Can be used from any thread.
pub(crate) struct Remover<T> {
    element_layout: Positions,
    replacement: Replacement<T>,
    first_sample: usize,
    /// Lowest index in the batch of a sample whose positions were all to be removed, which leaves nothing to impute
    /// from. `usize::MAX` if there is none.
    emptied: AtomicUsize,
}

enum Replacement<T> {
    Copy(Arc<BaselineRows<T>>),
    Impute(Image),
}

/// Image geometry of a run, for imputation.
pub(crate) fn image<T: Real>(dataset: &Dataset<'_, T>) -> Image {
    let plane = Plane::new(dataset.shape(), dataset.layout());
    Image {
        rows: plane.rows,
        columns: plane.columns,
        layout: dataset.positions(),
    }
}

impl<T: Real> Remover<T> {
    pub(crate) fn new(batch: &SampleBatch<'_, T>, baseline: &Baseline) -> Result<Self> {
        Ok(Self {
            element_layout: batch.dataset().positions(),
            replacement: match baseline {
                Baseline::LinearImputation => Replacement::Impute(image(batch.dataset())),
                _ => Replacement::Copy(batch.shared(&BaselineInputs(baseline.clone()))?),
            },
            first_sample: batch.samples().start,
            emptied: AtomicUsize::new(usize::MAX),
        })
    }

    /// Removes positions of a sample from `values`, whose other positions must be those of the input.
    pub(crate) fn remove(
        &self,
        sample: usize,
        values: &mut [T],
        positions: impl Iterator<Item = u32>,
    ) {
        match &self.replacement {
            Replacement::Copy(baseline) => {
                self.element_layout
                    .copy_all(values, baseline.row(sample), positions);
            }
            Replacement::Impute(image) => {
                let missing: Vec<u32> = positions.collect();
                if missing.len() == self.element_layout.positions {
                    // The callers have no way to fail here, on any thread; `check` reports it.
                    self.emptied.fetch_min(sample, Ordering::Relaxed);
                    return;
                }
                image.impute(values, &[missing]);
            }
        }
    }

    /// Checks that no call of [`remove`](Self::remove) left an image without positions to impute from.
    ///
    /// # Errors
    /// An invalid parameter about the baseline, naming the first such sample.
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

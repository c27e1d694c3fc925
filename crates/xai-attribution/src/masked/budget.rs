//! How many questions a model may be asked.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView2};

use super::MaskedModel;
use crate::model::BoxError;

/// A number of questions, of which some were asked.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) most: u64,
    asked: AtomicU64,
}

impl Budget {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            asked: AtomicU64::new(0),
        }
    }

    /// The questions that were asked.
    pub(super) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Counts some questions before they are asked.
    ///
    /// # Errors
    /// If they are more than there are left; they are not counted then.
    pub(super) fn take(&self, n: u64) -> Result<(), BoxError> {
        let left = |asked: u64| Some(asked + n).filter(|&asked| asked <= self.most);
        let taken = self
            .asked
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        taken.map(drop).map_err(|asked| {
            let most = self.most;
            format!("{asked} rows were asked, and {n} more would be above the limit of {most}")
                .into()
        })
    }
}

/// A model that is asked no more questions than a budget has.
pub(super) struct Limited<'a> {
    pub(super) model: &'a dyn MaskedModel,
    pub(super) budget: Budget,
}

impl MaskedModel for Limited<'_> {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        self.budget.take(samples.len() as u64)?;
        self.model.outputs(samples, kept)
    }
}

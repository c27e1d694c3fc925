//! Limit on the number of queries to a model.

use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{Array2, ArrayView2};

use super::{MaskedJob, MaskedModel};
use crate::model::BoxError;

/// Counter of queries with an upper limit.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) most: u64,
    used: AtomicU64,
}

impl Budget {
    pub(super) fn new(most: u64) -> Self {
        Self {
            most,
            used: AtomicU64::new(0),
        }
    }

    /// Number of queries so far.
    pub(super) fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Counts `n` queries before they are made.
    ///
    /// # Errors
    /// If fewer than `n` queries are left. They are not counted in that case.
    pub(super) fn take(&self, n: u64) -> Result<(), BoxError> {
        // One atomic update, so that concurrent calls cannot exceed the limit together.
        let within_limit = |used: u64| Some(used + n).filter(|&used| used <= self.most);
        let taken = self
            .used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, within_limit);
        taken.map(drop).map_err(|used| {
            let most = self.most;
            format!("{used} rows were asked, and {n} more would be above the limit of {most}")
                .into()
        })
    }
}

/// A model that refuses queries beyond a budget.
pub(super) struct Limited<'a> {
    pub(super) model: &'a dyn MaskedModel,
    pub(super) budget: &'a Budget,
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

    fn run(&self, n_jobs: usize, job: &MaskedJob<'_>) {
        let budget = self.budget;
        self.model.run(n_jobs, &|index, model| {
            job(index, &Limited { model, budget })
        });
    }

    fn threads(&self) -> usize {
        self.model.threads()
    }
}

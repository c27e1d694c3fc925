//! All samples of a run with one explainer's maps: what metrics that relate samples see.

use std::ops::Range;

use ndarray::{CowArray, IxDyn};
use xai_core::{Real, Result};

use crate::batch::RunData;
use crate::batch::run_data::missing;
use crate::input;
use crate::map::pool::attributions_by_position;
use crate::model::Samples;
use crate::model::samples::checked_batch;

/// All samples of a run with one explainer's maps, which are read again in blocks.
pub struct AllSamples<'a, T> {
    run: &'a RunData<'a, T>,
    maps: Option<&'a dyn Samples<T>>,
}

impl<'a, T: Real> AllSamples<'a, T> {
    pub(crate) fn new(run: &'a RunData<'a, T>, maps: Option<&'a dyn Samples<T>>) -> Self {
        Self { run, maps }
    }

    /// What all batches shared.
    #[must_use]
    pub fn run(&self) -> &'a RunData<'a, T> {
        self.run
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.run.n_samples()
    }

    /// The maps of some samples, in row-major order.
    ///
    /// # Errors
    /// Those of the reader; empty where maps were not kept, see
    /// [`WholeMetric::reads_maps`](crate::metric::WholeMetric::reads_maps).
    pub fn maps(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>> {
        let maps = self.maps.ok_or_else(|| missing(input::EXPLANATIONS))?;
        checked_batch(input::EXPLANATIONS, maps, samples)
    }

    /// The attribution of every position of some samples, channels averaged, signs kept.
    ///
    /// # Errors
    /// As [`maps`](Self::maps); out of domain where the channels add up to infinity.
    pub fn attributions(&self, samples: Range<usize>) -> Result<Vec<T>> {
        let maps = self.maps(samples.clone())?;
        let shape = [&[samples.len()], &self.run.shape()[1..]].concat();
        attributions_by_position(maps.view(), &shape, self.run.layout())
            .map_err(|error| error.shifted(0, samples.start))
    }
}

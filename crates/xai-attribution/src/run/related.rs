//! The second stage of a run: metrics of all samples together, once every batch is visited.

use std::sync::Mutex;

use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, Slice};
use xai_core::{Error, Real, Result};

use crate::batch::{AllSamples, ExplainedBatch, RunData};
use crate::input;
use crate::metric::{Notes, Whole};
use crate::model::Samples;
use crate::model::black_box::{into_inner, lock};

/// What was taken down of every batch, by its first sample.
type OfBatches = Vec<(usize, Notes)>;

/// What the second stage needs, as batches hand it over.
pub(crate) struct Gathered<T> {
    /// `[explainer][metric]`.
    notes: Mutex<Vec<Vec<OfBatches>>>,
    /// The maps of explainers that have none stored, where some metric reads them again.
    maps: Mutex<Vec<Option<ArrayD<T>>>>,
}

impl<T: Real> Gathered<T> {
    pub(crate) fn new(n_explainers: usize, n_metrics: usize) -> Self {
        let of_explainer = |_| (0..n_metrics).map(|_| Vec::new()).collect();
        Self {
            notes: Mutex::new((0..n_explainers).map(of_explainer).collect()),
            maps: Mutex::new((0..n_explainers).map(|_| None).collect()),
        }
    }

    /// Keeps what a metric took down of a batch.
    pub(crate) fn keep(&self, (e, m): (usize, usize), first: usize, notes: Notes) {
        lock(&self.notes)[e][m].push((first, notes));
    }

    /// Holds the maps of a batch.
    pub(crate) fn hold(&self, e: usize, explained: &ExplainedBatch<'_, T>) -> Result<()> {
        let (run, samples) = (explained.batch().run(), explained.batch().samples());
        let maps: ArrayViewD<'_, T> = explained.maps()?;
        let shape = [&[run.n_samples()], &maps.shape()[1..]].concat();
        let mut held = lock(&self.maps);
        let held = held[e].get_or_insert_with(|| ArrayD::zeros(IxDyn(&shape)));
        if held.shape() != shape {
            let error = Error::shape(input::EXPLANATIONS, held.shape(), &shape);
            return Err(error.owner(run.call(&samples)));
        }
        held.slice_axis_mut(Axis(0), Slice::from(samples))
            .assign(&maps);
        Ok(())
    }

    /// What is there for the second stage: `[explainer][metric]`, and the maps that were held.
    pub(crate) fn into_parts(self) -> (Vec<Vec<OfBatches>>, Vec<Option<ArrayD<T>>>) {
        (into_inner(self.notes), into_inner(self.maps))
    }
}

/// The values of one metric of one explainer, which are finite.
pub(crate) fn relate<T: Real>(
    whole: &dyn Whole<T>,
    run: &RunData<'_, T>,
    maps: Option<&dyn Samples<T>>,
    mut notes: OfBatches,
) -> Result<Vec<Option<f64>>> {
    notes.sort_by_key(|(first, _)| *first);
    let notes = notes.into_iter().map(|(_, notes)| notes).collect();
    let values = whole.values(&AllSamples::new(run, maps), notes)?;
    check_finite_values(&values, 0)?;
    Ok(values)
}

/// Values of samples from `first` on are numbers, where there are any.
pub(crate) fn check_finite_values(values: &[Option<f64>], first: usize) -> Result<()> {
    let infinite = |value: &Option<f64>| value.is_some_and(|x| !x.is_finite());
    match values.iter().position(infinite) {
        None => Ok(()),
        Some(i) => Err(Error::non_finite(input::VALUES, &[first + i])),
    }
}

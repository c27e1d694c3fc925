//! A batch of samples with the maps of one explainer: what a metric reads.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD, CowArray, IxDyn};
use xai_core::tensor::{MaskScaling, mask_inputs, position_magnitudes};
use xai_core::{Real, Result};

use crate::batch::data::ExplainerData;
use crate::batch::run_data::{Cache, missing};
use crate::batch::samples::Record;
use crate::batch::{Dataset, SampleBatch};
use crate::input;
use crate::map::positions::attributions_by_position;
use crate::model::explainer::explain_rows;
use crate::model::samples::checked_batch;
use crate::model::{Explainer, Samples, Targets};

/// Work on a batch that depends on the maps or the explainer, for example the order of the positions, the scores
/// along a curve, or the maps of neighbours.
///
/// It is computed once per batch and explainer, for all metrics. Two equal values are the same work.
///
/// ```
/// use xai_attribution::batch::{ExplainedBatch, MapWork};
/// use xai_attribution::{Real, Result};
/// /// The largest attribution of every sample.
/// #[derive(Clone, PartialEq)]
/// struct Largest;
/// impl<T: Real> MapWork<T> for Largest {
///     type Output = Vec<T>;
///     fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<T>> {
///         let attributions = explained.attributions()?;
///         let per_sample = attributions.chunks_exact(explained.batch().dataset().n_positions());
///         Ok(per_sample.map(|a| a.iter().copied().fold(T::NEG_INFINITY, T::max)).collect())
///     }
/// }
/// ```
pub trait MapWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// Result of the work.
    type Output: Send + Sync + 'static;

    /// Computes the result.
    ///
    /// # Errors
    /// Errors of the work itself, of the model and of the explainer.
    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output>;
}

/// A batch of samples with the maps of one explainer.
pub struct ExplainedBatch<'a, T> {
    batch: &'a SampleBatch<'a, T>,
    explainer: Option<&'a dyn Explainer<T>>,
    maps: OnceCell<CowArray<'a, T, IxDyn>>,
    attributions: OnceCell<Vec<T>>,
    magnitudes: OnceCell<Vec<f64>>,
    masked: OnceCell<Arc<[Option<f64>]>>,
    cache: Cache,
    records: RefCell<Vec<Record>>,
}

impl<T: Real> std::fmt::Debug for ExplainedBatch<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExplainedBatch")
            .field("batch", self.batch)
            .finish_non_exhaustive()
    }
}

/// Name under which scores of masked inputs are recorded.
pub(crate) const MASKED: &str = "masked";

impl<'a, T: Real> ExplainedBatch<'a, T> {
    /// Reads the stored maps of the batch, if the explainer has any.
    pub(crate) fn new(
        batch: &'a SampleBatch<'a, T>,
        explained: &'a ExplainerData<'a, T>,
    ) -> Result<Self> {
        let maps = OnceCell::new();
        if let Some(given) = &explained.maps {
            let given = checked_batch(input::EXPLANATIONS, &**given, batch.samples())?;
            maps.get_or_init(|| batch.dataset().towards_targets(given, batch.samples()));
        }
        Ok(Self {
            batch,
            explainer: explained.explainer.as_deref(),
            maps,
            attributions: OnceCell::new(),
            magnitudes: OnceCell::new(),
            masked: OnceCell::new(),
            cache: Cache::default(),
            records: RefCell::default(),
        })
    }

    /// The samples without their maps.
    #[must_use]
    pub fn batch(&self) -> &'a SampleBatch<'a, T> {
        self.batch
    }

    /// Maps, samples first, in row-major order. If no maps were given, the explainer is called, once per batch.
    ///
    /// # Errors
    /// Errors of the explainer; an empty-input error if the run has neither maps nor an explainer.
    pub fn maps(&self) -> Result<ArrayViewD<'_, T>> {
        if let Some(maps) = self.maps.get() {
            return Ok(maps.view());
        }
        // Set afterwards, here and below, because the computation can fail and `OnceCell::get_or_try_init` is unstable.
        let call = self.batch.dataset().call(&self.batch.samples());
        let maps = self.explain(self.batch.inputs(), &self.batch.targets(), |row| row, &call)?;
        Ok(self.maps.get_or_init(|| maps.into()).view())
    }

    /// Maps that the explainer computes for arbitrary inputs and targets (for example neighbours of the samples, or
    /// other classes), one per row, in row-major order. Row `r` is derived from sample `sample_of(r)` of the batch.
    /// Errors name that sample, and describe the rows by `call`.
    ///
    /// # Errors
    /// Errors of the explainer; an empty-input error if the run has no explainer. A metric that lists
    /// [`EXPLAINER`](crate::input::EXPLAINER) among its needs gets this error before anything is computed.
    pub fn explain(
        &self,
        rows: ArrayViewD<'_, T>,
        targets: &Targets,
        sample_of: impl Fn(usize) -> usize,
        call: &str,
    ) -> Result<ArrayD<T>> {
        let explainer = self.explainer.ok_or_else(|| missing(input::EXPLAINER))?;
        let start = self.batch.samples().start;
        explain_rows(explainer, rows, targets, |row| start + sample_of(row), call)
    }

    /// Returns the result of some work on these maps, computed once for all metrics.
    ///
    /// # Errors
    /// Errors of the work.
    pub fn shared<W: MapWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// Score `g(f, x_i ⊙ M_i, y_i)` of every sample masked by its map. `None` for a map whose positions all have the
    /// same magnitude (mean over channels), because it has no mask. The model is called once for all metrics.
    ///
    /// # Errors
    /// As [`maps`](Self::maps); errors of the model.
    pub fn masked_scores(&self) -> Result<&[Option<f64>]> {
        if let Some(masked) = self.masked.get() {
            return Ok(masked);
        }
        let (inputs, layout) = (self.batch.inputs(), self.batch.layout());
        let masked = mask_inputs(inputs, self.maps()?, layout, MaskScaling::Relative)?;
        let scores: Arc<[Option<f64>]> = self
            .batch
            .score(masked.inputs.view())?
            .into_iter()
            .zip(masked.has_mask)
            .map(|(score, has_mask)| has_mask.then_some(score))
            .collect();
        self.record(MASKED, Arc::clone(&scores));
        Ok(self.masked.get_or_init(|| scores))
    }

    /// Attribution of every position, `n_positions` values per sample: the signed mean over channels.
    ///
    /// # Errors
    /// As [`maps`](Self::maps); out of domain if the sum over the channels is infinite.
    pub fn attributions(&self) -> Result<&[T]> {
        if let Some(attributions) = self.attributions.get() {
            return Ok(attributions);
        }
        let (shape, layout) = (self.batch.shape(), self.batch.layout());
        let attributions = attributions_by_position(self.maps()?, &shape, layout)?;
        Ok(self.attributions.get_or_init(|| attributions))
    }

    /// Absolute attribution of every value of a map, averaged over channels in double precision. A time series with
    /// one value per time step has one magnitude per step; all other maps have one per position.
    ///
    /// # Errors
    /// As [`attributions`](Self::attributions).
    pub fn magnitudes(&self) -> Result<&[f64]> {
        if let Some(magnitudes) = self.magnitudes.get() {
            return Ok(magnitudes);
        }
        let (shape, layout) = (self.batch.shape(), self.batch.layout());
        let magnitudes = position_magnitudes(self.maps()?, &shape, layout)?;
        Ok(self.magnitudes.get_or_init(|| magnitudes))
    }

    /// Records scores of this explainer under a name, to report them if the run stops with an error.
    pub(crate) fn record(&self, name: &'static str, scores: Arc<[Option<f64>]>) {
        self.records.borrow_mut().push((name, scores));
    }

    /// Scores recorded so far.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

/// All samples of a run with the maps of one explainer, which are read again in blocks.
pub struct AllSamples<'a, T> {
    dataset: &'a Dataset<'a, T>,
    maps: Option<&'a dyn Samples<T>>,
    /// True if the maps were given by the caller rather than computed by an explainer.
    are_given: bool,
    on_pairs: Option<&'a PairCallback<'a>>,
}

/// Progress callback: number of compared pairs of samples, and their total number.
pub(crate) type PairCallback<'a> = dyn Fn(u64, u64) + Sync + 'a;

impl<T: Real> std::fmt::Debug for AllSamples<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AllSamples")
            .field("run", self.dataset)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real> AllSamples<'a, T> {
    /// All samples with maps given by the caller.
    pub(crate) fn with_given_maps(dataset: &'a Dataset<'a, T>, maps: &'a dyn Samples<T>) -> Self {
        Self {
            dataset,
            maps: Some(maps),
            are_given: true,
            on_pairs: None,
        }
    }

    /// All samples with maps computed by the explainer, if some metric needed them to be kept.
    pub(crate) fn with_computed_maps(
        dataset: &'a Dataset<'a, T>,
        maps: Option<&'a dyn Samples<T>>,
    ) -> Self {
        Self {
            dataset,
            maps,
            are_given: false,
            on_pairs: None,
        }
    }

    /// Sets the callback of [`report_pairs`](Self::report_pairs).
    pub(crate) fn on_pairs(mut self, callback: &'a PairCallback<'a>) -> Self {
        self.on_pairs = Some(callback);
        self
    }

    /// Reports the number of compared pairs of samples to [`Benchmark::on_pairs`](crate::Benchmark::on_pairs), for
    /// metrics that compare all pairs.
    pub fn report_pairs(&self, done: u64, total: u64) {
        if let Some(callback) = self.on_pairs {
            callback(done, total);
        }
    }

    /// Data that all batches share.
    #[must_use]
    pub fn dataset(&self) -> &'a Dataset<'a, T> {
        self.dataset
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.dataset.n_samples()
    }

    /// Maps of some samples, in row-major order.
    ///
    /// # Errors
    /// Errors of the reader; an empty-input error if the maps were not kept, see
    /// [`DatasetMetric::reads_maps`](crate::metric::DatasetMetric::reads_maps).
    pub fn maps(&self, samples: Range<usize>) -> Result<CowArray<'_, T, IxDyn>> {
        let maps = self.maps.ok_or_else(|| missing(input::EXPLANATIONS))?;
        // Maps computed by an explainer were computed for the target already; given ones may be about the other
        // class.
        let batch = checked_batch(input::EXPLANATIONS, maps, samples.clone())?;
        Ok(if self.are_given {
            self.dataset.towards_targets(batch, samples)
        } else {
            batch
        })
    }

    /// Attribution of every position of some samples: the signed mean over channels.
    ///
    /// # Errors
    /// As [`maps`](Self::maps); out of domain if the sum over the channels is infinite.
    pub fn attributions(&self, samples: Range<usize>) -> Result<Vec<T>> {
        let maps = self.maps(samples.clone())?;
        let shape = [&[samples.len()], &self.dataset.shape()[1..]].concat();
        attributions_by_position(maps.view(), &shape, self.dataset.layout())
            .map_err(|error| error.shifted(0, samples.start))
    }
}

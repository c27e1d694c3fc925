//! One batch of samples with one explainer's maps: what a metric sees.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD, CowArray, IxDyn};
use xai_core::tensor::{MaskScaling, mask_inputs, position_magnitudes};
use xai_core::{Real, Result};

use crate::batch::data::Explained;
use crate::batch::run_data::{Cache, missing};
use crate::batch::samples::Record;
use crate::batch::{RunData, SampleBatch};
use crate::input;
use crate::map::positions::attributions_by_position;
use crate::model::explainer::explain_rows;
use crate::model::samples::checked_batch;
use crate::model::{Explainer, Samples, Targets};

/// Work on a batch that depends on the maps or on the explainer: the order of the positions, the
/// scores along a curve, the maps of neighbours.
///
/// It is done once per batch and explainer, for all metrics: two values that are equal are the
/// same work.
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
///         let per_sample = attributions.chunks_exact(explained.batch().run().n_positions());
///         Ok(per_sample.map(|a| a.iter().copied().fold(T::neg_infinity(), T::max)).collect())
///     }
/// }
/// ```
pub trait MapWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// What comes of it.
    type Output: Send + Sync + 'static;

    /// Does the work.
    ///
    /// # Errors
    /// Its own, and those of model and explainer.
    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Self::Output>;
}

/// A batch of samples with one explainer's maps.
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

/// The name under which scores of masked inputs are kept.
pub(crate) const MASKED: &str = "masked";

impl<'a, T: Real> ExplainedBatch<'a, T> {
    /// Reads the maps of the batch, where there are maps to read.
    pub(crate) fn new(
        batch: &'a SampleBatch<'a, T>,
        explained: &'a Explained<'a, T>,
    ) -> Result<Self> {
        let maps = OnceCell::new();
        if let Some(given) = &explained.maps {
            let given = checked_batch(input::EXPLANATIONS, &**given, batch.samples())?;
            maps.get_or_init(|| batch.run().towards_targets(given, batch.samples()));
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

    /// The maps, samples first, in row-major order. Where none were given the explainer is asked,
    /// once.
    ///
    /// # Errors
    /// Those of the explainer.
    pub fn maps(&self) -> Result<ArrayViewD<'_, T>> {
        if let Some(maps) = self.maps.get() {
            return Ok(maps.view());
        }
        let call = self.batch.run().call(&self.batch.samples());
        let maps = self.explain(self.batch.inputs(), &self.batch.targets(), |row| row, &call)?;
        Ok(self.maps.get_or_init(|| maps.into()).view())
    }

    /// The explainer's maps of any inputs with any targets, one per row, in row-major order: of
    /// neighbours of the samples, or towards other classes. Row `r` is made of sample `sample_of(r)` of
    /// the batch, which errors name; `call` describes the rows there.
    ///
    /// # Errors
    /// Those of the explainer; empty where the run has none: list
    /// [`EXPLAINER`](crate::input::EXPLAINER) among the needs of a metric, and that is told before
    /// anything is computed.
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

    /// Some work on these maps, done once for all metrics.
    ///
    /// # Errors
    /// Those of the work.
    pub fn shared<W: MapWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// `g(f, x_i ⊙ M_i, y_i)` of every sample: the model's score of what the map keeps. `None` for a constant map, which
    /// has no mask. The model is asked once for all metrics.
    ///
    /// # Errors
    /// Those of the model.
    pub fn masked_scores(&self) -> Result<&[Option<f64>]> {
        if let Some(masked) = self.masked.get() {
            return Ok(masked);
        }
        let (inputs, layout) = (self.batch.inputs(), self.batch.layout());
        let masked = mask_inputs(inputs, self.maps()?, layout, MaskScaling::Relative)?;
        let scores = self.batch.score(masked.inputs.view())?.into_iter();
        let scores = scores.zip(masked.has_mask);
        let scores: Arc<[Option<f64>]> = scores
            .map(|(score, has_mask)| has_mask.then_some(score))
            .collect();
        self.record(MASKED, Arc::clone(&scores));
        Ok(self.masked.get_or_init(|| scores))
    }

    /// The attribution of every position, channels averaged, signs kept: `n_positions` values per
    /// sample.
    ///
    /// # Errors
    /// Out of domain where the channels add up to infinity.
    pub fn attributions(&self) -> Result<&[T]> {
        if let Some(attributions) = self.attributions.get() {
            return Ok(attributions);
        }
        let (shape, layout) = (self.batch.shape(), self.batch.layout());
        let attributions = attributions_by_position(self.maps()?, &shape, layout)?;
        Ok(self.attributions.get_or_init(|| attributions))
    }

    /// The size of the attribution of every value of a map, channels averaged in double precision. Where a time series
    /// has one value per time step there are as many values, else one per position.
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

    /// Keeps scores of this explainer under a name, should the run stop.
    pub(crate) fn record(&self, name: &'static str, scores: Arc<[Option<f64>]>) {
        self.records.borrow_mut().push((name, scores));
    }

    /// What was recorded.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

/// All samples of a run with one explainer's maps, which are read again in blocks.
pub struct AllSamples<'a, T> {
    run: &'a RunData<'a, T>,
    maps: Option<&'a dyn Samples<T>>,
    /// Whether the maps were given, and not answered by an explainer.
    are_given: bool,
    watch: Option<&'a PairWatch<'a>>,
}

/// A function that is told how many pairs of samples are done, and of how many.
pub(crate) type PairWatch<'a> = dyn Fn(u64, u64) + Sync + 'a;

impl<T: Real> std::fmt::Debug for AllSamples<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AllSamples")
            .field("run", self.run)
            .finish_non_exhaustive()
    }
}

impl<'a, T: Real> AllSamples<'a, T> {
    /// All samples with maps that were given.
    pub(crate) fn given(run: &'a RunData<'a, T>, maps: &'a dyn Samples<T>) -> Self {
        Self {
            run,
            maps: Some(maps),
            are_given: true,
            watch: None,
        }
    }

    /// All samples with the maps that an explainer has answered, where they were held.
    pub(crate) fn held(run: &'a RunData<'a, T>, maps: Option<&'a dyn Samples<T>>) -> Self {
        Self {
            run,
            maps,
            are_given: false,
            watch: None,
        }
    }

    /// Tells a function what [`report_pairs`](Self::report_pairs) is told.
    pub(crate) fn watched_by(mut self, watch: &'a PairWatch<'a>) -> Self {
        self.watch = Some(watch);
        self
    }

    /// Tells [who watches](crate::Evaluation::on_pairs) how many pairs of samples are done, for a metric that compares all of them.
    pub fn report_pairs(&self, done: u64, total: u64) {
        if let Some(watch) = self.watch {
            watch(done, total);
        }
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
        let batch = checked_batch(input::EXPLANATIONS, maps, samples.clone())?;
        Ok(if self.are_given {
            self.run.towards_targets(batch, samples)
        } else {
            batch
        })
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

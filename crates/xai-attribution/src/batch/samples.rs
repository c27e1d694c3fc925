//! A batch of samples, and the model scores and shared work that all explainers and metrics read.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use ndarray::{Array2, ArrayViewD, IxDyn};
use xai_core::{Error, InputLayout, Real, Result};

use crate::batch::Dataset;
use crate::batch::run_data::Cache;
use crate::input;
use crate::model::black_box::{into_inner, lock};
use crate::model::{CurveScore, Model, Scoring, Targets};
use crate::rows::for_each_row;

/// Work on a batch that does not depend on the maps, for example scores of baseline inputs or drops of random
/// subsets.
///
/// It is computed once per batch, for all explainers and metrics. Two equal values are the same work.
pub trait BatchWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// Result of the work.
    type Output: Send + Sync + 'static;

    /// Computes the result.
    ///
    /// # Errors
    /// Errors of the work itself and of the model.
    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Self::Output>;
}

/// Scores changed inputs of one batch. Can be used from any thread.
pub(crate) struct Scorer<'a, T> {
    dataset: &'a Dataset<'a, T>,
    samples: Range<usize>,
    reads: CurveScore,
}

impl<T: Real> Scorer<'_, T> {
    /// Scores of some rows. `sample_of(row)` is the sample of the batch that the row is a changed copy of.
    pub(crate) fn scores(
        &self,
        model: &dyn Model<T>,
        values: &[T],
        sample_of: &dyn Fn(usize) -> usize,
        step: &str,
    ) -> Result<Vec<f64>> {
        let outputs = self.outputs(model, values, sample_of, step)?;
        self.scores_of(&outputs, sample_of)
    }

    /// Outputs of the model for such rows, before the activation.
    pub(crate) fn outputs(
        &self,
        model: &dyn Model<T>,
        values: &[T],
        sample_of: &dyn Fn(usize) -> usize,
        step: &str,
    ) -> Result<Array2<f64>> {
        let mut shape = self.dataset.shape().to_vec();
        let n_rows = values.len() / shape[1..].iter().product::<usize>();
        shape[0] = n_rows;
        let rows = ArrayViewD::from_shape(IxDyn(&shape), values)
            .map_err(|_| Error::shape(input::INPUTS, &shape, &[values.len()]))?;
        let sample_of = |row| self.samples.start + sample_of(row);
        let outputs = Scoring::checked_outputs(
            n_rows,
            // Errors name samples as the caller numbers them, which differs in masked evaluations.
            &|row| self.dataset.number(sample_of(row)),
            &|| format!("{}{step}", self.dataset.call(&self.samples)),
            model.outputs_for_samples(rows, &sample_of),
        )?;
        self.dataset.check_outputs(&outputs)?;
        Ok(outputs)
    }

    /// Scores from the outputs for such rows.
    pub(crate) fn scores_of(
        &self,
        outputs: &Array2<f64>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Vec<f64>> {
        let (scoring, targets) = (self.dataset.scoring(), self.dataset.targets());
        let sample = |row| self.samples.start + sample_of(row);
        self.reads.scores(scoring, targets, outputs, &sample)
    }
}

/// Buffers for rows, reused from call to call: a new buffer costs a page fault per page, because the system zeroes
/// pages on first use.
pub(crate) struct RowBuffers<T>(Mutex<Vec<Vec<T>>>);

impl<T: Real> RowBuffers<T> {
    /// Calls `work` with a buffer of `len` elements. Their values are unspecified.
    pub(crate) fn with_buffer<R>(&self, len: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
        // A buffer that is too small is dropped and replaced, so that there is at most one buffer per concurrent call.
        let spare = lock(&self.0).pop().filter(|rows| rows.capacity() >= len);
        let mut rows = spare.unwrap_or_else(|| vec![T::ZERO; len]);
        rows.resize(len, T::ZERO);
        let result = work(&mut rows);
        lock(&self.0).push(rows);
        result
    }
}

/// A batch of samples together with the model.
pub struct SampleBatch<'a, T> {
    model: &'a dyn Model<T>,
    dataset: &'a Dataset<'a, T>,
    samples: Range<usize>,
    /// Inputs in row-major order. Not an array view: views are invariant in their lifetime, which would make this type
    /// invariant in `'a`.
    values: &'a [T],
    outputs: OnceCell<Array2<f64>>,
    base: OnceCell<Arc<[f64]>>,
    cache: Cache,
    records: RefCell<Vec<Record>>,
    row_buffers: RowBuffers<T>,
}

impl<T: Real> std::fmt::Debug for SampleBatch<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleBatch")
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}

/// Scores under a name, one per sample of a batch. Reported if the run stops with an error.
pub(crate) type Record = (&'static str, Arc<[Option<f64>]>);

/// Name under which scores of unchanged inputs are recorded.
pub(crate) const BASE: &str = "base";

impl<'a, T: Real> SampleBatch<'a, T> {
    pub(crate) fn new(
        model: &'a dyn Model<T>,
        dataset: &'a Dataset<'a, T>,
        samples: Range<usize>,
        values: &'a [T],
    ) -> Self {
        Self {
            model,
            dataset,
            samples,
            values,
            outputs: OnceCell::new(),
            base: OnceCell::new(),
            cache: Cache::default(),
            records: RefCell::default(),
            row_buffers: RowBuffers(Mutex::default()),
        }
    }

    /// Data that all batches share.
    #[must_use]
    pub fn dataset(&self) -> &'a Dataset<'a, T> {
        self.dataset
    }

    /// Range of samples in this batch.
    #[must_use]
    pub fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// Number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.samples.len()
    }

    /// Index of a sample of this batch in the whole data set, which selects its random stream.
    #[must_use]
    pub fn item(&self, sample: usize) -> u64 {
        self.dataset.item(self.samples.start + sample)
    }

    /// Inputs, samples first, in row-major order.
    #[must_use]
    pub fn inputs(&self) -> ArrayViewD<'_, T> {
        ArrayViewD::from_shape(self.shape(), self.values).expect("whole samples of that shape")
    }

    /// Elements of the inputs in row-major order, sample by sample.
    #[must_use]
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    /// Shape of the inputs of this batch.
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        [&[self.samples.len()], &self.dataset.shape()[1..]].concat()
    }

    /// Targets of this batch.
    #[must_use]
    pub fn targets(&self) -> Targets {
        self.dataset.targets().select(self.samples.clone())
    }

    /// Meaning of the axes of the inputs.
    #[must_use]
    pub fn layout(&self) -> InputLayout {
        self.dataset.layout()
    }

    /// Largest number of rows per call of the model or the explainer.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.dataset.batch_size()
    }

    /// Returns the result of some work on this batch, computed once for all explainers and metrics.
    ///
    /// # Errors
    /// Errors of the work.
    pub fn shared<W: BatchWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// Like [`shared`](Self::shared), but computes a missing result by `make`, for callers that use intermediate
    /// values as well.
    pub(crate) fn shared_with<W: BatchWork<T>>(
        &self,
        work: &W,
        make: impl FnOnce() -> Result<W::Output>,
    ) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, make)
    }

    /// Drops the result of some work, for results that are large and cheap to recompute.
    pub(crate) fn forget<W: BatchWork<T>>(&self, work: &W) {
        self.cache.forget::<W, W::Output>(work);
    }

    /// Score `g(f, x_i, y_i)` of every sample. The model is called once per batch, however often this is called.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn base_scores(&self) -> Result<&[f64]> {
        if let Some(base) = self.base.get() {
            return Ok(base);
        }
        let base: Arc<[f64]> = self
            .scorer()
            .scores_of(self.base_outputs()?, &|row| row)?
            .into();
        self.record(BASE, &base);
        Ok(self.base.get_or_init(|| base))
    }

    /// Scores of the samples if they have been computed already.
    pub(crate) fn cached_base_scores(&self) -> Option<&[f64]> {
        self.base.get().map(|base| &**base)
    }

    /// Outputs of the model for every sample, before the activation. The model is called once per batch, however
    /// often outputs or scores are read.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn base_outputs(&self) -> Result<&Array2<f64>> {
        if let Some(outputs) = self.outputs.get() {
            return Ok(outputs);
        }
        let outputs = self
            .scorer()
            .outputs(self.model, self.values, &|row| row, "")?;
        Ok(self.outputs.get_or_init(|| outputs))
    }

    /// Outputs of the model for rows derived from samples of this batch, before the activation. Row `r` is derived
    /// from sample `sample_of(r)`. All rows go into one call, so pass at most [`batch_size`](Self::batch_size) of
    /// them. `step` is appended to the name of the batch in errors of the model.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn outputs_for_samples(
        &self,
        rows: &[T],
        sample_of: impl Fn(usize) -> usize,
        step: &str,
    ) -> Result<Array2<f64>> {
        self.scorer().outputs(self.model, rows, &sample_of, step)
    }

    /// Score `g(f, z_i, y_i)` of one changed input `z_i` per sample, with the targets of the samples.
    ///
    /// # Errors
    /// Errors of the model; a shape mismatch if `inputs` does not have one input per sample.
    pub fn score(&self, inputs: ArrayViewD<'_, T>) -> Result<Vec<f64>> {
        if inputs.shape() != self.shape() {
            return Err(Error::shape(input::INPUTS, &self.shape(), inputs.shape()));
        }
        // Copies only if the array is not contiguous in row-major order.
        match inputs.to_slice() {
            Some(values) => self.scores_of_values(values, ""),
            None => self.scores_of_values(&inputs.iter().copied().collect::<Vec<T>>(), ""),
        }
    }

    /// [`score`](Self::score) of values in row-major order. `step` is appended to the name of the batch in errors of
    /// the model.
    pub(crate) fn scores_of_values(&self, values: &[T], step: &str) -> Result<Vec<f64>> {
        self.scorer().scores(self.model, values, &|row| row, step)
    }

    /// Scores of any number of changed inputs, in calls of at most the batch size.
    ///
    /// Row `r` is derived from sample `sample_of(r)` of this batch: `change(r, elements)` receives a copy of that
    /// input in row-major order and modifies it. The row is scored with the target of the sample. `step` is appended
    /// to the name of the batch in errors of the model.
    ///
    /// # Errors
    /// Errors of the model.
    pub fn score_changed(
        &self,
        n_rows: usize,
        sample_of: impl Fn(usize) -> usize + Send + Sync,
        change: impl Fn(usize, &mut [T]) + Send + Sync,
        step: &str,
    ) -> Result<Vec<f64>> {
        self.score_changed_with(CurveScore::Target, n_rows, sample_of, change, step)
    }

    /// Like [`score_changed`](Self::score_changed), with a choice of what is read from the outputs.
    pub(crate) fn score_changed_with(
        &self,
        reads: CurveScore,
        n_rows: usize,
        sample_of: impl Fn(usize) -> usize + Send + Sync,
        change: impl Fn(usize, &mut [T]) + Send + Sync,
        step: &str,
    ) -> Result<Vec<f64>> {
        let size = self.values.len() / self.n_samples();
        let (original, scorer) = (self.values, self.scorer_for(reads));
        let make = |row: usize, values: &mut [T]| {
            let sample = sample_of(row);
            values.copy_from_slice(&original[sample * size..(sample + 1) * size]);
            change(row, values);
        };
        self.call_with_rows(n_rows, 1, make, |first, rows, model| {
            scorer.scores(model, rows, &|row| sample_of(first + row), step)
        })
    }

    /// Results for any number of generated inputs, in calls of at most the batch size.
    ///
    /// `make(row, elements)` writes up to `at_once` rows, starting with number `row`, into a buffer with unspecified
    /// contents. `call(first, rows, model)` returns one result per row of a call, whose first row has number `first`.
    pub(crate) fn call_with_rows<R: Send + Clone>(
        &self,
        n_rows: usize,
        at_once: usize,
        make: impl Fn(usize, &mut [T]) + Send + Sync,
        call: impl Fn(usize, &[T], &dyn Model<T>) -> Result<Vec<R>> + Sync,
    ) -> Result<Vec<R>> {
        let size = self.values.len() / self.n_samples();
        // Borrowed one by one: the batch itself cannot be shared with the threads below.
        let (batch_size, row_buffers) = (self.batch_size(), &self.row_buffers);
        let n_calls = n_rows.div_ceil(batch_size);
        // Whole calls are distributed, never parts of one: which rows share a call must not depend on the number of
        // threads.
        let n_pieces = self.n_pieces(n_calls).max(1);
        let answers = self.call_model(n_pieces, |piece, model| {
            let mut calls = piece * n_calls / n_pieces..(piece + 1) * n_calls / n_pieces;
            row_buffers.with_buffer(batch_size.min(n_rows) * size, |rows| {
                calls.try_fold(Vec::new(), |mut answers, call_index| {
                    let first = call_index * batch_size;
                    let last = (first + batch_size).min(n_rows);
                    let rows = &mut rows[..(last - first) * size];
                    for_each_row(rows, at_once * size, |block, values| {
                        make(first + block * at_once, values);
                    });
                    answers.extend(call(first, rows, model)?);
                    Ok(answers)
                })
            })
        })?;
        Ok(answers.concat())
    }

    /// Scorer for changed inputs of this batch, usable from any thread.
    pub(crate) fn scorer(&self) -> Scorer<'_, T> {
        self.scorer_for(CurveScore::Target)
    }

    /// Like [`scorer`](Self::scorer), with a choice of what is read from the outputs.
    pub(crate) fn scorer_for(&self, reads: CurveScore) -> Scorer<'_, T> {
        Scorer {
            dataset: self.dataset,
            samples: self.samples.clone(),
            reads,
        }
    }

    /// Reusable buffers for rows.
    pub(crate) fn row_buffers(&self) -> &RowBuffers<T> {
        &self.row_buffers
    }

    /// Runs jobs that call the model, sequentially or in parallel, and returns their results in order.
    pub(crate) fn call_model<R: Send>(
        &self,
        n_jobs: usize,
        job: impl Fn(usize, &dyn Model<T>) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        let answers: Vec<Mutex<Option<Result<R>>>> =
            (0..n_jobs).map(|_| Mutex::new(None)).collect();
        self.model.run(n_jobs, &|index, model| {
            let answer = job(index, model);
            let is_ok = answer.is_ok();
            *lock(&answers[index]) = Some(answer);
            is_ok
        });
        // A job is only skipped after a lower one has failed, so that error comes before the missing results.
        answers.into_iter().filter_map(into_inner).collect()
    }

    /// Number of pieces that `n_calls` calls are split into: two per thread, which evens out pieces of unequal cost.
    pub(crate) fn n_pieces(&self, n_calls: usize) -> usize {
        match self.model.threads() {
            0 | 1 => 1,
            threads => n_calls.min(2 * threads),
        }
    }

    /// Records scores under a name, to report them if the run stops with an error.
    pub(crate) fn record(&self, name: &'static str, scores: &[f64]) {
        let scores = scores.iter().copied().map(Some).collect();
        self.records.borrow_mut().push((name, scores));
    }

    /// Scores recorded so far.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

//! One batch of samples: what all explainers and metrics share about it.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::sync::{Arc, Mutex};

use ndarray::{Array2, ArrayViewD, IxDyn};
use xai_core::{Error, Layout, Real, Result};

use crate::batch::RunData;
use crate::batch::run_data::Cache;
use crate::input;
use crate::model::black_box::{into_inner, lock};
use crate::model::{CurveScore, Model, Scoring, Targets};
use crate::rows::for_each_row;

/// Work on a batch that does not depend on the maps: the scores of baseline inputs, the drops of
/// random subsets.
///
/// It is done once per batch, for all explainers and all metrics: two values that are equal are
/// the same work.
pub trait BatchWork<T: Real>: PartialEq + Clone + Send + Sync + 'static {
    /// What comes of it.
    type Output: Send + Sync + 'static;

    /// Does the work.
    ///
    /// # Errors
    /// Its own, and those of the model.
    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Self::Output>;
}

/// Scores changed inputs of the samples of one batch, on any thread.
pub(crate) struct Scorer<'a, T> {
    run: &'a RunData<'a, T>,
    samples: Range<usize>,
    reads: CurveScore,
}

impl<T: Real> Scorer<'_, T> {
    /// The scores of some rows, `sample_of(row)` the sample of the batch that a row is made of.
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

    /// The model's outputs for such rows, before the activation.
    pub(crate) fn outputs(
        &self,
        model: &dyn Model<T>,
        values: &[T],
        sample_of: &dyn Fn(usize) -> usize,
        step: &str,
    ) -> Result<Array2<f64>> {
        let mut shape = self.run.shape().to_vec();
        let n_rows = values.len() / shape[1..].iter().product::<usize>();
        shape[0] = n_rows;
        let rows = ArrayViewD::from_shape(IxDyn(&shape), values)
            .map_err(|_| Error::shape(input::INPUTS, &shape, &[values.len()]))?;
        let sample_of = |row| self.samples.start + sample_of(row);
        let outputs = Scoring::outputs_of_answer(
            n_rows,
            &|row| self.run.number(sample_of(row)),
            &|| format!("{}{step}", self.run.call(&self.samples)),
            model.outputs_of(rows, &sample_of),
        )?;
        self.run.check_outputs(&outputs)?;
        Ok(outputs)
    }

    /// The scores of outputs for such rows.
    pub(crate) fn scores_of(
        &self,
        outputs: &Array2<f64>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Vec<f64>> {
        let (scoring, targets) = (self.run.scoring(), self.run.targets());
        let sample = |row| self.samples.start + sample_of(row);
        self.reads.of_outputs(scoring, targets, outputs, &sample)
    }
}

/// Memory for rows of calls that are over: what is new is set to 0 by the system, page by page.
pub(crate) struct SpareRows<T>(Mutex<Vec<Vec<T>>>);

impl<T: Real> SpareRows<T> {
    /// So many elements, whatever they are, for some work.
    pub(crate) fn lend<R>(&self, len: usize, work: impl FnOnce(&mut [T]) -> R) -> R {
        let spare = lock(&self.0).pop().filter(|rows| rows.capacity() >= len);
        let mut rows = spare.unwrap_or_else(|| vec![T::zero(); len]);
        rows.resize(len, T::zero());
        let made = work(&mut rows);
        lock(&self.0).push(rows);
        made
    }
}

/// A batch of samples under study, with the model.
pub struct SampleBatch<'a, T> {
    model: &'a dyn Model<T>,
    run: &'a RunData<'a, T>,
    samples: Range<usize>,
    /// In row-major order. (A field that is a view would fix its lifetime: those are invariant.)
    values: &'a [T],
    outputs: OnceCell<Array2<f64>>,
    base: OnceCell<Arc<[f64]>>,
    cache: Cache,
    records: RefCell<Vec<Record>>,
    spare: SpareRows<T>,
}

impl<T: Real> std::fmt::Debug for SampleBatch<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleBatch")
            .field("samples", &self.samples)
            .finish_non_exhaustive()
    }
}

/// Scores under a name, one per sample of a batch: what is kept when a run stops.
pub(crate) type Record = (&'static str, Arc<[Option<f64>]>);

/// The name under which scores of whole inputs are kept.
pub(crate) const BASE: &str = "base";

impl<'a, T: Real> SampleBatch<'a, T> {
    pub(crate) fn new(
        model: &'a dyn Model<T>,
        run: &'a RunData<'a, T>,
        samples: Range<usize>,
        values: &'a [T],
    ) -> Self {
        Self {
            model,
            run,
            samples,
            values,
            outputs: OnceCell::new(),
            base: OnceCell::new(),
            cache: Cache::default(),
            records: RefCell::default(),
            spare: SpareRows(Mutex::default()),
        }
    }

    /// What all batches share.
    #[must_use]
    pub fn run(&self) -> &'a RunData<'a, T> {
        self.run
    }

    /// Which samples they are.
    #[must_use]
    pub fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// The number of samples.
    #[must_use]
    pub fn n_samples(&self) -> usize {
        self.samples.len()
    }

    /// The place of a sample of this batch in the whole data set: what its random choices depend
    /// on.
    #[must_use]
    pub fn item(&self, sample: usize) -> u64 {
        self.run.item(self.samples.start + sample)
    }

    /// The inputs, samples first, in row-major order.
    #[must_use]
    pub fn inputs(&self) -> ArrayViewD<'_, T> {
        ArrayViewD::from_shape(self.shape(), self.values).expect("whole samples of that shape")
    }

    /// The inputs as they lie in memory, sample by sample.
    #[must_use]
    pub fn values(&self) -> &'a [T] {
        self.values
    }

    /// The shape of the inputs of this batch.
    #[must_use]
    pub fn shape(&self) -> Vec<usize> {
        [&[self.samples.len()], &self.run.shape()[1..]].concat()
    }

    /// The targets of this batch.
    #[must_use]
    pub fn targets(&self) -> Targets {
        self.run.targets().select(self.samples.clone())
    }

    /// How the axes of the inputs are read.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.run.layout()
    }

    /// The largest number of rows that model and explainer are called with.
    #[must_use]
    pub fn batch_size(&self) -> usize {
        self.run.batch_size()
    }

    /// Some work on this batch, done once for all explainers and metrics.
    ///
    /// # Errors
    /// Those of the work.
    pub fn shared<W: BatchWork<T>>(&self, work: &W) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, || work.compute(self))
    }

    /// Some work on this batch, done by `make` unless it was done before: for who makes something else of it on the way.
    pub(crate) fn shared_by<W: BatchWork<T>>(
        &self,
        work: &W,
        make: impl FnOnce() -> Result<W::Output>,
    ) -> Result<Arc<W::Output>> {
        self.cache.get_or(work, make)
    }

    /// Lets go of what came of some work: it is done again for whoever asks next. For work that is large and
    /// cheap.
    pub(crate) fn forget<W: BatchWork<T>>(&self, work: &W) {
        self.cache.forget::<W, W::Output>(work);
    }

    /// `g(f, x_i, y_i)` of every sample; the model is asked once, whoever asks.
    ///
    /// # Errors
    /// Those of the model.
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

    /// The scores of the samples, if something has asked for them.
    pub(crate) fn known_base_scores(&self) -> Option<&[f64]> {
        self.base.get().map(|base| &**base)
    }

    /// The outputs of the model for every sample, before the activation; it is asked once, whoever asks
    /// for outputs or scores.
    ///
    /// # Errors
    /// Those of the model.
    pub fn base_outputs(&self) -> Result<&Array2<f64>> {
        if let Some(outputs) = self.outputs.get() {
            return Ok(outputs);
        }
        let outputs = self
            .scorer()
            .outputs(self.model, self.values, &|row| row, "")?;
        Ok(self.outputs.get_or_init(|| outputs))
    }

    /// The outputs of the model for rows made of the samples of this batch, before the activation: row `r`
    /// of sample `sample_of(r)`. At most the batch size of rows is one call; `step` describes it behind
    /// the batch, in errors of the model.
    ///
    /// # Errors
    /// Those of the model.
    pub fn outputs_of(
        &self,
        rows: &[T],
        sample_of: impl Fn(usize) -> usize,
        step: &str,
    ) -> Result<Array2<f64>> {
        self.scorer().outputs(self.model, rows, &sample_of, step)
    }

    /// `g(f, z_i, y_i)` of one changed input per sample, with the targets of the samples.
    ///
    /// # Errors
    /// Those of the model; a shape mismatch when there is not one input per sample.
    pub fn score(&self, inputs: ArrayViewD<'_, T>) -> Result<Vec<f64>> {
        if inputs.shape() != self.shape() {
            return Err(Error::shape(input::INPUTS, &self.shape(), inputs.shape()));
        }
        match inputs.to_slice() {
            Some(values) => self.scores_of_values(values, ""),
            None => self.scores_of_values(&inputs.iter().copied().collect::<Vec<T>>(), ""),
        }
    }

    /// [`score`](Self::score) of values in row-major order; `step` describes them behind the batch.
    pub(crate) fn scores_of_values(&self, values: &[T], step: &str) -> Result<Vec<f64>> {
        self.scorer().scores(self.model, values, &|row| row, step)
    }

    /// The scores of any number of changed inputs, in calls of at most the batch size.
    ///
    /// Row `r` is made of sample `sample_of(r)` of this batch: it starts as that input, `change`
    /// is given its number and its elements in row-major order, and its score is taken with the
    /// target of the sample. `step` describes the change behind the batch, in errors of the model.
    ///
    /// # Errors
    /// Those of the model.
    pub fn score_changed(
        &self,
        n_rows: usize,
        sample_of: impl Fn(usize) -> usize + Send + Sync,
        change: impl Fn(usize, &mut [T]) + Send + Sync,
        step: &str,
    ) -> Result<Vec<f64>> {
        self.read_changed(CurveScore::Target, n_rows, sample_of, change, step)
    }

    /// [`score_changed`](Self::score_changed), with something else read off the outputs.
    pub(crate) fn read_changed(
        &self,
        reads: CurveScore,
        n_rows: usize,
        sample_of: impl Fn(usize) -> usize + Send + Sync,
        change: impl Fn(usize, &mut [T]) + Send + Sync,
        step: &str,
    ) -> Result<Vec<f64>> {
        let size = self.values.len() / self.n_samples();
        let (original, scorer) = (self.values, self.scorer_of(reads));
        let make = |row: usize, values: &mut [T]| {
            let sample = sample_of(row);
            values.copy_from_slice(&original[sample * size..(sample + 1) * size]);
            change(row, values);
        };
        self.ask_made(n_rows, 1, make, |first, rows, model| {
            scorer.scores(model, rows, &|row| sample_of(first + row), step)
        })
    }

    /// What comes of any number of inputs, in calls of at most the batch size.
    ///
    /// `make` is given the number of a row, and the elements of that row and of at most `at_once - 1` behind it, whatever
    /// they are at the moment; `ask` the number of the first row of a call, the rows and the model.
    pub(crate) fn ask_made<R: Send + Clone>(
        &self,
        n_rows: usize,
        at_once: usize,
        make: impl Fn(usize, &mut [T]) + Send + Sync,
        ask: impl Fn(usize, &[T], &dyn Model<T>) -> Result<Vec<R>> + Sync,
    ) -> Result<Vec<R>> {
        let size = self.values.len() / self.n_samples();
        let (batch_size, spare) = (self.batch_size(), &self.spare);
        let n_calls = n_rows.div_ceil(batch_size);
        let n_pieces = self.n_pieces(n_calls).max(1);
        let answers = self.call_model(n_pieces, |piece, model| {
            let mut calls = piece * n_calls / n_pieces..(piece + 1) * n_calls / n_pieces;
            spare.lend(batch_size.min(n_rows) * size, |rows| {
                calls.try_fold(Vec::new(), |mut answers, call| {
                    let first = call * batch_size;
                    let last = (first + batch_size).min(n_rows);
                    let rows = &mut rows[..(last - first) * size];
                    for_each_row(rows, at_once * size, |block, values| {
                        make(first + block * at_once, values);
                    });
                    answers.extend(ask(first, rows, model)?);
                    Ok(answers)
                })
            })
        })?;
        Ok(answers.concat())
    }

    /// What scores changed inputs of this batch, on any thread.
    pub(crate) fn scorer(&self) -> Scorer<'_, T> {
        self.scorer_of(CurveScore::Target)
    }

    /// [`scorer`](Self::scorer), with something else read off the outputs.
    pub(crate) fn scorer_of(&self, reads: CurveScore) -> Scorer<'_, T> {
        Scorer {
            run: self.run,
            samples: self.samples.clone(),
            reads,
        }
    }

    /// Memory for the rows of calls.
    pub(crate) fn spare(&self) -> &SpareRows<T> {
        &self.spare
    }

    /// Runs jobs that call the model, in order or in parallel; their answers are in order.
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
        // Jobs that never ran stand behind one that failed.
        answers.into_iter().filter_map(into_inner).collect()
    }

    /// Into how many pieces calls of the model are worth cutting.
    pub(crate) fn n_pieces(&self, n_calls: usize) -> usize {
        match self.model.threads() {
            0 | 1 => 1,
            threads => n_calls.min(2 * threads),
        }
    }

    /// Keeps scores under a name, should the run stop.
    pub(crate) fn record(&self, name: &'static str, scores: &[f64]) {
        let scores = scores.iter().copied().map(Some).collect();
        self.records.borrow_mut().push((name, scores));
    }

    /// What was recorded.
    pub(crate) fn records(&self) -> Vec<Record> {
        self.records.borrow().clone()
    }
}

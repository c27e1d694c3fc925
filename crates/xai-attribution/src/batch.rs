//! One batch of samples, and everything that metrics share about it: each score is taken once.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Mutex;

use ndarray::{ArrayD, ArrayViewD, CowArray, IxDyn};
use xai_core::{Error, Layout, Real, Result, mask_inputs, position_magnitudes};

use crate::baseline::{Baseline, DatasetMean};
use crate::model::Borrowed;
use crate::places::{Places, attributions_by_position};
use crate::samples::{check_in_memory, checked_batch};
use crate::scoring::{into_inner, lock};
use crate::{CompletedScores, EvaluationError, EvaluationMetric, Model, Samples, Scoring, Targets};

/// The name of the scores of whole inputs.
pub(crate) const BASE: &str = "base";
/// The name of the scores of masked inputs.
pub(crate) const MASKED: &str = "masked";

/// Inputs and targets, and how scores are taken: what all explainers and metrics share.
pub(crate) struct Study<'a, T> {
    inputs: Box<dyn Samples<T> + 'a>,
    targets: Targets,
    scoring: Scoring,
    layout: Layout,
    /// The place of the first sample in the whole data set: what its random stream depends on.
    first_sample: u64,
    dataset_mean: Option<Vec<f64>>,
}

impl<'a, T: Real> Study<'a, T> {
    /// Checks what every metric with a model checks.
    pub(crate) fn new(
        inputs: impl Samples<T> + 'a,
        targets: Targets,
        scoring: Scoring,
    ) -> Result<Self> {
        scoring.check()?;
        let n = inputs.shape().first().copied().unwrap_or_default();
        if n == 0 {
            return Err(Error::empty("inputs"));
        }
        if targets.n_samples() != n {
            return Err(Error::shape("targets", &[n], &[targets.n_samples()]));
        }
        check_in_memory("inputs", &inputs)?;
        let layout = scoring.layout_of(inputs.shape())?;
        if inputs.shape().contains(&0) {
            return Err(Error::empty("inputs"));
        }
        Ok(Self {
            inputs: Box::new(inputs),
            targets,
            scoring,
            layout,
            first_sample: 0,
            dataset_mean: None,
        })
    }

    pub(crate) fn starting_at(mut self, first_sample: u64) -> Self {
        self.first_sample = first_sample;
        self
    }

    pub(crate) fn n_samples(&self) -> usize {
        self.shape()[0]
    }

    pub(crate) fn shape(&self) -> &[usize] {
        self.inputs.shape()
    }

    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Checks that maps fit the inputs, before the model is called at all.
    pub(crate) fn check_maps(&self, maps: &dyn Samples<T>) -> Result<()> {
        let (n, shape) = (self.n_samples(), maps.shape());
        if shape.first() != Some(&n) {
            return Err(Error::shape_described(
                "explanations",
                format!("{n} samples, as the inputs"),
                shape,
            ));
        }
        check_in_memory("explanations", maps)?;
        // One sample stands for all.
        let one = |shape: &[usize]| [&[1], &shape[1..]].concat();
        let map = ArrayD::<T>::zeros(IxDyn(&one(shape)));
        let fits = position_magnitudes(map.view(), &one(self.shape()), self.layout);
        fits.map(drop).map_err(|e| match e {
            Error::ShapeMismatch { expected, .. } => Error::shape_described(
                "explanations",
                format!("a sample each like {expected}"),
                shape,
            ),
            other => other,
        })
    }

    /// Takes the mean of all inputs, if a baseline asks for it.
    fn prepare(&mut self, baselines: &mut dyn Iterator<Item = &Baseline>) -> Result<()> {
        let places = Places::new(self.shape(), self.layout);
        let mut wants_mean = false;
        for baseline in baselines {
            baseline.check(self.shape(), self.layout)?;
            wants_mean |= matches!(baseline, Baseline::DatasetMean);
        }
        if wants_mean && self.dataset_mean.is_none() {
            let mut mean = DatasetMean::new(places.size());
            for start in (0..self.n_samples()).step_by(self.scoring.batch_size) {
                let end = (start + self.scoring.batch_size).min(self.n_samples());
                let batch = checked_batch("inputs", &*self.inputs, start..end)?;
                mean.add(batch.as_slice().unwrap_or_default());
            }
            self.dataset_mean = Some(mean.values());
        }
        Ok(())
    }
}

/// Runs work on every batch of a study, in order or, with a concurrent model, in parallel. The
/// error is that of the lowest batch that has one.
pub(crate) fn for_each_batch<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    study: &Study<'_, T>,
    work: &(dyn Fn(&SampleBatch<'_, T>) -> Result<(), EvaluationError> + Sync),
) -> Result<(), EvaluationError> {
    let (n, size) = (study.n_samples(), study.scoring.batch_size);
    let failure: Mutex<Option<(usize, EvaluationError)>> = Mutex::new(None);
    Borrowed(model).run(n.div_ceil(size), &|index, model| {
        let samples = index * size..((index + 1) * size).min(n);
        let outcome = checked_batch("inputs", &*study.inputs, samples.clone())
            .map_err(EvaluationError::new)
            .and_then(|inputs| {
                let values = inputs.as_slice().unwrap_or_default();
                work(&SampleBatch::new(model, study, samples, values))
            });
        let Err(error) = outcome else { return true };
        let mut failure = lock(&failure);
        if failure.as_ref().is_none_or(|(lowest, _)| index < *lowest) {
            *failure = Some((index, error));
        }
        false
    });
    match into_inner(failure) {
        None => Ok(()),
        Some((_, error)) => Err(error),
    }
}

/// The scores of explainers by metrics, per sample: `[explainer][metric][sample]`.
pub(crate) type Scores = Vec<Vec<Vec<Option<f64>>>>;

/// Every metric of every explainer, batch by batch: inputs and maps are read once, and no score of
/// the model is taken twice.
pub(crate) fn evaluate_all<T: Real, M: Model<T> + ?Sized>(
    model: &M,
    study: &mut Study<'_, T>,
    explainers: &[(Option<&str>, &dyn Samples<T>)],
    metrics: &[&dyn EvaluationMetric<T>],
    done: &(dyn Fn(usize) + Sync),
) -> Result<Scores, EvaluationError> {
    let n = study.n_samples();
    for &(name, maps) in explainers {
        study
            .check_maps(maps)
            .map_err(|e| EvaluationError::new(e).during(name, None))?;
    }
    for metric in metrics {
        metric.check(study.shape(), study.layout)?;
    }
    study.prepare(&mut metrics.iter().filter_map(|metric| metric.baseline()))?;
    // After the metrics, the masked scores; after the explainers, the base scores.
    let unknown = vec![None; n];
    let scores = Mutex::new(vec![
        vec![unknown.clone(); metrics.len() + 1];
        explainers.len()
    ]);
    let base = Mutex::new(unknown);
    let outcome = for_each_batch(model, study, &|batch| {
        let samples = batch.samples();
        let keep = |to: &mut [Option<f64>], from: &[f64]| {
            for (to, &from) in to.iter_mut().zip(from) {
                *to = Some(from);
            }
        };
        let outcome = explainers
            .iter()
            .enumerate()
            .try_for_each(|(e, &(name, maps))| {
                let located = |error, metric: Option<&str>| {
                    EvaluationError::new(error).during(name, name.and(metric))
                };
                let explained = batch.explained(maps).map_err(|e| located(e, None))?;
                let outcome = metrics.iter().enumerate().try_for_each(|(m, metric)| {
                    let of_batch = metric
                        .scores(&explained)
                        .map_err(|error| located(error, Some(metric.name())))?;
                    if of_batch.len() != samples.len() {
                        let error = Error::shape(
                            format!("scores of {}", metric.name()),
                            &[samples.len()],
                            &[of_batch.len()],
                        );
                        return Err(located(error, Some(metric.name())));
                    }
                    let infinite = |score: &Option<f64>| score.is_some_and(|x| !x.is_finite());
                    if let Some(i) = of_batch.iter().position(infinite) {
                        let error = Error::NonFinite {
                            what: format!("scores of {}", metric.name()).into(),
                            index: vec![samples.start + i],
                        };
                        return Err(located(error, Some(metric.name())));
                    }
                    lock(&scores)[e][m][samples.clone()].copy_from_slice(&of_batch);
                    Ok(())
                });
                if let Some(masked) = explained.masked.get() {
                    keep(
                        &mut lock(&scores)[e][metrics.len()][samples.clone()],
                        masked,
                    );
                }
                outcome
            });
        if let Some(scores) = batch.base.get() {
            keep(&mut lock(&base)[samples.clone()], scores);
        }
        if outcome.is_ok() {
            done(samples.len());
        }
        outcome
    });
    let mut scores = into_inner(scores);
    let Err(stopped) = outcome else {
        for of_explainer in &mut scores {
            of_explainer.truncate(metrics.len());
        }
        return Ok(scores);
    };
    let mut completed = Vec::new();
    let mut complete = |explainer: Option<&str>, score: &str, per_sample: Vec<Option<f64>>| {
        if per_sample.iter().any(Option::is_some) {
            completed.push(CompletedScores {
                explainer: explainer.map(str::to_owned),
                score: score.to_owned(),
                per_sample,
            });
        }
    };
    complete(None, BASE, into_inner(base));
    for (&(name, _), of_explainer) in explainers.iter().zip(scores) {
        let names = metrics.iter().map(|metric| metric.name());
        for (score, per_sample) in names.chain([MASKED]).zip(of_explainer) {
            complete(name, score, per_sample);
        }
    }
    Err(stopped.with_completed(completed))
}

/// The value if it is there, else made and kept.
pub(crate) fn cached<V>(cell: &OnceCell<V>, make: impl FnOnce() -> Result<V>) -> Result<&V> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = make()?;
    Ok(cell.get_or_init(|| value))
}

/// Baseline inputs of a batch, and what the model says to them.
pub(crate) struct Blank<T> {
    baseline: Baseline,
    pub(crate) inputs: Vec<T>,
    scores: OnceCell<Vec<f64>>,
}

/// Scores changed inputs of the samples of one batch.
pub(crate) struct Scorer<'a, T> {
    study: &'a Study<'a, T>,
    samples: Range<usize>,
}

impl<T: Real> Scorer<'_, T> {
    /// The scores of some rows, `of(row)` the sample of the batch that a row is made of.
    pub(crate) fn scores(
        &self,
        model: &dyn Model<T>,
        values: &[T],
        of: impl Fn(usize) -> usize,
        step: &str,
    ) -> Result<Vec<f64>> {
        let mut shape = self.study.shape().to_vec();
        let n_rows = values.len() / shape[1..].iter().product::<usize>();
        shape[0] = n_rows;
        let rows = ArrayViewD::from_shape(IxDyn(&shape), values)
            .map_err(|_| Error::shape("inputs", &shape, &[values.len()]))?;
        let Scoring { batch_size, .. } = self.study.scoring;
        let Range { start, end } = self.samples;
        let what = || {
            format!(
                "batch {} (samples {start}..{end}){step}",
                start / batch_size
            )
        };
        self.study.scoring.scores_of_answer(
            &self.study.targets,
            n_rows,
            |row| start + of(row),
            what,
            model.outputs(rows),
        )
    }
}

/// A batch of samples under study, with the model: what all explainers share.
pub struct SampleBatch<'a, T> {
    model: &'a dyn Model<T>,
    study: &'a Study<'a, T>,
    samples: Range<usize>,
    /// In row-major order. (A field that is a view would fix its lifetime: those are invariant.)
    values: &'a [T],
    base: OnceCell<Vec<f64>>,
    blanks: RefCell<Vec<Rc<Blank<T>>>>,
    pub(crate) drops: RefCell<Vec<Rc<crate::mu_fidelity::Drops>>>,
}

impl<'a, T: Real> SampleBatch<'a, T> {
    fn new(
        model: &'a dyn Model<T>,
        study: &'a Study<'a, T>,
        samples: Range<usize>,
        values: &'a [T],
    ) -> Self {
        Self {
            model,
            study,
            samples,
            values,
            base: OnceCell::new(),
            blanks: RefCell::default(),
            drops: RefCell::default(),
        }
    }

    fn explained<'b>(&'b self, maps: &'b dyn Samples<T>) -> Result<ExplainedBatch<'b, T>> {
        Ok(ExplainedBatch {
            batch: self,
            maps: checked_batch("explanations", maps, self.samples.clone())?,
            masked: OnceCell::new(),
            attributions: OnceCell::new(),
        })
    }

    /// Which samples they are.
    #[must_use]
    pub fn samples(&self) -> Range<usize> {
        self.samples.clone()
    }

    /// The inputs, samples first, in row-major order.
    #[must_use]
    pub fn inputs(&self) -> ArrayViewD<'_, T> {
        ArrayViewD::from_shape(self.shape(), self.values).expect("whole samples of that shape")
    }

    /// The inputs as they lie in memory, sample by sample.
    pub(crate) fn values(&self) -> &'a [T] {
        self.values
    }

    fn shape(&self) -> Vec<usize> {
        [&[self.samples.len()], &self.study.shape()[1..]].concat()
    }

    /// How the axes of the inputs are read.
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.study.layout
    }

    /// `g(f, x_i, y_i)` of every sample; the model is asked once, whoever asks.
    ///
    /// # Errors
    /// The model's, as [`AverageDrop::evaluate`](crate::AverageDrop::evaluate).
    pub fn base_scores(&self) -> Result<&[f64]> {
        cached(&self.base, || self.score(self.inputs())).map(Vec::as_slice)
    }

    /// `g(f, z_i, y_i)` of one changed input a sample, with the targets of the samples.
    ///
    /// # Errors
    /// As [`base_scores`](Self::base_scores); [`Error::ShapeMismatch`] when there is not one input
    /// a sample.
    pub fn score(&self, inputs: ArrayViewD<'_, T>) -> Result<Vec<f64>> {
        if inputs.shape() != self.shape() {
            return Err(Error::shape("inputs", &self.shape(), inputs.shape()));
        }
        let inputs = inputs.as_standard_layout();
        let values = inputs.as_slice().unwrap_or_default();
        self.scorer().scores(self.model, values, |row| row, "")
    }

    /// What scores changed inputs of this batch, on any thread.
    pub(crate) fn scorer(&self) -> Scorer<'_, T> {
        Scorer {
            study: self.study,
            samples: self.samples.clone(),
        }
    }

    /// Runs jobs that call the model, in order or in parallel; their answers are in order.
    pub(crate) fn run<R: Send>(
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

    pub(crate) fn batch_size(&self) -> usize {
        self.study.scoring.batch_size
    }

    pub(crate) fn places(&self) -> Places {
        Places::new(self.study.shape(), self.study.layout)
    }

    /// The place of a sample of this batch in the whole data set.
    pub(crate) fn stream_of(&self, sample: usize) -> u64 {
        self.study.first_sample + (self.samples.start + sample) as u64
    }

    /// The baseline inputs of this batch.
    pub(crate) fn blank(&self, baseline: &Baseline) -> Result<Rc<Blank<T>>> {
        let known = |blank: &&Rc<Blank<T>>| blank.baseline == *baseline;
        if let Some(blank) = self.blanks.borrow().iter().find(known) {
            return Ok(Rc::clone(blank));
        }
        let inputs = baseline.inputs(
            self.inputs(),
            self.study.layout,
            self.samples.start,
            self.study.dataset_mean.as_deref(),
        )?;
        let blank = Rc::new(Blank {
            baseline: baseline.clone(),
            inputs,
            scores: OnceCell::new(),
        });
        self.blanks.borrow_mut().push(Rc::clone(&blank));
        Ok(blank)
    }

    /// The scores of the baseline inputs; the model is asked once.
    pub(crate) fn blank_scores<'b>(&self, blank: &'b Blank<T>) -> Result<&'b [f64]> {
        cached(&blank.scores, || {
            let step = ", all of it baseline";
            self.scorer()
                .scores(self.model, &blank.inputs, |row| row, step)
        })
        .map(Vec::as_slice)
    }
}

/// A batch of samples with one explainer's maps: what a metric sees.
pub struct ExplainedBatch<'a, T> {
    batch: &'a SampleBatch<'a, T>,
    maps: CowArray<'a, T, IxDyn>,
    masked: OnceCell<Vec<f64>>,
    attributions: OnceCell<Vec<T>>,
}

impl<'a, T: Real> ExplainedBatch<'a, T> {
    /// The samples without their maps.
    #[must_use]
    pub fn batch(&self) -> &'a SampleBatch<'a, T> {
        self.batch
    }

    /// The maps, samples first, in row-major order.
    #[must_use]
    pub fn maps(&self) -> ArrayViewD<'_, T> {
        self.maps.view()
    }

    /// `g(f, x_i ⊙ M_i, y_i)` of every sample: what the model says to what the map keeps. It is
    /// asked once, whoever asks.
    ///
    /// # Errors
    /// The model's, as [`AverageDrop::evaluate`](crate::AverageDrop::evaluate).
    pub fn masked_scores(&self) -> Result<&[f64]> {
        cached(&self.masked, || {
            let masked = mask_inputs(self.batch.inputs(), self.maps(), self.batch.layout())?;
            self.batch.score(masked.view())
        })
        .map(Vec::as_slice)
    }

    /// The attribution of every position, channels averaged, signs kept: `n_positions` values a
    /// sample.
    ///
    /// # Errors
    /// [`Error::OutOfDomain`] where the channels add up to infinity.
    pub fn attributions(&self) -> Result<&[T]> {
        cached(&self.attributions, || {
            attributions_by_position(self.maps(), &self.batch.shape(), self.batch.layout())
        })
        .map(Vec::as_slice)
    }
}

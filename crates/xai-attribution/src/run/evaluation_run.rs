//! Computes all metrics of all explainers, batch by batch. Inputs and maps are read once, except by metrics and
//! baselines that use all samples, and no model score is computed twice.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use ndarray::{ArrayD, ArrayViewD, Axis, IxDyn, Slice};
use xai_core::evaluation::MapClassCheck;
use xai_core::tensor::Rows;
use xai_core::{Error, ErrorKind, ExactMean, Input, Real, Result};

use crate::batch::data::ExplainerData;
use crate::batch::explained::PairCallback;
use crate::batch::run_data::missing;
use crate::batch::samples::Record;
use crate::batch::{AllSamples, Dataset, ExplainedBatch, Plan, SampleBatch};
use crate::metric::{CombinedValues, DatasetMetricDyn, Measure, SampleNotes};
use crate::model::black_box::{into_inner, lock};
use crate::model::{Model, Samples};
use crate::perturbation::CurveScores;
use crate::table::{CurvePoint, TiedFeatures};
use crate::{CompletedScores, EvaluationError, PlannedRows, input};

/// Name of maps without an explainer's name, in warnings.
pub(crate) const UNNAMED: &str = "explanations";

/// Metrics and explainers of a run, with its callbacks.
pub(crate) struct EvaluationRun<'s, T> {
    pub(crate) dataset: &'s Dataset<'s, T>,
    pub(crate) explained: &'s [ExplainerData<'s, T>],
    /// Metrics under the names that they have in results.
    pub(crate) metrics: Vec<(String, &'s dyn Measure<T>)>,
    /// Collects curves as well.
    pub(crate) curves: bool,
    /// Continues the run if a metric is undefined for the scores, so that the other metrics keep their
    /// values.
    pub(crate) tolerates_undefined: bool,
    /// Called with the planned rows before the first call of the model.
    pub(crate) planned: &'s (dyn Fn(&PlannedRows) + Sync),
    /// Called after each batch with its number of samples.
    pub(crate) progress: &'s (dyn Fn(usize) + Sync),
    /// Called with the number of pairs of samples compared so far, and their total number.
    pub(crate) pairs: &'s PairCallback<'s>,
}

/// Results of a run.
pub(crate) struct Collected {
    /// Values by `[explainer][metric]`.
    pub(crate) values: Vec<Vec<CombinedValues>>,
    /// Curves by `[explainer][metric]`.
    pub(crate) curves: Vec<Vec<Option<Vec<CurvePoint>>>>,
    /// Tied features by `[explainer][metric]`.
    pub(crate) tied: Vec<Vec<Option<TiedFeatures>>>,
    /// Reason why a metric is undefined for the scores, by metric. Such a metric has no values.
    pub(crate) undefined: Vec<Option<String>>,
    /// Scores and sums of maps, for a two-class model whose base scores some metric has read.
    pub(crate) map_class_check: Option<MapClassCheck>,
}

/// Runs work on every batch, sequentially or, with a concurrent model, in parallel. If several batches fail, the
/// error of the first one in order is returned.
pub(crate) fn for_each_batch<'s, T: Real>(
    model: &dyn Model<T>,
    dataset: &'s Dataset<'s, T>,
    work: &(dyn Fn(&SampleBatch<'_, T>) -> Result<(), EvaluationError> + Sync),
) -> Result<(), EvaluationError> {
    let batches: Vec<_> = dataset.batches().collect();
    let failure: Mutex<Option<(usize, EvaluationError)>> = Mutex::new(None);
    model.run(batches.len(), &|index, model| {
        let samples = batches[index].clone();
        let outcome = dataset
            .inputs(samples.clone())
            .map_err(EvaluationError::from)
            .and_then(|inputs| {
                let rows = Rows::from_samples(inputs.view());
                work(&SampleBatch::new(model, dataset, samples, rows.as_slice()))
            });
        let Err(error) = outcome else { return true };
        // Several batches may fail on different threads; the lowest error is the same on any number of threads.
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

/// Scores under a name, by sample: of one explainer, or of unchanged inputs (`None`).
type RecordedScores = (Option<usize>, &'static str, Vec<Option<f64>>);

/// Model scores computed during a run, by explainer (`None` for unchanged inputs) and name. They are reported if the
/// run stops.
pub(crate) struct Records {
    n_samples: usize,
    records: Vec<RecordedScores>,
}

impl Records {
    pub(crate) fn new(n_samples: usize) -> Self {
        Self {
            n_samples,
            records: Vec::new(),
        }
    }

    /// Adds the records of consecutive samples, starting at `first`.
    pub(crate) fn keep(&mut self, explainer: Option<usize>, first: usize, records: Vec<Record>) {
        for (name, scores) in records {
            let known = |(e, n, _): &(Option<usize>, &str, _)| *e == explainer && *n == name;
            let index = self.records.iter().position(known).unwrap_or_else(|| {
                let unknown = vec![None; self.n_samples];
                self.records.push((explainer, name, unknown));
                self.records.len() - 1
            });
            // Batches fill disjoint ranges, in any order.
            let kept = &mut self.records[index].2[first..first + scores.len()];
            kept.copy_from_slice(&scores);
        }
    }

    /// Removes and returns the records of one explainer, or of unchanged inputs.
    pub(crate) fn take(
        &mut self,
        explainer: Option<usize>,
    ) -> Vec<(&'static str, Vec<Option<f64>>)> {
        let own = self.records.extract_if(.., |(e, _, _)| *e == explainer);
        own.map(|(_, name, scores)| (name, scores)).collect()
    }
}

/// Exact sums for a curve of mean scores.
struct CurveSums {
    n_flipped: Arc<Vec<usize>>,
    means: Vec<ExactMean>,
}

impl CurveSums {
    fn add(sums: &mut Option<Self>, curve: &CurveScores) {
        let sums = sums.get_or_insert_with(|| Self {
            n_flipped: Arc::clone(&curve.n_flipped),
            means: vec![ExactMean::new(); curve.n_flipped.len()],
        });
        for (mean, scores) in sums.means.iter_mut().zip(&curve.scores) {
            // NaN marks samples without a value at this point. Model scores are never NaN: outputs are checked.
            mean.extend(scores.iter().copied().filter(|score| !score.is_nan()));
        }
    }

    fn points(self) -> Vec<CurvePoint> {
        let points = self.n_flipped.iter().zip(self.means);
        points
            .filter_map(|(&n_flipped, mean)| {
                mean.value().map(|score| CurvePoint { n_flipped, score })
            })
            .collect()
    }
}

/// Results that batches, possibly on several threads, write to.
struct State<T> {
    per_sample: Mutex<Vec<Vec<Vec<Option<f64>>>>>,
    curves: Mutex<Vec<Vec<Option<CurveSums>>>>,
    tied: Mutex<Vec<Vec<Option<TiedFeatures>>>>,
    /// Error of each metric that is undefined, with the first sample of the batch. Of several batches the lowest, so
    /// that the message does not depend on threads.
    undefined: Mutex<Vec<Option<(usize, Error)>>>,
    records: Mutex<Records>,
    gathered: Gathered<T>,
    sums: Mutex<Sums>,
}

/// Scores of the targets and, per explainer, sums of its given maps. Their signs show whether maps of a two-class
/// model explain the target or always the same class.
pub(crate) struct Sums {
    scores: Vec<f64>,
    by_explainer: Vec<MapSums>,
}

/// Sums of the maps of one explainer. NaN for samples not visited yet.
#[derive(Clone)]
struct MapSums {
    sums: Vec<f64>,
    /// True if any map contains a negative value. Otherwise the signs of the sums say nothing.
    has_negative: bool,
}

impl Sums {
    pub(crate) fn new(n_samples: usize, n_explainers: usize) -> Self {
        let unknown = vec![f64::NAN; n_samples];
        let empty = MapSums {
            sums: unknown.clone(),
            has_negative: false,
        };
        Self {
            scores: unknown,
            by_explainer: vec![empty; n_explainers],
        }
    }

    /// Adds a batch, if the model has two classes and a metric has computed the base scores.
    pub(crate) fn add<T: Real>(
        &mut self,
        explainer: usize,
        explained: &ExplainedBatch<'_, T>,
        are_given: bool,
    ) -> Result<()> {
        let batch = explained.batch();
        let (Some(scores), true) = (
            batch.cached_base_scores(),
            batch.dataset().has_two_classes(),
        ) else {
            return Ok(());
        };
        self.scores[batch.samples()].copy_from_slice(scores);
        if are_given {
            let MapSums { sums, has_negative } = &mut self.by_explainer[explainer];
            let maps = explained.maps()?;
            for (sample, map) in batch.samples().zip(maps.outer_iter()) {
                sums[sample] = map.iter().map(|value| value.to_f64_exact()).sum();
                // Counts negative values of the maps as given, before those of the other class were negated.
                let is_turned = batch.dataset().explains_other_class(sample);
                let is_negative = |value: &T| {
                    if is_turned {
                        *value > T::ZERO
                    } else {
                        *value < T::ZERO
                    }
                };
                *has_negative |= map.iter().any(is_negative);
            }
        }
        Ok(())
    }

    /// Returns scores and sums of maps. `None` unless the model has two classes and all scores are known. The sums of
    /// one explainer are `None` if its maps were computed, or if none of their values is negative.
    pub(crate) fn class_check<T: Real>(
        self,
        dataset: &Dataset<'_, T>,
        are_given: &[bool],
    ) -> Option<MapClassCheck> {
        let is_known = self.scores.iter().all(|score| !score.is_nan());
        if !is_known || !dataset.has_two_classes() {
            return None;
        }
        let signed_sums =
            self.by_explainer
                .into_iter()
                .zip(are_given)
                .map(|(map_sums, are_given)| {
                    (map_sums.has_negative && *are_given).then_some(map_sums.sums)
                });
        Some(MapClassCheck {
            scores: self.scores,
            is_class_one: dataset.is_class_one()?.to_vec(),
            map_sums: signed_sums.collect(),
        })
    }
}

impl<T: Real> EvaluationRun<'_, T> {
    /// Checks that `available` inputs, maps and explainers cover the needs of every metric, then the maps and the
    /// parameters of the metrics.
    fn prepare(&self, available: &[Input]) -> Result<(), EvaluationError> {
        for (name, metric) in &self.metrics {
            for &need in metric.info().needs {
                let lacks = |e: &&ExplainerData<'_, T>| !available.contains(&need) && !e.has(need);
                if let Some(explained) = self.explained.iter().find(lacks) {
                    return Err(located(missing(need), explained, Some(name)));
                }
            }
        }
        for explained in self.explained {
            if let Some(maps) = &explained.maps {
                let fits = self.dataset.check_maps(&**maps);
                fits.map_err(|error| located(error, explained, None))?;
            }
        }
        self.metrics.iter().try_for_each(|(name, metric)| {
            let checked = metric
                .check_params()
                .and_then(|()| metric.prepare(self.dataset));
            checked.map_err(|error| EvaluationError::from(error).during(None, Some(name)))
        })
    }

    /// Collects the planned rows of all metrics.
    fn plan(&self) -> Result<PlannedRows, EvaluationError> {
        let mut plan = Plan::new(self.dataset);
        for (name, metric) in &self.metrics {
            let planned = metric.plan(&mut plan).and_then(|()| plan.check());
            planned.map_err(|error| EvaluationError::from(error).during(None, Some(name)))?;
        }
        let without_maps = self.explained.iter().filter(|e| e.maps.is_none());
        let n_without_maps = without_maps.count();
        Ok(plan.rows(self.explained.len(), n_without_maps))
    }

    /// Checks everything and returns the planned rows.
    pub(crate) fn checked_plan(&self, available: &[Input]) -> Result<PlannedRows, EvaluationError> {
        self.prepare(available)?;
        self.plan()
    }

    /// Visits all batches and returns the values of all metrics.
    pub(crate) fn run(
        &self,
        model: &dyn Model<T>,
        available: &[Input],
    ) -> Result<Collected, EvaluationError> {
        (self.planned)(&self.checked_plan(available)?);
        let (n, n_metrics) = (self.dataset.n_samples(), self.metrics.len());
        let explainers = self.explained.iter();
        let state = State {
            per_sample: Mutex::new(vec![vec![vec![None; n]; n_metrics]; self.explained.len()]),
            curves: Mutex::new(
                explainers
                    .map(|_| (0..n_metrics).map(|_| None).collect())
                    .collect(),
            ),
            tied: Mutex::new(vec![vec![None; n_metrics]; self.explained.len()]),
            undefined: Mutex::new((0..n_metrics).map(|_| None).collect()),
            records: Mutex::new(Records::new(n)),
            gathered: Gathered::new(self.explained.len(), n_metrics),
            sums: Mutex::new(Sums::new(n, self.explained.len())),
        };
        let outcome = for_each_batch(model, self.dataset, &|batch| {
            let outcome = (0..self.explained.len())
                .try_for_each(|e| self.evaluate_explainer(e, batch, &state));
            let first = batch.samples().start;
            // Records of a failed batch are kept as well: the model has answered, which may have been expensive.
            lock(&state.records).keep(None, first, batch.records());
            if outcome.is_ok() {
                (self.progress)(batch.n_samples());
            }
            outcome
        });
        let per_sample = into_inner(state.per_sample);
        let outcome = outcome.and_then(|()| self.combine(state.gathered));
        match outcome {
            Err(stopped) => {
                let completed = self.completed(per_sample, into_inner(state.records));
                Err(stopped.with_completed(completed))
            }
            Ok(related) => {
                let mut values: Vec<Vec<CombinedValues>> = per_sample
                    .into_iter()
                    .map(|by_metric| {
                        by_metric
                            .into_iter()
                            .map(CombinedValues::PerSample)
                            .collect()
                    })
                    .collect();
                for ((e, m), related) in related {
                    values[e][m] = related;
                }
                let curves = into_inner(state.curves).into_iter();
                let points = |c: Option<CurveSums>| c.map(CurveSums::points);
                let mut curves: Vec<Vec<_>> = curves
                    .map(|by_metric| by_metric.into_iter().map(points).collect())
                    .collect();
                let undefined = into_inner(state.undefined);
                // A metric that is undefined for one batch is undefined as a whole: values of the batches before would
                // be those of an arbitrary part of the data set.
                for (m, _) in undefined.iter().enumerate().filter(|(_, u)| u.is_some()) {
                    for (values, curves) in values.iter_mut().zip(&mut curves) {
                        values[m] = CombinedValues::PerSample(vec![None; n]);
                        curves[m] = None;
                    }
                }
                let why = |(_, error): (usize, Error)| error.to_string();
                let are_given: Vec<bool> = self
                    .explained
                    .iter()
                    .map(|explained| explained.maps.is_some())
                    .collect();
                if are_given.contains(&true) {
                    self.dataset.assume_explained_class();
                }
                let map_class_check = into_inner(state.sums).class_check(self.dataset, &are_given);
                Ok(Collected {
                    values,
                    curves,
                    tied: into_inner(state.tied),
                    undefined: undefined.into_iter().map(|u| u.map(why)).collect(),
                    map_class_check,
                })
            }
        }
    }

    /// Computes all metrics of one explainer on one batch.
    fn evaluate_explainer(
        &self,
        e: usize,
        batch: &SampleBatch<'_, T>,
        state: &State<T>,
    ) -> Result<(), EvaluationError> {
        let source = &self.explained[e];
        let explained =
            ExplainedBatch::new(batch, source).map_err(|error| located(error, source, None))?;
        let outcome = self
            .metrics
            .iter()
            .enumerate()
            .try_for_each(|(m, (name, metric))| {
                let outcome = self.measure(*metric, &explained, (e, m), state);
                outcome.or_else(|error| match error.kind() {
                    ErrorKind::UndefinedScore { .. } if self.tolerates_undefined => {
                        let (mut known, first) = (lock(&state.undefined), batch.samples().start);
                        if known[m].as_ref().is_none_or(|(other, _)| first < *other) {
                            known[m] = Some((first, error));
                        }
                        Ok(())
                    }
                    _ => Err(located(error, source, Some(name))),
                })
            })
            .and_then(|()| {
                if source.maps.is_none() && self.reads_maps() {
                    (state.gathered.keep_maps(e, &explained))
                        .map_err(|error| located(error, source, None))
                } else {
                    Ok(())
                }
            })
            .and_then(|()| {
                // After the metrics, because this check only reads base scores that one of them has requested: it costs
                // no call.
                (lock(&state.sums).add(e, &explained, source.maps.is_some()))
                    .map_err(|error| located(error, source, None))
            });
        let first = batch.samples().start;
        lock(&state.records).keep(Some(e), first, explained.records());
        outcome
    }

    /// Computes one metric of one explainer on one batch.
    fn measure(
        &self,
        metric: &dyn Measure<T>,
        explained: &ExplainedBatch<'_, T>,
        (e, m): (usize, usize),
        state: &State<T>,
    ) -> Result<()> {
        let samples = explained.batch().samples();
        if let Some(tied) = metric.tied(explained)? {
            *lock(&state.tied)[e][m].get_or_insert_default() += tied;
        }
        // Such a metric has no values per batch: they are computed from the notes of all batches at the end.
        if let Some(whole) = metric.dataset_metric() {
            let notes = whole.record(explained)?;
            state.gathered.keep_notes((e, m), samples.start, notes);
            return Ok(());
        }
        let values = metric.per_sample(explained)?;
        if values.len() != samples.len() {
            let (expected, actual) = ([samples.len()], [values.len()]);
            return Err(Error::shape(input::VALUES, &expected, &actual));
        }
        check_finite_values(&values, samples.start)?;
        if self.curves
            && let Some(curve) = metric.curve(explained)?
        {
            CurveSums::add(&mut lock(&state.curves)[e][m], &curve);
        }
        lock(&state.per_sample)[e][m][samples].copy_from_slice(&values);
        Ok(())
    }

    /// Returns whether some metric reads the maps again after the last batch.
    fn reads_maps(&self) -> bool {
        let mut whole = self.metrics.iter().filter_map(|(_, m)| m.dataset_metric());
        whole.any(|metric| metric.reads_maps())
    }

    /// Second stage: values of the metrics that combine all samples.
    fn combine(&self, gathered: Gathered<T>) -> Result<Vec<CombinedBy>, EvaluationError> {
        let mut values = Vec::new();
        let (notes, computed_maps) = gathered.into_parts();
        for (e, (by_metric, computed)) in notes.into_iter().zip(&computed_maps).enumerate() {
            let source = &self.explained[e];
            let computed = computed.as_ref().map(|maps| maps as &dyn Samples<T>);
            let all = match source.maps.as_deref() {
                Some(given) => AllSamples::with_given_maps(self.dataset, given),
                None => AllSamples::with_computed_maps(self.dataset, computed),
            }
            .on_pairs(self.pairs);
            for (m, (notes, (name, metric))) in by_metric.into_iter().zip(&self.metrics).enumerate()
            {
                if let Some(whole) = metric.dataset_metric() {
                    let related = combined_values(whole, &all, notes)
                        .map_err(|error| located(error, source, Some(name)))?;
                    values.push(((e, m), related));
                }
            }
        }
        Ok(values)
    }

    /// Lists everything computed before a run stopped: base scores, then for every explainer the values of metrics
    /// and the model scores.
    fn completed(
        &self,
        per_sample: Vec<Vec<Vec<Option<f64>>>>,
        mut records: Records,
    ) -> Vec<CompletedScores> {
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
        for (name, scores) in records.take(None) {
            complete(None, name, scores);
        }
        for (e, (source, by_metric)) in self.explained.iter().zip(per_sample).enumerate() {
            for ((name, _), values) in self.metrics.iter().zip(by_metric) {
                complete(source.name(), name, values);
            }
            for (name, scores) in records.take(Some(e)) {
                complete(source.name(), name, scores);
            }
        }
        completed
    }
}

/// Adds the names of explainer and metric to an error. With a single unnamed explainer there is nothing to tell
/// apart, and neither is added.
fn located<T: Real>(
    error: Error,
    explained: &ExplainerData<'_, T>,
    metric: Option<&str>,
) -> EvaluationError {
    let name = explained.name();
    EvaluationError::from(error).during(name, name.and(metric))
}

/// Values of one metric for one explainer, `((explainer, metric), values)`.
type CombinedBy = ((usize, usize), CombinedValues);

/// Notes that a metric took of each batch, keyed by the first sample. The map restores the order of the batches,
/// which threads finish in any order.
type NotesByBatch = BTreeMap<usize, SampleNotes>;

/// Input of the second stage, collected from the batches.
pub(crate) struct Gathered<T> {
    /// Notes by `[explainer][metric]`.
    notes: Mutex<Vec<Vec<NotesByBatch>>>,
    /// Maps of explainers without stored maps, kept if some metric reads maps again.
    maps: Mutex<Vec<Option<ArrayD<T>>>>,
}

impl<T: Real> Gathered<T> {
    pub(crate) fn new(n_explainers: usize, n_metrics: usize) -> Self {
        let empty = |_| (0..n_metrics).map(|_| NotesByBatch::new()).collect();
        Self {
            notes: Mutex::new((0..n_explainers).map(empty).collect()),
            maps: Mutex::new((0..n_explainers).map(|_| None).collect()),
        }
    }

    /// Stores the notes of a metric about a batch.
    pub(crate) fn keep_notes(&self, (e, m): (usize, usize), first: usize, notes: SampleNotes) {
        lock(&self.notes)[e][m].insert(first, notes);
    }

    /// Stores the maps of a batch.
    pub(crate) fn keep_maps(&self, e: usize, explained: &ExplainedBatch<'_, T>) -> Result<()> {
        let (dataset, samples) = (explained.batch().dataset(), explained.batch().samples());
        let maps: ArrayViewD<'_, T> = explained.maps()?;
        let shape = [&[dataset.n_samples()], &maps.shape()[1..]].concat();
        let mut all_maps = lock(&self.maps);
        let kept = all_maps[e].get_or_insert_with(|| ArrayD::from_elem(IxDyn(&shape), T::ZERO));
        if kept.shape() != shape {
            let error = Error::shape(input::EXPLANATIONS, kept.shape(), &shape);
            return Err(error.owner(dataset.call(&samples)));
        }
        kept.slice_axis_mut(Axis(0), Slice::from(samples))
            .assign(&maps);
        Ok(())
    }

    /// Returns the notes by `[explainer][metric]`, and the stored maps by explainer.
    pub(crate) fn into_parts(self) -> (Vec<Vec<NotesByBatch>>, Vec<Option<ArrayD<T>>>) {
        (into_inner(self.notes), into_inner(self.maps))
    }
}

/// Computes the values of one metric of one explainer and checks that they are finite.
pub(crate) fn combined_values<T: Real>(
    whole: &dyn DatasetMetricDyn<T>,
    all: &AllSamples<'_, T>,
    notes: NotesByBatch,
) -> Result<CombinedValues> {
    let notes = notes.into_values().collect();
    let values = whole.values(all, notes)?;
    values.check_finite()?;
    Ok(values)
}

/// Checks that all defined values are finite. `first` is the index of the first sample, for the error.
pub(crate) fn check_finite_values(values: &[Option<f64>], first: usize) -> Result<()> {
    let infinite = |value: &Option<f64>| value.is_some_and(|x| !x.is_finite());
    match values.iter().position(infinite) {
        None => Ok(()),
        Some(i) => Err(Error::non_finite(input::VALUES, &[first + i])),
    }
}

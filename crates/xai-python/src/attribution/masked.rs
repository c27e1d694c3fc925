//! Metrics of a model that receives indices of samples and the features to keep, instead of masked inputs.

use std::sync::Arc;

use ndarray::{Array2, Array3, ArrayView1, ArrayView2};
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use xai_attribution::masked::{MaskedBenchmark, MaskedModel};
use xai_attribution::model::{BoxError, Concurrent, Scoring};
use xai_attribution::perturbation::{PrecomputedNeighbors, PrecomputedSubsets};
use xai_attribution::side::Masks;
use xai_attribution::table::EvaluationValues;
use xai_attribution::{Benchmark, Evaluate, EvaluationError, PlannedRows};

use super::calls::{Function, outcome_of_run, rows, tell};
use super::evaluate::built;
use super::request::{Asked, AskedMetric, scoring};
use super::samples::GivenTargets;
use super::values::AttributionValues;
use crate::work::{self, Calls};

/// A request, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct MaskedRequest<'py> {
    model: Py<PyAny>,
    n_features: Vec<usize>,
    targets: Option<GivenTargets<'py>>,
    /// With the attributions of all samples, one after another.
    explainers: Vec<(String, PyReadonlyArray1<'py, f64>)>,
    metrics: Vec<AskedMetric>,
    /// Features that are removed together, `(draws, size)` for each sample.
    subsets: Option<Vec<PyReadonlyArray2<'py, i64>>>,
    /// Membership of each feature in the mask of its sample, from 0 to 1, with all samples one after another.
    masks: Option<PyReadonlyArray1<'py, f64>>,
    activation: String,
    batch_size: Option<usize>,
    allow_batch_dependence: bool,
    explained_class: Option<usize>,
    curves: bool,
    progress: Option<Py<PyAny>>,
}

/// A request that any thread can work on.
struct Job<'a> {
    model: Function,
    n_features: Vec<usize>,
    targets: Option<xai_attribution::model::Targets>,
    explainers: Vec<(String, ArrayView1<'a, f64>)>,
    metrics: Vec<Asked>,
    subsets: Option<Vec<ArrayView2<'a, i64>>>,
    masks: Option<ArrayView1<'a, f64>>,
    scoring: Scoring,
    curves: bool,
    progress: Option<Function>,
}

impl MaskedRequest<'_> {
    fn job(&self, py: Python<'_>) -> PyResult<Job<'_>> {
        let explainers = self.explainers.iter();
        let metrics = self.metrics.iter().map(|asked| asked.prepare(py));
        let subsets = self.subsets.as_ref();
        Ok(Job {
            model: Arc::new(self.model.clone_ref(py)),
            n_features: self.n_features.clone(),
            targets: self.targets.as_ref().map(GivenTargets::targets),
            explainers: explainers
                .map(|(name, maps)| (name.clone(), maps.as_array()))
                .collect(),
            metrics: metrics.collect::<PyResult<_>>()?,
            subsets: subsets.map(|of| of.iter().map(|of| of.as_array()).collect()),
            masks: self.masks.as_ref().map(PyReadonlyArray1::as_array),
            scoring: Scoring {
                batch_size: self.batch_size,
                allow_batch_dependence: self.allow_batch_dependence,
                explained_class: self.explained_class,
                ..scoring(py, &self.activation)?
            },
            curves: self.curves,
            progress: self.progress.as_ref().map(|f| Arc::new(f.clone_ref(py))),
        })
    }
}

/// A masked model that is a function of Python: samples and kept features in, an array `(rows, n_outputs)` out.
struct PyMaskedModel {
    calls: Calls,
    function: Function,
}

impl MaskedModel for PyMaskedModel {
    fn outputs(
        &self,
        samples: &[usize],
        kept: ArrayView2<'_, bool>,
    ) -> Result<Array2<f64>, BoxError> {
        let number = |&sample: &usize| i64::try_from(sample).unwrap_or(i64::MAX);
        let samples: Vec<i64> = samples.iter().map(number).collect();
        let (kept, function) = (kept.to_owned(), Arc::clone(&self.function));
        self.calls.call(move |py| {
            let asked = (samples.into_pyarray(py), kept.into_pyarray(py));
            rows(&function.bind(py).call1(asked)?)
        })
    }
}

impl Job<'_> {
    /// Calls `work` with the evaluation of the job and with a function that configures the evaluation of some samples.
    fn with<R>(
        &self,
        calls: &Calls,
        work: impl FnOnce(
            MaskedBenchmark<'_>,
            &dyn for<'e> Fn(Benchmark<'e, f64>, &[usize]) -> Benchmark<'e, f64>,
        ) -> Result<R, EvaluationError>,
    ) -> Result<R, EvaluationError> {
        let model = PyMaskedModel {
            calls: calls.clone(),
            function: Arc::clone(&self.model),
        };
        let model = Concurrent(&model);
        let mut evaluation = MaskedBenchmark::new(&model, &self.n_features);
        if let Some(targets) = &self.targets {
            evaluation = evaluation.targets(targets.clone());
        }
        let of_explainers: Vec<(&String, Vec<f64>)> = (self.explainers.iter())
            .map(|(name, maps)| (name, maps.to_vec()))
            .collect();
        for (name, maps) in &of_explainers {
            let mut rest = maps.as_slice();
            let of_sample = |&features: &usize| {
                let (map, others) = rest.split_at(features.min(rest.len()));
                rest = others;
                map
            };
            let maps: Vec<&[f64]> = self.n_features.iter().map(of_sample).collect();
            evaluation = evaluation.maps((*name).clone(), maps);
        }
        let starts: Vec<usize> = (self.n_features.iter())
            .scan(0, |start, features| {
                Some(std::mem::replace(start, *start + features))
            })
            .collect();
        let build = || built::<f64>(&self.metrics, calls, false);
        build()?;
        work(evaluation, &|mut evaluation, samples| {
            // Cannot fail, because it succeeded above.
            for (name, metric) in build().unwrap_or_default() {
                evaluation = evaluation.metric_named(name, metric);
            }
            if let Some(subsets) = &self.subsets {
                evaluation = given_subsets(evaluation, subsets, samples, &self.n_features);
            }
            if let Some(masks) = &self.masks {
                evaluation = evaluation.with(masks_of(masks, samples, &starts, &self.n_features));
            }
            if self.curves {
                evaluation = evaluation.with_curves();
            }
            if let Some(progress) = &self.progress {
                let (calls, progress) = (calls.clone(), Arc::clone(progress));
                evaluation = evaluation.on_progress(move |n| tell(&calls, &progress, n));
            }
            evaluation.scoring(self.scoring)
        })
    }
}

/// Adds the given subsets of some samples to an evaluation, in both forms that metrics take: as indices of features,
/// and as noise that is added to the presence of features (−1 removes one). Python has checked that samples with the
/// same number of features have the same number of subsets, all of one size.
fn given_subsets<'e>(
    evaluation: Benchmark<'e, f64>,
    subsets: &[ArrayView2<'_, i64>],
    samples: &[usize],
    n_features: &[usize],
) -> Benchmark<'e, f64> {
    let (draws, size) = subsets[samples[0]].dim();
    let features = Array3::from_shape_fn((draws, samples.len(), size), |(draw, i, place)| {
        u32::try_from(subsets[samples[i]][[draw, place]]).unwrap_or(u32::MAX)
    });
    let mut noise = Array3::zeros((draws, samples.len(), n_features[samples[0]]));
    for ((draw, sample, _), &feature) in features.indexed_iter() {
        // Indices that are out of range are reported when the metric checks the indices of features.
        if let Some(noise) = noise.get_mut((draw, sample, feature as usize)) {
            *noise = -1.0;
        }
    }
    evaluation
        .with(PrecomputedSubsets(features))
        .with(PrecomputedNeighbors(noise.into_dyn()))
}

/// Returns the masks of some samples with the same number of features. `starts` has the place of the first feature of
/// each sample. Masks are boolean if all values are 0 or 1.
fn masks_of(
    masks: &ArrayView1<'_, f64>,
    samples: &[usize],
    starts: &[usize],
    n_features: &[usize],
) -> Masks {
    let shape = (samples.len(), 1, n_features[samples[0]]);
    let shares =
        Array3::from_shape_fn(shape, |(i, _, feature)| masks[starts[samples[i]] + feature]);
    if masks.iter().all(|&share| share == 0.0 || share == 1.0) {
        Masks::new(shares.mapv(|share| share == 1.0))
    } else {
        Masks::from_numbers(shares)
    }
}

/// All metrics of all explainers of a request.
#[pyfunction]
#[pyo3(signature = (request, n_jobs=None))]
fn attribution_masked_values(
    py: Python<'_>,
    request: MaskedRequest<'_>,
    n_jobs: Option<i64>,
) -> PyResult<AttributionValues> {
    let job = request.job(py)?;
    let values = |calls: &Calls| -> Result<EvaluationValues, EvaluationError> {
        job.with(calls, |evaluation, configure| evaluation.values(configure))
    };
    let (calls, outcome) = work::run_with_calls(py, n_jobs, values)?;
    Ok(AttributionValues::new(outcome_of_run(&calls, py, outcome)?))
}

/// Returns the number of rows that the metrics will pass to the model, and how many of these are whole samples. Lower
/// bounds if a metric does not know its rows in advance.
#[pyfunction]
fn attribution_masked_plan(py: Python<'_>, request: MaskedRequest<'_>) -> PyResult<(u64, u64)> {
    let job = request.job(py)?;
    let planned = |calls: &Calls| -> Result<PlannedRows, EvaluationError> {
        job.with(calls, |evaluation, configure| evaluation.plan(configure))
    };
    let (calls, outcome) = work::run_with_calls(py, None, planned)?;
    let planned = outcome_of_run(&calls, py, outcome)?;
    Ok((planned.model, planned.whole))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, attribution_masked_values, attribution_masked_plan)
}

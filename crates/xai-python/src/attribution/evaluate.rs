//! Evaluation of several metrics for several explainers, or for one.

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use xai_attribution::input::EXPLAINED_CLASS;
use xai_attribution::map::MapDistance;
use xai_attribution::metric::{
    AverageStability, Consistency, Discretizer, LocalLipschitz, MaximumStability, Measure,
    MetricValue, Registered,
};
use xai_attribution::model::{Concurrent, Model, Targets};
use xai_attribution::table::{EvaluationValues, Remark, TiedFeatures};
use xai_attribution::{Benchmark, Evaluate, EvaluationData, EvaluationError, evaluate_together};
use xai_core::describe::with;

use super::calls::{PyExplainer, PyModel, distance, map_key, outcome_of_run, tell};
use super::own::{KeptCurves, MeasuredOwn};
use super::request::{Asked, Job, Kind, Request};
use super::samples::{Native, View};
use super::values::{AttributionValues, curve, floats, pairs};
use crate::work::{self, Calls};

/// Computes all metrics of a request for all its explainers.
#[pyfunction]
#[pyo3(signature = (request, n_jobs=None))]
fn attribution_evaluate(
    py: Python<'_>,
    request: Request<'_>,
    n_jobs: Option<i64>,
) -> PyResult<AttributionValues> {
    let job = request.job(py)?;
    let values = run_job(py, n_jobs, job, |job, calls| {
        if job.is_single() {
            evaluate::<f32>(job, calls)
        } else {
            evaluate::<f64>(job, calls)
        }
    })?;
    Ok(AttributionValues::new(values))
}

/// Computes the metrics of a request for its first explainer, or without one. Returns one dictionary per metric.
#[pyfunction]
#[pyo3(signature = (request, n_jobs=None))]
fn attribution_measure<'py>(
    py: Python<'py>,
    request: Request<'_>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyList>> {
    let job = request.job(py)?;
    let values: PyResult<Vec<_>> = run_job(py, n_jobs, job, |job, calls| {
        if job.is_single() {
            measure::<f32>(job, calls)
        } else {
            measure::<f64>(job, calls)
        }
    })?
    .iter()
    .map(|(v, c)| described(py, v, c))
    .collect();
    PyList::new(py, values?)
}

/// Runs the work of a job. Python can be called during the work only if the job contains Python functions.
pub(super) fn run_job<'a, R: Send>(
    py: Python<'_>,
    n_jobs: Option<i64>,
    job: Job<'a>,
    work: impl FnOnce(Job<'a>, &Calls) -> Result<R, EvaluationError> + Send,
) -> PyResult<R> {
    let (calls, outcome) = (if job.calls_python() {
        work::run_with_calls(py, n_jobs, |calls| work(job, calls))
    } else {
        let n_elements = job.n_elements();
        work::run_without_calls(py, n_jobs, n_elements, |calls| work(job, calls))
    })?;
    outcome_of_run(&calls, py, outcome)
}

fn evaluate<T: Native>(
    mut job: Job<'_>,
    calls: &Calls,
) -> Result<EvaluationValues, EvaluationError> {
    let single = job.has_single_inputs();
    let called = model(&job, calls);
    let model = called.as_ref().map(Concurrent);
    let (explainers, progress) = (std::mem::take(&mut job.explainers), job.progress.take());
    let functions: Vec<Option<PyExplainer>> = explainers
        .iter()
        .map(|explained| {
            explained
                .function
                .clone()
                .map(|function| PyExplainer::new(calls, function, single))
        })
        .collect();
    let metrics = built::<T>(&job.metrics, calls, single)?;
    let (curves, first_sample) = (job.curves, job.first_sample);
    let explained_class_is_known = job.explained_class_is_known;
    let inputs = job.inputs.take();
    let fallback = explainers.first().and_then(|e| e.maps.as_ref());
    let data = data::<T, _>(
        job,
        inputs.as_ref(),
        fallback,
        model.as_ref(),
        calls,
        single,
    )?;
    let mut evaluation = Benchmark::on(data).first_sample(first_sample);
    for (explained, function) in explainers.iter().zip(&functions) {
        let name = explained.name.clone();
        evaluation = match (&explained.maps, function) {
            (Some(maps), None) => evaluation.maps(name, maps.samples()),
            (Some(maps), Some(function)) => {
                evaluation.maps_and_explainer(name, maps.samples(), function)
            }
            (None, Some(function)) => evaluation.explainer(name, function),
            (None, None) => evaluation,
        };
    }
    for (name, metric) in metrics {
        evaluation = evaluation.metric_named(name, metric);
    }
    if curves {
        evaluation = evaluation.with_curves();
    }
    if let Some(progress) = progress {
        let calls = calls.clone();
        evaluation = evaluation.on_progress(move |samples| tell(&calls, &progress, samples));
    }
    let mut values = evaluation.values()?;
    if explained_class_is_known {
        leave_out_explained_class(&mut values.assumed);
        values.map_class_check = None;
    }
    Ok(values)
}

/// Leaves out the assumption that maps explain the class of each sample's target.
fn leave_out_explained_class(assumed: &mut Vec<Remark>) {
    assumed.retain(|remark| remark.about != EXPLAINED_CLASS.name());
}

fn measure<T: Native>(mut job: Job<'_>, calls: &Calls) -> Result<Vec<WithCurves>, EvaluationError> {
    let single = job.has_single_inputs();
    let called = model(&job, calls);
    let model = called.as_ref().map(Concurrent);
    let metrics: Vec<KeptCurves<T>> = built::<T>(&job.metrics, calls, single)?
        .into_iter()
        .map(|(_, metric)| KeptCurves::new(metric))
        .collect();
    let asked: Vec<&dyn Measure<T>> = metrics.iter().map(|metric| metric as _).collect();
    let explainers = std::mem::take(&mut job.explainers);
    let explained = explainers.first();
    let maps = explained.and_then(|e| e.maps.as_ref());
    let explainer = explained
        .and_then(|e| e.function.clone())
        .map(|function| PyExplainer::new(calls, function, single));
    let inputs = job.inputs.take();
    let explained_class_is_known = job.explained_class_is_known;
    let mut data = data::<T, _>(job, inputs.as_ref(), maps, model.as_ref(), calls, single)?;
    if let Some(maps) = maps {
        data = data.maps(maps.samples());
    }
    if let Some(explainer) = &explainer {
        data = data.explainer(explainer);
    }
    let mut values = evaluate_together(&asked, data)?;
    if explained_class_is_known {
        for value in &mut values {
            leave_out_explained_class(&mut value.assumed);
            value.warnings.clear();
        }
    }
    let curves = metrics.into_iter().map(KeptCurves::into_samples);
    Ok(values.into_iter().zip(curves).collect())
}

/// Returns the model of a job; `None` if it has none.
pub(super) fn model(job: &Job<'_>, calls: &Calls) -> Option<PyModel> {
    job.model.clone().map(|function| PyModel {
        calls: calls.clone(),
        function,
        single: job.has_single_inputs(),
        of_samples: job.of_samples,
    })
}

/// Creates the data of a run, without explainers.
pub(super) fn data<'a, T: Native, M: Model<T>>(
    job: Job<'_>,
    inputs: Option<&'a View<'_>>,
    maps: Option<&'a View<'_>>,
    model: Option<&'a M>,
    calls: &Calls,
    single: bool,
) -> Result<EvaluationData<'a, T>, xai_attribution::Error> {
    let mut data = match (inputs, maps) {
        (Some(inputs), _) => {
            let inputs = inputs.samples();
            let n = xai_attribution::model::Samples::<T>::shape(&inputs)
                .first()
                .copied()
                .unwrap_or_default();
            // The Python side has checked that no metric reads targets where none were given.
            let none = Targets::Classes(vec![0; n]);
            EvaluationData::new(inputs, &job.targets.unwrap_or(none))
        }
        (None, Some(maps)) => EvaluationData::from_maps(maps.samples()),
        (None, None) => {
            return Err(xai_attribution::Error::empty(
                xai_attribution::input::INPUTS,
            ));
        }
    };
    if let Some(model) = model {
        data = data.model(model);
    }
    let data = data.scoring(job.scoring).first_sample(job.first_sample);
    job.sides.add_to(data, calls, single)
}

/// The name of a metric in the result, and the metric.
pub(super) type Named<T> = (String, Box<dyn Measure<T>>);

/// Builds the requested metrics.
pub(super) fn built<T: Native>(
    asked: &[Asked],
    calls: &Calls,
    single: bool,
) -> Result<Vec<Named<T>>, xai_attribution::Error> {
    let of_one = |asked: &Asked| Ok((asked.name.clone(), metric(asked, calls, single)?));
    asked.iter().map(of_one).collect()
}

fn metric<T: Native>(
    asked: &Asked,
    calls: &Calls,
    single: bool,
) -> Result<Box<dyn Measure<T>>, xai_attribution::Error> {
    let entry = match &asked.kind {
        Kind::Own(own) => return Ok(Box::new(MeasuredOwn::new(own, single, calls))),
        Kind::Registered(entry) => entry,
    };
    if let Some(function) = &asked.discretizer {
        let discretizer = Discretizer::function(map_key(calls.clone(), function.clone()));
        return with_function(asked, |m: Consistency| m.discretizer(discretizer));
    }
    if let Some(function) = &asked.distance {
        let distance = MapDistance::from_fn(distance(calls.clone(), function.clone()));
        match entry.info.name {
            "average-stability" => {
                return with_function(asked, |m: AverageStability| m.distance(distance));
            }
            "maximum-stability" => {
                return with_function(asked, |m: MaximumStability| m.distance(distance));
            }
            "local-lipschitz" => {
                return with_function(asked, |m: LocalLipschitz| m.distance(distance));
            }
            _ => {}
        }
    }
    if asked.draws_are_given {
        entry.build_with_draws(&asked.settings)
    } else {
        entry.build(&asked.settings)
    }
}

/// Builds a metric with its settings and with a Python function as one parameter, which `set` sets.
fn with_function<T: Native, M: Registered + Measure<T>>(
    asked: &Asked,
    set: impl FnOnce(M) -> M,
) -> Result<Box<dyn Measure<T>>, xai_attribution::Error> {
    let metric = set(with(M::default(), asked.settings.iter().cloned())?);
    Ok(match M::PRECOMPUTED_DRAWS {
        Some(draws) if asked.draws_are_given => Box::new((draws.take)(metric)),
        _ => Box::new(metric),
    })
}

/// A value, and one curve per sample; no curves for a metric without them.
type WithCurves = (MetricValue, Vec<Vec<f64>>);

/// Converts a value to a dictionary, with one row of `curves` per sample if the metric has curves.
pub(super) fn described<'py>(
    py: Python<'py>,
    value: &MetricValue,
    curves: &[Vec<f64>],
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("value", value.value)?;
    let per_sample = PyArray1::from_vec(py, floats(&value.per_sample).collect());
    described.set_item("per_sample", per_sample)?;
    described.set_item("n_undefined", value.n_undefined)?;
    described.set_item("assumed", pairs(&value.assumed))?;
    described.set_item("warnings", pairs(&value.warnings))?;
    described.set_item("batch_size", value.batch_size)?;
    described.set_item("tied_share", value.tied.map(TiedFeatures::share))?;
    let points = value.curve.as_ref().map(|points| curve(py, points));
    described.set_item("curve", points.transpose()?)?;
    described.set_item("curves", PyArray2::from_vec2(py, curves)?)?;
    Ok(described)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, attribution_evaluate, attribution_measure)
}

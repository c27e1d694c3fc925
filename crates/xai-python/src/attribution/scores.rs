//! Scores without metrics (of whole and masked inputs), and functions of maps alone.

use ndarray::{Array2, ArrayD};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;
use xai_attribution::map::{MapSimilarity, maps_within};
use xai_attribution::metric::{
    AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, MetricValue,
};
use xai_attribution::model::{Concurrent, Explainer, RowKind, Scoring, Smoothed, rows_per_call};
use xai_attribution::perturbation::impute;
use xai_attribution::scores::{base_scores, masked_scores_on};
use xai_core::tensor::{MaskScaling, mask_inputs};

use super::calls::{Function, PyExplainer};
use super::catalogue;
use super::evaluate::{data, model, run_job};
use super::request::{Job, Request};
use super::samples::{GivenTargets, Native, View};
use super::values::floats;
use crate::array::{Reals, for_precision};
use crate::error::OrRaise;
use crate::stored::{or_nan, or_none};
use crate::work::{self, Calls};

type Scores<'py> = (Bound<'py, PyArray1<f64>>, Option<Bound<'py, PyArray1<f64>>>);

/// Returns the score of every sample and, if there is an explainer, the score of the input masked by its map, which is
/// NaN for a constant map.
#[pyfunction]
#[pyo3(signature = (request, n_jobs=None))]
fn attribution_scores<'py>(
    py: Python<'py>,
    request: Request<'_>,
    n_jobs: Option<i64>,
) -> PyResult<Scores<'py>> {
    let job = request.job(py)?;
    let (base, masked) = run_job(py, n_jobs, job, |job, calls| {
        if job.is_single() {
            scores::<f32>(job, calls)
        } else {
            scores::<f64>(job, calls)
        }
    })?;
    let masked = masked.map(|masked| PyArray1::from_vec(py, or_nan(&masked)));
    Ok((PyArray1::from_vec(py, base), masked))
}

type BaseAndMasked = (Vec<f64>, Option<Vec<Option<f64>>>);

fn scores<T: Native>(
    mut job: Job<'_>,
    calls: &Calls,
) -> Result<BaseAndMasked, xai_attribution::EvaluationError> {
    let single = job.has_single_inputs();
    let nothing = || xai_attribution::Error::empty(xai_attribution::input::MODEL);
    let model = model(&job, calls).ok_or_else(nothing)?;
    let model = Concurrent(&model);
    let inputs = job.inputs.take();
    let explained = std::mem::take(&mut job.explainers);
    let Some(explained) = explained.first() else {
        let inputs = inputs.as_ref().ok_or_else(nothing)?;
        let targets = job.targets.ok_or_else(nothing)?;
        let samples = inputs.samples::<T>();
        return Ok((base_scores(&model, samples, &targets, &job.scoring)?, None));
    };
    let explainer = explained
        .function
        .clone()
        .map(|function| PyExplainer::new(calls, function, single));
    let mut data = data::<T, _>(job, inputs.as_ref(), None, Some(&model), calls, single)?;
    if let Some(maps) = &explained.maps {
        data = data.maps(maps.samples());
    }
    if let Some(explainer) = &explainer {
        data = data.explainer(explainer);
    }
    let scores = masked_scores_on(data)?;
    Ok((scores.base, Some(scores.masked)))
}

/// Average Drop, Increase or Gain of given scores: the mean, and a value per sample. A masked score of NaN stands for a
/// constant map, for which the value is undefined.
#[pyfunction]
fn attribution_of_scores<'py>(
    py: Python<'py>,
    metric: &str,
    policy: &str,
    base: PyReadonlyArray1<'_, f64>,
    masked: PyReadonlyArray1<'_, f64>,
) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
    let base = base.as_array().to_vec();
    let masked = or_none(masked.as_array().iter().copied());
    let policy = policy.parse::<BaseScorePolicy>().or_raise(py)?;
    let value = match metric {
        "average_increase" => AverageIncrease::new().evaluate_scores(&base, &masked),
        "average_gain" => AverageGain::new()
            .base_score_policy(policy)
            .evaluate_scores(&base, &masked),
        _ => AverageDrop::new()
            .base_score_policy(policy)
            .evaluate_scores(&base, &masked),
    };
    let MetricValue {
        value, per_sample, ..
    } = value.or_raise(py)?;
    Ok((value, PyArray1::from_vec(py, floats(&per_sample).collect())))
}

/// Applies an activation to every row of outputs.
#[pyfunction]
fn attribution_activated<'py>(
    py: Python<'py>,
    outputs: Reals<'_>,
    activation: &str,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let activation = activation
        .parse::<xai_attribution::Activation>()
        .or_raise(py)?;
    let outputs: Array2<f64> = match &outputs {
        Reals::Single(rows) => crate::array::two_axes("outputs", rows.as_array())?.mapv(f64::from),
        Reals::Double(rows) => crate::array::two_axes("outputs", rows.as_array())?.to_owned(),
    };
    let scoring = Scoring {
        activation,
        ..Scoring::default()
    };
    scoring.check_n_outputs(outputs.ncols()).or_raise(py)?;
    let activated = activation.apply(outputs.view()).or_raise(py)?;
    Ok(activated.into_pyarray(py))
}

/// Returns the inputs multiplied by the masks made from maps, and for each map whether it has a mask.
#[pyfunction]
#[pyo3(signature = (inputs, maps, layout=None, n_jobs=None, as_xplique=false))]
fn attribution_mask_inputs<'py>(
    py: Python<'py>,
    inputs: Reals<'_>,
    maps: Reals<'_>,
    layout: Option<&str>,
    n_jobs: Option<i64>,
    as_xplique: bool,
) -> PyResult<(Bound<'py, PyAny>, Vec<bool>)> {
    let scaling = if as_xplique {
        MaskScaling::Xplique
    } else {
        MaskScaling::Relative
    };
    let scoring = Scoring {
        layout: layout.map(catalogue::layout).transpose()?,
        ..Scoring::default()
    };
    let layout = scoring.layout_of(inputs.shape()).or_raise(py)?;
    if let (Reals::Single(inputs), Reals::Single(maps)) = (&inputs, &maps) {
        let (inputs, maps) = (inputs.as_array(), maps.as_array());
        let masked =
            work::run(py, n_jobs, || mask_inputs(inputs, maps, layout, scaling))?.or_raise(py)?;
        return Ok((masked.inputs.into_pyarray(py).into_any(), masked.has_mask));
    }
    let (inputs, maps) = (View::new(&inputs), View::new(&maps));
    let masked = work::run(py, n_jobs, || {
        let (inputs, maps) = (inputs.double(), maps.double());
        mask_inputs(inputs.view(), maps.view(), layout, scaling)
    })?
    .or_raise(py)?;
    Ok((masked.inputs.into_pyarray(py).into_any(), masked.has_mask))
}

/// Returns the similarity of two sets of maps per sample; NaN where it is undefined.
#[pyfunction]
#[pyo3(signature = (a, b, similarity, layout, n_jobs=None))]
fn attribution_similarity<'py>(
    py: Python<'py>,
    a: Reals<'_>,
    b: Reals<'_>,
    similarity: &str,
    layout: &str,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let similarity = similarity.parse::<MapSimilarity>().or_raise(py)?;
    let layout = catalogue::layout(layout)?;
    let (a, b) = (View::new(&a), View::new(&b));
    let values = work::run(py, n_jobs, || {
        let (a, b) = (a.double(), b.double());
        similarity.per_sample(a.view(), b.view(), layout)
    })?
    .or_raise(py)?;
    Ok(PyArray1::from_vec(py, floats(&values).collect()))
}

/// Returns per sample whether all elements of two maps are within a tolerance.
#[pyfunction]
#[pyo3(signature = (a, b, absolute, relative, n_jobs=None))]
fn attribution_maps_within(
    py: Python<'_>,
    a: Reals<'_>,
    b: Reals<'_>,
    absolute: f64,
    relative: f64,
    n_jobs: Option<i64>,
) -> PyResult<Vec<bool>> {
    let (a, b) = (View::new(&a), View::new(&b));
    let near = work::run(py, n_jobs, || {
        maps_within(a.double().view(), b.double().view(), absolute, relative)
    })?;
    near.or_raise(py)
}

/// The mean of an explainer's maps over noisy copies of every input. The noise is given or drawn.
#[pyfunction]
#[pyo3(signature = (explainer, inputs, targets, n_copies, magnitude, seed, noise=None, n_jobs=None))]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
fn attribution_smoothed<'py>(
    py: Python<'py>,
    explainer: Py<PyAny>,
    inputs: Reals<'_>,
    targets: GivenTargets<'_>,
    n_copies: usize,
    magnitude: f64,
    seed: u64,
    noise: Option<Reals<'_>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
    let noise = noise.map(|noise| View::new(&noise).double().into_owned());
    let targets = targets.targets();
    let single = matches!(inputs, Reals::Single(_));
    let view = View::new(&inputs);
    let (calls, outcome) = work::run_with_calls(py, n_jobs, |calls| {
        let function = Function::new(explainer);
        let explainer = PyExplainer::new(calls, function, single);
        let smoothed = match noise {
            Some(noise) => Smoothed::with_noise(explainer, noise, magnitude),
            None => Smoothed::new(explainer, n_copies, magnitude, seed),
        };
        smoothed.and_then(|smoothed| {
            let maps: Result<ArrayD<f64>, _> = smoothed.explain(view.double().view(), &targets);
            maps.map_err(|source| {
                xai_attribution::Error::model("the maps of noisy inputs", source)
                    .about(xai_attribution::input::EXPLAINER)
            })
        })
    })?;
    Ok(calls.outcome(py, outcome)?.into_pyarray(py))
}

/// Returns images whose missing pixels are imputed from their neighbours.
#[pyfunction]
#[pyo3(signature = (images, missing, layout, n_jobs=None))]
fn attribution_impute<'py>(
    py: Python<'py>,
    images: Reals<'_>,
    missing: PyReadonlyArray3<'_, bool>,
    layout: &str,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (layout, missing) = (catalogue::layout(layout)?, missing.as_array());
    for_precision!(images, |images| {
        let imputed = work::run(py, n_jobs, || impute(images, missing, layout))?.or_raise(py)?;
        Ok(imputed.into_pyarray(py).into_any())
    })
}

/// The default number of rows per call of a model for inputs of a shape, samples first, with `row_bytes` bytes per row.
/// `is_structured` marks rows with one axis that are not rows of a table: token ids, queries of a masked model.
#[pyfunction]
#[pyo3(signature = (shape, row_bytes, *, is_structured=false, is_on_gpu=false))]
fn attribution_rows_per_call(
    shape: Vec<usize>,
    row_bytes: usize,
    is_structured: bool,
    is_on_gpu: bool,
) -> usize {
    let kind = match (is_on_gpu, is_structured) {
        (true, _) => RowKind::Gpu,
        (false, true) => RowKind::Structured,
        (false, false) => RowKind::from_shape(&shape),
    };
    rows_per_call(kind, row_bytes)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        attribution_scores,
        attribution_of_scores,
        attribution_activated,
        attribution_mask_inputs,
        attribution_impute,
        attribution_rows_per_call,
        attribution_similarity,
        attribution_maps_within,
        attribution_smoothed,
    )
}

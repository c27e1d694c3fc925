//! Metrics that need several models: one model with randomized layers, or models that were trained for the same task.

use std::sync::Arc;

use ndarray::{Array2, ArrayViewD};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pythonize::pythonize;
use xai_attribution::EvaluationError;
use xai_attribution::map::MapSimilarity;
use xai_attribution::metric::{
    MegeReco, ModelRandomization, RandomizationOrder, RandomizationValues, Representativity,
};

use super::calls::{PyExplainer, outcome_of_run};
use super::catalogue;
use super::evaluate::data;
use super::request::{Job, Request};
use super::samples::{Native, View};
use crate::array::Reals;
use crate::error::OrRaise;
use crate::work::{self, Calls};

/// Model-parameter randomization test. `explainer_of` takes a list of layers (0 is the one at the output) and
/// returns an explainer of the model with these layers randomized.
#[pyfunction]
#[pyo3(signature = (request, explainer_of, n_layers, order, similarity, n_jobs=None))]
fn attribution_model_randomization<'py>(
    py: Python<'py>,
    request: Request<'_>,
    explainer_of: Py<PyAny>,
    n_layers: usize,
    order: &str,
    similarity: &str,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let job = request.job(py)?;
    let order = order.parse::<RandomizationOrder>().or_raise(py)?;
    let similarity = similarity.parse::<MapSimilarity>().or_raise(py)?;
    let test = ModelRandomization::new(n_layers)
        .order(order)
        .similarity(similarity);
    let explainer_of = Arc::new(explainer_of);
    // Calls of Python are always needed: `explainer_of` is a Python function, though not a part of the job.
    let (calls, values) = work::run_with_calls(py, n_jobs, |calls| {
        if job.is_single() {
            randomization::<f32>(test, job, &explainer_of, calls)
        } else {
            randomization::<f64>(test, job, &explainer_of, calls)
        }
    })?;
    let values = outcome_of_run(&calls, py, values)?;
    Ok(pythonize(py, &values)?)
}

fn randomization<T: Native>(
    test: ModelRandomization,
    mut job: Job<'_>,
    explainer_of: &Arc<Py<PyAny>>,
    calls: &Calls,
) -> Result<RandomizationValues, EvaluationError> {
    let single = job.has_single_inputs();
    let inputs = job.inputs.take();
    let no_model = None::<&super::calls::PyModel>;
    let data = data::<T, _>(job, inputs.as_ref(), None, no_model, calls, single)?;
    test.evaluate(
        |layers: &[usize]| {
            let (layers, explainer_of) = (layers.to_vec(), Arc::clone(explainer_of));
            let function =
                calls.call(move |py| Ok(explainer_of.bind(py).call1((layers,))?.unbind()))?;
            Ok::<_, xai_attribution::model::BoxError>(PyExplainer::new(
                calls,
                Arc::new(function),
                single,
            ))
        },
        data,
    )
}

/// MeGe and ReCo of the maps of several models.
#[pyfunction]
#[pyo3(signature = (maps, predictions, labels, layout, held_out_by, peer_thresholds, n_jobs=None))]
#[expect(clippy::too_many_arguments, reason = "the Python side names them")]
fn attribution_representativity<'py>(
    py: Python<'py>,
    maps: Vec<Reals<'_>>,
    predictions: PyReadonlyArray2<'_, i64>,
    labels: PyReadonlyArray1<'_, i64>,
    layout: &str,
    held_out_by: Option<Vec<usize>>,
    peer_thresholds: bool,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut test =
        Representativity::new(catalogue::layout(layout)?).peer_thresholds(peer_thresholds);
    if let Some(models) = held_out_by {
        test = test.held_out_by(models);
    }
    let views: Vec<View<'_>> = maps.iter().map(View::new).collect();
    let (predictions, labels) = (
        predictions.as_array().to_owned(),
        labels.as_array().to_vec(),
    );
    let outcome = work::run(py, n_jobs, || {
        compare_models(&test, &views, &predictions, &labels)
    })?;
    Ok(pythonize(py, &outcome.or_raise(py)?)?)
}

fn compare_models(
    test: &Representativity,
    maps: &[View<'_>],
    predictions: &Array2<i64>,
    labels: &[i64],
) -> Result<MegeReco, xai_attribution::Error> {
    let single: Option<Vec<ArrayViewD<'_, f32>>> = maps
        .iter()
        .map(|view| match view {
            View::Single(view) => Some(view.view()),
            View::Double(_) => None,
        })
        .collect();
    if let Some(maps) = single {
        return test.evaluate(&maps, predictions.view(), labels);
    }
    let owned: Vec<_> = maps.iter().map(View::double).collect();
    let maps: Vec<_> = owned.iter().map(|maps| maps.view()).collect();
    test.evaluate(&maps, predictions.view(), labels)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        attribution_model_randomization,
        attribution_representativity
    )
}

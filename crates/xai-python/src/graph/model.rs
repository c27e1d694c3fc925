//! Metrics that call a Python model on parts of a graph.

use std::error::Error as StdError;
use std::sync::Arc;

use ndarray::Array2;
use numpy::{Element, IntoPyArray, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use xai_core::describe::{Parameters, parse};
use xai_core::{Input, Real};
use xai_graph::model::{EdgeChoices, EdgeRemoval};
use xai_graph::{
    Explanation, Graph, GraphModel, RobustFidelityMetric, SparsitySweep, UnfaithfulnessMetric,
    explained_outputs,
};

use crate::array::{Reals, different_precision, for_precision, one_axis, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::graph::answers::{Answers, compared, positions, return_type, target_of};
use crate::graph::mask::sparsity;
use crate::stored::to_python;
use crate::work::{self, Calls};

/// A Python callable as a model: `model(features, edge_index, edge_weight, batch)` returns an array of outputs.
///
/// `edge_weight` and `batch` are `None` if the graph has none. Outputs in single or double precision are converted to
/// the precision of the features.
struct PythonModel<'a> {
    calls: &'a Calls,
    model: Arc<Py<PyAny>>,
}

/// Converts the outputs of a model to the precision of the features; an error unless they have two axes.
fn rows<T: Real>(outputs: &Reals<'_>) -> PyResult<Array2<T>> {
    for_precision!(*outputs, |rows| {
        let rows = two_axes("outputs of the model", rows)?;
        Ok(rows.mapv(|x| T::from_f64_nearest(x.to_f64_exact())))
    })
}

impl<T: Real + Element> GraphModel<T> for PythonModel<'_> {
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, Box<dyn StdError + Send + Sync>> {
        let features = graph.features.to_owned();
        let edge_index = graph.edge_index.to_owned();
        let edge_weight = graph.edge_weight.map(|weight| weight.to_owned());
        let batch = graph.batch.map(|batch| batch.to_owned());
        let model = self.model.clone();
        self.calls.call(move |py| {
            let edge_weight = edge_weight.map(|weight| weight.into_pyarray(py));
            let batch = batch.map(|batch| batch.into_pyarray(py));
            let (features, edges) = (features.into_pyarray(py), edge_index.into_pyarray(py));
            let outputs = model.call1(py, (features, edges, edge_weight, batch))?;
            rows(&outputs.extract(py)?)
        })
    }
}

/// A graph as a Python tuple `(features, edge_index, edge_weight, batch)`.
#[derive(FromPyObject)]
pub(super) struct PythonGraph<'py>(
    Reals<'py>,
    PyReadonlyArray2<'py, i64>,
    Option<Reals<'py>>,
    Option<PyReadonlyArray1<'py, i64>>,
);

/// The parameters of a sweep that calls a model.
#[derive(Default, Parameters)]
pub(super) struct SweepChoices {
    #[param(flatten)]
    edges: EdgeChoices,
    #[param(flatten)]
    unfaithfulness: UnfaithfulnessMetric<'static>,
}

/// The parameters of robust fidelity.
#[derive(Default, Parameters)]
pub(super) struct RobustChoices {
    #[param(flatten)]
    metric: RobustFidelityMetric<'static>,
    #[param(flatten)]
    edges: EdgeChoices,
}

/// Evaluates `$body` with the graph as `$built`, in the precision of its features.
///
/// In the body, `$precision!(array)` is the view of another array, such as a mask. If that array or the edge weights
/// are in the other precision, the calling function returns an error.
macro_rules! with_graph {
    ($py:expr, $graph:expr, |$precision:ident, $built:ident| $body:expr) => {
        match &$graph.0 {
            Reals::Single(features) => {
                with_graph!(@ $py, $graph, features, Single, |$precision, $built| $body)
            }
            Reals::Double(features) => {
                with_graph!(@ $py, $graph, features, Double, |$precision, $built| $body)
            }
        }
    };
    (@ $py:expr, $graph:expr, $features:expr, $kind:ident, |$precision:ident, $built:ident| $body:expr) => {{
        macro_rules! $precision {
            ($array:expr) => {
                match $array {
                    Reals::$kind(array) => array.as_array(),
                    _ => return Err(different_precision()),
                }
            };
        }
        let features = two_axes("features", $features.as_array())?;
        let mut $built = Graph::new(features, $graph.1.as_array()).or_raise($py)?;
        if let Some(weight) = &$graph.2 {
            let weight = one_axis("edge_weight", $precision!(weight))?;
            $built = $built.with_edge_weight(weight).or_raise($py)?;
        }
        if let Some(batch) = &$graph.3 {
            $built = $built.with_batch(batch.as_array()).or_raise($py)?;
        }
        $body
    }};
}

/// Returns the outputs of a model on the whole graph, on the explanation alone, and on the graph without it.
#[pyfunction]
#[pyo3(signature = (model, graph, edge_mask, node_mask, removal, n_jobs=None))]
pub(super) fn graph_explained_outputs<'py>(
    py: Python<'py>,
    model: Py<PyAny>,
    graph: PythonGraph<'py>,
    edge_mask: Option<Reals<'py>>,
    node_mask: Option<Reals<'py>>,
    removal: &str,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let removal: EdgeRemoval = parse(Input::new("removal"), removal).or_raise(py)?;
    let model = Arc::new(model);
    with_graph!(py, graph, |precision, whole| {
        let edge_mask = match &edge_mask {
            Some(mask) => Some(one_axis("edge_mask", precision!(mask))?),
            None => None,
        };
        let node_mask = match &node_mask {
            Some(mask) => Some(two_axes("node_mask", precision!(mask))?),
            None => None,
        };
        let explanation = match (edge_mask, node_mask) {
            (Some(edges), None) => Explanation::edges(edges),
            (Some(edges), Some(nodes)) => Explanation::edges(edges).with_nodes(nodes),
            (None, Some(nodes)) => Explanation::nodes(nodes),
            (None, None) => {
                let what = "explanation: expected an edge mask, a node mask, or both";
                return Err(PyValueError::new_err(what));
            }
        };
        let (calls, outputs) = work::run_with_calls(py, n_jobs, |calls| {
            let model = PythonModel { calls, model };
            explained_outputs(&model, whole, explanation, removal)
        })?;
        let outputs = calls.outcome(py, outputs)?;
        let parts = [outputs.full, outputs.kept, outputs.complement];
        PyTuple::new(py, parts.map(|part| part.into_pyarray(py)))
    })
}

/// Returns the curve of fidelity and unfaithfulness over the sparsity of a soft edge mask.
#[pyfunction]
#[pyo3(signature = (model, graph, mask, kind, levels, choices, target=None, index=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // those of the public Python function
pub(super) fn graph_sweep_model<'py>(
    py: Python<'py>,
    model: Py<PyAny>,
    graph: PythonGraph<'py>,
    mask: Reals<'py>,
    kind: &str,
    levels: Vec<f64>,
    choices: Given,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = target_of(target.as_ref())?;
    // The number of output rows is not known before the model is called, so negative positions are errors.
    let index = positions(index, None)?;
    let choices: SweepChoices = choices.build(py)?;
    let sweep = SparsitySweep::new()
        .fidelity(compared(target.as_deref(), index.as_deref()))
        .unfaithfulness(choices.unfaithfulness)
        .edges(choices.edges);
    let levels: Vec<_> = levels
        .iter()
        .map(|&level| sparsity(kind, level))
        .collect::<PyResult<_>>()?;
    let model = Arc::new(model);
    with_graph!(py, graph, |precision, whole| {
        let mask = one_axis("mask", precision!(&mask))?;
        let (calls, curve) = work::run_with_calls(py, n_jobs, |calls| {
            let model = PythonModel { calls, model };
            sweep.evaluate_model(&model, whole, mask, &levels)
        })?;
        to_python(py, &calls.outcome(py, curve)?)
    })
}

/// Returns the robust fidelity of an explanation, which removes random parts of the graph.
#[pyfunction]
#[pyo3(signature = (model, graph, explanation, choices, probabilities=None, target=None, index=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // those of the public Python function
pub(super) fn graph_robust_fidelity<'py>(
    py: Python<'py>,
    model: Py<PyAny>,
    graph: PythonGraph<'py>,
    explanation: Reals<'py>,
    choices: Given,
    probabilities: Option<&str>,
    target: Option<Answers<'py>>,
    index: Option<PyReadonlyArray1<'py, i64>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let target = target_of(target.as_ref())?;
    let index = positions(index, None)?;
    let choices: RobustChoices = choices.build(py)?;
    let mut metric = choices
        .metric
        .fidelity(compared(target.as_deref(), index.as_deref()))
        .edges(choices.edges);
    if let Some(returns) = probabilities {
        metric = metric.probabilities(return_type(py, returns)?);
    }
    let model = Arc::new(model);
    with_graph!(py, graph, |precision, whole| {
        let explanation = one_axis("explanation", precision!(&explanation))?;
        let (calls, fidelity) = work::run_with_calls(py, n_jobs, |calls| {
            let model = PythonModel { calls, model };
            metric.evaluate(&model, whole, explanation)
        })?;
        to_python(py, &calls.outcome(py, fidelity)?)
    })
}

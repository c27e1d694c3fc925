//! The functions of `xai_metrics.counterfactual`.
//!
//! Classes are integers here: Python numbers labels of other types, and the categories of columns.

use std::sync::Arc;

use ndarray::ArrayView2;
use numpy::{IntoPyArray, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pythonize::depythonize;
use serde::Serialize;
use xai_core::describe::{Element, InputSpec, Setting, parse};
use xai_core::{Error, Input};
use xai_counterfactual::input::{self, INPUTS};
use xai_counterfactual::metric::{Coverage, CoverageCounts, group_gap};
use xai_counterfactual::registry::{METRICS, evaluate_all, find};
use xai_counterfactual::{
    CounterfactualData, CounterfactualValues, Feature, InputArray, Reference, Rule, Schema,
    edit_distances, nearest_unlike_neighbors,
};

use crate::array::contiguous;
use crate::described::{Given, input_descriptions};
use crate::error::OrRaise;
use crate::stored::{or_none, to_python};
use crate::work::{self, Calls};

/// The number of columns and the features, as dictionaries.
pub(crate) struct Described(pub(crate) Schema);

impl<'py> FromPyObject<'_, 'py> for Described {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let (n_columns, features): (usize, Bound<'py, PyAny>) = object.extract()?;
        let features: Vec<Feature> = depythonize(&features)?;
        Schema::new(n_columns, features)
            .or_raise(object.py())
            .map(Self)
    }
}

/// Training rows with their classes, shared by the methods of a comparison.
#[pyclass(frozen)]
struct CounterfactualReference(Reference);

#[pymethods]
impl CounterfactualReference {
    #[new]
    #[pyo3(signature = (schema, train, labels=None))]
    fn new(
        py: Python<'_>,
        schema: Described,
        train: PyReadonlyArray2<'_, f64>,
        labels: Option<PyReadonlyArray1<'_, i64>>,
    ) -> PyResult<Self> {
        let labels = labels.as_ref().map(contiguous);
        Reference::new(schema.0, train.as_array(), labels.as_deref())
            .or_raise(py)
            .map(Self)
    }
}

/// An array of an input.
enum Array<'py> {
    Numbers(PyReadonlyArrayDyn<'py, f64>),
    Integers(PyReadonlyArrayDyn<'py, i64>),
    Booleans(PyReadonlyArrayDyn<'py, bool>),
}

impl<'py> Array<'py> {
    fn extract(spec: &InputSpec, value: &Bound<'py, PyAny>) -> PyResult<Self> {
        Ok(match spec.element {
            Element::Class | Element::Integer => Self::Integers(value.extract()?),
            Element::Boolean => Self::Booleans(value.extract()?),
            _ => Self::Numbers(value.extract()?),
        })
    }

    fn view(&self) -> InputArray<'_> {
        match self {
            Self::Numbers(array) => InputArray::Numbers(array.as_array()),
            Self::Integers(array) => InputArray::Integers(array.as_array()),
            Self::Booleans(array) => InputArray::Booleans(array.as_array()),
        }
    }
}

/// Counterfactuals with the query of each.
#[derive(FromPyObject)]
pub(crate) struct Rows<'py>(pub(crate) PyReadonlyArray2<'py, f64>, pub(crate) Vec<usize>);

/// The value of an input; `None` if it is missing or `None`.
fn given<'py, T: FromPyObjectOwned<'py>>(
    inputs: &Bound<'py, PyDict>,
    which: Input,
) -> PyResult<Option<T>> {
    match inputs.get_item(which.name())? {
        Some(value) if !value.is_none() => value.extract().map(Some).map_err(Into::into),
        _ => Ok(None),
    }
}

/// The data of one method. The keys of the dictionary are the names of the inputs.
fn data<'a>(
    py: Python<'_>,
    schema: &'a Schema,
    reference: Option<&'a Reference>,
    inputs: &Bound<'_, PyDict>,
) -> PyResult<CounterfactualData<'a>> {
    let queries: PyReadonlyArray2<'_, f64> =
        inputs.as_any().get_item(input::QUERIES.name())?.extract()?;
    let Rows(rows, query): Rows<'_> = inputs
        .as_any()
        .get_item(input::COUNTERFACTUALS.name())?
        .extract()?;
    let mut data = CounterfactualData::new(schema, queries.as_array(), rows.as_array(), &query)
        .or_raise(py)?;
    if let Some(reference) = reference {
        data = data.reference(reference).or_raise(py)?;
    }
    for spec in INPUTS {
        // They come with the query of each row, or as a reference.
        let comes_otherwise = matches!(
            spec.input,
            input::QUERIES
                | input::COUNTERFACTUALS
                | input::QUERY
                | input::OTHERS
                | input::OTHER_QUERY
                | input::TRAIN
                | input::TRAIN_LABELS
        );
        if let (Some(value), false) = (
            given::<Bound<'_, PyAny>>(inputs, spec.input)?,
            comes_otherwise,
        ) {
            let array = Array::extract(spec, &value)?;
            data = data.with(spec.input, array.view()).or_raise(py)?;
        }
    }
    if let Some(Rows(rows, query)) = given::<Rows<'_>>(inputs, input::OTHERS)? {
        data = data.others(rows.as_array(), &query).or_raise(py)?;
    }
    for Rows(rows, query) in given::<Vec<Rows<'_>>>(inputs, input::RUNS)?.unwrap_or_default() {
        data = data.run(rows.as_array(), &query).or_raise(py)?;
    }
    if let Some(requested) = given(inputs, input::REQUESTED)? {
        data = data.requested(requested).or_raise(py)?;
    }
    if let Some(rules) = given::<Bound<'_, PyAny>>(inputs, input::CONSTRAINTS)? {
        let rules: Vec<Rule> = depythonize(&rules)?;
        data = data.rules(rules).or_raise(py)?;
    }
    Ok(data)
}

/// The values of a metric; for the coverage all its scores.
#[derive(Serialize)]
struct Outcome {
    metric: String,
    values: CounterfactualValues,
    coverage: Option<CoverageCounts>,
}

/// Evaluates metrics of one method: settings, with further parameters for all of them.
#[pyfunction]
#[pyo3(signature = (metrics, parameters, schema, inputs, reference=None, model=None, n_jobs=None))]
#[allow(clippy::too_many_arguments)]
fn counterfactual<'py>(
    py: Python<'py>,
    metrics: Vec<String>,
    parameters: Given,
    schema: Described,
    inputs: &Bound<'py, PyDict>,
    reference: Option<Bound<'py, CounterfactualReference>>,
    model: Option<Py<PyAny>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let metrics = metrics
        .iter()
        .map(|metric| metric.parse::<Setting>().or_raise(py))
        .collect::<PyResult<Vec<Setting>>>()?;
    let mut settings = metrics.clone();
    for setting in &mut settings {
        setting.params.extend(parameters.0.iter().cloned());
    }
    let reference = reference.as_ref().map(|reference| &reference.get().0);
    let schema = reference.map_or(&schema.0, Reference::schema);
    let data = data(py, schema, reference, inputs)?;
    let n_train = reference.map_or(0, Reference::n_rows);
    let n_elements = (data.n_rows() + data.n_queries()) * schema.n_columns() * (1 + n_train);
    let model = model.map(Arc::new);
    let calls_model = model.is_some();
    let evaluate = move |calls: &Calls| {
        let data = match model {
            Some(model) => data.model(predicting(model, calls.clone())),
            None => data,
        };
        let values = evaluate_all(&settings, &data, |_| {})?;
        let outcomes = metrics.into_iter().zip(settings).zip(values);
        let outcomes = outcomes.map(|((metric, setting), values)| {
            let is_coverage = find(&setting.name)?.info.name == "coverage";
            Ok(Outcome {
                metric: metric.to_string(),
                values,
                coverage: is_coverage.then(|| Coverage::counts(&data)),
            })
        });
        outcomes.collect::<Result<Vec<_>, Error>>()
    };
    let (calls, outcomes) = if calls_model {
        work::run_with_calls(py, n_jobs, evaluate)?
    } else {
        work::run_without_calls(py, n_jobs, n_elements, evaluate)?
    };
    to_python(py, &calls.outcome(py, outcomes)?)
}

/// The missing inputs of each metric: none for those that can be computed.
#[pyfunction]
#[pyo3(signature = (schema, inputs, reference=None, has_model=false))]
fn counterfactual_missing(
    py: Python<'_>,
    schema: Described,
    inputs: &Bound<'_, PyDict>,
    reference: Option<Bound<'_, CounterfactualReference>>,
    has_model: bool,
) -> PyResult<Vec<(String, Vec<&'static str>)>> {
    let reference = reference.as_ref().map(|reference| &reference.get().0);
    let schema = reference.map_or(&schema.0, Reference::schema);
    let mut data = data(py, schema, reference, inputs)?;
    if has_model {
        data = data.model(|_| Ok(Vec::new()));
    }
    let missing = METRICS.iter().map(|entry| {
        let inputs = data.missing(entry.info.needs);
        (
            entry.info.key(),
            inputs.iter().map(|input| input.name()).collect(),
        )
    });
    Ok(missing.collect())
}

/// A Python function from rows to their classes as a model.
fn predicting(
    model: Arc<Py<PyAny>>,
    calls: Calls,
) -> impl Fn(ArrayView2<'_, f64>) -> Result<Vec<i64>, Error> {
    move |rows| {
        let (model, rows) = (Arc::clone(&model), rows.to_owned());
        let classes = calls.call(move |py| {
            let classes = model.call1(py, (rows.into_pyarray(py),))?;
            let classes: PyReadonlyArray1<'_, i64> = classes.extract(py)?;
            Ok(classes.as_array().to_vec())
        });
        classes.map_err(|error| Error::model("the prediction of counterfactuals", error))
    }
}

/// Nearest unlike neighbours of queries: the query of each, and the training row that it is.
#[pyfunction]
#[pyo3(signature = (reference, inputs, k, distance, n_jobs=None))]
fn counterfactual_unlike(
    py: Python<'_>,
    reference: &Bound<'_, CounterfactualReference>,
    inputs: &Bound<'_, PyDict>,
    k: usize,
    distance: &str,
    n_jobs: Option<i64>,
) -> PyResult<Vec<(usize, usize)>> {
    let reference = &reference.get().0;
    let distance = parse(Input::new("distance"), distance).or_raise(py)?;
    let data = data(py, reference.schema(), Some(reference), inputs)?;
    work::run(py, n_jobs, || nearest_unlike_neighbors(&data, k, distance))?.or_raise(py)
}

/// Features guessed from a table, as dictionaries.
#[pyfunction]
fn counterfactual_guess<'py>(
    py: Python<'py>,
    table: PyReadonlyArray2<'py, f64>,
    names: Vec<String>,
) -> PyResult<Bound<'py, PyAny>> {
    let schema = Schema::guess(table.as_array(), &names).or_raise(py)?;
    to_python(py, schema.features())
}

/// Checks features.
#[pyfunction]
fn counterfactual_check(_schema: Described) {}

/// The inputs, as dictionaries.
#[pyfunction]
fn counterfactual_inputs(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    input_descriptions(py, INPUTS)
}

/// Means of groups; NaN is undefined.
#[pyfunction]
fn counterfactual_group_gap<'py>(
    py: Python<'py>,
    values: PyReadonlyArray1<'py, f64>,
    groups: PyReadonlyArray1<'py, i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = or_none(values.as_array().iter().copied());
    let gap = group_gap(&values, &contiguous(&groups)).or_raise(py)?;
    to_python(py, &gap)
}

/// Number of edits of pairs of sequences, and relative to the longer one.
#[pyfunction]
fn counterfactual_edit_distance(
    py: Python<'_>,
    pairs: Vec<(Vec<i64>, Vec<i64>)>,
    n_jobs: Option<i64>,
) -> PyResult<Vec<(usize, f64)>> {
    let views: Vec<(&[i64], &[i64])> = pairs
        .iter()
        .map(|(before, after)| (before.as_slice(), after.as_slice()))
        .collect();
    let size = views
        .iter()
        .map(|(before, after)| before.len() * after.len())
        .sum();
    let edits = work::run_sized(py, n_jobs, size, || edit_distances(&views))?;
    Ok(edits.iter().map(|edit| (edit.count, edit.share)).collect())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CounterfactualReference>()?;
    add_functions!(
        module,
        counterfactual,
        counterfactual_check,
        counterfactual_edit_distance,
        counterfactual_group_gap,
        counterfactual_guess,
        counterfactual_inputs,
        counterfactual_missing,
        counterfactual_unlike,
    )
}

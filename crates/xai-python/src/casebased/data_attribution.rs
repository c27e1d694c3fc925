//! Metrics of training-data attribution.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{ArrayView2, ArrayViewD, CowArray, Ix2};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_casebased::data_attribution::{
    AttributionData, AttributionRows, INPUTS, InputArray, Outcome, Subsets, evaluate_all,
    negative_means,
};
use xai_casebased::input;
use xai_core::Input;
use xai_core::describe::{Element, InputSpec, Setting};

use crate::array::{Reals, contiguous, two_axes};
use crate::described::{Given, input_descriptions};
use crate::error::OrRaise;
use crate::stored::to_python;
use crate::work::{self, Calls};

/// Rows of attributions: an array in memory, or `(read, shape)`, where `read(start, end)` returns the rows from
/// `start` to `end` (exclusive).
#[derive(FromPyObject)]
enum Rows<'py> {
    Array(Reals<'py>),
    Read(Py<PyAny>, (usize, usize)),
}

/// Rows that a Python function reads. It is called on the thread that called the library.
struct Reader<'a> {
    read: Arc<Py<PyAny>>,
    shape: (usize, usize),
    calls: &'a Calls,
}

impl AttributionRows for Reader<'_> {
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn rows(
        &self,
        rows: Range<usize>,
    ) -> Result<CowArray<'_, f64, Ix2>, Box<dyn StdError + Send + Sync>> {
        let read = Arc::clone(&self.read);
        let rows = self.calls.call(move |py| {
            let rows: PyReadonlyArray2<'_, f64> =
                read.bind(py).call1((rows.start, rows.end))?.extract()?;
            Ok(rows.as_array().to_owned())
        })?;
        Ok(rows.into())
    }
}

impl Rows<'_> {
    /// The number of training rows.
    fn n_train(&self) -> usize {
        match self {
            Self::Array(array) => array.shape().get(1).copied().unwrap_or(0),
            Self::Read(_, (_, n_train)) => *n_train,
        }
    }
}

/// An input that is read without holding the interpreter: a view of an array, or a reader that calls Python.
enum View<'a> {
    Single(ArrayView2<'a, f32>),
    Double(ArrayView2<'a, f64>),
    Read(Arc<Py<PyAny>>, (usize, usize)),
    Numbers(ArrayViewD<'a, f64>),
    Integers(ArrayViewD<'a, i64>),
    Booleans(ArrayViewD<'a, bool>),
    Subsets(&'a Subsets),
}

impl<'a> View<'a> {
    fn new(input: Input, array: &'a Array<'_>, py: Python<'_>) -> PyResult<Self> {
        Ok(match array {
            Array::Rows(Rows::Array(Reals::Single(array))) => {
                Self::Single(two_axes(input.name(), array.as_array())?)
            }
            Array::Rows(Rows::Array(Reals::Double(array))) => {
                Self::Double(two_axes(input.name(), array.as_array())?)
            }
            Array::Rows(Rows::Read(read, shape)) => {
                Self::Read(Arc::new(read.clone_ref(py)), *shape)
            }
            Array::Numbers(array) => Self::Numbers(array.as_array()),
            Array::Integers(array) => Self::Integers(array.as_array()),
            Array::Booleans(array) => Self::Booleans(array.as_array()),
            Array::Subsets(subsets) => Self::Subsets(subsets),
        })
    }

    fn into_array<'b>(self, calls: &'b Calls) -> InputArray<'b>
    where
        'a: 'b,
    {
        match self {
            Self::Single(view) => InputArray::Rows(Box::new(view.reborrow())),
            Self::Double(view) => InputArray::Rows(Box::new(view.reborrow())),
            Self::Read(read, shape) => InputArray::Rows(Box::new(Reader { read, shape, calls })),
            Self::Numbers(view) => InputArray::Numbers(view.into()),
            Self::Integers(view) => InputArray::Integers(view.into()),
            Self::Booleans(view) => InputArray::Booleans(view.into()),
            Self::Subsets(subsets) => InputArray::Subsets(Cow::Borrowed(subsets)),
        }
    }
}

/// Subsets of the training cases: rows of booleans, or a list of integers per subset.
#[derive(FromPyObject)]
enum Cases<'py> {
    Mask(PyReadonlyArray2<'py, bool>),
    Lists(Vec<PyReadonlyArray1<'py, i64>>),
}

/// An input as Python gives it.
enum Array<'py> {
    Rows(Rows<'py>),
    Numbers(PyReadonlyArrayDyn<'py, f64>),
    Integers(PyReadonlyArrayDyn<'py, i64>),
    Booleans(PyReadonlyArrayDyn<'py, bool>),
    Subsets(Subsets),
}

impl<'py> Array<'py> {
    /// Converts a Python value to the array type that the description of the input asks for.
    fn extract(spec: &InputSpec, value: &Bound<'py, PyAny>, n_train: usize) -> PyResult<Self> {
        Ok(match (spec.input, spec.element) {
            (input::ATTRIBUTIONS | input::RANDOM_ATTRIBUTIONS, _) => Self::Rows(value.extract()?),
            (_, Element::Class | Element::Integer) => Self::Integers(value.extract()?),
            (_, Element::Boolean) => Self::Booleans(value.extract()?),
            (_, Element::Subset) => Self::Subsets(match value.extract()? {
                Cases::Mask(mask) => Subsets::from_mask(mask.as_array()),
                Cases::Lists(lists) => {
                    let lists = lists.iter().map(contiguous);
                    Subsets::from_integers(n_train, lists).or_raise(value.py())?
                }
            }),
            _ => Self::Numbers(value.extract()?),
        })
    }

    /// Approximate number of elements, for the choice between one thread and several. Subsets are not counted.
    fn size(&self) -> usize {
        match self {
            Self::Rows(Rows::Array(array)) => array.size(),
            Self::Rows(Rows::Read(_, (n_test, n_train))) => n_test * n_train,
            Self::Numbers(array) => array.len(),
            Self::Integers(array) => array.len(),
            Self::Booleans(array) => array.len(),
            Self::Subsets(_) => 0,
        }
    }
}

/// Converts the given inputs, whose keys are the names of [`INPUTS`]. Inputs that are missing or `None` are skipped.
fn extract_all<'py>(given: &Bound<'py, PyDict>) -> PyResult<Vec<(Input, Array<'py>)>> {
    let mut arrays = Vec::new();
    let mut n_train = 0;
    for spec in INPUTS {
        let value = given.get_item(spec.input.name())?;
        if let Some(value) = value.filter(|value| !value.is_none()) {
            let array = Array::extract(spec, &value, n_train)?;
            if let Array::Rows(rows) = &array {
                n_train = rows.n_train();
            }
            arrays.push((spec.input, array));
        }
    }
    Ok(arrays)
}

/// Outcomes of several metrics for one explainer.
#[pyclass(module = "xai_metrics._native", frozen)]
pub(crate) struct AttributionOutcomes {
    pub(crate) metrics: Vec<Setting>,
    pub(crate) outcomes: Vec<Outcome>,
}

#[pymethods]
impl AttributionOutcomes {
    /// The outcomes as dictionaries.
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.outcomes)
    }
}

/// Evaluates several metrics in one pass over the attributions.
///
/// `metrics` are settings (a name with parameters), `given` are further parameters for all of them. If
/// `derives_scores` is true, the scores of the training rows are the negative means of their attributions.
#[pyfunction]
#[pyo3(signature = (metrics, given, inputs, n_jobs=None, derives_scores=false))]
fn data_attribution<'py>(
    py: Python<'py>,
    metrics: Vec<String>,
    given: Given,
    inputs: &Bound<'py, PyDict>,
    n_jobs: Option<i64>,
    derives_scores: bool,
) -> PyResult<AttributionOutcomes> {
    let metrics = metrics
        .iter()
        .map(|metric| {
            let mut metric = metric.parse::<Setting>().or_raise(py)?;
            metric.params.extend(given.0.iter().cloned());
            Ok(metric)
        })
        .collect::<PyResult<Vec<Setting>>>()?;
    let arrays = extract_all(inputs)?;
    let size = arrays.iter().map(|(_, array)| array.size()).sum();
    let reads = arrays
        .iter()
        .any(|(_, array)| matches!(array, Array::Rows(Rows::Read(..))));
    let mut views = Vec::new();
    for (input, array) in &arrays {
        views.push((*input, View::new(*input, array, py)?));
    }
    let evaluate = |calls: &Calls| {
        let mut data = AttributionData::default();
        for (input, view) in views {
            data.insert(input, view.into_array(calls));
        }
        if derives_scores {
            let scores = negative_means(&data)?;
            data.insert(input::SCORES, scores);
        }
        evaluate_all(&data, &metrics)
    };
    let (calls, outcomes) = if reads {
        work::run_with_calls(py, n_jobs, evaluate)?
    } else {
        work::run_without_calls(py, n_jobs, size, evaluate)?
    };
    let outcomes = calls.outcome(py, outcomes)?;
    Ok(AttributionOutcomes { metrics, outcomes })
}

/// The inputs of data attribution, as dictionaries.
#[pyfunction]
fn data_attribution_inputs(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    input_descriptions(py, INPUTS)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AttributionOutcomes>()?;
    add_functions!(module, data_attribution_inputs, data_attribution)
}

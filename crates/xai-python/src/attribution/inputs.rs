//! Inputs of metrics besides inputs, targets, maps and model: masks, segments, other maps, draws, a layer of the model.

use std::sync::Arc;

use ndarray::{Array2, Array3, ArrayD};
use numpy::{PyReadonlyArray3, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_attribution::model::{Explainer, Targets};
use xai_attribution::perturbation::{PrecomputedBaselines, Representation};
use xai_attribution::side::{Masks, ReferenceMaps, SecondMaps};
use xai_attribution::{EvaluationData, INPUTS, InputArray, Real, Result, input};
use xai_core::Input;
use xai_core::describe::InputSpec;

use super::calls::{Function, PyExplainer, rows};
use super::samples::Batch;
use crate::array::Reals;
use crate::described::input_descriptions;
use crate::work::Calls;

/// The inputs of a request by name. Those that are `None` or not given are left out.
pub(super) struct NamedInputs<'py>(Vec<(Input, NamedInput<'py>)>);

/// An input as Python passes it.
#[derive(FromPyObject)]
enum NamedInput<'py> {
    Booleans(PyReadonlyArrayDyn<'py, bool>),
    Integers(PyReadonlyArrayDyn<'py, i64>),
    Numbers(Reals<'py>),
    /// Cells of mosaics, and height and width of the maps over them.
    Mosaic((PyReadonlyArray3<'py, bool>, usize, usize)),
    Baselines(Vec<Reals<'py>>),
    Function(Py<PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for NamedInputs<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let given = object.cast::<PyDict>()?;
        let mut inputs = Vec::new();
        // A mosaic is passed instead of masks.
        let names = INPUTS.iter().map(|spec| (spec.input, keyword(spec)));
        for (input, name) in names.chain([(input::MASKS, "mosaic".to_owned())]) {
            if let Some(value) = given.get_item(name)?
                && !value.is_none()
            {
                inputs.push((input, value.extract()?));
            }
        }
        Ok(Self(inputs))
    }
}

/// The name of an input as a keyword.
fn keyword(spec: &InputSpec) -> String {
    spec.input.name().replace(' ', "_")
}

/// The inputs of a run that any thread can read.
#[derive(Default)]
pub(super) struct OwnedInputs(Vec<(Input, OwnedInput)>);

enum OwnedInput {
    Array(InputArray),
    Single(ArrayD<f32>),
    Mosaic(Array3<bool>, usize, usize),
    Baselines(Vec<ArrayD<f64>>),
    Function(Function),
}

impl NamedInputs<'_> {
    /// Copies of the arrays.
    pub(super) fn to_owned(&self, py: Python<'_>) -> OwnedInputs {
        let owned = self.0.iter().map(|(input, value)| {
            let owned = match value {
                NamedInput::Booleans(array) => {
                    OwnedInput::Array(InputArray::Booleans(array.as_array().to_owned()))
                }
                NamedInput::Integers(array) => {
                    OwnedInput::Array(InputArray::Integers(array.as_array().to_owned()))
                }
                NamedInput::Numbers(Reals::Single(array)) => {
                    OwnedInput::Single(array.as_array().to_owned())
                }
                NamedInput::Numbers(Reals::Double(array)) => {
                    OwnedInput::Array(InputArray::Numbers(array.as_array().to_owned()))
                }
                NamedInput::Mosaic((cells, height, width)) => {
                    OwnedInput::Mosaic(cells.as_array().to_owned(), *height, *width)
                }
                NamedInput::Baselines(baselines) => {
                    OwnedInput::Baselines(baselines.iter().map(double).collect())
                }
                NamedInput::Function(function) => {
                    OwnedInput::Function(Arc::new(function.clone_ref(py)))
                }
            };
            (*input, owned)
        });
        OwnedInputs(owned.collect())
    }
}

impl OwnedInputs {
    /// Whether an input is a Python function.
    pub(super) fn call_python(&self) -> bool {
        let mut inputs = self.0.iter();
        inputs.any(|(_, value)| matches!(value, OwnedInput::Function(_)))
    }

    /// Adds the inputs to the data of a run. With `single`, Python functions receive single precision.
    pub(super) fn add_to<'a, T: Real>(
        self,
        data: EvaluationData<'a, T>,
        calls: &Calls,
        single: bool,
    ) -> Result<EvaluationData<'a, T>> {
        self.0.into_iter().try_fold(data, |data, (input, value)| {
            Ok(match value {
                OwnedInput::Array(array) => data.with_array(input, array)?,
                // Reference maps are read in their own precision.
                OwnedInput::Single(maps) if input == input::REFERENCE_MAPS => {
                    data.with(ReferenceMaps::new(maps))
                }
                OwnedInput::Single(array) => {
                    data.with_array(input, InputArray::Numbers(array.mapv(f64::from)))?
                }
                OwnedInput::Mosaic(cells, height, width) => {
                    data.with(Masks::mosaic(&cells, height, width)?)
                }
                OwnedInput::Baselines(baselines) => data.with(PrecomputedBaselines(baselines)),
                OwnedInput::Function(function) if input == input::REPRESENTATION => {
                    data.with(representation(function, calls.clone(), single))
                }
                OwnedInput::Function(function) => {
                    let explainer = PyExplainer::new(calls, function, single);
                    let explain = move |inputs: ndarray::ArrayViewD<'_, f64>, targets: &Targets| {
                        explainer.explain(inputs, targets)
                    };
                    data.with(SecondMaps::from_fn(explain))
                }
            })
        })
    }
}

/// A layer of the model, computed by a Python function.
fn representation(function: Function, calls: Calls, single: bool) -> Representation {
    Representation::from_fn(move |inputs| -> std::result::Result<Array2<f64>, _> {
        let function = Arc::clone(&function);
        let batch = if single {
            Batch::Single(inputs.mapv(Real::from_f64_nearest))
        } else {
            Batch::Double(inputs.to_owned())
        };
        calls.call(move |py| rows(&function.bind(py).call1((batch.into_python(py),))?))
    })
}

fn double(reals: &Reals<'_>) -> ArrayD<f64> {
    match reals {
        Reals::Single(array) => array.as_array().mapv(f64::from),
        Reals::Double(array) => array.as_array().to_owned(),
    }
}

/// The inputs of attribution metrics, as dictionaries.
#[pyfunction]
fn attribution_inputs(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    input_descriptions(py, INPUTS)
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, attribution_inputs)
}

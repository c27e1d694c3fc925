//! Further inputs of metrics: masks, segments, other maps, draws, a layer of the model.

use std::sync::Arc;

use ndarray::{Array2, Array3, ArrayD, Ix2, Ix3};
use numpy::{PyReadonlyArray3, PyReadonlyArrayDyn};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use xai_attribution::Real;
use xai_attribution::batch::{Data, Masks, ReferenceMaps, SecondMaps, Segments, SideInput};
use xai_attribution::metric::GivenTargets;
use xai_attribution::model::{Explainer, Targets};
use xai_attribution::perturbation::{
    GivenBaselines, GivenNeighbors, GivenOrders, GivenSubsets, GivenValues, Representation,
};

use super::calls::{Function, PyExplainer, rows};
use super::samples::{Batch, GivenTargets as TargetArrays};
use crate::array::Reals;
use crate::error::OrRaise;
use crate::work::Calls;

/// The further inputs of a request, `None` for those that there are not.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct SideArrays<'py> {
    masks: Option<MaskArray<'py>>,
    /// Cells of mosaics, and height and width of the maps over them.
    mosaic: Option<(PyReadonlyArray3<'py, bool>, usize, usize)>,
    /// `(n, height, width)`, or `(height, width)` and the number of samples.
    segments: Option<(PyReadonlyArrayDyn<'py, i64>, usize)>,
    reference_maps: Option<Reals<'py>>,
    second_maps: Option<SecondMapsOf<'py>>,
    baselines: Vec<Reals<'py>>,
    subsets: Option<PyReadonlyArrayDyn<'py, i64>>,
    orders: Option<PyReadonlyArrayDyn<'py, i64>>,
    neighbors: Option<Reals<'py>>,
    values: Option<Reals<'py>>,
    other_targets: Option<TargetArrays<'py>>,
    representation: Option<Py<PyAny>>,
}

/// Whether a position belongs to the object, or how far.
#[derive(FromPyObject)]
enum MaskArray<'py> {
    Booleans(PyReadonlyArray3<'py, bool>),
    Numbers(PyReadonlyArray3<'py, f64>),
}

/// Maps that exist, or who makes them.
#[derive(FromPyObject)]
enum SecondMapsOf<'py> {
    Maps(Reals<'py>),
    Explainer(Py<PyAny>),
}

/// Further inputs that any thread can read.
#[derive(Default)]
pub(super) struct Sides {
    masks: Option<Masks>,
    segments: Option<Segments>,
    reference_maps: Option<ReferenceMaps>,
    second_maps: Option<SecondMaps>,
    second_explainer: Option<Function>,
    baselines: Option<GivenBaselines>,
    subsets: Option<GivenSubsets>,
    orders: Option<GivenOrders>,
    neighbors: Option<GivenNeighbors>,
    values: Option<GivenValues>,
    other_targets: Option<GivenTargets>,
    representation: Option<Function>,
}

impl SideArrays<'_> {
    pub(super) fn sides(&self, py: Python<'_>) -> PyResult<Sides> {
        let mut sides = Sides::default();
        if let Some(masks) = &self.masks {
            sides.masks = Some(match masks {
                MaskArray::Booleans(masks) => Masks::new(masks.as_array().to_owned()),
                MaskArray::Numbers(masks) => Masks::from_numbers(masks.as_array().to_owned()),
            });
        }
        if let Some((cells, height, width)) = &self.mosaic {
            let cells = cells.as_array().to_owned();
            sides.masks = Some(Masks::mosaic(&cells, *height, *width).or_raise(py)?);
        }
        if let Some((segments, n)) = &self.segments {
            sides.segments = Some(of_segments(segments, *n)?);
        }
        sides.reference_maps = self.reference_maps.as_ref().map(|maps| match maps {
            Reals::Single(maps) => ReferenceMaps::new(maps.as_array().to_owned()),
            Reals::Double(maps) => ReferenceMaps::new(maps.as_array().to_owned()),
        });
        match &self.second_maps {
            Some(SecondMapsOf::Maps(maps)) => {
                sides.second_maps = Some(SecondMaps::from_maps(double(maps)));
            }
            Some(SecondMapsOf::Explainer(explainer)) => {
                sides.second_explainer = Some(Arc::new(explainer.clone_ref(py)));
            }
            None => {}
        }
        if !self.baselines.is_empty() {
            let baselines = self.baselines.iter().map(double).collect();
            sides.baselines = Some(GivenBaselines(baselines));
        }
        if let Some(subsets) = &self.subsets {
            sides.subsets = Some(GivenSubsets(numbers::<Ix3>("subsets", subsets)?));
        }
        if let Some(orders) = &self.orders {
            sides.orders = Some(GivenOrders(numbers::<Ix2>("orders", orders)?));
        }
        sides.neighbors = self.neighbors.as_ref().map(|x| GivenNeighbors(double(x)));
        if let Some(values) = &self.values {
            let values = double(values);
            let shape = values.shape().to_vec();
            let values: Array3<f64> = values
                .into_dimensionality()
                .map_err(|_| wrong_axes("values", 3, &shape))?;
            sides.values = Some(GivenValues(values));
        }
        sides.other_targets = self
            .other_targets
            .as_ref()
            .map(|t| GivenTargets(t.targets()));
        let representation = self.representation.as_ref();
        sides.representation = representation.map(|layer| Arc::new(layer.clone_ref(py)));
        Ok(sides)
    }
}

/// A run with a further input, where there is one.
fn with<'a, T: Real, S: SideInput>(run: Data<'a, T>, side: Option<S>) -> Data<'a, T> {
    match side {
        Some(side) => run.with(side),
        None => run,
    }
}

impl Sides {
    /// Whether there is a function to call.
    pub(super) fn call_python(&self) -> bool {
        self.second_explainer.is_some() || self.representation.is_some()
    }

    /// Adds them to a run; `single` says whether functions are given inputs in single precision.
    pub(super) fn add_to<'a, T: Real>(
        self,
        run: Data<'a, T>,
        calls: &Calls,
        single: bool,
    ) -> Data<'a, T> {
        let second = self.second_explainer.map(|function| {
            let explainer = PyExplainer::new(calls, function, single);
            SecondMaps::from_fn(move |inputs, targets: &Targets| -> Result<ArrayD<f64>, _> {
                explainer.explain(inputs, targets)
            })
        });
        let calls = calls.clone();
        let representation = self.representation.map(|function| {
            Representation::from_fn(move |inputs| -> Result<Array2<f64>, _> {
                let function = Arc::clone(&function);
                let batch = match single {
                    true => Batch::Single(inputs.mapv(Real::from_f64_nearest)),
                    false => Batch::Double(inputs.to_owned()),
                };
                calls.call(move |py| rows(&function.bind(py).call1((batch.into_python(py),))?))
            })
        });
        let run = with(run, self.masks);
        let run = with(run, self.segments);
        let run = with(run, self.reference_maps);
        let run = with(run, self.second_maps);
        let run = with(run, second);
        let run = with(run, self.baselines);
        let run = with(run, self.subsets);
        let run = with(run, self.orders);
        let run = with(run, self.neighbors);
        let run = with(run, self.values);
        let run = with(run, self.other_targets);
        with(run, representation)
    }
}

/// Segments of every sample, or the same ones for all.
fn of_segments(segments: &PyReadonlyArrayDyn<'_, i64>, n: usize) -> PyResult<Segments> {
    Ok(match segments.as_array().ndim() {
        2 => Segments::shared(numbers::<Ix2>("segments", segments)?, n),
        _ => Segments::new(numbers::<Ix3>("segments", segments)?),
    })
}

/// Numbers of features or segments.
fn numbers<D: ndarray::Dimension>(
    name: &str,
    array: &PyReadonlyArrayDyn<'_, i64>,
) -> PyResult<ndarray::Array<u32, D>> {
    let array = array.as_array();
    let n_axes = D::NDIM.unwrap_or_default();
    let view = array
        .clone()
        .into_dimensionality::<D>()
        .map_err(|_| wrong_axes(name, n_axes, array.shape()))?;
    let wrong = view.iter().find(|x| u32::try_from(**x).is_err());
    if let Some(number) = wrong {
        return Err(PyValueError::new_err(format!(
            "{name}: expected numbers of 0 to 4294967295, got {number}"
        )));
    }
    Ok(view.mapv(|x| u32::try_from(x).unwrap_or_default()))
}

fn wrong_axes(name: &str, n_axes: usize, shape: &[usize]) -> PyErr {
    PyValueError::new_err(format!(
        "{name}: expected {n_axes} axes, got shape {shape:?}"
    ))
}

fn double(reals: &Reals<'_>) -> ArrayD<f64> {
    match reals {
        Reals::Single(array) => array.as_array().mapv(f64::from),
        Reals::Double(array) => array.as_array().to_owned(),
    }
}

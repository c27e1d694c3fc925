//! Adapters that let the library call models, explainers and other Python functions of the user.

use std::sync::Arc;

use ndarray::{Array2, ArrayD, ArrayViewD};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use xai_attribution::model::{BoxError, Explainer, Model, Targets};
use xai_attribution::{EvaluationError, Real};

use super::samples::Native;
use super::values::floats;
use crate::array::{Reals, two_axes};
use crate::work::Calls;

/// A Python function of the user.
pub(super) type Function = Arc<Py<PyAny>>;

/// Reports progress to a function, without waiting for it.
pub(super) fn tell(calls: &Calls, function: &Function, number: usize) {
    let function = Arc::clone(function);
    calls.tell(move |py| function.bind(py).call1((number,)).map(drop));
}

/// Returns the outcome of a run. An exception of a Python function takes precedence over the error of the run. The
/// raised exception gets the attribute `completed_scores` with the scores that were computed before, if it can have
/// attributes.
pub(super) fn outcome_of_run<R>(
    calls: &Calls,
    py: Python<'_>,
    outcome: Result<R, EvaluationError>,
) -> PyResult<R> {
    let completed: Vec<_> = outcome.as_ref().err().map_or_else(Vec::new, |stopped| {
        let scores = stopped.completed().iter().map(|c| {
            let per_sample = PyArray1::from_vec(py, floats(&c.per_sample).collect());
            (c.explainer.clone(), c.score.clone(), per_sample)
        });
        scores.collect()
    });
    calls.outcome(py, outcome).inspect_err(|exception| {
        let _ = exception.value(py).setattr("completed_scores", completed);
    })
}

/// A model that is a function of Python: a batch in, an array `(batch, n_outputs)` out.
pub(super) struct PyModel {
    pub(super) calls: Calls,
    pub(super) function: Function,
    /// Whether inputs are passed in single precision.
    pub(super) single: bool,
    /// Whether the model also receives the index of the sample of each row.
    pub(super) of_samples: bool,
}

impl PyModel {
    fn ask<T: Native>(
        &self,
        batch: ArrayViewD<'_, T>,
        samples: Option<Vec<i64>>,
    ) -> Result<Array2<f64>, BoxError> {
        let batch = T::batch(batch, self.single);
        let function = Arc::clone(&self.function);
        self.calls.call(move |py| {
            let batch = batch.into_python(py);
            let arguments = match samples {
                Some(samples) => PyTuple::new(py, [batch, samples.into_pyarray(py).into_any()])?,
                None => PyTuple::new(py, [batch])?,
            };
            rows(&function.bind(py).call1(arguments)?)
        })
    }
}

impl<T: Native> Model<T> for PyModel {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        self.ask(batch, None)
    }

    fn outputs_for_samples(
        &self,
        batch: ArrayViewD<'_, T>,
        sample_of: &dyn Fn(usize) -> usize,
    ) -> Result<Array2<f64>, BoxError> {
        let sample = |row| i64::try_from(sample_of(row)).unwrap_or(i64::MAX);
        let samples = self
            .of_samples
            .then(|| (0..batch.shape()[0]).map(sample).collect());
        self.ask(batch, samples)
    }
}

/// Converts the output of a Python model to an array with two axes.
pub(super) fn rows(answer: &Bound<'_, PyAny>) -> PyResult<Array2<f64>> {
    let name = "outputs";
    match answer.extract::<Reals<'_>>()? {
        Reals::Single(rows) => Ok(two_axes(name, rows.as_array())?.mapv(f64::from)),
        Reals::Double(rows) => Ok(two_axes(name, rows.as_array())?.to_owned()),
    }
}

/// An explainer that is a function of Python: inputs and targets in, maps out.
#[derive(Clone)]
pub(super) struct PyExplainer {
    calls: Calls,
    function: Function,
    single: bool,
}

impl PyExplainer {
    /// `single` says whether inputs are in single precision.
    pub(super) fn new(calls: &Calls, function: Function, single: bool) -> Self {
        Self {
            calls: calls.clone(),
            function,
            single,
        }
    }
}

impl<T: Native> Explainer<T> for PyExplainer {
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        let (batch, targets) = (T::batch(inputs, self.single), targets.clone());
        let (function, single) = (Arc::clone(&self.function), self.single);
        self.calls.call(move |py| {
            let given = (batch.into_python(py), self::targets(py, targets, single));
            let maps = function.bind(py).call1(given)?;
            Ok(match maps.extract::<Reals<'_>>()? {
                Reals::Single(maps) => maps.as_array().mapv(|x| T::from_f64_nearest(x.into())),
                Reals::Double(maps) => maps.as_array().mapv(T::from_f64_nearest),
            })
        })
    }
}

/// Converts targets to Python. With `single`, rows of weights are converted to single precision like the inputs,
/// because frameworks expect one precision.
pub(super) fn targets(py: Python<'_>, targets: Targets, single: bool) -> Bound<'_, PyAny> {
    match targets {
        Targets::Classes(classes) => classes.into_pyarray(py).into_any(),
        Targets::Rows(rows) if single => {
            let rows = rows.mapv(f32::from_f64_nearest);
            rows.into_pyarray(py).into_any()
        }
        Targets::Rows(rows) => rows.into_pyarray(py).into_any(),
    }
}

/// Converts a Python function to a distance of two maps. After an exception, which ends the run, the distance is NaN.
pub(super) fn distance(
    calls: Calls,
    function: Function,
) -> impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static {
    move |a, b| {
        let (a, b, function) = (a.to_vec(), b.to_vec(), Arc::clone(&function));
        let answer = calls.call(move |py| {
            let maps = (a.into_pyarray(py), b.into_pyarray(py));
            function.bind(py).call1(maps)?.extract::<f64>()
        });
        answer.unwrap_or(f64::NAN)
    }
}

/// Converts a Python function to a function that returns the key of a map. After an exception, the key is empty.
pub(super) fn map_key(
    calls: Calls,
    function: Function,
) -> impl Fn(&[f64]) -> Vec<i64> + Send + Sync + 'static {
    move |map| {
        let (map, function) = (map.to_vec(), Arc::clone(&function));
        let answer = calls.call(move |py| {
            let map = map.into_pyarray(py);
            function.bind(py).call1((map,))?.extract::<Vec<i64>>()
        });
        answer.unwrap_or_default()
    }
}

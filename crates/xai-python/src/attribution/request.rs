//! The request of a run from Python. Inputs and maps are views of Python's memory; targets and other inputs are copied.

use std::sync::Arc;

use pyo3::prelude::*;
use xai_attribution::Activation;
use xai_attribution::metric::{Entry, Value, registry};
use xai_attribution::model::{Scoring, Targets};

use super::calls::Function;
use super::catalogue;
use super::inputs::{NamedInputs, OwnedInputs};
use super::samples::{GivenTargets, View};
use crate::array::Reals;
use crate::described::Given;
use crate::error::OrRaise;

/// A request, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct Request<'py> {
    model: Option<Py<PyAny>>,
    /// Whether the model receives the index of the sample of each row.
    of_samples: bool,
    /// Without them the number and the shape of the samples are those of the first explainer's maps.
    inputs: Option<Reals<'py>>,
    targets: Option<GivenTargets<'py>>,
    explainers: Vec<(String, Option<Reals<'py>>, Option<Py<PyAny>>)>,
    metrics: Vec<AskedMetric>,
    sides: NamedInputs<'py>,
    activation: String,
    batch_size: Option<usize>,
    allow_batch_dependence: bool,
    /// Whether the caller knows which class each map explains, so that nothing is assumed.
    explained_class_is_known: bool,
    layout: Option<String>,
    curves: bool,
    first_sample: u64,
    progress: Option<Py<PyAny>>,
}

/// A metric, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(super) struct AskedMetric {
    metric: String,
    /// Name in the result.
    name: String,
    parameters: Given,
    /// A distance of maps, in place of the parameter.
    distance: Option<Py<PyAny>>,
    /// The key of a map, in place of the parameter.
    discretizer: Option<Py<PyAny>>,
    /// A metric written by the user. `metric` is then only its name.
    own: Option<AskedOwn>,
    /// Whether its random draws are given as a side input.
    draws_are_given: bool,
}

/// A metric written by the user: a function that receives a batch as a dictionary and returns a number per sample.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct AskedOwn {
    function: Py<PyAny>,
    /// Function that returns changed inputs of a batch, `(changes, batch, …)`. `function` receives their scores.
    changes: Option<Py<PyAny>>,
    direction: String,
    /// Names of the parts of a batch that it receives.
    reads: Vec<String>,
}

/// A request that any thread can work on.
pub(super) struct Job<'a> {
    pub(super) model: Option<Function>,
    pub(super) of_samples: bool,
    pub(super) inputs: Option<View<'a>>,
    pub(super) targets: Option<Targets>,
    pub(super) explainers: Vec<Explained<'a>>,
    pub(super) metrics: Vec<Asked>,
    pub(super) sides: OwnedInputs,
    pub(super) scoring: Scoring,
    pub(super) explained_class_is_known: bool,
    pub(super) curves: bool,
    pub(super) first_sample: u64,
    pub(super) progress: Option<Function>,
}

/// An explainer to judge.
pub(super) struct Explained<'a> {
    pub(super) name: String,
    pub(super) maps: Option<View<'a>>,
    pub(super) function: Option<Function>,
}

/// A metric that was asked for.
pub(super) struct Asked {
    pub(super) kind: Kind,
    pub(super) name: String,
    pub(super) settings: Vec<(String, Value)>,
    pub(super) distance: Option<Function>,
    pub(super) discretizer: Option<Function>,
    pub(super) draws_are_given: bool,
}

/// A requested metric that the user wrote.
pub(super) struct OwnMetric {
    pub(super) function: Function,
    pub(super) changes: Option<Function>,
    pub(super) direction: String,
    pub(super) reads: Vec<String>,
}

/// Origin of a metric.
pub(super) enum Kind {
    Registered(&'static Entry),
    Own(OwnMetric),
}

/// Clones an optional Python function.
fn function(py: Python<'_>, of: &Option<Py<PyAny>>) -> Option<Function> {
    of.as_ref().map(|of| Arc::new(of.clone_ref(py)))
}

/// Returns the default scoring with an activation.
pub(super) fn scoring(py: Python<'_>, activation: &str) -> PyResult<Scoring> {
    Ok(Scoring {
        activation: activation.parse::<Activation>().or_raise(py)?,
        ..Scoring::default()
    })
}

impl AskedMetric {
    /// The metric, for a run.
    pub(super) fn prepare(&self, py: Python<'_>) -> PyResult<Asked> {
        Ok(Asked {
            kind: match &self.own {
                Some(own) => Kind::Own(OwnMetric {
                    function: Arc::new(own.function.clone_ref(py)),
                    changes: function(py, &own.changes),
                    direction: own.direction.clone(),
                    reads: own.reads.clone(),
                }),
                None => Kind::Registered(registry::find(&self.metric).or_raise(py)?),
            },
            name: self.name.clone(),
            settings: self.parameters.0.clone(),
            distance: function(py, &self.distance),
            discretizer: function(py, &self.discretizer),
            draws_are_given: self.draws_are_given,
        })
    }
}

impl Request<'_> {
    pub(super) fn job(&self, py: Python<'_>) -> PyResult<Job<'_>> {
        let function = |f: &Option<Py<PyAny>>| function(py, f);
        let metrics = self.metrics.iter().map(|asked| asked.prepare(py));
        let explainers = self.explainers.iter().map(|(name, maps, asked)| Explained {
            name: name.clone(),
            maps: maps.as_ref().map(View::new),
            function: function(asked),
        });
        Ok(Job {
            model: function(&self.model),
            of_samples: self.of_samples,
            inputs: self.inputs.as_ref().map(View::new),
            targets: self.targets.as_ref().map(GivenTargets::targets),
            explainers: explainers.collect(),
            metrics: metrics.collect::<PyResult<_>>()?,
            sides: self.sides.to_owned(py),
            scoring: self.scoring(py)?,
            explained_class_is_known: self.explained_class_is_known,
            curves: self.curves,
            first_sample: self.first_sample,
            progress: function(&self.progress),
        })
    }

    fn scoring(&self, py: Python<'_>) -> PyResult<Scoring> {
        Ok(Scoring {
            batch_size: self.batch_size,
            allow_batch_dependence: self.allow_batch_dependence,
            layout: self.layout.as_deref().map(catalogue::layout).transpose()?,
            ..scoring(py, &self.activation)?
        })
    }
}

impl Job<'_> {
    /// Returns whether inputs are in single precision.
    pub(super) fn has_single_inputs(&self) -> bool {
        self.inputs.as_ref().is_some_and(View::is_single)
    }

    /// Returns whether any Python function has to be called.
    pub(super) fn calls_python(&self) -> bool {
        let of_the_run = [&self.model, &self.progress];
        let explainers = self.explainers.iter().map(|e| &e.function);
        let of_metrics = self
            .metrics
            .iter()
            .flat_map(|m| [&m.distance, &m.discretizer]);
        let mut functions = of_the_run.into_iter().chain(explainers).chain(of_metrics);
        let mut metrics = self.metrics.iter();
        functions.any(Option::is_some)
            || metrics.any(|metric| matches!(metric.kind, Kind::Own(_)))
            || self.sides.call_python()
    }

    /// Number of elements of inputs and maps.
    pub(super) fn n_elements(&self) -> usize {
        let maps = self.explainers.iter().filter_map(|e| e.maps.as_ref());
        self.inputs.iter().chain(maps).map(View::len).sum()
    }

    /// Returns whether the inputs and all maps are in single precision. Then the run is, too; otherwise they are
    /// widened, which is exact.
    pub(super) fn is_single(&self) -> bool {
        let maps = self.explainers.iter().filter_map(|e| e.maps.as_ref());
        self.inputs.iter().chain(maps).all(View::is_single)
    }
}

//! Metrics written by the user in Python, and metrics whose curves of single samples are kept.

use std::collections::BTreeMap;
use std::ops::Range as Samples;
use std::sync::{Arc, Mutex, PoisonError};

use ndarray::{Array2, ArrayD};
use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_attribution::batch::{Dataset, ExplainedBatch, Plan, SampleBatch};
use xai_attribution::metric::{
    DatasetMetricDyn, Direction, Measure, Metric, MetricInfo, Param, Parameters, Value,
};
use xai_attribution::model::{BoxError, Targets};
use xai_attribution::perturbation::CurveScores;
use xai_attribution::table::TiedFeatures;
use xai_attribution::{Error, Real, Result, input};
use xai_core::Input;

use super::calls::{Function, targets};
use super::request::OwnMetric;
use super::samples::{Batch, Native};
use crate::array::Reals;
use crate::stored::{or_nan, or_none};
use crate::work::Calls;

/// Inputs changed by a metric of the user, in errors.
const CHANGES: Input = Input::new("changes");

/// A metric of the user in a run.
pub(super) struct MeasuredOwn {
    function: Function,
    changes: Option<Function>,
    info: &'static MetricInfo,
    reads: Reads,
    single: bool,
    calls: Calls,
}

/// Which parts of a batch the functions of a metric receive.
#[derive(Clone, Copy)]
struct Reads {
    inputs: bool,
    targets: bool,
    explanations: bool,
    outputs: bool,
    base_scores: bool,
    masked_scores: bool,
}

impl MeasuredOwn {
    /// `single` says whether inputs are in single precision.
    pub(super) fn new(own: &OwnMetric, single: bool, calls: &Calls) -> Self {
        let reads = |name: &str| own.reads.iter().any(|read| read == name);
        Self {
            function: Arc::clone(&own.function),
            changes: own.changes.clone(),
            info: match own.direction.as_str() {
                "higher" => const { &info(Direction::Higher) },
                "lower" => const { &info(Direction::Lower) },
                _ => const { &info(Direction::None) },
            },
            reads: Reads {
                inputs: reads("inputs"),
                targets: reads("targets"),
                explanations: reads("explanations"),
                outputs: reads("outputs"),
                base_scores: reads("base_scores"),
                masked_scores: reads("masked_scores"),
            },
            single,
            calls: calls.clone(),
        }
    }
}

/// Results have the name in the request instead of this one. No needs are listed, because the Python side has checked
/// that the data has everything that the metric reads.
const fn info(direction: Direction) -> MetricInfo {
    MetricInfo {
        direction,
        ..MetricInfo::named("own")
    }
}

impl Parameters for MeasuredOwn {
    fn describe(&self, _: &mut Vec<Param>) {}

    fn set(&mut self, _: &str, _: &Value) -> Result<bool> {
        Ok(false)
    }
}

impl Metric for MeasuredOwn {
    fn info(&self) -> &'static MetricInfo {
        self.info
    }
}

impl<T: Native> Measure<T> for MeasuredOwn {
    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        if self.reads.base_scores || self.reads.outputs {
            plan.base_scores();
        }
        if self.reads.explanations {
            plan.maps();
        }
        if self.reads.masked_scores {
            plan.masked_scores();
        }
        if self.changes.is_some() {
            plan.unknown(self.info.name);
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let given = self.given(explained)?;
        let changed = match &self.changes {
            Some(changes) => {
                Some(self.changed_scores(changes, explained.batch(), given.clone())?)
            }
            None => None,
        };
        let function = Arc::clone(&self.function);
        let values = self.calls.call(move |py| {
            let given = given.into_python(py)?;
            given.set_item("changed_scores", changed.map(|of| of.into_pyarray(py)))?;
            let answer = function.bind(py).call1((given,))?;
            let values: PyReadonlyArray1<'_, f64> = answer.extract()?;
            Ok(values.as_array().to_vec())
        });
        Ok(or_none(values.map_err(raised)?))
    }
}

impl MeasuredOwn {
    /// Collects the parts of a batch that the functions receive.
    fn given<T: Native>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Given> {
        let (batch, reads) = (explained.batch(), self.reads);
        Ok(Given {
            samples: batch.samples(),
            single: self.single,
            inputs: reads.inputs.then(|| T::batch(batch.inputs(), self.single)),
            targets: reads.targets.then(|| batch.targets()),
            explanations: if reads.explanations {
                Some(T::batch(explained.maps()?, false))
            } else {
                None
            },
            outputs: if reads.outputs {
                Some(batch.base_outputs()?.clone())
            } else {
                None
            },
            base_scores: if reads.base_scores {
                Some(batch.base_scores()?.to_vec())
            } else {
                None
            },
            masked_scores: if reads.masked_scores {
                Some(or_nan(explained.masked_scores()?))
            } else {
                None
            },
        })
    }

    /// Scores of the changed inputs that a function returns for a batch, `(n_changes, n_samples)`.
    fn changed_scores<T: Native>(
        &self,
        changes: &Function,
        batch: &SampleBatch<'_, T>,
        given: Given,
    ) -> Result<Array2<f64>> {
        let changes = Arc::clone(changes);
        let changed: ArrayD<T> = self
            .calls
            .call(move |py| {
                let answer = changes.bind(py).call1((given.into_python(py)?,))?;
                Ok(match answer.extract::<Reals<'_>>()? {
                    Reals::Single(rows) => rows.as_array().mapv(nearest),
                    Reals::Double(rows) => rows.as_array().mapv(nearest),
                })
            })
            .map_err(raised)?;
        let n_changes = changed.shape().first().copied().unwrap_or_default();
        let expected = [&[n_changes], batch.shape().as_slice()].concat();
        if changed.shape() != expected {
            return Err(Error::shape(CHANGES, &expected, changed.shape()));
        }
        let rows: Vec<T> = changed.into_iter().collect();
        let (n, size) = (batch.n_samples(), batch.values().len() / batch.n_samples());
        let n_rows = n_changes * n;
        let change = |row: usize, values: &mut [T]| {
            values.copy_from_slice(&rows[row * size..(row + 1) * size]);
        };
        let scores = batch.score_changed(n_rows, |row| row % n, change, "changed inputs")?;
        Array2::from_shape_vec((n_changes, n), scores).map_err(|source| raised(source.into()))
    }
}

/// Converts a number to another precision, to the nearest value.
fn nearest<T: Real>(x: impl Real) -> T {
    T::from_f64_nearest(x.to_f64_exact())
}

/// Converts an exception of a function, or a wrong return value, to an error.
fn raised(source: BoxError) -> Error {
    Error::model("a batch", source).about(input::METRIC)
}

/// Parts of a batch that the functions of a metric receive.
#[derive(Clone)]
struct Given {
    samples: Samples<usize>,
    single: bool,
    inputs: Option<Batch>,
    targets: Option<Targets>,
    explanations: Option<Batch>,
    outputs: Option<Array2<f64>>,
    base_scores: Option<Vec<f64>>,
    masked_scores: Option<Vec<f64>>,
}

impl Given {
    fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
        let given = PyDict::new(py);
        let batch = |batch: Option<Batch>| batch.map(|batch| batch.into_python(py));
        let scores = |scores: Option<Vec<f64>>| scores.map(|scores| scores.into_pyarray(py));
        given.set_item("first_sample", self.samples.start)?;
        given.set_item("n_samples", self.samples.len())?;
        given.set_item("inputs", batch(self.inputs))?;
        given.set_item(
            "targets",
            self.targets.map(|of| targets(py, of, self.single)),
        )?;
        given.set_item("explanations", batch(self.explanations))?;
        given.set_item("outputs", self.outputs.map(|rows| rows.into_pyarray(py)))?;
        given.set_item("base_scores", scores(self.base_scores))?;
        given.set_item("masked_scores", scores(self.masked_scores))?;
        Ok(given)
    }
}

/// A metric whose curves of single samples are kept.
pub(super) struct KeptCurves<T> {
    metric: Box<dyn Measure<T>>,
    /// Curves of the samples of each batch, by the index of its first sample.
    curves: Mutex<BTreeMap<usize, Vec<Vec<f64>>>>,
}

impl<T: Native> KeptCurves<T> {
    pub(super) fn new(metric: Box<dyn Measure<T>>) -> Self {
        Self {
            metric,
            curves: Mutex::default(),
        }
    }

    /// Curve of every sample: its score at every point, NaN where there is none. Empty for a metric without curves.
    pub(super) fn into_samples(self) -> Vec<Vec<f64>> {
        let curves = self
            .curves
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        curves.into_values().flatten().collect()
    }
}

impl<T: Native> Parameters for KeptCurves<T> {
    fn describe(&self, params: &mut Vec<Param>) {
        self.metric.describe(params);
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<bool> {
        self.metric.set(name, value)
    }
}

impl<T: Native> Metric for KeptCurves<T> {
    fn info(&self) -> &'static MetricInfo {
        self.metric.info()
    }

    fn direction(&self) -> Direction {
        self.metric.direction()
    }
}

impl<T: Native> Measure<T> for KeptCurves<T> {
    fn prepare(&self, run: &Dataset<'_, T>) -> Result<()> {
        self.metric.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.metric.plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.metric.per_sample(explained)
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        let curve = self.metric.curve(explained)?;
        if let Some(curve) = &curve {
            let samples = explained.batch().samples();
            let of_sample = |i: usize| curve.scores.iter().map(|scores| scores[i]).collect();
            let rows = (0..samples.len()).map(of_sample).collect();
            let mut curves = self.curves.lock().unwrap_or_else(PoisonError::into_inner);
            curves.insert(samples.start, rows);
        }
        Ok(curve)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.metric.tied(explained)
    }

    fn dataset_metric(&self) -> Option<&dyn DatasetMetricDyn<T>> {
        self.metric.dataset_metric()
    }
}

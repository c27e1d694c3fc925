//! Metrics of the user's, and what is kept of metrics of ours beside their values.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_attribution::batch::{ExplainedBatch, Plan, RunData};
use xai_attribution::metric::{
    Direction, Measure, Metric, MetricInfo, Param, Parameters, Range, Reading, Value, Whole,
};
use xai_attribution::perturbation::CurveScores;
use xai_attribution::{Error, Result, input};

use super::calls::{Function, targets};
use super::request::OwnMetric;
use super::samples::Native;
use crate::work::Calls;

/// A metric of the user's in a run.
pub(super) struct MeasuredOwn {
    function: Function,
    info: &'static MetricInfo,
    reads: Reads,
    single: bool,
    calls: Calls,
}

/// What the function is given of a batch.
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

/// A run names such a metric as the request does. The Python side has checked that what it reads is there.
const fn info(direction: Direction) -> MetricInfo {
    MetricInfo {
        name: "own",
        title: "",
        question: "",
        direction,
        range: Range::REAL,
        needs: &[],
        source: "",
        reading: Reading::NONE,
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
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let (batch, reads, single) = (explained.batch(), self.reads, self.single);
        let samples = batch.samples();
        let inputs = reads.inputs.then(|| T::batch(batch.inputs(), single));
        let maps = match reads.explanations {
            true => Some(T::batch(explained.maps()?, false)),
            false => None,
        };
        let outputs = match reads.outputs {
            true => Some(batch.base_outputs()?.clone()),
            false => None,
        };
        let base = match reads.base_scores {
            true => Some(batch.base_scores()?.to_vec()),
            false => None,
        };
        let masked = match reads.masked_scores {
            true => Some(explained.masked_scores()?.to_vec()),
            false => None,
        };
        let of_targets = reads.targets.then(|| batch.targets());
        let function = Arc::clone(&self.function);
        let values = self.calls.call(move |py| {
            let given = PyDict::new(py);
            let maps = maps.map(|maps| maps.into_python(py));
            given.set_item("first_sample", samples.start)?;
            given.set_item("n_samples", samples.len())?;
            given.set_item("inputs", inputs.map(|inputs| inputs.into_python(py)))?;
            given.set_item("targets", of_targets.map(|of| targets(py, of, single)))?;
            given.set_item("explanations", maps)?;
            given.set_item("outputs", outputs.map(|rows| rows.into_pyarray(py)))?;
            given.set_item("base_scores", base.map(|scores| scores.into_pyarray(py)))?;
            given.set_item("masked_scores", masked.map(|of| of.into_pyarray(py)))?;
            let answer = function.bind(py).call1((given,))?;
            let values: PyReadonlyArray1<'_, f64> = answer.extract()?;
            Ok(values.as_array().to_vec())
        });
        let values =
            values.map_err(|source| Error::model("a batch", source).about(input::METRIC))?;
        let defined = |value: f64| (!value.is_nan()).then_some(value);
        Ok(values.into_iter().map(defined).collect())
    }
}

/// A metric whose curves of single samples are kept.
pub(super) struct KeptCurves<T> {
    metric: Box<dyn Measure<T>>,
    /// By the first sample of a batch: a row per sample.
    curves: Mutex<BTreeMap<usize, Vec<Vec<f64>>>>,
}

impl<T: Native> KeptCurves<T> {
    pub(super) fn of(metric: Box<dyn Measure<T>>) -> Self {
        Self {
            metric,
            curves: Mutex::default(),
        }
    }

    /// The scores of every sample at every point, NaN where there is none; nothing of a metric without curves.
    pub(super) fn into_samples(self) -> Vec<Vec<f64>> {
        let curves = self.curves.into_inner();
        let curves = curves.unwrap_or_else(PoisonError::into_inner);
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
}

impl<T: Native> Measure<T> for KeptCurves<T> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.metric.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.metric.plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.metric.per_sample(explained)
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Rc<CurveScores>>> {
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

    fn whole(&self) -> Option<&dyn Whole<T>> {
        self.metric.whole()
    }
}

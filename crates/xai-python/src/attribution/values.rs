//! The values of an evaluation per sample, which can be merged over the parts of a data set.

use numpy::{PyArray1, PyArray2};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use pythonize::pythonize;
use xai_attribution::model::ModelCalls;
use xai_attribution::table::{
    CurvePoint, EvaluationValues, MapClassCheck, MetricValues, PooledValue, Remark, Statistics,
    TiedFeatures,
};
use xai_core::Direction;

use crate::error::OrRaise;
use crate::stored::{from_bytes, to_bytes};
use crate::work;

/// The values of every explainer by every metric.
#[pyclass(module = "xai_metrics._native", frozen, skip_from_py_object)]
#[derive(Clone)]
pub(crate) struct AttributionValues(EvaluationValues);

impl AttributionValues {
    pub(super) fn new(values: EvaluationValues) -> Self {
        Self(values)
    }

    pub(crate) fn values(&self) -> &EvaluationValues {
        &self.0
    }
}

/// Stored form of a metric's values. All fields are always present, because the form has no names.
type Stored = (
    (String, Direction, (bool, bool), Option<String>, Settings),
    Vec<Vec<Option<f64>>>,
    Vec<PooledValue>,
    Vec<Option<Vec<CurvePoint>>>,
    Vec<TiedFeatures>,
);

/// Values of parameters by name.
type Settings = Vec<(String, String)>;

/// Number of samples, names of the explainers, and calls of the model with the batch size.
type OfAll = (usize, Vec<String>, (ModelCalls, Option<usize>));

/// Stored form of remarks.
type Remarks = (Vec<Remark>, Option<MapClassCheck>);

/// The name of a metric, which values are better, whether they are shares, and the values of each explainer.
type GivenRows = (String, String, bool, Vec<Vec<f64>>);

#[pymethods]
impl AttributionValues {
    #[getter]
    fn n_samples(&self) -> usize {
        self.0.n_samples
    }

    #[getter]
    fn explainers(&self) -> Vec<String> {
        self.0.explainers.clone()
    }

    #[getter]
    fn metrics(&self) -> Vec<String> {
        self.0.metrics.iter().map(|m| m.metric.clone()).collect()
    }

    /// Calls of the model, and rows over all of them.
    #[getter]
    fn model_calls(&self) -> (u64, u64) {
        (self.0.model_calls.calls, self.0.model_calls.rows)
    }

    /// Assumptions that the values depend on, each with the input or option that it is about: `(about, sentence)`.
    #[getter]
    fn assumed(&self) -> Vec<(String, String)> {
        pairs(&self.0.assumed)
    }

    /// Warnings about the inputs, with the input that each is about.
    #[getter]
    fn warnings(&self) -> Vec<(String, String)> {
        let check = self.0.map_class_check.as_ref();
        check.map_or_else(Vec::new, |check| pairs(&check.warnings(&self.0.explainers)))
    }

    /// `(explainers, samples)`, NaN where undefined.
    fn per_sample<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let found = self.0.metrics.iter().find(|m| m.metric == metric);
        let metric = found.ok_or_else(|| PyKeyError::new_err(metric.to_owned()))?;
        let rows: Vec<Vec<f64>> = metric
            .per_sample
            .iter()
            .map(|x| floats(x).collect())
            .collect();
        Ok(PyArray2::from_vec2(py, &rows)?)
    }

    /// The curve of each explainer: numbers of features and scores, `None` where there is none.
    fn curves<'py>(
        &self,
        py: Python<'py>,
        metric: &str,
    ) -> PyResult<Vec<Option<Bound<'py, PyTuple>>>> {
        let found = self.0.metrics.iter().find(|m| m.metric == metric);
        let metric = found.ok_or_else(|| PyKeyError::new_err(metric.to_owned()))?;
        let of_explainer = |e: usize| {
            let points = metric.curves.get(e).and_then(Option::as_ref);
            points.map(|points| curve(py, points)).transpose()
        };
        (0..self.0.explainers.len()).map(of_explainer).collect()
    }

    /// These values and those of samples that come after them.
    fn merged(&self, py: Python<'_>, next: &Self) -> PyResult<Self> {
        let mut values = self.0.clone();
        values.merge(next.0.clone()).or_raise(py)?;
        Ok(Self(values))
    }

    /// Means, intervals, rankings and tests, as nested dictionaries.
    #[pyo3(signature = (level, replicates, seed, n_jobs=None))]
    fn table<'py>(
        &self,
        py: Python<'py>,
        level: f64,
        replicates: usize,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let statistics = Statistics {
            level,
            replicates,
            seed,
        };
        let mut table = work::run(py, n_jobs, || self.0.table(&statistics))?.or_raise(py)?;
        // Python gets these as arrays from other methods.
        for value in table.metrics.iter_mut().flat_map(|m| &mut m.values) {
            value.per_sample = Vec::new();
            value.curve = None;
        }
        Ok(pythonize(py, &table)?)
    }

    /// Returns the reliability of all metrics, judged by these values, as nested dictionaries.
    #[pyo3(signature = (level, replicates, seed, n_jobs=None))]
    fn reliability<'py>(
        &self,
        py: Python<'py>,
        level: f64,
        replicates: usize,
        seed: u64,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let statistics = Statistics {
            level,
            replicates,
            seed,
        };
        let judged = work::run(py, n_jobs, || self.0.reliability(&statistics))?;
        Ok(pythonize(py, &judged.or_raise(py)?)?)
    }

    /// The values as bytes, which [`from_bytes`](Self::from_bytes) reads.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let values = &self.0;
        let metrics: Vec<_> = values
            .metrics
            .iter()
            .map(|m| {
                let flags = (m.is_share, m.is_whole);
                let about = (&m.metric, m.direction, flags, &m.undefined, &m.settings);
                (about, &m.per_sample, &m.pooled, &m.curves, &m.tied)
            })
            .collect();
        let calls = (values.model_calls, values.batch_size);
        let of_all = (values.n_samples, &values.explainers, calls);
        let remarks = (&values.assumed, &values.map_class_check);
        to_bytes(py, &(of_all, remarks, metrics))
    }

    /// The values of metrics `(name, better, is_share, [explainer][sample])` that were computed elsewhere, NaN where
    /// undefined.
    #[staticmethod]
    fn from_rows(explainers: Vec<String>, n_samples: usize, metrics: Vec<GivenRows>) -> Self {
        let metrics = metrics
            .into_iter()
            .map(|(metric, better, is_share, rows)| {
                let direction = match better.as_str() {
                    "higher" => Direction::Higher,
                    "lower" => Direction::Lower,
                    _ => Direction::None,
                };
                let defined = |row: Vec<f64>| row.into_iter().map(|x| (!x.is_nan()).then_some(x));
                let rows = rows.into_iter().map(|row| defined(row).collect());
                MetricValues {
                    is_share,
                    ..MetricValues::new(metric, direction, rows.collect())
                }
            })
            .collect();
        Self(EvaluationValues::new(explainers, n_samples, metrics))
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let (of_all, remarks, metrics): (OfAll, Remarks, Vec<Stored>) = from_bytes(bytes)?;
        let (n_samples, explainers, (model_calls, batch_size)) = of_all;
        let (assumed, map_class_check) = remarks;
        let metrics = metrics
            .into_iter()
            .map(|(about, per_sample, pooled, curves, tied)| {
                let (metric, direction, (is_share, is_whole), undefined, settings) = about;
                MetricValues {
                    metric,
                    direction,
                    is_share,
                    is_whole,
                    undefined,
                    info: None,
                    settings,
                    per_sample,
                    pooled,
                    curves,
                    tied,
                }
            });
        Ok(Self(EvaluationValues {
            n_samples,
            explainers,
            metrics: metrics.collect(),
            model_calls,
            batch_size,
            assumed,
            map_class_check,
        }))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = slf.get().to_bytes(slf.py())?;
        Ok((slf.get_type().getattr("from_bytes")?, (bytes,)))
    }
}

/// Returns the input and the sentence of each remark.
pub(super) fn pairs(remarks: &[Remark]) -> Vec<(String, String)> {
    let remarks = remarks.iter();
    remarks
        .map(|remark| (remark.about.clone(), remark.text.clone()))
        .collect()
}

/// Values with NaN where there is none.
pub(super) fn floats(values: &[Option<f64>]) -> impl Iterator<Item = f64> + '_ {
    values.iter().map(|value| value.unwrap_or(f64::NAN))
}

/// Converts a curve to two arrays: numbers of flipped features, and scores.
pub(super) fn curve<'py>(py: Python<'py>, points: &[CurvePoint]) -> PyResult<Bound<'py, PyTuple>> {
    let flipped = points
        .iter()
        .map(|p| i64::try_from(p.n_flipped).unwrap_or(i64::MAX));
    let flipped = PyArray1::from_vec(py, flipped.collect());
    let scores = PyArray1::from_vec(py, points.iter().map(|p| p.score).collect());
    PyTuple::new(py, [flipped.into_any(), scores.into_any()])
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AttributionValues>()
}

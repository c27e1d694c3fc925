//! The metrics of all pairs of runs.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use xai_core::{Error, Interval};
use xai_repro::{PairMetric, Pairwise};

use crate::described::Given;
use crate::error::OrRaise;
use crate::repro::packed::{PackedRuns, pair_metrics};
use crate::stored::{or_nan, to_python};
use crate::work;

/// Parses the names of metrics, and builds the evaluation of these metrics with the given parameters.
pub(crate) fn options(
    py: Python<'_>,
    metrics: &[String],
    given: Given,
) -> PyResult<(Vec<PairMetric>, Pairwise)> {
    let metrics = pair_metrics(py, metrics)?;
    let options = given.build::<Pairwise>(py)?.metrics(&metrics);
    Ok((metrics, options))
}

/// Values of all pairs: one array per metric.
pub(super) type Values<'py> = Vec<Bound<'py, PyArray1<f64>>>;

/// Returns the values of each metric for all pairs, with NaN for undefined ones, and the error sets.
#[pyfunction]
#[pyo3(signature = (packed, metrics, given, n_jobs=None))]
pub(super) fn repro_pairwise<'py>(
    py: Python<'py>,
    packed: &PackedRuns,
    metrics: Vec<String>,
    given: Given,
    n_jobs: Option<i64>,
) -> PyResult<(Values<'py>, ErrorSets)> {
    let (metrics, options) = options(py, &metrics, given)?;
    let evaluate = || {
        let runs = options.evaluate_packed(&packed.runs)?;
        let values: Vec<Vec<f64>> = metrics
            .iter()
            .map(|&metric| or_nan(runs.pairs(metric)))
            .collect();
        Ok::<_, Error>((values, runs.errors().clone()))
    };
    let outcome = work::run_sized(py, n_jobs, packed.size_of_pairs(), evaluate)?;
    let (values, sets) = outcome.or_raise(py)?;
    let values = values.into_iter().map(|values| values.into_pyarray(py));
    Ok((values.collect(), ErrorSets::from_packed(sets, packed)))
}

/// Returns the summary of each metric over the pairs with the interval of its mean (`None` if it is undefined), and the
/// error sets. The values of the pairs are not stored.
#[pyfunction]
#[pyo3(signature = (packed, metrics, given, level, n_jobs=None))]
pub(super) fn repro_summaries<'py>(
    py: Python<'py>,
    packed: &PackedRuns,
    metrics: Vec<String>,
    given: Given,
    level: f64,
    n_jobs: Option<i64>,
) -> PyResult<(Bound<'py, PyAny>, ErrorSets)> {
    let (metrics, options) = options(py, &metrics, given)?;
    let summarize = || {
        let runs = options.summarize(&packed.runs)?;
        let of_metric = |&metric: &PairMetric| {
            let interval = runs.interval(metric, level)?;
            Ok((runs.summary(metric).unwrap_or_default(), interval))
        };
        let summaries: Vec<(xai_core::Summary, Option<Interval>)> = metrics
            .iter()
            .map(of_metric)
            .collect::<xai_core::Result<_>>(
        )?;
        Ok::<_, Error>((summaries, runs.errors().clone()))
    };
    let (summaries, sets) = work::run(py, n_jobs, summarize)?.or_raise(py)?;
    Ok((
        to_python(py, &summaries)?,
        ErrorSets::from_packed(sets, packed),
    ))
}

/// The error sets of all runs: the samples that each run predicts wrongly.
#[pyclass(module = "xai_metrics._native", name = "ReproErrorSets", frozen)]
pub(crate) struct ErrorSets {
    sets: xai_repro::ErrorSets,
    /// About the size of all error sets in 64-bit words.
    size: usize,
}

impl ErrorSets {
    fn from_packed(sets: xai_repro::ErrorSets, packed: &PackedRuns) -> Self {
        let size = packed.size_of_pairs() / packed.runs.n_runs().max(1);
        Self { sets, size }
    }
}

#[pymethods]
impl ErrorSets {
    /// Returns the error sets of packed runs. They share the memory of the runs.
    #[new]
    fn new(packed: &PackedRuns) -> Self {
        Self::from_packed(xai_repro::ErrorSets::new(&packed.runs), packed)
    }

    fn accuracy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.sets.accuracy().into_pyarray(py)
    }

    fn always_wrong<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let samples = work::run_sized(py, None, self.size, || indices(self.sets.always_wrong()))?;
        Ok(samples.into_pyarray(py))
    }

    fn ever_wrong<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let samples = work::run_sized(py, None, self.size, || indices(self.sets.ever_wrong()))?;
        Ok(samples.into_pyarray(py))
    }

    fn n_always_and_ever_wrong(&self, py: Python<'_>) -> PyResult<(u64, u64)> {
        work::run_sized(py, None, self.size, || self.sets.n_always_and_ever_wrong())
    }

    fn leave_one_out_consistency<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = work::run_sized(py, None, self.size, || {
            or_nan(&self.sets.leave_one_out_consistency())
        })?;
        Ok(values.into_pyarray(py))
    }
}

/// Converts indices of samples to the integer type that NumPy uses for indices.
pub(super) fn indices(samples: Vec<usize>) -> Vec<i64> {
    // Lossless: indices into arrays in memory are below 2^63.
    samples.into_iter().map(|sample| sample as i64).collect()
}

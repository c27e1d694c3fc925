//! Summaries and intervals of the values of pairs.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_core::statistics::wilson;
use xai_repro::interval::PairDistribution;
use xai_repro::{PairStatistic, RunInterval};

use crate::described::Given;
use crate::error::OrRaise;
use crate::stored::{or_none, to_python};
use crate::work;

/// The summary of the values of all pairs of some runs.
#[pyfunction]
pub(super) fn repro_pair_summary<'py>(
    py: Python<'py>,
    n_runs: usize,
    values: PyReadonlyArray1<'py, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let values = or_none(values.as_array().iter().copied());
    let pairs = PairDistribution::new(n_runs, &values).or_raise(py)?;
    to_python(py, &pairs.summary())
}

/// The interval over runs of a statistic of the values of all pairs.
#[pyfunction]
#[pyo3(signature = (n_runs, values, statistic, given, n_jobs=None))]
pub(super) fn repro_pair_interval<'py>(
    py: Python<'py>,
    n_runs: usize,
    values: PyReadonlyArray1<'py, f64>,
    statistic: &str,
    given: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let statistic = statistic.parse::<PairStatistic>().or_raise(py)?;
    let around: RunInterval = given.build(py)?;
    let values = or_none(values.as_array().iter().copied());
    let pairs = PairDistribution::new(n_runs, &values).or_raise(py)?;
    let interval = || pairs.interval(statistic, around);
    to_python(py, &work::run(py, n_jobs, interval)?.or_raise(py)?)
}

/// Wilson's interval of a share, `successes` of `n`.
#[pyfunction]
pub(super) fn repro_wilson(
    py: Python<'_>,
    successes: u64,
    n: u64,
    level: f64,
) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &wilson(successes, n, level).or_raise(py)?)
}

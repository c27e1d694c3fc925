//! What is told of the values of pairs, and what the metrics say of themselves.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_core::statistics::wilson;
use xai_repro::interval::PairDistribution;
use xai_repro::{PairStatistic, RunInterval, registry};

use crate::error::OrRaise;
use crate::repro::packed::one_of;
use crate::stored::{metric_info, or_none, to_python};
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
#[pyo3(signature = (n_runs, values, statistic, quantile, method, n_replicates, seed, level, n_jobs=None))]
#[allow(clippy::too_many_arguments)] // those of the function that users call
pub(super) fn repro_pair_interval<'py>(
    py: Python<'py>,
    n_runs: usize,
    values: PyReadonlyArray1<'py, f64>,
    statistic: &str,
    quantile: f64,
    method: &str,
    n_replicates: usize,
    seed: u64,
    level: f64,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let statistic = one_of(
        "statistic",
        statistic,
        &[
            ("mean", PairStatistic::Mean),
            ("std", PairStatistic::Std),
            ("min", PairStatistic::Min),
            ("median", PairStatistic::Median),
            ("max", PairStatistic::Max),
            ("quantile", PairStatistic::Quantile(quantile)),
        ],
    )?;
    let method = run_interval(method, n_replicates, seed)?;
    let values = or_none(values.as_array().iter().copied());
    let pairs = PairDistribution::new(n_runs, &values).or_raise(py)?;
    let interval = || match (statistic, method) {
        (PairStatistic::Mean, RunInterval::Jackknife) => pairs.interval_of_mean(level),
        _ => pairs.interval(statistic, method, level),
    };
    to_python(py, &work::run(py, n_jobs, interval)?.or_raise(py)?)
}

/// Wilson's interval of a share of so many successes among `n`.
#[pyfunction]
pub(super) fn repro_wilson(
    py: Python<'_>,
    successes: u64,
    n: u64,
    level: f64,
) -> PyResult<Bound<'_, PyAny>> {
    to_python(py, &wilson(successes, n, level).or_raise(py)?)
}

/// How intervals are made, by its name.
pub(super) fn run_interval(method: &str, n_replicates: usize, seed: u64) -> PyResult<RunInterval> {
    let bca = RunInterval::Bca { n_replicates, seed };
    let methods = [("jackknife", RunInterval::Jackknife), ("bca", bca)];
    one_of("method", method, &methods)
}

/// What every metric says of itself, and which kind it is of.
#[pyfunction]
pub(super) fn repro_metrics(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let kind = |name: &str| {
        if registry::PAIR_METRICS
            .iter()
            .any(|metric| metric.name() == name)
        {
            "pair"
        } else if registry::REGRESSION_METRICS
            .iter()
            .any(|metric| metric.name() == name)
        {
            "regression"
        } else {
            "all runs"
        }
    };
    let info = |info: &xai_core::MetricInfo| {
        let described = metric_info(py, info)?;
        described.set_item("kind", kind(info.name))?;
        Ok(described)
    };
    registry::metrics().map(info).collect()
}

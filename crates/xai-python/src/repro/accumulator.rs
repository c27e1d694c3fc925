//! Accumulator of the pairwise metrics, which is updated with blocks of samples.

use numpy::{IntoPyArray, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use xai_repro::{Accumulator, PairMetric, PairwiseAccumulator};

use crate::array::{contiguous, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels};
use crate::repro::packed::pair_metrics;
use crate::repro::pairwise::{Values, options};
use crate::stored::{from_bytes, or_nan, to_bytes};
use crate::work;

/// The counts of all pairs of runs over the samples so far.
#[pyclass(module = "xai_metrics._native", name = "ReproPairwiseState")]
pub(crate) struct PairwiseState {
    state: PairwiseAccumulator,
}

#[pymethods]
impl PairwiseState {
    #[new]
    fn new(py: Python<'_>, metrics: Vec<String>, given: Given) -> PyResult<Self> {
        let (_, options) = options(py, &metrics, given)?;
        let state = PairwiseAccumulator::new(&options).or_raise(py)?;
        Ok(Self { state })
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let state = from_bytes(bytes)?;
        Ok(Self { state })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.state)
    }

    /// Adds the `(k, m)` predictions of all `k` runs for `m` samples.
    #[pyo3(signature = (predictions, labels, n_jobs=None))]
    fn update(
        &mut self,
        py: Python<'_>,
        predictions: Labels<'_>,
        labels: PyReadonlyArray1<'_, i64>,
        n_jobs: Option<i64>,
    ) -> PyResult<()> {
        let labels = contiguous(&labels);
        for_labels!(predictions, |view| {
            let view = two_axes("predictions", view)?;
            let update = || self.state.update_labels(view, &labels);
            work::run_sized(py, n_jobs, view.len(), update)?.or_raise(py)
        })
    }

    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.state.merge(other.state.clone()).or_raise(py)
    }

    #[getter]
    fn n_runs(&self) -> usize {
        self.state.n_runs()
    }

    #[getter]
    fn n_samples(&self) -> u64 {
        self.state.n_samples()
    }

    /// The values of the pairs by metric, and the results over all runs.
    #[pyo3(signature = (metrics, n_jobs=None))]
    fn finish<'py>(
        &self,
        py: Python<'py>,
        metrics: Vec<String>,
        n_jobs: Option<i64>,
    ) -> PyResult<(Values<'py>, Bound<'py, PyDict>)> {
        let metrics: Vec<PairMetric> = pair_metrics(py, &metrics)?;
        let runs = work::run(py, n_jobs, || self.state.finish())?.or_raise(py)?;
        let values = metrics
            .iter()
            .map(|&metric| or_nan(runs.pairs(metric)))
            .map(|values| values.into_pyarray(py))
            .collect();
        let of_all = PyDict::new(py);
        of_all.set_item("accuracy", runs.accuracy.clone().into_pyarray(py))?;
        of_all.set_item("n_always_wrong", runs.n_always_wrong)?;
        of_all.set_item("n_ever_wrong", runs.n_ever_wrong)?;
        let left_out = or_nan(&runs.leave_one_out_consistency).into_pyarray(py);
        of_all.set_item("leave_one_out_consistency", left_out)?;
        let agreement = runs.agreement.as_ref();
        let agreement =
            agreement.map(|agreement| crate::repro::across_runs::described(py, agreement));
        of_all.set_item("agreement", agreement.transpose()?)?;
        Ok((values, of_all))
    }
}

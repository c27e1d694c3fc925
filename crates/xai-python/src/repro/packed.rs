//! Runs packed into bits, once for all metrics.

use std::borrow::Cow;

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use xai_repro::{PackedRunsBuilder, PairMetric};

use crate::array::{contiguous, one_axis, two_axes};
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels};
use crate::work;

/// The metrics of these names.
pub(super) fn pair_metrics(py: Python<'_>, names: &[String]) -> PyResult<Vec<PairMetric>> {
    names
        .iter()
        .map(|name| name.parse::<PairMetric>().or_raise(py))
        .collect()
}

/// The predictions of some runs, one bit per sample and run for errors, few for classes.
#[pyclass(module = "xai_metrics._native", name = "ReproPackedRuns", frozen)]
pub(crate) struct PackedRuns {
    pub(crate) runs: xai_repro::PackedRuns,
}

impl PackedRuns {
    /// Returns about the number of 64-bit words that all pairs of runs read, with one bit per sample and run.
    pub(super) fn size_of_pairs(&self) -> usize {
        self.runs.n_runs() * self.runs.n_runs() * self.runs.n_samples() / 64
    }
}

#[pymethods]
impl PackedRuns {
    /// Packs `(k, n)` predictions.
    #[staticmethod]
    #[pyo3(signature = (metrics, predictions, labels, n_jobs=None))]
    fn from_array(
        py: Python<'_>,
        metrics: Vec<String>,
        predictions: Labels<'_>,
        labels: PyReadonlyArray1<'_, i64>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let metrics = pair_metrics(py, &metrics)?;
        let labels = contiguous(&labels);
        for_labels!(predictions, |view| {
            let view = two_axes("predictions", view)?;
            let pack = || xai_repro::PackedRuns::new(&metrics, view, &labels);
            let runs = work::run_sized(py, n_jobs, view.len(), pack)?.or_raise(py)?;
            Ok(Self { runs })
        })
    }

    /// Packs runs of one array each, one after another. An iterable may create each run when it is requested, and no
    /// run is kept.
    #[staticmethod]
    #[pyo3(signature = (metrics, runs, labels, n_jobs=None))]
    fn from_runs(
        py: Python<'_>,
        metrics: Vec<String>,
        runs: &Bound<'_, PyAny>,
        labels: PyReadonlyArray1<'_, i64>,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let metrics = pair_metrics(py, &metrics)?;
        let labels = contiguous(&labels);
        let mut size = 0;
        let mut builder = PackedRunsBuilder::new(&metrics, &labels).or_raise(py)?;
        for run in runs.try_iter()? {
            let run: Labels<'_> = run?.extract()?;
            for_labels!(run, |view| {
                let view = one_axis("predictions", view)?;
                size += view.len();
                let run = view
                    .to_slice()
                    .map_or_else(|| view.to_vec().into(), Cow::from);
                work::run_sized(py, n_jobs, run.len(), || builder.push(&run))?.or_raise(py)?;
            });
        }
        let runs = work::run_sized(py, n_jobs, size, || builder.build())?.or_raise(py)?;
        Ok(Self { runs })
    }

    #[getter]
    fn n_runs(&self) -> usize {
        self.runs.n_runs()
    }

    #[getter]
    fn n_samples(&self) -> usize {
        self.runs.n_samples()
    }

    /// The labels that occur in the predictions; empty if all requested metrics are metrics of errors.
    #[getter]
    fn classes(&self) -> Vec<i64> {
        self.runs.classes().to_vec()
    }
}

//! The simulation study.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use xai_repro::SimulationStudy;
use xai_repro::study::{
    AccuracyProfile, MeanMetrics, StudyDraw, StudySettings, StudySummary, read_draws, write_draws,
    write_header,
};

use crate::array::{contiguous, two_axes};
use crate::described::Given;
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels};
use crate::stored::{from_bytes, to_bytes, to_python};
use crate::work;

const DRAWS_PER_LOOP: u64 = 1 << 16;

/// Draws of the study.
#[pyclass(module = "xai_metrics._native", name = "ReproStudy", frozen)]
pub(crate) struct Study {
    pub(crate) draws: Vec<StudyDraw>,
}

#[pymethods]
impl Study {
    #[staticmethod]
    #[pyo3(signature = (first, last, given, n_jobs=None))]
    fn simulate(
        py: Python<'_>,
        first: u64,
        last: u64,
        given: Given,
        n_jobs: Option<i64>,
    ) -> PyResult<Self> {
        let settings: StudySettings = given.build(py)?;
        let study = SimulationStudy::new(settings).or_raise(py)?;
        // In short loops, because a loop reserves memory for all its results before it starts.
        let simulate = || {
            let mut draws = Vec::new();
            let mut start = first;
            while start < last {
                let end = last.min(start.saturating_add(DRAWS_PER_LOOP));
                draws.extend(study.simulate(start..end)?);
                start = end;
            }
            Ok::<_, xai_core::Error>(draws)
        };
        let draws = work::run(py, n_jobs, simulate)?.or_raise(py)?;
        Ok(Self { draws })
    }

    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let draws = from_bytes(bytes)?;
        Ok(Self { draws })
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        to_bytes(py, &self.draws)
    }

    #[staticmethod]
    fn from_csv(py: Python<'_>, text: &[u8]) -> PyResult<Self> {
        let (draws, _) = read_draws(text).or_raise(py)?;
        Ok(Self { draws })
    }

    fn to_csv<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut text = Vec::new();
        write_header(&mut text).or_raise(py)?;
        write_draws(&self.draws, &mut text).or_raise(py)?;
        Ok(PyBytes::new(py, &text))
    }

    fn __len__(&self) -> usize {
        self.draws.len()
    }

    /// These draws, then others.
    fn followed_by(&self, other: &Self) -> Self {
        Self {
            draws: [self.draws.as_slice(), other.draws.as_slice()].concat(),
        }
    }

    /// The draws as dictionaries.
    fn draws<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.draws)
    }

    /// The summary that answers the study's questions.
    fn summary<'py>(&self, py: Python<'py>, n_jobs: Option<i64>) -> PyResult<Bound<'py, PyAny>> {
        let summary = work::run(py, n_jobs, || StudySummary::new(&self.draws))?.or_raise(py)?;
        to_python(py, &summary)
    }

    /// Each metric over bins of accuracy.
    fn profiles<'py>(&self, py: Python<'py>, n_bins: usize) -> PyResult<Bound<'py, PyAny>> {
        let profiles = || AccuracyProfile::per_metric(&self.draws, n_bins);
        to_python(py, &work::run(py, None, profiles)?.or_raise(py)?)
    }
}

/// The names of the metrics of a draw.
#[pyfunction]
pub(super) fn repro_study_metrics() -> Vec<&'static str> {
    MeanMetrics::names().collect()
}

/// The mean accuracy of runs and the mean of each metric over the pairs.
#[pyfunction]
#[pyo3(signature = (predictions, labels, n_jobs=None))]
pub(super) fn repro_mean_metrics<'py>(
    py: Python<'py>,
    predictions: Labels<'py>,
    labels: PyReadonlyArray1<'py, i64>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let labels = contiguous(&labels);
    let means = for_labels!(predictions, |view| {
        let view = two_axes("predictions", view)?;
        work::run(py, n_jobs, || MeanMetrics::new(view, &labels))?.or_raise(py)?
    });
    to_python(py, &means)
}

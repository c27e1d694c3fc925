//! Audits of explanations.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use xai_casebased::result::Listing;
use xai_casebased::{Accumulator, Audit, Error, Explanation};
use xai_core::statistics::wilson;

use crate::array::contiguous;
use crate::casebased::arrays::{level, number};
use crate::described::Given;
use crate::error::OrRaise;

/// The state of an audit.
#[pyclass(module = "xai_metrics._native", skip_from_py_object)]
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct CasebasedAudit {
    audit: Audit,
    /// For each level, from undefined to high: number of samples, of those with a known true class, and of those
    /// predicted correctly.
    by_level: [[u64; 3]; 4],
}

impl CasebasedAudit {
    pub(crate) fn audit(&self) -> &Audit {
        &self.audit
    }

    fn update_with(&mut self, explanations: &[Explanation]) -> Result<(), Error> {
        for explanation in explanations {
            let counts = &mut self.by_level[number(explanation.level()) as usize];
            let correct = explanation.is_correct();
            counts[0] += 1;
            counts[1] += u64::from(correct.is_some());
            counts[2] += u64::from(correct == Some(true));
        }
        self.audit.update(explanations)
    }
}

#[pymethods]
impl CasebasedAudit {
    #[new]
    fn new(py: Python<'_>, chosen: Given, first_sample: usize) -> PyResult<Self> {
        let listing: Listing = chosen.build(py)?;
        let audit = Audit::listing(listing.n_least_supported).with_distribution();
        Ok(Self {
            audit: audit.starting_at(first_sample),
            by_level: Default::default(),
        })
    }

    /// Adds explanations of samples: predicted classes, true classes if they are known, correspondence (NaN if
    /// undefined), levels, and the number of training rows that tie at rank k. All arrays have one value per sample.
    fn update(
        &mut self,
        py: Python<'_>,
        predicted: PyReadonlyArray1<'_, i64>,
        truth: Option<PyReadonlyArray1<'_, i64>>,
        correspondence: PyReadonlyArray1<'_, f64>,
        levels: PyReadonlyArray1<'_, i8>,
        ties_at_k: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<()> {
        let ties_at_k = contiguous(&ties_at_k);
        let (predicted, levels) = (contiguous(&predicted), contiguous(&levels));
        let (truth, scores) = (truth.as_ref().map(contiguous), contiguous(&correspondence));
        let explanations: Vec<Explanation> = (0..predicted.len())
            .map(|sample| {
                let score = Some(scores[sample]).filter(|score| !score.is_nan());
                let mut explanation =
                    Explanation::from_score(Some(predicted[sample]), score, level(levels[sample]));
                explanation.sample = sample;
                explanation.truth = truth.as_ref().map(|truth| truth[sample]);
                explanation.ties_at_k = ties_at_k[sample] as usize;
                explanation
            })
            .collect();
        py.detach(|| self.update_with(&explanations)).or_raise(py)
    }

    /// Adds the audit of other samples.
    fn merge(&mut self, py: Python<'_>, other: &Self) -> PyResult<()> {
        self.audit.merge(other.audit.clone()).or_raise(py)?;
        for (counts, others) in self.by_level.iter_mut().zip(&other.by_level) {
            for (count, other) in counts.iter_mut().zip(others) {
                *count += other;
            }
        }
        Ok(())
    }

    /// The report, and of each level the counts and the interval of the accuracy.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let report = self.audit.finish().or_raise(py)?;
        let mut levels = Vec::new();
        for [n, judged, right] in self.by_level {
            let interval = match judged {
                0 => None,
                _ => Some(wilson(right, judged, 0.95).or_raise(py)?),
            };
            levels.push((n, judged, right, interval));
        }
        Ok((
            pythonize::pythonize(py, &report)?,
            pythonize::pythonize(py, &levels)?,
        ))
    }

    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let stored = postcard::to_stdvec(self).map_err(|e| PyValueError::new_err(e.to_string()))?;
        Ok(PyBytes::new(py, &stored))
    }

    #[staticmethod]
    fn from_state(stored: &[u8]) -> PyResult<Self> {
        postcard::from_bytes(stored)
            .map_err(|e| PyValueError::new_err(format!("not the state of an audit: {e}")))
    }
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<CasebasedAudit>()
}

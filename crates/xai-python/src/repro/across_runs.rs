//! All runs at once: agreement beyond chance, and consistency per sample.

use numpy::{IntoPyArray, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_core::describe::Scores;
use xai_repro::RunInterval;
use xai_repro::across_runs::{
    AgreementCoefficient, AgreementWeights, agreement_interval, gwet_ac2, votes,
};

use crate::array::two_axes;
use crate::described::Given;
use crate::error::OrRaise;
use crate::labels::{Labels, for_labels, widened};
use crate::repro::packed::PackedRuns;
use crate::repro::pairwise::indices;
use crate::stored::to_python;
use crate::work;

/// Converts agreement to a dictionary: the observed agreement, and the coefficients by name.
pub(super) fn described<'py>(
    py: Python<'py>,
    agreement: &xai_repro::Agreement,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("observed", agreement.observed())?;
    for (name, value) in agreement.values() {
        described.set_item(name, value)?;
    }
    Ok(described)
}

#[pyfunction]
#[pyo3(signature = (packed, n_jobs=None))]
pub(super) fn repro_agreement<'py>(
    py: Python<'py>,
    packed: &PackedRuns,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let agreement = || xai_repro::Agreement::from_packed(&packed.runs);
    let agreement = work::run_sized(py, n_jobs, packed.size_of_pairs(), agreement)?.or_raise(py)?;
    described(py, &agreement)
}

#[pyfunction]
#[pyo3(signature = (packed, coefficient, given, n_jobs=None))]
pub(super) fn repro_agreement_interval<'py>(
    py: Python<'py>,
    packed: &PackedRuns,
    coefficient: &str,
    given: Given,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let coefficient = coefficient.parse::<AgreementCoefficient>().or_raise(py)?;
    let around: RunInterval = given.build(py)?;
    let interval = || agreement_interval(&packed.runs, coefficient, around);
    to_python(py, &work::run(py, n_jobs, interval)?.or_raise(py)?)
}

/// Gwet's AC2; weights by name, or a matrix over the classes that occur.
#[pyfunction]
#[pyo3(signature = (predictions, weights, matrix=None, n_jobs=None))]
pub(super) fn repro_gwet_ac2(
    py: Python<'_>,
    predictions: Labels<'_>,
    weights: &str,
    matrix: Option<PyReadonlyArray2<'_, f64>>,
    n_jobs: Option<i64>,
) -> PyResult<Option<f64>> {
    let weights = match matrix {
        Some(matrix) => AgreementWeights::Custom(matrix.as_array().to_owned()),
        None => weights.parse::<AgreementWeights>().or_raise(py)?,
    };
    for_labels!(predictions, |view| {
        let view = two_axes("predictions", view)?;
        let agreement = || gwet_ac2(view, &weights);
        work::run_sized(py, n_jobs, view.len(), agreement)?.or_raise(py)
    })
}

/// Returns the consistency of the predictions of each sample.
#[pyfunction]
#[pyo3(signature = (predictions, n_jobs=None))]
pub(super) fn repro_sample_consistency<'py>(
    py: Python<'py>,
    predictions: Labels<'py>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let (samples, changing) = for_labels!(predictions, |view| {
        let view = two_axes("predictions", view)?;
        let consistency = || {
            let samples = xai_repro::SampleConsistency::new(view)?;
            let changing = indices(samples.ever_changing());
            Ok::<_, xai_core::Error>((samples, changing))
        };
        work::run_sized(py, n_jobs, view.len(), consistency)?.or_raise(py)?
    });
    let described = PyDict::new(py);
    described.set_item("n_runs", samples.n_runs)?;
    described.set_item("mean_entropy", samples.mean_entropy())?;
    described.set_item("ever_changing", changing.into_pyarray(py))?;
    described.set_item("entropy", samples.entropy.into_pyarray(py))?;
    described.set_item("modal_share", samples.modal_share.into_pyarray(py))?;
    let n_classes = indices(samples.n_classes).into_pyarray(py);
    described.set_item("n_classes", n_classes)?;
    Ok(described)
}

/// Returns the number of runs that predict each class of a sample.
#[pyfunction]
pub(super) fn repro_votes(predictions: Labels<'_>, sample: usize) -> PyResult<Vec<(i64, usize)>> {
    for_labels!(predictions, |view| {
        let view = two_axes("predictions", view)?;
        let votes = votes(view, sample).into_iter();
        Ok(votes.map(|(label, n)| (widened(label), n)).collect())
    })
}

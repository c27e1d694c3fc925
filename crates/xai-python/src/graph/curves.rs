//! Characterization scores of several explanations, the fidelity curve, and curves over thresholds.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use xai_graph::ground_truth::GroundTruthCurves;
use xai_graph::{Characterization, GroundTruthMetric, fidelity_curve_auc};

use crate::array::{Reals, contiguous};
use crate::described::Given;
use crate::error::OrRaise;
use crate::graph::ground_truth::evaluated;

/// The characterization score of every point.
#[pyfunction]
pub(super) fn graph_characterization<'py>(
    py: Python<'py>,
    pos_fidelity: PyReadonlyArray1<'py, f64>,
    neg_fidelity: PyReadonlyArray1<'py, f64>,
    pos_weight: f64,
    neg_weight: f64,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let (pos, neg) = (contiguous(&pos_fidelity), contiguous(&neg_fidelity));
    let characterization = Characterization::new()
        .pos_weight(pos_weight)
        .neg_weight(neg_weight);
    let scores = characterization.scores(&pos, &neg).or_raise(py)?;
    Ok(scores.into_pyarray(py))
}

/// The area under a fidelity curve.
#[pyfunction]
pub(super) fn graph_fidelity_curve_auc(
    py: Python<'_>,
    pos_fidelity: PyReadonlyArray1<'_, f64>,
    neg_fidelity: PyReadonlyArray1<'_, f64>,
    x: PyReadonlyArray1<'_, f64>,
) -> PyResult<f64> {
    let (pos, neg) = (contiguous(&pos_fidelity), contiguous(&neg_fidelity));
    fidelity_curve_auc(&pos, &neg, &contiguous(&x)).or_raise(py)
}

/// The ROC and the precision-recall curve of a mask, with at most `n_points` points each.
#[pyfunction]
#[pyo3(signature = (predicted, target, choices, n_points=None, n_jobs=None))]
pub(super) fn graph_roc_and_pr<'py>(
    py: Python<'py>,
    predicted: Reals<'py>,
    target: Reals<'py>,
    choices: Given,
    n_points: Option<usize>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyDict>> {
    let metric: GroundTruthMetric = choices.build(py)?;
    let curves = evaluated!(py, n_jobs, predicted, target, |predicted, target| {
        metric.curves(predicted, target)
    });
    described(py, curves, n_points)
}

/// Curves as arrays.
pub(super) fn described(
    py: Python<'_>,
    curves: GroundTruthCurves,
    n_points: Option<usize>,
) -> PyResult<Bound<'_, PyDict>> {
    /// The first point is above all scores.
    fn threshold(threshold: Option<f64>) -> f64 {
        threshold.unwrap_or(f64::INFINITY)
    }
    let both = PyDict::new(py);
    if let Some(roc) = curves.roc {
        let area = roc.area();
        let roc = n_points.map_or_else(|| roc.clone(), |n| roc.reduced(n));
        let column = |of: fn(&xai_graph::ground_truth::RocPoint) -> f64| {
            let values: Vec<f64> = roc.points.iter().map(of).collect();
            values.into_pyarray(py)
        };
        let described = PyDict::new(py);
        described.set_item("false_positive_rate", column(|p| p.false_positive_rate))?;
        described.set_item("true_positive_rate", column(|p| p.true_positive_rate))?;
        described.set_item("threshold", column(|point| threshold(point.threshold)))?;
        described.set_item("area", area)?;
        both.set_item("roc", described)?;
    }
    if let Some(curve) = curves.precision_recall {
        let average_precision = curve.average_precision();
        let curve = n_points.map_or_else(|| curve.clone(), |n| curve.reduced(n));
        let column = |of: fn(&xai_graph::ground_truth::PrecisionRecallPoint) -> f64| {
            let values: Vec<f64> = curve.points.iter().map(of).collect();
            values.into_pyarray(py)
        };
        let described = PyDict::new(py);
        described.set_item("recall", column(|point| point.recall))?;
        described.set_item("precision", column(|point| point.precision))?;
        described.set_item("threshold", column(|point| threshold(point.threshold)))?;
        described.set_item("average_precision", average_precision)?;
        both.set_item("precision_recall", described)?;
    }
    Ok(both)
}

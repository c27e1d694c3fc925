//! Correspondence of given neighbours.

use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use xai_casebased::{ClassWeights, CorrespondenceMetric, Error, Kernel};
use xai_core::parallel;

use crate::array::contiguous;
use crate::casebased::arrays::number;
use crate::casebased::choices::read;
use crate::described::Given;
use crate::error::OrRaise;
use crate::work::run_sized;

/// The score and the level of one prediction. The score is `None` if it is undefined. `kernel` is a weighting with
/// settings, which cannot be given as a word.
#[pyfunction]
fn casebased_correspondence(
    py: Python<'_>,
    distances: Vec<f64>,
    labels: Vec<i64>,
    predicted: i64,
    chosen: Given,
    kernel: Option<&Bound<'_, PyAny>>,
    class_weights: Vec<(i64, f64)>,
) -> PyResult<(Option<f64>, String)> {
    let kernel: Option<Kernel> = kernel.map(|kernel| read("weighting", kernel)).transpose()?;
    let mut metric: CorrespondenceMetric = chosen.build(py)?;
    metric = metric.class_weights(ClassWeights::new(class_weights).or_raise(py)?);
    if let Some(kernel) = kernel {
        metric = metric.weighting(kernel);
    }
    let found = metric
        .evaluate(&distances, &labels, predicted)
        .or_raise(py)?;
    Ok((found.score, found.level.to_string()))
}

/// Results of [`casebased_weigh`] per sample: predicted classes, correspondence, levels.
type Weighed<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<i8>>,
);

/// The correspondence of many predictions, from the weights of their neighbours, `(m, k)`, which Python has computed
/// from distances. A weight is NaN if there is no neighbour. Without predictions, the neighbours vote.
#[pyfunction]
fn casebased_weigh<'py>(
    py: Python<'py>,
    weights: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray2<'py, i64>,
    predicted: Option<PyReadonlyArray1<'py, i64>>,
    class_weights: Vec<(i64, f64)>,
    chosen: Given,
    n_jobs: Option<i64>,
) -> PyResult<Weighed<'py>> {
    let metric: CorrespondenceMetric = chosen.build(py)?;
    let metric = metric
        .weighting_with(|weight: f64| weight)
        .class_weights(ClassWeights::new(class_weights).or_raise(py)?);
    let predicted = predicted.as_ref().map(contiguous);
    let (weights, labels) = (weights.as_array(), labels.as_array());
    let weighed = run_sized(py, n_jobs, weights.len(), || {
        parallel::try_map(weights.nrows(), |sample| {
            let near = weights
                .row(sample)
                .into_iter()
                .zip(labels.row(sample))
                .filter(|(weight, _)| !weight.is_nan());
            let (weights, labels): (Vec<f64>, Vec<i64>) = near.map(|(w, l)| (*w, *l)).unzip();
            let asked = predicted.as_ref().map_or(0, |predicted| predicted[sample]);
            let mut found = metric.evaluate(&weights, &labels, asked)?;
            let mut class = asked;
            if predicted.is_none() {
                let by_class = found.class_weights_sum.iter();
                // The lowest of the classes with the largest weight.
                let most = by_class.rev().max_by(|a, b| a.1.total_cmp(&b.1));
                class = most.map_or(0, |(class, _)| class);
                found = metric.evaluate(&weights, &labels, class)?;
            }
            let score = found.score.unwrap_or(f64::NAN);
            Ok::<_, Error>((class, score, number(found.level)))
        })
    })?
    .or_raise(py)?;
    let classes: Vec<i64> = weighed.iter().map(|w| w.0).collect();
    let scores: Vec<f64> = weighed.iter().map(|w| w.1).collect();
    let levels: Vec<i8> = weighed.iter().map(|w| w.2).collect();
    Ok((
        classes.into_pyarray(py),
        scores.into_pyarray(py),
        levels.into_pyarray(py),
    ))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(module, casebased_correspondence, casebased_weigh)
}

//! Metrics of texts and of contexts, whose samples have different numbers of features.

use ndarray::ArrayView1;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pythonize::pythonize;
use xai_attribution::metric::{
    AttributionLocalization, ContextLds, Described, Focus, LocalizationIou, MaskFormula,
    MaskMetric, MetricValue, PointingGame, RationaleAuprc, RationaleIouF1, RationaleTokenF1,
    RelevanceMassAccuracy, RelevanceRankAccuracy, SequenceScale, TokenF1, TokenIou,
    TopKIntersection, Value, registry, sequence_score,
};
use xai_core::Result;
use xai_core::describe::with;
use xai_core::statistics::Correlation;

use super::evaluate::described;
use crate::described::Given;
use crate::error::OrRaise;
use crate::work;

/// A metric of maps and masks, each of its own size.
type TextMetric = fn(Vec<(String, Value)>, &[Vec<f64>], &[Vec<bool>]) -> Result<MetricValue>;

fn text_metric<F: MaskFormula>(_: MaskMetric<F>) -> (&'static str, TextMetric) {
    (MaskMetric::<F>::INFO.name, |settings, maps, masks| {
        let metric: MaskMetric<F> = with(MaskMetric::default(), settings)?;
        metric.evaluate_ragged(maps, masks)
    })
}

/// The metrics of texts by name.
fn text_metrics() -> [(&'static str, TextMetric); 10] {
    [
        text_metric(RationaleAuprc::new()),
        text_metric(TokenF1::new()),
        text_metric(TokenIou::new()),
        text_metric(PointingGame::new()),
        text_metric(AttributionLocalization::new()),
        text_metric(TopKIntersection::new()),
        text_metric(RelevanceRankAccuracy::new()),
        text_metric(RelevanceMassAccuracy::new()),
        text_metric(LocalizationIou::new()),
        text_metric(Focus::new()),
    ]
}

/// Names of the metrics of [`attribution_ragged`].
#[pyfunction]
fn attribution_ragged_metrics() -> Vec<String> {
    let metrics = text_metrics().into_iter();
    metrics.map(|(name, _)| name.replace('-', "_")).collect()
}

/// A metric of maps and masks of different sizes, without the overhead of an evaluation.
#[pyfunction]
#[pyo3(signature = (metric, parameters, maps, masks, n_jobs=None))]
fn attribution_ragged<'py>(
    py: Python<'py>,
    metric: &str,
    parameters: Given,
    maps: Vec<Bound<'_, PyArray1<f64>>>,
    masks: Vec<Bound<'_, PyArray1<bool>>>,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let entry = registry::find(metric).or_raise(py)?;
    let known = text_metrics();
    let Some((_, evaluate)) = known.iter().find(|(name, _)| *name == entry.info.name) else {
        return Err(PyValueError::new_err(format!(
            "{} has no fast path",
            entry.key()
        )));
    };
    // Copied, because tracking a borrow of each array would cost more than the metric.
    let maps: Vec<Vec<f64>> = maps
        .iter()
        .map(PyArrayMethods::to_vec)
        .collect::<Result<_, _>>()?;
    let masks: Vec<Vec<bool>> = masks
        .iter()
        .map(PyArrayMethods::to_vec)
        .collect::<Result<_, _>>()?;
    let value = work::run(py, n_jobs, || evaluate(parameters.0, &maps, &masks))?;
    Ok(described(py, &value.or_raise(py)?, &[])?.into_any())
}

type Spans = Vec<Vec<(usize, usize)>>;

/// Scores predicted spans by overlaps of at least a threshold, or by their tokens if there is none.
#[pyfunction]
fn attribution_spans<'py>(
    py: Python<'py>,
    gold: Spans,
    predicted: Spans,
    threshold: Option<f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let spans = |samples: Spans| -> Vec<Vec<std::ops::Range<usize>>> {
        let of = |spans: Vec<(usize, usize)>| spans.into_iter().map(|(a, b)| a..b).collect();
        samples.into_iter().map(of).collect()
    };
    let (gold, predicted) = (spans(gold), spans(predicted));
    let scores = match threshold {
        Some(threshold) => {
            let metric = RationaleIouF1::new().threshold(threshold);
            metric.evaluate(&gold, &predicted)
        }
        None => RationaleTokenF1::new().evaluate(&gold, &predicted),
    };
    Ok(pythonize(py, &scores.or_raise(py)?)?)
}

/// The linear datamodeling score of maps over ablations.
#[pyfunction]
#[pyo3(signature = (maps, kept, outputs, correlation, n_jobs=None))]
fn attribution_context_lds<'py>(
    py: Python<'py>,
    maps: Vec<PyReadonlyArray1<'_, f64>>,
    kept: Vec<PyReadonlyArray2<'_, bool>>,
    outputs: Vec<PyReadonlyArray1<'_, f64>>,
    correlation: &str,
    n_jobs: Option<i64>,
) -> PyResult<Bound<'py, PyAny>> {
    let metric = ContextLds::new().correlation(correlation.parse::<Correlation>().or_raise(py)?);
    let lists = |arrays: &[PyReadonlyArray1<'_, f64>]| -> Vec<Vec<f64>> {
        arrays
            .iter()
            .map(|array| array.as_array().to_vec())
            .collect()
    };
    let (maps, outputs) = (lists(&maps), lists(&outputs));
    let kept: Vec<_> = kept.iter().map(PyReadonlyArray2::as_array).collect();
    let value = work::run(py, n_jobs, || metric.evaluate(&maps, &kept, &outputs))?;
    Ok(described(py, &value.or_raise(py)?, &[])?.into_any())
}

/// Returns the score of each sequence from the logits of its tokens.
#[pyfunction]
fn attribution_sequence_scores<'py>(
    py: Python<'py>,
    token_logits: Vec<PyReadonlyArray1<'_, f64>>,
    output: &str,
) -> PyResult<Bound<'py, PyArray1<f64>>> {
    let scale = output.parse::<SequenceScale>().or_raise(py)?;
    let score = |(sample, logits): (usize, &PyReadonlyArray1<'_, f64>)| {
        let logits: ArrayView1<'_, f64> = logits.as_array();
        let score = sequence_score(&logits.to_vec(), scale);
        score.map_err(|error| error.owner(format!("sample {sample}")))
    };
    let scores: Result<Vec<f64>> = token_logits.iter().enumerate().map(score).collect();
    Ok(PyArray1::from_vec(py, scores.or_raise(py)?))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    add_functions!(
        module,
        attribution_ragged,
        attribution_ragged_metrics,
        attribution_spans,
        attribution_context_lds,
        attribution_sequence_scores
    )
}

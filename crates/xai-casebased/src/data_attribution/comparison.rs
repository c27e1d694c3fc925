//! Comparison of several explainers by several metrics.

use xai_core::describe::{MetricInfo, Setting};
use xai_core::evaluation::{EvaluationValues, MetricValues, check_names, parameter_settings};
use xai_core::{Error, ExactSum, Result};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::entry::Entry;
use crate::data_attribution::list::find;
use crate::data_attribution::outcome::Outcome;
use crate::data_attribution::rows::{check_row, read_rows};
use crate::input;

/// Results of several explainers for the same metrics.
///
/// Metrics with a value per test case are in [`values`](Self::values), whose table has intervals over test cases,
/// ranks and paired tests. The other metrics have a single number for all test cases, without ranks and tests.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionComparison, AttributionData, evaluate_all};
/// use xai_casebased::input;
/// use xai_core::evaluation::Statistics;
/// let metrics = ["class-detection".parse()?, "top-k-cardinality".parse()?];
/// let outcomes = [array![[0.9, 0.1], [0.2, 0.8]], array![[0.1, 0.9], [0.2, 0.8]]].map(|attributions| {
///     let data = AttributionData::new(attributions).with(input::TRAIN_LABELS, &[0, 1]).with(input::TEST_CLASSES, &[0, 1]);
///     evaluate_all(&data, &metrics)
/// });
/// let outcomes = outcomes.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let comparison = AttributionComparison::new(&["a", "b"], &metrics, outcomes)?;
/// let table = comparison.values.table(&Statistics::default())?;
/// assert_eq!(table.result("b", "class_detection").unwrap().value, Some(0.5));
/// assert_eq!(comparison.dataset_results[0].outcomes[0].value(), Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AttributionComparison {
    /// Values of the metrics with one value per test case.
    pub values: EvaluationValues,
    /// Results of the metrics with one number for all test cases.
    pub dataset_results: Vec<DatasetResult>,
}

/// Results of a metric with one number for all test cases.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct DatasetResult {
    /// Name of the metric, with its settings if it was requested more than once.
    pub metric: String,
    /// Description of the metric.
    pub info: &'static MetricInfo,
    /// Names and values of the parameters, as text.
    pub settings: Vec<(String, String)>,
    /// Result of each explainer.
    pub outcomes: Vec<Outcome>,
}

impl AttributionComparison {
    /// Creates a comparison from outcomes `[explainer][metric]`, as [`evaluate_all`](super::evaluate_all) returns them.
    ///
    /// # Errors
    /// `Empty` without an explainer or a metric; `InvalidParameter` for two explainers or metrics with the same name,
    /// and for an unknown metric or parameter; `ShapeMismatch` unless every explainer has one outcome per metric, and
    /// all have the same number of test cases.
    pub fn new(
        explainers: &[&str],
        metrics: &[Setting],
        outcomes: Vec<Vec<Outcome>>,
    ) -> Result<Self> {
        check_names(input::EXPLAINERS, explainers)?;
        let entries: Vec<&'static Entry> = metrics
            .iter()
            .map(|metric| find(&metric.name))
            .collect::<Result<_>>()?;
        let names: Vec<String> = (0..metrics.len())
            .map(|m| name(metrics, &entries, m))
            .collect();
        let name_list: Vec<&str> = names.iter().map(String::as_str).collect();
        check_names(input::METRICS, &name_list)?;
        let other_length = outcomes.iter().map(Vec::len).find(|n| *n != metrics.len());
        if outcomes.len() != explainers.len() || other_length.is_some() {
            let expected = [explainers.len(), metrics.len()];
            let actual = [outcomes.len(), other_length.unwrap_or(metrics.len())];
            return Err(Error::shape(input::METRICS, &expected, &actual));
        }
        // Transposed to `[metric][explainer]`.
        let mut by_metric: Vec<Vec<Outcome>> = names.iter().map(|_| Vec::new()).collect();
        for row in outcomes {
            for (column, outcome) in by_metric.iter_mut().zip(row) {
                column.push(outcome);
            }
        }
        let (mut per_case, mut dataset_results) = (Vec::new(), Vec::new());
        for (m, (metric, outcomes)) in names.into_iter().zip(by_metric).enumerate() {
            let info = entries[m].info;
            let settings = parameter_settings(&entries[m].params_with(&metrics[m].params)?);
            let per_sample = outcomes
                .iter()
                .map(|outcome| Some(outcome.per_sample()?.to_vec()));
            match per_sample.collect::<Option<Vec<_>>>() {
                Some(per_sample) => per_case.push(MetricValues {
                    is_share: info.range.is_share(),
                    info: Some(info),
                    settings,
                    ..MetricValues::new(metric, info.direction, per_sample)
                }),
                None => dataset_results.push(DatasetResult {
                    metric,
                    info,
                    settings,
                    outcomes,
                }),
            }
        }
        let first = per_case
            .first()
            .and_then(|metric| metric.per_sample.first());
        let n_samples = first.map_or(0, Vec::len);
        for metric in &per_case {
            let lengths = metric.per_sample.iter().map(Vec::len).zip(explainers);
            if let Some((n, explainer)) = lengths.into_iter().find(|(n, _)| *n != n_samples) {
                let error = Error::shape(input::ATTRIBUTIONS, &[n_samples], &[n]);
                return Err(error.part("test cases").owner((*explainer).to_owned()));
            }
        }
        let values = EvaluationValues::new(explainers.iter().copied(), n_samples, per_case);
        Ok(Self {
            values,
            dataset_results,
        })
    }
}

/// Name of the `m`-th metric in tables; with its settings if the metric occurs more than once.
fn name(metrics: &[Setting], entries: &[&'static Entry], m: usize) -> String {
    // Entries contain function pointers, which have no reliable equality, so they are compared by address.
    let is_same = |other: &&&'static Entry| std::ptr::eq(**other, entries[m]);
    let name = entries[m].key();
    match entries.iter().filter(is_same).count() {
        1 => name,
        _ => Setting {
            name,
            params: metrics[m].params.clone(),
        }
        .to_string(),
    }
}

/// Computes the negative mean attribution of each training case over the test cases, `(n_train,)`.
///
/// This is a score for [`MislabelingDetection`](super::MislabelingDetection): mislabeled cases lower the outputs of
/// other cases, so their score is high.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, negative_means};
/// let attributions = array![[0.5, -1.0], [1.0, 0.0]];
/// assert_eq!(negative_means(&AttributionData::new(attributions.view()))?, [-0.75, 0.5]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Errors
/// `Empty` without a test case or a training case, `Missing` without attributions, `NonFinite` for an
/// attribution that is not finite, and the errors of reading attributions.
pub fn negative_means(data: &AttributionData<'_>) -> Result<Vec<f64>> {
    /// Number of rows that are read at once.
    const ROWS: usize = 64;
    let source = data.rows()?;
    let (n_test, n_train) = source.shape();
    if n_test == 0 {
        return Err(Error::empty(input::ATTRIBUTIONS).part("test cases"));
    }
    // Exact sums, so that the result does not depend on the size of the blocks.
    let mut sums = vec![ExactSum::new(); n_train];
    for first in (0..n_test).step_by(ROWS) {
        let range = first..(first + ROWS).min(n_test);
        let rows = read_rows(input::ATTRIBUTIONS, source, range.clone())?;
        for (index, row) in range.zip(rows.rows()) {
            let row = row.to_slice().unwrap_or_default();
            check_row(input::ATTRIBUTIONS, index, row)?;
        }
        ExactSum::add_rows(&mut sums, rows.as_slice().unwrap_or_default(), |_, x| x);
    }
    let mean = |sum: &ExactSum| -(sum.value() / n_test as f64);
    Ok(sums.iter().map(mean).collect())
}

//! Several explainers by several metrics.

use xai_core::describe::{MetricInfo, Setting};
use xai_core::evaluation::{EvaluationValues, MetricValues, check_names};
use xai_core::{Error, ExactSum, Result};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::entry::Entry;
use crate::data_attribution::list::find;
use crate::data_attribution::outcome::Outcome;
use crate::data_attribution::rows::{check_row, read_rows};
use crate::input;

/// What several explainers answered by the same metrics.
///
/// Metrics with a value per test case are [`values`](Self::values), whose table has intervals over test cases, ranks and paired
/// tests. The others are one number for all test cases: they have neither.
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
pub struct AttributionComparison {
    /// The values of each metric that has one per test case.
    pub values: EvaluationValues,
    /// The metrics that have one number for all test cases.
    pub dataset_results: Vec<DatasetResult>,
}

/// A metric that has one number for all test cases.
#[derive(Debug, Clone, PartialEq)]
pub struct DatasetResult {
    /// The metric's name, with its settings where it was asked for more than once.
    pub metric: String,
    /// The metric's description.
    pub info: &'static MetricInfo,
    /// Values of the metric's parameters by name, as text.
    pub settings: Vec<(String, String)>,
    /// The result of each explainer.
    pub outcomes: Vec<Outcome>,
}

impl AttributionComparison {
    /// The outcomes `[explainer][metric]`, as [`evaluate_all`](super::evaluate_all) gives them.
    ///
    /// # Errors
    /// Empty without an explainer, an invalid parameter for two explainers or metrics of one name and for a metric that there
    /// is not, a shape mismatch for explainers that were not asked for all metrics.
    pub fn new(
        explainers: &[&str],
        metrics: &[Setting],
        outcomes: Vec<Vec<Outcome>>,
    ) -> Result<Self> {
        check_names(input::EXPLAINERS, explainers)?;
        let entries = metrics.iter().map(|metric| find(&metric.name));
        let entries: Vec<&'static Entry> = entries.collect::<Result<_>>()?;
        let names: Vec<String> = (0..metrics.len())
            .map(|m| name(metrics, &entries, m))
            .collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        check_names(input::METRICS, &all)?;
        for of in &outcomes {
            if (outcomes.len(), of.len()) != (explainers.len(), metrics.len()) {
                let expected = [explainers.len(), metrics.len()];
                let actual = [outcomes.len(), of.len()];
                return Err(Error::shape(input::METRICS, &expected, &actual));
            }
        }
        let mut by_metric: Vec<Vec<Outcome>> = names.iter().map(|_| Vec::new()).collect();
        for of_explainer in outcomes {
            for (of_metric, outcome) in by_metric.iter_mut().zip(of_explainer) {
                of_metric.push(outcome);
            }
        }
        let (mut per_case, mut dataset_results) = (Vec::new(), Vec::new());
        for (m, (metric, outcomes)) in names.into_iter().zip(by_metric).enumerate() {
            let info = entries[m].info;
            let settings = entries[m].settings(&metrics[m].params)?;
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

/// What tables call the metric at a place: by its settings where it is asked for more than once.
fn name(metrics: &[Setting], entries: &[&'static Entry], m: usize) -> String {
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

/// The negative mean attribution of each training case over the test cases, `(n_train,)`: a score by which mislabeled cases
/// come first, for they lower the outputs of others.
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
/// `Empty` without a test case, and those of reading attributions.
pub fn negative_means(data: &AttributionData<'_>) -> Result<Vec<f64>> {
    /// Rows that are read at once.
    const ROWS: usize = 64;
    let source = data.rows()?;
    let (n_test, n_train) = source.shape();
    if n_test == 0 {
        return Err(Error::empty(input::ATTRIBUTIONS).part("test cases"));
    }
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

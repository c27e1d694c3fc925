//! Metrics of stored scores, and the result of a metric as JSON and text.

use std::path::Path;

use ndarray::Ix1;
use serde::Serialize;
use xai_files::{Failure, InFile, arrays};
use xai_metrics::attribution::input;
use xai_metrics::attribution::metric::{
    BaseScorePolicy, Direction, DropFormula, Entry, GainFormula, IncreaseFormula, MetricInfo,
    MetricValue, ScoreFormula, ScoreMetric,
};
use xai_metrics::attribution::scores::MaskedScores;
use xai_metrics::attribution::table::{CurvePoint, Remark, TiedFeatures};
use xai_metrics::common::describe::Described;

use crate::Context;
use crate::attribution::options::{ArrayReading, Channels};
use crate::output::text;

/// The JSON of `xai attribution NAME`.
#[derive(Serialize)]
struct MetricResult {
    metric: String,
    value: f64,
    /// Axis of images that was read as channels.
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<Channels>,
    n_undefined: usize,
    direction: Direction,
    /// Choices that the value depends on and that the caller did not make.
    assumed: Vec<Remark>,
    /// Problems with the inputs.
    warnings: Vec<Remark>,
    per_sample: Vec<Option<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    curve: Option<Vec<CurvePoint>>,
    /// Share of the features whose order of removal is arbitrary.
    #[serde(skip_serializing_if = "Option::is_none")]
    tied_share: Option<f64>,
    /// Largest number of rows per call of the model and the explainer.
    #[serde(skip_serializing_if = "Option::is_none")]
    batch_size: Option<usize>,
}

/// Prints the value of a metric.
pub(super) fn present(
    entry: &Entry,
    value: MetricValue,
    direction: Direction,
    reading: Option<ArrayReading>,
    context: &Context,
) -> Result<(), Failure> {
    let channels = reading.as_ref().and_then(|reading| reading.channels);
    let mut assumed = reading.map(|reading| reading.assumed).unwrap_or_default();
    assumed.extend(value.assumed);
    let result = MetricResult {
        metric: entry.key(),
        value: value.value,
        channels,
        n_undefined: value.n_undefined,
        direction,
        assumed,
        warnings: value.warnings,
        per_sample: value.per_sample,
        curve: value.curve,
        tied_share: value.tied.map(TiedFeatures::share),
        batch_size: value.batch_size,
    };
    context.present(&result, || {
        let table = match &result.curve {
            None => result.table(),
            Some(curve) => result.curve_table(curve),
        };
        table + &result.remarks()
    })
}

impl MetricResult {
    fn table(&self) -> String {
        let rows = [
            [
                text::with_arrow(&self.metric, self.direction),
                text::decimals(Some(self.value)),
            ],
            ["samples".to_owned(), self.per_sample.len().to_string()],
            ["undefined".to_owned(), self.n_undefined.to_string()],
        ];
        text::table(&["metric", "value"], rows)
    }

    /// Assumptions and warnings below a table, one line each.
    fn remarks(&self) -> String {
        let assumed = self
            .assumed
            .iter()
            .map(|remark| format!("\nassumed {remark}"));
        let warnings = self
            .warnings
            .iter()
            .map(|remark| format!("\nwarning: {remark}"));
        let lines: String = assumed.chain(warnings).collect();
        if lines.is_empty() {
            lines
        } else {
            format!("\n{lines}")
        }
    }

    fn curve_table(&self, curve: &[CurvePoint]) -> String {
        let cells = |point: &CurvePoint| {
            [
                point.n_flipped.to_string(),
                text::decimals(Some(point.score)),
            ]
        };
        format!(
            "{}: area under the curve {}\n\n{}",
            text::with_arrow(&self.metric, self.direction),
            text::decimals(Some(self.value)),
            text::table(&["flipped", "mean score"], curve.iter().map(cells))
        )
    }
}

/// A metric as a function of scores.
pub(super) type ScoreFunction =
    fn(BaseScorePolicy, &MaskedScores) -> xai_metrics::Result<MetricValue>;

const SCORE_FUNCTIONS: &[(&MetricInfo, ScoreFunction)] = &[
    (DropFormula::INFO, evaluate::<DropFormula>),
    (IncreaseFormula::INFO, evaluate::<IncreaseFormula>),
    (GainFormula::INFO, evaluate::<GainFormula>),
];

/// A metric as a function of scores, if it is one.
pub(super) fn score_function(entry: &Entry) -> Option<ScoreFunction> {
    let mut metrics = SCORE_FUNCTIONS.iter();
    metrics.find_map(|(info, function)| (info.name == entry.info.name).then_some(*function))
}

fn evaluate<F: ScoreFormula>(
    policy: BaseScorePolicy,
    scores: &MaskedScores,
) -> xai_metrics::Result<MetricValue> {
    let mut value = ScoreMetric::<F>::new()
        .base_score_policy(policy)
        .evaluate_scores(&scores.base, &scores.masked)?;
    value.assumed.clone_from(&scores.assumed);
    value.warnings.clone_from(&scores.warnings);
    value.batch_size = scores.batch_size;
    Ok(value)
}

/// Why a metric may be undefined for every sample, and what to do about it.
pub(super) fn why_undefined(entry: &Entry) -> &'static str {
    let needs = |input| entry.info.needs.contains(&input);
    match entry.info.name {
        "sufficiency" => {
            "no two maps are within the threshold of each other: try a larger --threshold, for example of-largest:0.8"
        }
        "consistency" => "no two maps have the same key: try a coarser --discretizer",
        _ if entry.has_param("base_score_policy") => {
            "every base score was skipped or every map is constant: check the explanations, or choose another --base-score-policy"
        }
        _ if needs(input::MASKS) => {
            "every mask marks nothing or everything, or every map is constant: check the masks and the explanations"
        }
        _ => "every map is constant: check the explanations",
    }
}

/// Reads scores of whole and of masked inputs.
pub(super) fn read_scores(base: &Path, masked: &Path) -> Result<MaskedScores, Failure> {
    let scores = |file: &Path| Ok::<_, Failure>(arrays::read_f64::<Ix1>(file)?.to_vec());
    let masked_scores = scores(masked)?.into_iter().map(Some).collect();
    let scores = MaskedScores::new(scores(base)?, masked_scores);
    let (n_base, n_masked) = (scores.base.len(), scores.masked.len());
    if n_base != n_masked {
        let failure = Failure::new(format!(
            "{n_masked} scores, but {} has {n_base}",
            base.display()
        ));
        return Err(failure).in_file(masked);
    }
    Ok(scores)
}

//! What is released of cases without showing a training row.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use xai_metrics::Error;
use xai_metrics::casebased::{AggregateExplanation, Level};
use xai_metrics::core::ExactMean;

use super::cases::Samples;
use super::fitting::Fitted;
use crate::failure::{Failure, InFiles};
use crate::output::{rows, text};

/// What may be said of a case without showing a training row.
#[derive(Serialize)]
struct AggregateResult {
    sample: usize,
    predicted: Option<i64>,
    #[serde(rename = "true")]
    truth: Option<i64>,
    correspondence: Option<f64>,
    level: Level,
    class_shares: BTreeMap<i64, f64>,
    distance_range: Option<(f64, f64)>,
    n_distinct: usize,
    /// Why nothing is released.
    refused: Option<String>,
}

#[derive(Serialize)]
pub(super) struct Aggregates {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    n_refused: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    explanations: Vec<AggregateResult>,
}

impl AggregateResult {
    fn new(
        sample: usize,
        predicted: Option<i64>,
        truth: Option<i64>,
        released: Result<AggregateExplanation, Error>,
    ) -> Self {
        match released {
            Ok(released) => Self {
                sample,
                predicted: released.predicted,
                truth,
                correspondence: released.correspondence,
                level: released.level,
                class_shares: released.class_shares,
                distance_range: released.distance_range,
                n_distinct: released.n_distinct,
                refused: None,
            },
            Err(refusal) => Self {
                sample,
                predicted,
                truth,
                correspondence: None,
                level: Level::Undefined,
                class_shares: BTreeMap::new(),
                distance_range: None,
                n_distinct: 0,
                refused: Some(refusal.to_string()),
            },
        }
    }

    fn shares(&self) -> String {
        let shares = self
            .class_shares
            .iter()
            .map(|(l, share)| format!("{l}: {share:.4}"));
        shares.collect::<Vec<_>>().join(", ")
    }
}

impl Aggregates {
    /// Releases what may be released of each sample.
    pub(super) fn release(
        fitted: &Fitted,
        samples: &Samples,
        file: &Path,
    ) -> Result<Self, Failure> {
        let released = fitted
            .explainer
            .aggregate(samples.rows.view(), samples.predicted.as_deref())
            .in_files(&samples.files(file))?;
        let explanations: Vec<AggregateResult> = released
            .into_iter()
            .enumerate()
            .map(|(sample, released)| {
                AggregateResult::new(
                    sample,
                    samples.predicted.as_ref().map(|p| p[sample]),
                    samples.truth.as_ref().map(|t| t[sample]),
                    released,
                )
            })
            .collect();
        let released = || explanations.iter().filter(|e| e.refused.is_none());
        let scores = released().filter_map(|e| e.correspondence);
        Ok(Self {
            mean_correspondence: scores.collect::<ExactMean>().value(),
            n_undefined: released().filter(|e| e.correspondence.is_none()).count(),
            n_refused: explanations.len() - released().count(),
            recall: fitted.recall,
            explanations,
        })
    }

    pub(super) fn table(&self) -> String {
        let shown = self.explanations.iter().take(20).map(|e| {
            let range = e
                .distance_range
                .map(|(least, most)| format!("{least:.2} to {most:.2}"));
            [
                e.sample.to_string(),
                text::cell(e.predicted),
                text::cell(e.truth),
                text::decimals(e.correspondence),
                e.refused.clone().unwrap_or_else(|| e.shares()),
                text::or_dash(range),
            ]
        });
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "class: share",
            "distances",
        ];
        format!(
            "{}\n\n{} of {} samples, {} refused; mean correspondence {}{}",
            text::table(&header, shown),
            self.explanations.len().min(20),
            self.explanations.len(),
            self.n_refused,
            text::decimals(self.mean_correspondence),
            text::approximate(self.recall),
        )
    }

    pub(super) fn write_rows(&self, out: Option<&Path>) -> Result<(), Failure> {
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "nearest",
            "farthest",
            "n_distinct",
            "class_shares",
            "refused",
        ];
        let of_samples = self.explanations.iter().map(|e| {
            [
                e.sample.to_string(),
                text::cell(e.predicted),
                text::cell(e.truth),
                text::cell(e.correspondence),
                e.level.to_string(),
                text::cell(e.distance_range.map(|range| range.0)),
                text::cell(e.distance_range.map(|range| range.1)),
                e.n_distinct.to_string(),
                e.shares(),
                text::cell(e.refused.as_ref()),
            ]
        });
        rows::write(out, header, of_samples)
    }
}

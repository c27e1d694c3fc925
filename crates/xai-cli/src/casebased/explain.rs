//! `xai casebased explain`

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use xai_metrics::Error;
use xai_metrics::casebased::{AggregateExplanation, Explanation, Level};
use xai_metrics::core::ExactMean;

use super::Samples;
use super::fitting::{Fitted, Source};
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;
use crate::table::Table;

/// `xai casebased explain`
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    source: Source,
    /// The cases to explain, with the same features by name.
    #[arg(long, value_name = "Q.csv")]
    test: String,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    /// Explain only the first N test rows.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Write a row a neighbour: sample, predicted, true, correspondence, level, rank, index,
    /// distance, label, and the features and metadata of the neighbour. Of aggregates: a row a
    /// sample.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// One explained case, as in the JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ExplanationResult {
    pub(crate) sample: usize,
    pub(crate) predicted: Option<i64>,
    #[serde(rename = "true")]
    pub(crate) truth: Option<i64>,
    pub(crate) correspondence: Option<f64>,
    pub(crate) level: Level,
    pub(crate) neighbors: Vec<NeighborResult>,
}

/// One neighbour, as in the JSON.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct NeighborResult {
    pub(crate) index: usize,
    pub(crate) distance: f64,
    pub(crate) label: i64,
}

impl From<&Explanation> for ExplanationResult {
    fn from(e: &Explanation) -> Self {
        let neighbors = e.neighbors.iter().map(|case| NeighborResult {
            index: case.index,
            distance: case.distance,
            label: case.label,
        });
        Self {
            sample: e.sample,
            predicted: e.predicted,
            truth: e.truth,
            correspondence: e.correspondence.score,
            level: e.correspondence.level,
            neighbors: neighbors.collect(),
        }
    }
}

#[derive(Serialize)]
struct ExplainResult {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    /// The share of true neighbours that an approximate search finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    explanations: Vec<ExplanationResult>,
}

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
struct AggregatesResult {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    n_refused: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    explanations: Vec<AggregateResult>,
}

/// The mean over the correspondences that are defined.
pub(crate) fn mean_correspondence<'a>(
    explanations: impl IntoIterator<Item = &'a Explanation>,
) -> Option<f64> {
    let scores = explanations
        .into_iter()
        .filter_map(|e| e.correspondence.score);
    scores.collect::<ExactMean>().value()
}

impl Explain {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let (label, predicted) = (self.label.as_deref(), self.predicted.as_deref());
        let fitted = self
            .source
            .explainer(label, predicted, self.out.is_some(), context)?;
        let test = Table::read(&self.test)?.concealing(&fitted.redacted);
        let limit = self.limit.unwrap_or(usize::MAX);
        let samples = Samples::read(&test, &fitted.features, label, predicted, limit)?;
        drop(test);
        if fitted.aggregate_only {
            return self.aggregates(&fitted, &samples, context);
        }
        let explanations = samples.explain(&fitted.explainer, &self.test)?;
        if let Some(out) = &self.out {
            write_rows(out, &explanations)?;
        }
        let result = ExplainResult {
            mean_correspondence: mean_correspondence(&explanations),
            n_undefined: explanations
                .iter()
                .filter(|e| e.correspondence.score.is_none())
                .count(),
            recall: fitted.recall,
            explanations: explanations.iter().map(Into::into).collect(),
        };
        context.present(&result, || result.table())
    }

    fn aggregates(
        &self,
        fitted: &Fitted,
        samples: &Samples,
        context: &Context,
    ) -> Result<(), Failure> {
        let released = fitted
            .explainer
            .aggregate(samples.rows.view(), samples.predicted.as_deref())
            .in_file(&self.test)?;
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
        let result = AggregatesResult {
            mean_correspondence: scores.collect::<ExactMean>().value(),
            n_undefined: released().filter(|e| e.correspondence.is_none()).count(),
            n_refused: explanations.len() - released().count(),
            recall: fitted.recall,
            explanations,
        };
        if let Some(out) = &self.out {
            result.write_rows(out)?;
        }
        context.present(&result, || result.table())
    }
}

/// What a table says of a search that does not find everybody.
pub(super) fn approximate(recall: Option<f64>) -> String {
    recall.map_or_else(String::new, |recall| {
        format!("; approximate search, recall {:.1} %", 100.0 * recall)
    })
}

fn text(label: Option<i64>) -> String {
    label.map_or_else(String::new, |label| label.to_string())
}

fn write_rows(out: &Path, explanations: &[Explanation]) -> Result<(), Failure> {
    let mut header: Vec<&str> =
        "sample,predicted,true,correspondence,level,rank,index,distance,label"
            .split(',')
            .collect();
    let mut columns: Vec<String> = Vec::new();
    if let Some(first) = explanations.first() {
        columns.extend(first.feature_names.iter().cloned());
        let case = first.neighbors.first();
        columns.extend(
            case.into_iter()
                .flat_map(|c| c.metadata.keys().map(|name| name.to_string())),
        );
    }
    // A feature may be called as a column is.
    for column in &mut columns {
        if header.contains(&column.as_str()) {
            *column = format!("case.{column}");
        }
    }
    header.extend(columns.iter().map(String::as_str));
    let rows = explanations.iter().flat_map(|e| {
        e.neighbors.iter().enumerate().map(move |(rank, case)| {
            let mut row = vec![
                e.sample.to_string(),
                text(e.predicted),
                text(e.truth),
                output::cell(e.correspondence.score),
                e.correspondence.level.to_string(),
                (rank + 1).to_string(),
                case.index.to_string(),
                case.distance.to_string(),
                case.label.to_string(),
            ];
            row.extend(case.features.iter().map(f64::to_string));
            row.extend(case.metadata.values().map(ToString::to_string));
            row
        })
    });
    output::write_csv(out, &header, rows)
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

impl AggregatesResult {
    fn table(&self) -> String {
        let rows = self.explanations.iter().take(20).map(|e| {
            let range = e
                .distance_range
                .map(|(least, most)| format!("{least:.2} to {most:.2}"));
            [
                e.sample.to_string(),
                text(e.predicted),
                text(e.truth),
                output::decimals(e.correspondence),
                e.refused.clone().unwrap_or_else(|| e.shares()),
                range.unwrap_or_else(|| "–".to_owned()),
            ]
        });
        format!(
            "{}\n\n{} of {} samples, {} refused; mean correspondence {}{}",
            output::table(
                &[
                    "sample",
                    "predicted",
                    "true",
                    "correspondence",
                    "class: share",
                    "distances"
                ],
                rows
            ),
            self.explanations.len().min(20),
            self.explanations.len(),
            self.n_refused,
            output::decimals(self.mean_correspondence),
            approximate(self.recall),
        )
    }

    fn write_rows(&self, out: &Path) -> Result<(), Failure> {
        let header: Vec<&str> =
            "sample,predicted,true,correspondence,level,nearest,farthest,n_distinct,class_shares,refused"
                .split(',')
                .collect();
        let rows = self.explanations.iter().map(|e| {
            vec![
                e.sample.to_string(),
                text(e.predicted),
                text(e.truth),
                output::cell(e.correspondence),
                e.level.to_string(),
                output::cell(e.distance_range.map(|range| range.0)),
                output::cell(e.distance_range.map(|range| range.1)),
                e.n_distinct.to_string(),
                e.shares(),
                e.refused.clone().unwrap_or_default(),
            ]
        });
        output::write_csv(out, &header, rows)
    }
}

impl ExplainResult {
    /// The least supported first, at most twenty.
    fn table(&self) -> String {
        let mut order: Vec<&ExplanationResult> = self.explanations.iter().collect();
        let key = |e: &ExplanationResult| e.correspondence.unwrap_or(-1.0);
        order.sort_by(|a, b| key(a).total_cmp(&key(b)));
        let rows = order.iter().take(20).map(|e| {
            let neighbors: Vec<String> = e
                .neighbors
                .iter()
                .take(5)
                .map(|n| format!("{} ({}, {:.2})", n.index, n.label, n.distance))
                .collect();
            [
                e.sample.to_string(),
                e.predicted
                    .map_or_else(|| "–".to_owned(), |p| p.to_string()),
                e.truth
                    .map_or_else(|| "–".to_owned(), |truth| truth.to_string()),
                output::decimals(e.correspondence),
                e.level.to_string(),
                neighbors.join(", "),
            ]
        });
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "neighbours: row (class, distance)",
        ];
        let shown = self.explanations.len().min(20);
        format!(
            "{}\n\n{shown} of {} samples, least supported first; mean correspondence {}{}",
            output::table(&header, rows),
            self.explanations.len(),
            output::decimals(self.mean_correspondence),
            approximate(self.recall),
        )
    }
}

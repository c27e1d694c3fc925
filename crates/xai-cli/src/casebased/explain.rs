//! `xai casebased explain`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_metrics::Accumulator;
use xai_metrics::casebased::result::ExplanationSummary;
use xai_metrics::casebased::{Audit, Explanation};

use super::aggregates;
use super::cases::Samples;
use super::fitting::Source;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::table::Table;
use crate::output::{rows, text};

/// `xai casebased explain`
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    source: Source,
    /// The cases to explain, with the same features by name.
    #[arg(long, value_name = "Q.csv")]
    test: PathBuf,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    /// Explain only the first N test rows.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// Write a row per neighbour: sample, predicted, true, correspondence, level, rank, index,
    /// distance, label, and the features and metadata of the neighbour. Of aggregates: a row per
    /// sample.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct ExplainResult {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    /// The share of true neighbours that an approximate search finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    explanations: Vec<ExplanationSummary>,
}

impl Explain {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let (label, predicted) = (self.label.as_deref(), self.predicted.as_deref());
        let fitted = self
            .source
            .explainer(label, predicted, self.out.is_some(), context)?;
        let test = Table::read(&self.test)?.concealing(&fitted.redacted);
        let limit = self.limit.map_or(usize::MAX, |limit| limit as usize);
        let samples = Samples::read(&test, &fitted.features, label, predicted, limit)?;
        drop(test);
        if fitted.aggregate_only {
            let result = aggregates::Aggregates::release(&fitted, &samples, &self.test)?;
            result.write_rows(self.out.as_deref())?;
            return context.present(&result, || result.table());
        }
        let explanations = samples.explain(&fitted.explainer, &self.test)?;
        self.write_rows(&explanations)?;
        let mut audit = Audit::listing(0);
        let audit = audit.update(&explanations).and_then(|()| audit.finish());
        let audit = audit.in_files(&Files::mainly(&self.test))?;
        let result = ExplainResult {
            mean_correspondence: audit.mean_correspondence,
            n_undefined: audit.n_undefined,
            recall: fitted.recall,
            explanations: explanations.iter().map(Into::into).collect(),
        };
        context.present(&result, || result.table())
    }

    fn write_rows(&self, explanations: &[Explanation]) -> Result<(), Failure> {
        let of_neighbors = explanations.iter().flat_map(|e| {
            e.neighbors.iter().enumerate().map(move |(rank, case)| {
                let mut row = vec![
                    e.sample.to_string(),
                    text::cell(e.predicted),
                    text::cell(e.truth),
                    text::cell(e.correspondence.score),
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
        rows::write(self.out.as_deref(), header(explanations), of_neighbors)
    }
}

/// The columns of `--out`: those of every neighbour, then its features and metadata by name.
fn header(explanations: &[Explanation]) -> Vec<String> {
    let own = [
        "sample",
        "predicted",
        "true",
        "correspondence",
        "level",
        "rank",
        "index",
        "distance",
        "label",
    ];
    let mut header: Vec<String> = own.map(str::to_owned).to_vec();
    let first = explanations.first();
    let features = first.into_iter().flat_map(|e| e.feature_names.iter());
    let case = first.and_then(|e| e.neighbors.first());
    let metadata = case.into_iter().flat_map(|c| c.metadata.keys());
    let columns = features.cloned().chain(metadata.map(ToString::to_string));
    // A feature may be called as a column is.
    header.extend(columns.map(|column| match own.contains(&column.as_str()) {
        true => format!("case.{column}"),
        false => column,
    }));
    header
}

impl ExplainResult {
    /// The least supported first, at most twenty.
    fn table(&self) -> String {
        let mut order: Vec<&ExplanationSummary> = self.explanations.iter().collect();
        let key = |e: &ExplanationSummary| e.correspondence.unwrap_or(-1.0);
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
                text::or_dash(e.predicted),
                text::or_dash(e.truth),
                text::decimals(e.correspondence),
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
            text::table(&header, rows),
            self.explanations.len(),
            text::decimals(self.mean_correspondence),
            text::approximate(self.recall),
        )
    }
}

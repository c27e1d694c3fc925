//! `xai casebased explain --aggregate-only`: explanations that show no training row.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use xai_files::Failure;
use xai_files::classes::Classes;
use xai_metrics::casebased::{Aggregate, Level};
use xai_metrics::common::ExactMean;

use crate::Context;
use crate::casebased::explaining::{Explaining, Tables};
use crate::casebased::samples::Samples;
use crate::output::json_list::JsonList;
use crate::output::rows::Rows;
use crate::output::text;

/// Aggregated explanation of one sample.
#[derive(Serialize)]
struct AggregateResult {
    sample: usize,
    predicted: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    predicted_name: Option<Arc<str>>,
    #[serde(rename = "true")]
    truth: Option<i64>,
    #[serde(rename = "true_name", skip_serializing_if = "Option::is_none")]
    truth_name: Option<Arc<str>>,
    correspondence: Option<f64>,
    level: Level,
    class_shares: BTreeMap<i64, f64>,
    distance_range: Option<(f64, f64)>,
    n_distinct: usize,
    ties_at_k: usize,
    /// Reason for which no aggregates are released.
    refused: Option<String>,
}

impl AggregateResult {
    fn new(
        sample: usize,
        (column_predicted, truth): (Option<i64>, Option<i64>),
        aggregate: Aggregate,
        classes: &Classes,
    ) -> Self {
        let predicted = aggregate
            .released()
            .map_or(column_predicted, |released| released.predicted);
        let withheld = Self {
            sample,
            predicted,
            predicted_name: predicted.and_then(|label| classes.name(label)),
            truth,
            truth_name: truth.and_then(|label| classes.name(label)),
            correspondence: None,
            level: Level::Undefined,
            class_shares: BTreeMap::new(),
            distance_range: None,
            n_distinct: 0,
            ties_at_k: 0,
            refused: None,
        };
        match aggregate {
            Aggregate::Released(released) => Self {
                correspondence: released.correspondence,
                level: released.level,
                class_shares: released.class_shares,
                distance_range: released.distance_range,
                n_distinct: released.n_distinct,
                ties_at_k: released.ties_at_k,
                ..withheld
            },
            Aggregate::Refused(refusal) => Self {
                refused: Some(refusal.owner(format!("sample {sample}")).to_string()),
                ..withheld
            },
        }
    }

    fn shares(&self, classes: &Classes) -> String {
        let shares = self
            .class_shares
            .iter()
            .map(|(label, share)| format!("{}: {share:.4}", classes.display_name(*label)));
        shares.collect::<Vec<_>>().join(", ")
    }

    fn class(label: Option<i64>, name: Option<&Arc<str>>) -> String {
        text::class(label, name.map(|name| &**name))
    }
}

/// The JSON of the command, except the list of explanations.
#[derive(Serialize)]
struct Summary {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    n_refused: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    #[serde(flatten)]
    tables: Tables,
}

/// Number of explanations in the table for people.
const SHOWN: usize = 20;

/// Collects aggregated explanations batch by batch.
pub(super) struct Aggregates {
    n: usize,
    n_undefined: usize,
    n_refused: usize,
    mean: ExactMean,
    json: Option<JsonList>,
    /// The first rows of the table.
    first: Vec<[String; 6]>,
}

impl Aggregates {
    /// The columns of `--out`.
    pub(super) const HEADER: [&str; 10] = [
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

    pub(super) fn new(json: bool) -> Self {
        Self {
            n: 0,
            n_undefined: 0,
            n_refused: 0,
            mean: ExactMean::default(),
            json: json.then(JsonList::new),
            first: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Explains a batch and writes its rows.
    pub(super) fn add(
        &mut self,
        explaining: &Explaining<'_>,
        samples: &Samples,
        rows: &mut Rows<'_>,
    ) -> Result<(), Failure> {
        let classes = &explaining.fitted.classes;
        let aggregates = explaining
            .fitted
            .explainer
            .aggregate(samples.rows.view(), samples.predicted.as_deref())
            .map_err(|error| samples.failure(&error, explaining.test))?;
        for (row, (aggregate, &number)) in aggregates.into_iter().zip(&samples.numbers).enumerate()
        {
            let predicted = samples.predicted.as_ref().map(|p| p[row]);
            let truth = samples.truth.as_ref().map(|t| t[row]);
            let result = AggregateResult::new(number, (predicted, truth), aggregate, classes);
            self.n += 1;
            match (&result.refused, result.correspondence) {
                (Some(_), _) => self.n_refused += 1,
                (None, None) => self.n_undefined += 1,
                (None, Some(score)) => self.mean.add(score),
            }
            rows.write(csv_row(&result, classes))?;
            match &mut self.json {
                Some(json) => json.push(&result)?,
                None if self.first.len() < SHOWN => self.first.push(table_row(&result, classes)),
                None => {}
            }
        }
        Ok(())
    }

    pub(super) fn present(
        self,
        explaining: Explaining<'_>,
        context: &Context,
    ) -> Result<(), Failure> {
        let recall = explaining.fitted.recall;
        let summary = Summary {
            mean_correspondence: self.mean.value(),
            n_undefined: self.n_undefined,
            n_refused: self.n_refused,
            recall,
            tables: explaining.finish(context),
        };
        match self.json {
            Some(json) => json.print(&summary, "explanations"),
            None => context.present(&summary, || summary.table(self.first, self.n)),
        }
    }
}

impl Summary {
    fn table(&self, first: Vec<[String; 6]>, n: usize) -> String {
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "class: share",
            "distances",
        ];
        let n_shown = first.len();
        format!(
            "{}\n\n{n_shown} of {n} samples, {} refused; mean correspondence {}{}",
            text::table(&header, first),
            self.n_refused,
            text::decimals(self.mean_correspondence),
            text::approximate(self.recall),
        )
    }
}

/// Formats a row of the table for people.
fn table_row(e: &AggregateResult, classes: &Classes) -> [String; 6] {
    let range = e
        .distance_range
        .map(|(nearest, farthest)| format!("{nearest:.2} to {farthest:.2}"));
    [
        e.sample.to_string(),
        AggregateResult::class(e.predicted, e.predicted_name.as_ref()),
        AggregateResult::class(e.truth, e.truth_name.as_ref()),
        text::decimals(e.correspondence),
        e.refused.clone().unwrap_or_else(|| e.shares(classes)),
        text::or_dash(range),
    ]
}

/// Formats a row of `--out`.
fn csv_row(e: &AggregateResult, classes: &Classes) -> [String; 10] {
    [
        e.sample.to_string(),
        AggregateResult::class(e.predicted, e.predicted_name.as_ref()),
        AggregateResult::class(e.truth, e.truth_name.as_ref()),
        text::cell(e.correspondence),
        e.level.to_string(),
        text::cell(e.distance_range.map(|range| range.0)),
        text::cell(e.distance_range.map(|range| range.1)),
        e.n_distinct.to_string(),
        e.shares(classes),
        text::cell(e.refused.as_ref()),
    ]
}

//! `xai casebased explain`

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde::Serialize;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::Accumulator;
use xai_metrics::casebased::result::ExplanationSummary;
use xai_metrics::casebased::{Audit, Explanation, TrainingInfo};

use crate::casebased::aggregates::Aggregates;
use crate::casebased::explaining::{Explaining, Tables, TestTable};
use crate::casebased::training::hide_file_rows;
use crate::output::json_list::JsonList;
use crate::output::progress::Progress;
use crate::output::rows::Rows;
use crate::output::{rows, text};
use crate::{Context, examples};

/// `xai casebased explain`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased explain --train train.csv --test test.csv --label class -k 5",
    "xai casebased explain --explainer fitted.xai --test test.csv --label class --out neighbors.csv",
    "xai casebased explain --train train.csv --test test.csv --label class --redact name --limit 10 --json",
]))]
pub(crate) struct Explain {
    #[command(flatten)]
    table: TestTable,
    /// Explain only the first N test rows.
    #[arg(long, value_name = "N", value_parser = crate::whole_number::in_range(1..=u32::MAX))]
    limit: Option<u32>,
    /// Write a row per neighbour: sample, predicted, true, correspondence, level, rank, index, distance, label, and the
    /// features and metadata of the neighbour. With `--aggregate-only`: a row per sample.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

/// The JSON of the command, except the list of explanations.
#[derive(Serialize)]
struct ExplainResult {
    mean_correspondence: Option<f64>,
    n_undefined: usize,
    /// Number of samples with more training cases at the distance of the last neighbour than there is room for.
    n_tied: usize,
    /// Share of the true neighbours that an approximate search finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    #[serde(flatten)]
    tables: Tables,
}

impl Explain {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let fitted = self.table.fitted(self.out.is_some(), context)?;
        let limit = self.limit.map_or(usize::MAX, |limit| limit as usize);
        let mut explaining = self.table.explaining(fitted, limit)?;
        let bar = context.progress_bytes(&self.table.test, "explaining");
        if explaining.fitted.aggregate_only {
            return self.aggregate(explaining, &bar, context);
        }
        let mut collected = Collected::new(context.json);
        let header = match self.out {
            Some(_) => {
                let info = explaining.fitted.explainer.training_info();
                header(&info, explaining.fitted.provenance)
            }
            None => Vec::new(),
        };
        rows::stream(self.out.as_deref(), header, |rows| {
            while let Some(samples) = explaining.samples()? {
                collected.add(explaining.explain(&samples)?, rows)?;
                bar.set_position(explaining.end_byte());
            }
            match collected.n {
                0 => Err(explaining.no_rows()),
                _ => Ok(()),
            }
        })?;
        bar.finish_and_clear();
        collected.present(explaining, context)
    }

    /// Explains each row by aggregates, which show no training row.
    fn aggregate(
        &self,
        mut explaining: Explaining<'_>,
        bar: &Progress,
        context: &Context,
    ) -> Result<(), Failure> {
        let mut aggregates = Aggregates::new(context.json);
        rows::stream(self.out.as_deref(), Aggregates::HEADER, |rows| {
            while let Some(samples) = explaining.samples()? {
                aggregates.add(&explaining, &samples, rows)?;
                bar.set_position(explaining.end_byte());
            }
            if aggregates.is_empty() {
                return Err(explaining.no_rows());
            }
            Ok(())
        })?;
        bar.finish_and_clear();
        aggregates.present(explaining, context)
    }
}

/// Collects explanations batch by batch.
struct Collected {
    n: usize,
    n_tied: usize,
    audit: Audit,
    /// All explanations, for `--json`.
    json: Option<JsonList>,
    /// The [`SHOWN`] least supported predictions so far, least supported first, for the table. Predictions without a
    /// correspondence come before all others. Empty with `--json`.
    least: Vec<ExplanationSummary>,
}

/// Number of explanations in the table for people.
const SHOWN: usize = 20;

impl Collected {
    fn new(json: bool) -> Self {
        Self {
            n: 0,
            n_tied: 0,
            audit: Audit::listing(0),
            json: json.then(JsonList::new),
            least: Vec::new(),
        }
    }

    fn add(&mut self, explanations: Vec<Explanation>, rows: &mut Rows<'_>) -> Result<(), Failure> {
        self.audit
            .update(&explanations)
            .in_files(&Default::default())?;
        self.n += explanations.len();
        for explanation in &explanations {
            self.n_tied += usize::from(explanation.ties_at_k > 0);
            write_rows(explanation, rows)?;
        }
        let summaries = explanations.iter().map(ExplanationSummary::from);
        match &mut self.json {
            Some(json) => {
                for summary in summaries {
                    json.push(&summary)?;
                }
            }
            None => {
                let key = |e: &ExplanationSummary| e.correspondence.unwrap_or(-1.0);
                self.least.extend(summaries);
                self.least.sort_by(|a, b| key(a).total_cmp(&key(b)));
                self.least.truncate(SHOWN);
            }
        }
        Ok(())
    }

    fn present(self, explaining: Explaining<'_>, context: &Context) -> Result<(), Failure> {
        let audit = self
            .audit
            .finish()
            .in_files(&Files::with_main_file(explaining.test))?;
        let recall = explaining.fitted.recall;
        let result = ExplainResult {
            mean_correspondence: audit.mean_correspondence,
            n_undefined: audit.n_undefined,
            n_tied: self.n_tied,
            recall,
            tables: explaining.finish(context),
        };
        match self.json {
            Some(json) => json.print(&result, "explanations"),
            None => context.present(&result, || result.table(&self.least, self.n)),
        }
    }
}

/// Writes a row per neighbour.
fn write_rows(e: &Explanation, rows: &mut Rows<'_>) -> Result<(), Failure> {
    if rows.are_discarded() {
        return Ok(());
    }
    for (rank, case) in e.cases.iter().enumerate() {
        let mut row = vec![
            e.sample.to_string(),
            text::class(e.predicted, e.predicted_name.as_deref()),
            text::class(e.truth, e.truth_name.as_deref()),
            text::cell(e.correspondence.score),
            e.correspondence.level.to_string(),
            (rank + 1).to_string(),
            case.index.to_string(),
            case.distance.to_string(),
            text::class(Some(case.label), case.class_name.as_deref()),
        ];
        row.extend(case.features.iter().map(f64::to_string));
        row.extend(case.metadata.values().map(ToString::to_string));
        rows.write(row)?;
    }
    Ok(())
}

/// The first columns of `--out`, which do not depend on the training file.
const FIXED_COLUMNS: [&str; 9] = [
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

/// Returns the columns of `--out`: the fixed ones, then the features, then the metadata sorted by name, both without
/// redacted columns. Without provenance there are only the fixed ones.
fn header(info: &TrainingInfo, provenance: bool) -> Vec<String> {
    let mut metadata = info.metadata_names.clone();
    hide_file_rows(&mut metadata);
    metadata.sort();
    let names = info
        .feature_names
        .iter()
        .map(String::as_str)
        .chain(metadata.iter().map(|name| &**name));
    let is_shown = |name: &&str| provenance && info.redacted.iter().all(|hidden| hidden != name);
    unique(names.filter(is_shown).collect())
}

/// Returns the fixed columns followed by `columns`. A column with the name of a fixed one is renamed to `case.NAME`,
/// with as many `case.` in front as are needed for a unique name.
fn unique(columns: Vec<&str>) -> Vec<String> {
    let mut taken: HashSet<String> = FIXED_COLUMNS.map(str::to_owned).into();
    let collides = |column: &&&str| FIXED_COLUMNS.contains(*column);
    let free = columns.iter().filter(|column| !collides(column));
    taken.extend(free.map(|column| (*column).to_owned()));
    let mut header: Vec<String> = FIXED_COLUMNS.map(str::to_owned).into();
    for column in &columns {
        let mut name = (*column).to_owned();
        if collides(&column) {
            while taken.contains(&name) {
                name = format!("case.{name}");
            }
            taken.insert(name.clone());
        }
        header.push(name);
    }
    header
}

impl ExplainResult {
    fn table(&self, least: &[ExplanationSummary], n: usize) -> String {
        let rows = least.iter().map(|e| {
            let cases: Vec<String> = e
                .cases
                .iter()
                .take(5)
                .map(|case| {
                    let class = text::class(Some(case.label), case.class_name.as_deref());
                    format!("{} ({class}, {:.2})", case.index, case.distance)
                })
                .collect();
            let class = |label: Option<i64>, name: &Option<Arc<str>>| {
                text::or_dash(label.map(|label| text::class(Some(label), name.as_deref())))
            };
            [
                e.sample.to_string(),
                class(e.predicted, &e.predicted_name),
                class(e.truth, &e.truth_name),
                text::decimals(e.correspondence),
                e.level.to_string(),
                cases.join(", "),
            ]
        });
        let header = [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "neighbours: index (class, distance)",
        ];
        let tied = match self.n_tied {
            0 => String::new(),
            n => format!(
                "\nties in {n} of them: more training rows have the distance of the last neighbour; those with lower numbers were used"
            ),
        };
        format!(
            "{}\n\n{} of {n} samples, least supported first; mean correspondence {}{}{tied}",
            text::table(&header, rows),
            least.len(),
            text::decimals(self.mean_correspondence),
            text::approximate(self.recall),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn column_names_are_unique() {
        let columns = vec![
            "distance",
            "case.distance",
            "a",
            "label",
            "case.case.distance",
        ];
        let header = unique(columns);
        assert_eq!(
            header[9..],
            [
                "case.case.case.distance",
                "case.distance",
                "a",
                "case.label",
                "case.case.distance"
            ]
        );
        let names: HashSet<&String> = header.iter().collect();
        assert_eq!(names.len(), header.len());
    }
}

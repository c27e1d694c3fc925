//! `xai casebased audit`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_metrics::Accumulator;
use xai_metrics::casebased::{Audit, AuditReport};

use super::explaining::{Explaining, Tables};
use super::fitting::Source;
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles};
use crate::input::classes::Classes;
use crate::output::rows::{self, Rows};
use crate::output::text;

/// `xai casebased audit`
#[derive(Debug, Args)]
pub(crate) struct AuditOfTable {
    #[command(flatten)]
    source: Source,
    /// The cases to audit, with the same features by name; read piece by piece, so that it may be
    /// larger than memory.
    #[arg(long, value_name = "Q.csv")]
    test: PathBuf,
    /// The column of the true class: whole numbers, words, or True and False.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    /// How many of the least supported predictions are listed.
    #[arg(long, value_name = "N", default_value_t = 20)]
    list: usize,
    /// Write a row per test row: sample, predicted, true, correspondence, level.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl AuditOfTable {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let columns = (self.label.as_deref(), self.predicted.as_deref());
        let fitted = self.source.explainer(columns.0, columns.1, false)?;
        if fitted.aggregate_only {
            return Err(
                Failure::usage("--aggregate-only: an audit lists single predictions")
                    .help("`xai casebased explain` releases aggregates"),
            );
        }
        let mut explaining =
            Explaining::new(&self.source, fitted, &self.test, columns, usize::MAX)?;
        let header = ["sample", "predicted", "true", "correspondence", "level"];
        let report = rows::stream(self.out.as_deref(), header, |rows| {
            self.audit(&mut explaining, rows, context)
        })?;
        let classes = explaining.fitted.classes.clone();
        let result = AuditResult {
            report,
            recall: explaining.fitted.recall,
            tables: explaining.finish(context),
        };
        context.present(&result, || {
            tables(&result.report, &classes) + &text::approximate(result.recall)
        })
    }

    fn audit(
        &self,
        explaining: &mut Explaining<'_>,
        rows: &mut Rows<'_>,
        context: &Context,
    ) -> Result<AuditReport, Failure> {
        let files = Files::mainly(&self.test);
        let mut audit = Audit::listing(self.list);
        let bar = context.progress_bytes(&self.test, "auditing");
        while let Some(samples) = explaining.samples()? {
            let explanations = explaining.explain(&samples)?;
            // Samples are counted as the file does, also where rows were left out.
            for (row, first, length) in samples.runs() {
                let mut run = Audit::listing(self.list).starting_at(first);
                run.update(&explanations[row..row + length])
                    .and_then(|()| audit.merge(run))
                    .in_files(&files)?;
            }
            for e in &explanations {
                rows.write([
                    e.sample.to_string(),
                    text::class(e.predicted, e.predicted_name.as_deref()),
                    text::class(e.truth, e.truth_name.as_deref()),
                    text::cell(e.correspondence.score),
                    e.level().to_string(),
                ])?;
            }
            bar.set_position(explaining.end_byte());
        }
        bar.finish_and_clear();
        audit.finish().in_files(&files)
    }
}

#[derive(Serialize)]
struct AuditResult {
    #[serde(flatten)]
    report: AuditReport,
    /// The share of true neighbours that an approximate search finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    #[serde(flatten)]
    tables: Tables,
}

fn tables(report: &AuditReport, names: &Classes) -> String {
    let called = |label: Option<i64>| text::or_dash(label.map(|label| names.called(label)));
    let classes = report.by_class.iter().map(|(label, class)| {
        [
            names.called(*label),
            class.n.to_string(),
            text::decimals(class.mean_correspondence),
            text::decimals(class.accuracy),
        ]
    });
    let groups = [("right", &report.right), ("wrong", &report.wrong)].map(|(name, group)| {
        [
            name.to_owned(),
            group.n.to_string(),
            text::decimals(group.mean_correspondence),
        ]
    });
    let bins = report.reliability.iter().map(|bin| {
        [
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n.to_string(),
            text::decimals(bin.mean_correspondence),
            text::decimals(bin.accuracy),
        ]
    });
    let least = report.least_supported.iter().map(|listed| {
        [
            listed.sample.to_string(),
            called(listed.predicted),
            called(listed.truth),
            text::decimals(Some(listed.correspondence)),
        ]
    });
    [
        format!(
            "{} samples, {} without a correspondence; mean correspondence {}",
            report.n_samples,
            report.n_undefined,
            text::decimals(report.mean_correspondence)
        ),
        text::table(
            &[
                "predicted class",
                "samples",
                "mean correspondence",
                "accuracy",
            ],
            classes,
        ),
        text::table(&["prediction", "samples", "mean correspondence"], groups),
        text::table(
            &[
                "correspondence",
                "samples",
                "mean correspondence",
                "accuracy",
            ],
            bins,
        ),
        format!(
            "expected calibration error {}",
            text::decimals(report.expected_calibration_error)
        ),
        text::table(
            &["least supported", "predicted", "true", "correspondence"],
            least,
        ),
    ]
    .join("\n\n")
}

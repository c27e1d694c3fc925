//! `xai casebased audit`

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_metrics::Accumulator;
use xai_metrics::casebased::{Audit, AuditReport};

use super::Samples;
use super::fitting::Source;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;
use crate::table::Table;

/// `xai casebased audit`
#[derive(Debug, Args)]
pub(crate) struct AuditOfTable {
    #[command(flatten)]
    source: Source,
    /// The cases to audit, with the same features by name; read piece by piece, so that it may be
    /// larger than memory.
    #[arg(long, value_name = "Q.csv")]
    test: String,
    /// The column of the true class.
    #[arg(long, value_name = "COLUMN")]
    label: Option<String>,
    /// The column of the predicted class in the test file; without it the neighbours vote.
    #[arg(long, value_name = "COLUMN")]
    predicted: Option<String>,
    /// How many of the least supported predictions are listed.
    #[arg(long, value_name = "N", default_value_t = 20)]
    list: usize,
    /// Write a row a test row: sample, predicted, true, correspondence, level.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl AuditOfTable {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let (label, predicted) = (self.label.as_deref(), self.predicted.as_deref());
        let fitted = self.source.explainer(label, predicted, false, context)?;
        if fitted.aggregate_only {
            return Err(
                Failure::usage("--aggregate-only: an audit lists single predictions")
                    .help("`xai casebased explain` releases aggregates"),
            );
        }
        let mut audit = Audit::listing(self.list);
        let bar = context.progress_bytes(&self.test, "auditing");
        let mut fold = |write: &mut dyn FnMut([String; 5]) -> std::io::Result<()>| {
            let mut sample = 0;
            for piece in Table::pieces(&self.test)?.concealing(&fitted.redacted) {
                let piece = piece?;
                let samples =
                    Samples::read(&piece, &fitted.features, label, predicted, usize::MAX)?;
                if piece.n_rows() == 0 {
                    continue;
                }
                let explanations = samples.explain(&fitted.explainer, &self.test)?;
                audit.update(&explanations).in_file(&self.test)?;
                for e in &explanations {
                    let text =
                        |label: Option<i64>| label.map_or_else(String::new, |l| l.to_string());
                    let row = [
                        sample.to_string(),
                        text(e.predicted),
                        text(e.truth),
                        output::cell(e.correspondence.score),
                        e.level().to_string(),
                    ];
                    write(row).map_err(Failure::new)?;
                    sample += 1;
                }
                bar.set_position(piece.end_byte());
            }
            Ok::<(), Failure>(())
        };
        match &self.out {
            None => fold(&mut |_| Ok(()))?,
            Some(out) => {
                let mut outcome = Ok(());
                output::write_whole(out, |file| {
                    let mut writer = csv::Writer::from_writer(file);
                    writer.write_record([
                        "sample",
                        "predicted",
                        "true",
                        "correspondence",
                        "level",
                    ])?;
                    outcome = fold(&mut |row| Ok(writer.write_record(row)?));
                    match &outcome {
                        Ok(()) => writer.flush(),
                        // Nothing is left of a file that could not be finished.
                        Err(e) => Err(std::io::Error::other(e.to_string())),
                    }
                })
                .or_else(|failure| outcome.and(Err(failure)))?;
            }
        }
        bar.finish_and_clear();
        let result = AuditResult {
            report: audit.finish().in_file(&self.test)?,
            recall: fitted.recall,
        };
        context.present(&result, || {
            tables(&result.report) + &super::explain::approximate(result.recall)
        })
    }
}

#[derive(Serialize)]
struct AuditResult {
    #[serde(flatten)]
    report: AuditReport,
    /// The share of true neighbours that an approximate search finds.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
}

fn tables(report: &AuditReport) -> String {
    let classes = report.by_class.iter().map(|(label, class)| {
        [
            label.to_string(),
            class.n.to_string(),
            output::decimals(class.mean_correspondence),
            output::decimals(class.accuracy),
        ]
    });
    let groups = [("right", &report.right), ("wrong", &report.wrong)].map(|(name, group)| {
        [
            name.to_owned(),
            group.n.to_string(),
            output::decimals(group.mean_correspondence),
        ]
    });
    let bins = report.reliability.iter().map(|bin| {
        [
            format!("{:.1} to {:.1}", bin.from, bin.to),
            bin.n.to_string(),
            output::decimals(bin.mean_correspondence),
            output::decimals(bin.accuracy),
        ]
    });
    let label = |label: Option<i64>| label.map_or_else(|| "–".to_owned(), |l| l.to_string());
    let least = report.least_supported.iter().map(|listed| {
        [
            listed.sample.to_string(),
            label(listed.predicted),
            label(listed.truth),
            output::decimals(Some(listed.correspondence)),
        ]
    });
    [
        format!(
            "{} samples, {} without a correspondence; mean correspondence {}",
            report.n_samples,
            report.n_undefined,
            output::decimals(report.mean_correspondence)
        ),
        output::table(
            &[
                "predicted class",
                "samples",
                "mean correspondence",
                "accuracy",
            ],
            classes,
        ),
        output::table(&["prediction", "samples", "mean correspondence"], groups),
        output::table(
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
            output::decimals(report.expected_calibration_error)
        ),
        output::table(
            &["least supported", "predicted", "true", "correspondence"],
            least,
        ),
    ]
    .join("\n\n")
}

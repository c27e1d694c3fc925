//! `xai casebased audit`

mod evaluation;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_files::classes::Classes;
use xai_metrics::casebased::AuditReport;
use xai_metrics::casebased::result::Listing;
use xai_metrics::common::Interval;

use crate::casebased::audit::evaluation::Audited;
use crate::casebased::explaining::{Tables, TestTable};
use crate::output::{intervals, text};
use crate::{Context, Described, examples};

/// `xai casebased audit`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai casebased audit --train train.csv --test test.csv --label class",
    "xai casebased audit --explainer fitted.xai --test test.csv --label class --predicted model --out -",
]))]
pub(crate) struct AuditCommand {
    #[command(flatten)]
    table: TestTable,
    #[command(flatten)]
    listing: Described<Listing>,
    /// Write a row per test row: sample, predicted, true, correspondence, level.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl AuditCommand {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let audited = self.evaluate(self.listing.read()?, false, self.out.as_deref(), context)?;
        for remark in &audited.remarks {
            context.remark(remark);
        }
        let result = AuditResult {
            report: audited.report,
            recall: audited.recall,
            tables: audited.tables,
        };
        context.present(&intervals::as_pairs(&result)?, || {
            summary(&result.report, &audited.classes, result.recall)
        })
    }

    /// Audits the test table: see [`Audited::evaluate`].
    pub(crate) fn evaluate(
        &self,
        listing: Listing,
        compares: bool,
        out: Option<&Path>,
        context: &Context,
    ) -> Result<Audited, Failure> {
        Audited::evaluate(&self.table, listing, compares, out, context)
    }
}

#[derive(Serialize)]
struct AuditResult {
    #[serde(flatten)]
    report: AuditReport,
    /// Share of the true neighbours that an approximate search finds, estimated with training rows as queries. `None`
    /// for an exact search.
    #[serde(skip_serializing_if = "Option::is_none")]
    recall: Option<f64>,
    #[serde(flatten)]
    tables: Tables,
}

const MEAN_CORRESPONDENCE: &str = "mean correspondence ↑";
const ACCURACY: &str = "accuracy ↑";

/// Formats an audit as tables for people.
fn summary(report: &AuditReport, names: &Classes, recall: Option<f64>) -> String {
    tables(report, names) + &text::approximate(recall)
}

fn interval(interval: Option<Interval>) -> String {
    text::interval(interval.map(|interval| [interval.low, interval.high]))
}

fn tables(report: &AuditReport, names: &Classes) -> String {
    let class_name =
        |label: Option<i64>| text::or_dash(label.map(|label| names.display_name(label)));
    let scores = report.scores().map(|(info, value, ends)| {
        let name = format!("{} {}", info.title, info.direction.arrow());
        [name, text::decimals(value), interval(ends)]
    });
    let classes = report.by_class.iter().map(|(label, class)| {
        [
            names.display_name(*label),
            class.n.to_string(),
            text::decimals(class.mean_correspondence),
            text::decimals(class.accuracy),
        ]
    });
    let distribution = report.distribution.as_ref();
    let groups = [
        ("right", &report.right, distribution.map(|d| &d.right)),
        ("wrong", &report.wrong, distribution.map(|d| &d.wrong)),
    ]
    .map(|(name, group, distribution)| {
        [
            name.to_owned(),
            group.n.to_string(),
            text::decimals(group.mean_correspondence),
            interval(distribution.and_then(|d| d.interval)),
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
            class_name(listed.predicted),
            class_name(listed.truth),
            text::decimals(Some(listed.correspondence)),
        ]
    });
    let tied = match report.n_tied {
        0 => String::new(),
        n => format!(
            "\nties in {n} of them: more training rows have the distance of the last neighbour; those with lower numbers were used"
        ),
    };
    [
        format!(
            "{} samples, {} without a correspondence{tied}",
            report.n_samples, report.n_undefined,
        ),
        text::table(&["score", "value", "95 % interval"], scores),
        text::table(
            &["predicted class", "samples", MEAN_CORRESPONDENCE, ACCURACY],
            classes,
        ),
        text::table(
            &[
                "prediction",
                "samples",
                MEAN_CORRESPONDENCE,
                "95 % interval",
            ],
            groups,
        ),
        text::table(
            &["correspondence", "samples", MEAN_CORRESPONDENCE, ACCURACY],
            bins,
        ),
        text::table(
            &["least supported", "predicted", "true", "correspondence"],
            least,
        ),
    ]
    .join("\n\n")
}

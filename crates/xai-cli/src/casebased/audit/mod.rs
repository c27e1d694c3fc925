//! `xai casebased audit`

pub(crate) mod evaluation;
mod text;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_metrics::casebased::AuditReport;
use xai_metrics::casebased::result::Listing;

use crate::casebased::explaining::Tables;
use crate::casebased::fitting::Source;
use crate::{Context, Described, examples};

/// `xai casebased audit`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai casebased audit --train train.csv --test test.csv --label class",
    "xai casebased audit --explainer fitted.xai --test test.csv --label class --predicted model --out -",
]))]
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
    #[command(flatten)]
    listing: Described<Listing>,
    /// Write a row per test row: sample, predicted, true, correspondence, level.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

impl AuditOfTable {
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
        context.present(&result, || {
            text::text(&result.report, &audited.classes, result.recall)
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
    #[serde(flatten)]
    tables: Tables,
}

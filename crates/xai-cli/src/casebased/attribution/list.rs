//! `xai casebased attribution list`

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_metrics::casebased::data_attribution::METRICS;
use xai_metrics::core::MetricInfo;

use crate::output::text;
use crate::{Context, examples};

/// `xai casebased attribution list`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai casebased attribution list",
    "xai casebased attribution list --json",
]))]
pub(crate) struct List {}

#[derive(Serialize)]
struct ListResult {
    metrics: Vec<&'static MetricInfo>,
}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics = METRICS.iter().map(|entry| entry.info).collect();
        let result = ListResult { metrics };
        context.present(&result, || {
            let rows = result.metrics.iter().map(|info| {
                let needs: Vec<&str> = info.needs.iter().map(|input| input.name()).collect();
                [
                    info.name.to_owned(),
                    info.summary.to_owned(),
                    info.direction.to_string(),
                    info.range.to_string(),
                    needs.join(", "),
                    info.source.to_owned(),
                ]
            });
            let header = ["metric", "summary", "better", "range", "needs", "source"];
            text::table(&header, rows)
        })
    }
}

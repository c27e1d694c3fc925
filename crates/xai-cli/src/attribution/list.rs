//! `xai attribution list`

use clap::Args;
use serde::Serialize;
use xai_metrics::attribution::metric::{MetricInfo, registry::METRICS};

use crate::context::Context;
use crate::failure::Failure;
use crate::output::text;
use crate::usage::examples;

/// `xai attribution list`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai attribution list",
    "xai attribution list --json",
]))]
pub(crate) struct List {}

#[derive(Serialize)]
struct ListResult {
    metrics: Vec<&'static MetricInfo>,
}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let result = ListResult {
            metrics: METRICS.iter().map(|entry| entry.info).collect(),
        };
        context.present(&result, || {
            let rows = result.metrics.iter().map(|info| {
                let needs: Vec<&str> = info.needs.iter().map(|input| input.name()).collect();
                [
                    info.name.to_owned(),
                    info.question.to_owned(),
                    info.direction.to_string(),
                    info.range.to_owned(),
                    needs.join(", "),
                    info.source.to_owned(),
                ]
            });
            let header = ["metric", "question", "better", "range", "needs", "source"];
            text::table(&header, rows)
        })
    }
}

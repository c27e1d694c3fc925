//! Metrics as `list` prints them, whatever they measure.

use serde::Serialize;
use xai_files::Failure;
use xai_metrics::core::describe::{Invariance, MetricInfo, Param, Value};
use xai_metrics::core::{Direction, Input};

use crate::Context;
use crate::output::text;

/// A metric as a program reads it.
#[derive(Serialize)]
pub(crate) struct Listed {
    name: &'static str,
    title: &'static str,
    summary: &'static str,
    direction: Direction,
    range: String,
    needs: &'static [Input],
    source: &'static str,
    formula: &'static str,
    extremes: &'static str,
    limits: &'static str,
    elsewhere: &'static [&'static str],
    example: Option<f64>,
    invariance: Invariance,
    /// The command that computes it; `None` for metrics that take inputs that cannot be stored in files.
    command: Option<String>,
    parameters: Vec<ListedParam>,
}

#[derive(Serialize)]
struct ListedParam {
    name: &'static str,
    doc: &'static str,
    expected: String,
    default: Value,
}

#[derive(Serialize)]
struct ListResult {
    metrics: Vec<Listed>,
}

impl Listed {
    pub(crate) fn new(
        info: &'static MetricInfo,
        params: Vec<Param>,
        command: Option<String>,
    ) -> Self {
        let params = params.into_iter().map(|param| ListedParam {
            name: param.name,
            doc: param.doc,
            expected: param.kind.to_string(),
            default: param.value,
        });
        Self {
            name: info.name,
            title: info.title,
            summary: info.summary,
            direction: info.direction,
            range: info.range.to_string(),
            needs: info.needs,
            source: info.source,
            formula: info.formula,
            extremes: info.extremes,
            limits: info.limits,
            elsewhere: info.elsewhere,
            example: info.example,
            invariance: info.invariance,
            command,
            parameters: params.collect(),
        }
    }
}

/// Prints metrics as a table, or as JSON.
pub(crate) fn present(context: &Context, metrics: Vec<Listed>) -> Result<(), Failure> {
    let result = ListResult { metrics };
    context.present(&result, || {
        let rows = result.metrics.iter().map(|info| {
            let needs: Vec<&str> = info.needs.iter().map(|input| input.name()).collect();
            [
                info.name.to_owned(),
                info.summary.to_owned(),
                info.direction.to_string(),
                info.range.clone(),
                match info.command {
                    Some(_) => needs.join(", "),
                    None => format!("{} (in the libraries alone)", needs.join(", ")),
                },
                info.source.to_owned(),
            ]
        });
        let header = ["metric", "summary", "better", "range", "needs", "source"];
        text::table(&header, rows)
    })
}

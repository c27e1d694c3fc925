//! `xai attribution list`

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_metrics::attribution::metric::registry::metrics;
use xai_metrics::attribution::metric::{Direction, Entry, Invariance, Value};
use xai_metrics::core::Input;

use crate::attribution::metric::arguments;
use crate::output::text;
use crate::{Context, examples};

/// `xai attribution list`
#[derive(Debug, Args)]
#[command(after_help = examples::of(&[
    "xai attribution list",
    "xai attribution list --json",
]))]
pub(crate) struct List {}

#[derive(Serialize)]
struct ListResult {
    metrics: Vec<Listed>,
}

/// A metric as a program reads it.
#[derive(Serialize)]
struct Listed {
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
    /// The command that computes it; without one it is in the libraries alone, for it needs what no file holds.
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

impl Listed {
    fn of(entry: &Entry) -> Self {
        let params = entry.params().into_iter().map(|param| ListedParam {
            name: param.name,
            doc: param.doc,
            expected: param.kind.to_string(),
            default: param.value,
        });
        let info = entry.info;
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
            command: arguments::entries()
                .any(|other| std::ptr::eq(other, entry))
                .then(|| format!("xai attribution {}", info.name)),
            parameters: params.collect(),
        }
    }
}

impl List {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let result = ListResult {
            metrics: metrics().iter().map(Listed::of).collect(),
        };
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
}

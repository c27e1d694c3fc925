//! The list of the metrics of a family.

use std::marker::PhantomData;

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_metrics::core::describe::{Invariance, Value};
use xai_metrics::core::{Direction, Input};

use crate::metric_commands::{Family, RegisteredMetric, Run};
use crate::output::text;
use crate::{Context, examples};

/// `list`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    format!("xai {} list", F::COMMAND),
    format!("xai {} list --json", F::COMMAND),
]))]
pub(crate) struct List<F: Family> {
    #[arg(skip)]
    family: PhantomData<F>,
}

/// A metric in JSON.
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
    /// The command that computes it; `None` for a metric with an input that no file can store.
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
    fn new<F: Family>(entry: &F::Entry) -> Self {
        let info = entry.info();
        let parameters = entry.params().into_iter().map(|param| ListedParam {
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
            command: F::has_command(entry).then(|| format!("xai {} {}", F::COMMAND, info.name)),
            parameters: parameters.collect(),
        }
    }
}

impl<F: Family> Run for List<F> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics = F::metrics().iter().map(Listed::new::<F>).collect();
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
}

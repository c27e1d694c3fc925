//! The list of the metrics of a family.

use std::marker::PhantomData;

use clap::Args;
use serde::Serialize;
use xai_files::Failure;
use xai_metrics::common::describe::{Invariance, MetricEntry, Value};
use xai_metrics::common::{Direction, Input};

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
pub(crate) struct Listed {
    /// The family, in the list of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    family: Option<&'static str>,
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
    /// The command that computes it; `None` for a metric that only the libraries compute.
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
    pub(crate) fn new(entry: &MetricEntry, command: Option<String>) -> Self {
        let info = entry.info;
        let parameters = entry.params().into_iter().map(|param| ListedParam {
            name: param.name,
            doc: param.doc,
            expected: param.kind.to_string(),
            default: param.value,
        });
        Self {
            family: None,
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
            parameters: parameters.collect(),
        }
    }

    /// Adds the family, for the list of all.
    pub(crate) fn with_family(mut self, family: &'static str) -> Self {
        self.family = Some(family);
        self
    }

    fn qualified_name(&self) -> String {
        match self.family {
            Some(family) => format!("{family}.{}", self.name),
            None => self.name.to_owned(),
        }
    }
}

impl<F: Family> Run for List<F> {
    fn run(&self, context: &Context) -> Result<(), Failure> {
        let metrics = F::metrics().iter().map(|entry| {
            let name = entry.info().name;
            let command = F::has_command(entry).then(|| format!("xai {} {name}", F::COMMAND));
            Listed::new(&entry.entry(), command)
        });
        present(context, metrics.collect())
    }
}

/// Prints metrics as a table, or as JSON.
pub(crate) fn present(context: &Context, metrics: Vec<Listed>) -> Result<(), Failure> {
    let result = ListResult { metrics };
    context.present(&result, || {
        let rows = result.metrics.iter().map(|metric| {
            let needs: Vec<&str> = metric.needs.iter().map(|input| input.name()).collect();
            [
                metric.qualified_name(),
                metric.summary.to_owned(),
                metric.direction.to_string(),
                metric.range.clone(),
                match metric.command {
                    Some(_) => needs.join(", "),
                    None => format!("{} (in the libraries alone)", needs.join(", ")),
                },
                metric.source.to_owned(),
            ]
        });
        let header = ["metric", "summary", "better", "range", "needs", "source"];
        text::table(&header, rows)
    })
}

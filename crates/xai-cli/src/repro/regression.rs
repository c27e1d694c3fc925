//! `xai repro regression`

use std::path::PathBuf;

use clap::Args;
use serde::{Serialize, Serializer};
use xai_files::left_out::LeftOut;
use xai_files::{Failure, Files, InFiles};
use xai_metrics::repro::interval::MetricReport;
use xai_metrics::repro::{RegressionReproducibility, RunInterval, input};

use crate::repro::options::{interval_method, metrics_table, write_pairs};
use crate::repro::runs;
use crate::repro::table_runs::NumberRuns;
use crate::{Context, Described, examples};

/// `xai repro regression`
#[derive(Debug, Args)]
#[command(after_help = examples::section(&[
    "xai repro regression --predictions runs.npy --targets y.npy",
    "xai repro regression --predictions runs.csv --targets price --out -",
]))]
pub(crate) struct Regression {
    /// Predicted numbers: an array (runs, samples), or a .csv file with a column per run.
    #[arg(long, value_name = "P.npy")]
    predictions: PathBuf,
    /// True numbers (samples,): an array, a .csv file with one column, or the name of a column if the runs are columns
    /// of a .csv file.
    #[arg(long, value_name = "Y.npy|COLUMN")]
    targets: PathBuf,
    /// A column of the .csv file of the runs that is not a run. May be repeated. Columns without a name (such as the
    /// index that pandas writes) and columns that number the rows are left out without this option.
    #[arg(long, value_name = "COLUMN")]
    drop_column: Vec<String>,
    #[command(flatten)]
    interval: Described<RunInterval>,
    /// Write a row per pair of runs: their numbers and the value of each metric.
    #[arg(long, value_name = "FILE.csv")]
    out: Option<PathBuf>,
}

#[derive(Serialize)]
struct RegressionResult {
    n_runs: usize,
    n_samples: usize,
    #[serde(serialize_with = "by_name")]
    metrics: Vec<(&'static str, MetricReport)>,
    mean_absolute_error: Vec<f64>,
    /// Columns of the table that were not read as runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    columns_left_out: Vec<LeftOut>,
}

fn by_name<S: Serializer>(
    metrics: &[(&'static str, MetricReport)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(metrics.iter().map(|(name, report)| (name, report)))
}

/// The metrics of all pairs of runs, with remarks on the input.
pub(crate) struct EvaluatedRegression {
    pub(crate) runs: RegressionReproducibility,
    pub(crate) n_samples: usize,
    pub(crate) interval: RunInterval,
    /// Names of the columns; empty for runs of an array.
    pub(crate) run_names: Vec<String>,
    /// Columns of the table that were not read as runs.
    pub(crate) columns_left_out: Vec<LeftOut>,
}

impl Regression {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let working = context.working("reading and comparing runs");
        let EvaluatedRegression {
            runs,
            n_samples,
            interval,
            columns_left_out,
            ..
        } = self.evaluate(context)?;
        let result = RegressionResult {
            n_runs: runs.n_runs(),
            n_samples,
            metrics: runs.reports(interval).in_files(&self.files())?,
            mean_absolute_error: runs.mean_absolute_error.clone(),
            columns_left_out,
        };
        write_pairs(self.out.as_deref(), result.n_runs, &result.metrics)?;
        drop(working);
        context.remark_left_out(&result.columns_left_out);
        context.present(&result, || result.table(interval))
    }

    /// Computes every metric on every pair of runs.
    pub(crate) fn evaluate(&self, context: &Context) -> Result<EvaluatedRegression, Failure> {
        let NumberRuns {
            predictions,
            targets,
            run_names,
            left_out,
        } = NumberRuns::read(&self.predictions, &self.targets, &self.drop_column)?;
        let n_targets = (targets.len(), "targets");
        runs::check_length(
            &self.predictions,
            predictions.dim(),
            &self.targets,
            n_targets,
        )?;
        let runs = RegressionReproducibility::new(predictions.view(), targets.view());
        Ok(EvaluatedRegression {
            runs: runs.in_files(&self.files())?,
            n_samples: targets.len(),
            interval: self.interval.read_seeded(context)?,
            run_names,
            columns_left_out: left_out,
        })
    }

    fn files(&self) -> Files<'_> {
        Files::with_main_file(&self.predictions).file(&[input::TARGETS], &self.targets)
    }
}

impl RegressionResult {
    fn table(&self, interval: RunInterval) -> String {
        format!(
            "{} runs on {} samples; intervals by {} over runs\n\n{}",
            self.n_runs,
            self.n_samples,
            interval_method(interval),
            metrics_table(&self.metrics, interval.coverage(), None)
        )
    }
}

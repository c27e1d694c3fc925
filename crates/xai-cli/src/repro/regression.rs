//! `xai repro regression`

use clap::Args;
use ndarray::{Array2, Ix1};
use serde::Serialize;
use xai_metrics::repro::{RegressionMetric, RegressionReproducibility};

use super::results::{LEVEL, MetricResult, as_object};
use crate::context::Context;
use crate::failure::{Failure, Files, InFiles, input};
use crate::input::arrays;
use crate::output::text;

/// `xai repro regression`
#[derive(Debug, Args)]
pub(crate) struct Regression {
    /// Predicted numbers (runs, samples).
    #[arg(long, value_name = "P.npy")]
    predictions: String,
    /// True numbers (samples,).
    #[arg(long, value_name = "Y.npy")]
    targets: String,
}

#[derive(Serialize)]
struct RegressionResult {
    n_runs: usize,
    n_samples: usize,
    #[serde(serialize_with = "as_object")]
    metrics: Vec<(String, MetricResult)>,
    mean_absolute_error: Vec<f64>,
}

impl Regression {
    pub(super) fn run(&self, context: &Context) -> Result<(), Failure> {
        let predictions: Array2<f64> = arrays::read_f64(&self.predictions)?;
        let targets = arrays::read_f64::<Ix1>(&self.targets)?;
        if targets.len() != predictions.ncols() {
            return Err(Failure::new(format!(
                "{} targets, but {} has {} samples a run",
                targets.len(),
                self.predictions,
                predictions.ncols()
            ))
            .in_file(&self.targets));
        }
        let files = Files::only(&self.predictions).file(&[input::TARGETS], &self.targets);
        let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view())
            .in_files(&files)?;
        let of_metric = |metric: RegressionMetric| {
            let interval = runs.interval(metric, LEVEL)?;
            let pairs = runs.pairs(metric).to_vec();
            let result = MetricResult::new(runs.summary(metric), interval, pairs);
            Ok((metric.name().to_owned(), result))
        };
        let metrics: xai_metrics::Result<_> =
            RegressionMetric::ALL.into_iter().map(of_metric).collect();
        let result = RegressionResult {
            n_runs: runs.n_runs(),
            n_samples: targets.len(),
            metrics: metrics.in_files(&files)?,
            mean_absolute_error: runs.mean_absolute_error.clone(),
        };
        context.present(&result, || result.table())
    }
}

impl RegressionResult {
    fn table(&self) -> String {
        let rows = self.metrics.iter().map(|(name, m)| {
            let s = &m.summary;
            [
                name.clone(),
                text::decimals(s.mean),
                text::interval(m.interval),
                text::decimals(s.std),
                text::decimals(s.min),
                text::decimals(s.median),
                text::decimals(s.max),
            ]
        });
        let header = [
            "metric",
            "mean",
            "95 % interval",
            "std",
            "min",
            "median",
            "max",
        ];
        format!(
            "{} runs on {} samples; intervals by a jackknife over runs\n\n{}",
            self.n_runs,
            self.n_samples,
            text::table(&header, rows)
        )
    }
}

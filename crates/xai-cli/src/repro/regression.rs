//! `xai repro regression`

use clap::Args;
use ndarray::{Array2, Ix1};
use serde::Serialize;
use xai_metrics::repro::{RegressionMetric, RegressionReproducibility};

use super::{LEVEL, as_object};
use crate::arrays;
use crate::context::Context;
use crate::failure::{Failure, InFile};
use crate::output;

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
    metrics: Vec<(String, super::pairwise::MetricResult)>,
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
        let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view())
            .in_file(&self.predictions)?;
        let of_metric = |metric: RegressionMetric| {
            let interval = runs.interval(metric, LEVEL)?;
            let pairs = runs.pairs(metric).to_vec();
            let result = super::pairwise::MetricResult::new(runs.summary(metric), interval, pairs);
            Ok((metric.name().to_owned(), result))
        };
        let metrics: Result<_, Failure> =
            RegressionMetric::ALL.into_iter().map(of_metric).collect();
        let result = RegressionResult {
            n_runs: runs.n_runs(),
            n_samples: targets.len(),
            metrics: metrics?,
            mean_absolute_error: runs.mean_absolute_error.clone(),
        };
        context.present(&result, || {
            let rows = result.metrics.iter().map(|(name, m)| {
                let interval = m.interval.map_or_else(
                    || output::decimals(None),
                    |[low, high]| format!("[{low:.4}, {high:.4}]"),
                );
                let values = [m.mean, m.std, m.min, m.median, m.max].map(output::decimals);
                let [mean, others @ ..] = values;
                let mut row = vec![name.clone(), mean, interval];
                row.extend(others);
                row
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
                result.n_runs,
                result.n_samples,
                output::table(&header, rows)
            )
        })
    }
}

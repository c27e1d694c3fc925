//! Data of the section about repeated runs of regression models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xai_core::Result;
use xai_repro::metrics::REGRESSION_METRICS;
use xai_repro::{RegressionMetric, RegressionReproducibility, RunInterval};

use crate::origin::Origin;
use crate::sections::runs::RunPairs;

/// Section about repeated runs of regression models: do repeated trainings predict the same numbers?
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Regression {
    /// Name and inputs of the section.
    #[serde(flatten)]
    pub origin: Origin,
    /// Metrics over the pairs of runs.
    #[serde(flatten)]
    pub runs: RunPairs,
    /// Mean absolute error of each run, in units of the target.
    pub mean_absolute_error: Vec<f64>,
}

impl Regression {
    /// Creates the section from the metrics of all pairs of runs.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_repro::{RegressionReproducibility, RunInterval};
    /// use xai_report::Origin;
    /// use xai_report::sections::regression::Regression;
    /// let targets = array![1.0, 2.0, 3.0];
    /// let predictions = array![[1.0, 2.0, 4.0], [2.0, 2.0, 3.0], [1.0, 1.0, 3.0]];
    /// let runs = RegressionReproducibility::new(predictions.view(), targets.view())?;
    /// let origin = Origin::new(&Regression::KIND, 1, "Three runs");
    /// let section = Regression::new(origin, &runs, 3, RunInterval::jackknife())?;
    /// assert_eq!(section.runs.metrics.len(), 7);
    /// assert_eq!(section.runs.similarity.metric, "concordance");
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`RegressionReproducibility::interval_of`].
    pub fn new(
        origin: Origin,
        runs: &RegressionReproducibility,
        n_samples: usize,
        interval: RunInterval,
    ) -> Result<Self> {
        let pairs = RunPairs::new(
            (runs.n_runs(), n_samples),
            REGRESSION_METRICS.iter().map(|metric| metric.info()),
            &runs.reports(interval)?,
            RegressionMetric::CONCORDANCE.name(),
            interval,
        );
        Ok(Self {
            origin,
            runs: pairs,
            mean_absolute_error: runs.mean_absolute_error.clone(),
        })
    }

    /// Sets the names of the runs, which are otherwise numbered from 0.
    #[must_use]
    pub fn with_run_names(mut self, names: Vec<String>) -> Self {
        self.runs.run_names = names;
        self
    }
}

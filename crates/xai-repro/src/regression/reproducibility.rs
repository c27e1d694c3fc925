//! Evaluation of all regression metrics for all pairs of runs.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::number::check_finite;
use xai_core::statistics::Centred;
use xai_core::{Error, ExactMean, Real, Result, parallel};

use crate::counting::pair_tiles::pairs;
use crate::interval::metric_report::MetricReport;
use crate::interval::pair_distribution::{PairResults, PairStatistic, impl_pair_results};
use crate::interval::run_interval::RunInterval;
use crate::packed::builder::check_truth;
use crate::regression::definition::RegressionMetric;
use crate::regression::formulas::METRICS;
use crate::regression::run_pair::{Run, RunPair};
use crate::{help, input};

/// Pairwise metrics of `k` runs of a regression model on `n` samples.
///
/// Pairs are in the order (0, 1), (0, 2), …, (1, 2), ….
///
/// ```
/// use ndarray::array;
/// use xai_repro::{RegressionMetric, RegressionReproducibility};
/// let targets = array![1.0, 2.0, 3.0, 4.0];
/// // Residuals 0, 1, −1, 2 and 0, 2, 1, 2.
/// let predictions = array![[1.0, 1.0, 4.0, 2.0], [1.0, 0.0, 2.0, 2.0]];
/// let runs = RegressionReproducibility::new(predictions.view(), targets.view())?;
/// assert_eq!(runs.pairs(RegressionMetric::EC_RATIO), [Some((1.0 + 0.5 + 1.0 + 1.0) / 4.0)]);
/// assert_eq!(runs.pairs(RegressionMetric::EC_RATIO_SIGNED), [Some((1.0 + 0.5 - 1.0 + 1.0) / 4.0)]);
/// assert_eq!(runs.pairs(RegressionMetric::MAE), [Some((0.0 + 1.0 + 2.0 + 0.0) / 4.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// All samples are needed at once, because correlations take a second pass over the predictions for deviations from the
/// mean.
///
/// # Source
/// The residual metrics extend error consistency to regression. Concordance: Lin, *A concordance correlation
/// coefficient to evaluate reproducibility*, 1989.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredValues"))]
pub struct RegressionReproducibility {
    n_runs: usize,
    /// Values by metric, in the order of the registry, and pair.
    values: Vec<Vec<Option<f64>>>,
    /// Mean absolute error by run, in units of the target.
    pub mean_absolute_error: Vec<f64>,
}

/// Deserialised values, which are not yet checked for consistency.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct StoredValues {
    n_runs: usize,
    values: Vec<Vec<Option<f64>>>,
    mean_absolute_error: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredValues> for RegressionReproducibility {
    type Error = Error;

    fn try_from(stored: StoredValues) -> Result<Self> {
        Self::from_values(stored.n_runs, stored.values, stored.mean_absolute_error)
    }
}

impl RegressionReproducibility {
    /// Evaluates all metrics for `(k, n)` predictions and `(n,)` targets.
    ///
    /// # Errors
    /// `TooFew` for fewer than two runs, `Empty` without samples, `ShapeMismatch` if there is not exactly one target
    /// per sample, `NonFinite` for NaN or infinite values, and `OutOfDomain` for a residual above `f64::MAX / 4` in
    /// magnitude, because differences of residuals could overflow. That error is about [`input::PREDICTIONS`] or
    /// [`input::TARGETS`], whichever is larger in magnitude.
    pub fn new<T: Real, U: Real>(
        predictions: ArrayView2<'_, T>,
        targets: ArrayView1<'_, U>,
    ) -> Result<Self> {
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few(input::RUNS, 2, k));
        }
        if n == 0 {
            return Err(Error::empty(input::SAMPLES));
        }
        check_truth(input::TARGETS, (k, n), targets.len())?;
        check_finite(input::PREDICTIONS, predictions)?;
        check_finite(input::TARGETS, targets)?;
        let runs = runs(predictions, targets);
        check_residuals(&runs, targets)?;
        let pairs: Vec<(usize, usize)> = pairs(k).collect();
        let values_by_pair = parallel::map(pairs.len(), |index| {
            let (first, second) = pairs[index];
            let pair = RunPair::new(&runs[first], &runs[second]);
            let values = METRICS.iter().map(|metric| metric.value(&pair));
            values.collect::<Vec<_>>()
        });
        let values_of =
            |metric: usize| values_by_pair.iter().map(|values| values[metric]).collect();
        let mean_absolute_error = |run: &Run| {
            let errors: ExactMean = run
                .residuals
                .iter()
                .map(|residual| residual.abs())
                .collect();
            errors.value().unwrap_or_default()
        };
        Ok(Self {
            n_runs: k,
            values: (0..METRICS.len()).map(values_of).collect(),
            mean_absolute_error: runs.iter().map(mean_absolute_error).collect(),
        })
    }

    /// Restores results from the values of each metric, in the order of
    /// [`metrics::REGRESSION_METRICS`](crate::metrics::REGRESSION_METRICS), for all pairs, and the mean absolute error
    /// of each run.
    ///
    /// # Errors
    /// `Corrupt` about [`input::REGRESSION`] unless there is a value for every metric and pair, and an error for every
    /// run, all of them finite.
    pub fn from_values(
        n_runs: usize,
        values: Vec<Vec<Option<f64>>>,
        mean_absolute_error: Vec<f64>,
    ) -> Result<Self> {
        let n_pairs = n_runs
            .checked_mul(n_runs.wrapping_sub(1))
            .map(|ordered| ordered / 2);
        let is_complete = n_runs >= 2
            && mean_absolute_error.len() == n_runs
            && values.len() == METRICS.len()
            && values.iter().all(|values| Some(values.len()) == n_pairs);
        let numbers = values.iter().flatten().flatten();
        let are_finite = numbers.chain(&mean_absolute_error).all(|x| x.is_finite());
        if !is_complete || !are_finite {
            let why = "not the values of all pairs of runs";
            return Err(Error::corrupt(input::REGRESSION, why));
        }
        Ok(Self {
            n_runs,
            values,
            mean_absolute_error,
        })
    }

    /// Distribution of each metric over the pairs, with an interval over runs for its mean, by the name of the metric.
    ///
    /// # Errors
    /// As [`interval_of`](Self::interval_of).
    pub fn reports(&self, interval: RunInterval) -> Result<Vec<(&'static str, MetricReport)>> {
        let report = |&metric: &RegressionMetric| {
            let mean_interval = self.interval_of(metric, PairStatistic::Mean, interval)?;
            let report =
                MetricReport::new(&self.summary(metric), mean_interval, self.pairs(metric));
            Ok((metric.name(), report))
        };
        METRICS.iter().map(report).collect()
    }
}

impl PairResults<RegressionMetric> for RegressionReproducibility {
    fn n_runs(&self) -> usize {
        self.n_runs
    }

    fn values(&self, metric: RegressionMetric) -> &[Option<f64>] {
        let index = METRICS.iter().position(|&listed| listed == metric);
        index.map_or(&[], |index| &self.values[index])
    }
}

impl_pair_results!(RegressionReproducibility, RegressionMetric, |own| own);

/// Prepares each run: residuals and deviations from the mean.
fn runs<T: Real, U: Real>(predictions: ArrayView2<'_, T>, targets: ArrayView1<'_, U>) -> Vec<Run> {
    parallel::map(predictions.nrows(), |run| {
        let row = predictions.row(run);
        let predictions: Vec<f64> = row.iter().map(|x| x.to_f64_exact()).collect();
        let pairs = targets.iter().zip(&predictions);
        Run {
            residuals: pairs.map(|(y, x)| y.to_f64_exact() - x).collect(),
            centred: Centred::new(&predictions),
            predictions,
        }
    })
}

/// Checks that sums and differences of two residuals are finite: with residuals up to `f64::MAX / 4` they are at most
/// `f64::MAX / 2`.
fn check_residuals<U: Real>(runs: &[Run], targets: ArrayView1<'_, U>) -> Result<()> {
    for (index, run) in runs.iter().enumerate() {
        let is_too_large = |r: &f64| r.abs() > f64::MAX / 4.0;
        let Some(sample) = run.residuals.iter().position(is_too_large) else {
            continue;
        };
        let expected = "a residual of at most a quarter of the largest f64";
        let prediction = run.predictions[sample];
        let target = targets[sample].to_f64_exact();
        let error = if prediction.abs() < target.abs() {
            Error::out_of_domain(input::TARGETS, &[sample], target, expected)
        } else {
            Error::out_of_domain(input::PREDICTIONS, &[index, sample], prediction, expected)
        };
        return Err(error.with_help(help::SCALE_TARGETS));
    }
    Ok(())
}

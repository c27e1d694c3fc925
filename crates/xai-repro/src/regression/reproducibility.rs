//! Every metric on every pair of runs that predict numbers.

use ndarray::{ArrayView1, ArrayView2};
use xai_core::number::check_finite;
use xai_core::statistics::Centred;
use xai_core::{Error, ExactMean, Real, Result, parallel};

use crate::counting::pair_tiles::pairs;
use crate::interval::pair_distribution::{ValuesOfPairs, over_pairs};
use crate::packed::builder::check_truth;
use crate::regression::definition::RegressionMetric;
use crate::regression::formulas::METRICS;
use crate::regression::run_pair::{Run, RunPair};
use crate::{help, input};

/// The pairwise metrics of `k` runs that predict numbers for `n` samples.
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
/// All samples are needed at once: correlations are taken of deviations from the mean, in a second pass
/// over the predictions.
///
/// # Source
/// The residual metrics extend error consistency to regression; concordance: Lin, *A concordance
/// correlation coefficient to evaluate reproducibility*, 1989.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredValues"))]
pub struct RegressionReproducibility {
    n_runs: usize,
    /// By metric, in the order of the registry.
    values: Vec<Vec<Option<f64>>>,
    /// Each run's mean absolute error, in units of the target.
    pub mean_absolute_error: Vec<f64>,
}

/// What stored values say of themselves, unchecked.
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
        let k = stored.n_runs;
        let pairs = k.checked_mul(k.wrapping_sub(1)).map(|ordered| ordered / 2);
        let whole = k >= 2
            && stored.mean_absolute_error.len() == k
            && stored.values.len() == METRICS.len()
            && stored
                .values
                .iter()
                .all(|values| Some(values.len()) == pairs);
        if !whole {
            let why = "not the values of all pairs of runs";
            return Err(Error::corrupt(input::REGRESSION, why));
        }
        Ok(Self {
            n_runs: k,
            values: stored.values,
            mean_absolute_error: stored.mean_absolute_error,
        })
    }
}

impl RegressionReproducibility {
    /// All metrics of `(k, n)` predictions and `(n,)` targets.
    ///
    /// # Errors
    /// `TooFew` below two runs, `Empty` without samples, `ShapeMismatch` when there is not one target per
    /// sample, `NonFinite`, and `OutOfDomain` about [`input::PREDICTIONS`] or [`input::TARGETS`], whichever
    /// is larger, for predictions so far from their targets that a difference of two residuals is beyond the
    /// range of `f64`.
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
        let of_pairs = parallel::map(pairs.len(), |pair| {
            let (first, second) = pairs[pair];
            let pair = RunPair::new(&runs[first], &runs[second]);
            let values = METRICS.iter().map(|metric| metric.value(&pair));
            values.collect::<Vec<_>>()
        });
        let of_metric = |metric: usize| of_pairs.iter().map(|values| values[metric]).collect();
        let error_of = |run: &Run| {
            let errors: ExactMean = run
                .residuals
                .iter()
                .map(|residual| residual.abs())
                .collect();
            errors.value().unwrap_or_default()
        };
        Ok(Self {
            n_runs: k,
            values: (0..METRICS.len()).map(of_metric).collect(),
            mean_absolute_error: runs.iter().map(error_of).collect(),
        })
    }
}

impl ValuesOfPairs<RegressionMetric> for RegressionReproducibility {
    fn n_runs(&self) -> usize {
        self.n_runs
    }

    fn values(&self, metric: RegressionMetric) -> &[Option<f64>] {
        let place = METRICS.iter().position(|&listed| listed == metric);
        place.map_or(&[], |place| &self.values[place])
    }
}

over_pairs!(RegressionReproducibility, RegressionMetric, |own| own);

/// What is known of each run by itself.
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

/// Half the range leaves room for the difference and the sum of two.
fn check_residuals<U: Real>(runs: &[Run], targets: ArrayView1<'_, U>) -> Result<()> {
    for (run, of_run) in runs.iter().enumerate() {
        let beyond = |r: &f64| r.abs() > f64::MAX / 4.0;
        let Some(sample) = of_run.residuals.iter().position(beyond) else {
            continue;
        };
        let expected = "a residual of a quarter of the range of f64 at most";
        let prediction = of_run.predictions[sample];
        let target = targets[sample].to_f64_exact();
        let error = match prediction.abs() < target.abs() {
            true => Error::out_of_domain(input::TARGETS, &[sample], target, expected),
            false => Error::out_of_domain(input::PREDICTIONS, &[run, sample], prediction, expected),
        };
        return Err(error.with_help(help::SCALE_TARGETS));
    }
    Ok(())
}

//! Runs that predict numbers.

use std::fmt;
use std::str::FromStr;

use ndarray::{ArrayView1, ArrayView2};
use xai_core::{Error, ExactSum, Interval, Real, Result, Summary, parallel};

use crate::run_interval::{PairStatistic, PairValues, RunInterval, interval_over_runs};
use crate::spread::PairSpread;

/// A metric of two runs' numeric predictions.
///
/// `r_i = y − ŷ_i` are a run's residuals, `ŷ_i` its predictions; means are over the samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RegressionMetric {
    /// Ratio of residuals: `mean(min(|r_i|, |r_j|) / max(|r_i|, |r_j|))` in [0, 1], a sample that both
    /// get right counting 1. 1 = errors of equal size, 0 = wherever one errs the other does not.
    EcRatio,
    /// The same, a sample counting negative where the two err in opposite directions, in [−1, 1].
    EcRatioSigned,
    /// Relative difference of residuals: `mean(||r_i| − |r_j|| / (|r_i| + |r_j|))` in [0, 1], a sample
    /// that both get right counting 0. 0 = errors of equal size.
    EcRatioDiff,
    /// The same times the sign of `r_i r_j`, in [−1, 1]; a sample that one of them gets right counts 0.
    EcRatioDiffSigned,
    /// Lin's concordance correlation of predictions, in [−1, 1]: 1 = the same predictions. Undefined for
    /// two equal constant predictions.
    Concordance,
    /// Pearson's correlation of predictions, in [−1, 1]. Undefined where either is constant.
    Pearson,
    /// Mean absolute difference of predictions, in units of the target, 0 and more.
    Mae,
}

impl RegressionMetric {
    /// All of them, in the order they are reported.
    pub const ALL: [Self; 7] = [
        Self::EcRatio,
        Self::EcRatioSigned,
        Self::EcRatioDiff,
        Self::EcRatioDiffSigned,
        Self::Concordance,
        Self::Pearson,
        Self::Mae,
    ];

    /// The name in files and on the command line: `ec_ratio`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::EcRatio => "ec_ratio",
            Self::EcRatioSigned => "ec_ratio_signed",
            Self::EcRatioDiff => "ec_ratio_diff",
            Self::EcRatioDiffSigned => "ec_ratio_diff_signed",
            Self::Concordance => "concordance",
            Self::Pearson => "pearson",
            Self::Mae => "mae",
        }
    }
}

impl fmt::Display for RegressionMetric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for RegressionMetric {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|metric| metric.name() == name)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                Error::parameter("metric", name, format!("one of {names}"))
            })
    }
}

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
/// let runs = RegressionReproducibility::from_predictions(predictions.view(), targets.view())?;
/// assert_eq!(runs.pairs(RegressionMetric::EcRatio), [Some((1.0 + 0.5 + 1.0 + 1.0) / 4.0)]);
/// assert_eq!(runs.pairs(RegressionMetric::EcRatioSigned), [Some((1.0 + 0.5 - 1.0 + 1.0) / 4.0)]);
/// assert_eq!(runs.pairs(RegressionMetric::Mae), [Some((0.0 + 1.0 + 2.0 + 0.0) / 4.0)]);
/// # Ok::<(), xai_repro::Error>(())
/// ```
///
/// # Source
/// The residual metrics extend error consistency to regression; concordance: Lin, *A concordance
/// correlation coefficient to evaluate reproducibility*, 1989.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct RegressionReproducibility {
    n_runs: usize,
    /// By metric, in the order of [`RegressionMetric::ALL`].
    values: Vec<Vec<Option<f64>>>,
    /// Each run's mean absolute error, in units of the target.
    pub mean_absolute_error: Vec<f64>,
}

/// What stored values say of themselves, unchecked.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored {
    n_runs: usize,
    values: Vec<Vec<Option<f64>>>,
    mean_absolute_error: Vec<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for RegressionReproducibility {
    type Error = &'static str;

    fn try_from(stored: Stored) -> std::result::Result<Self, Self::Error> {
        let k = stored.n_runs;
        let pairs = k.checked_mul(k.wrapping_sub(1)).map(|ordered| ordered / 2);
        let whole = k >= 2
            && stored.mean_absolute_error.len() == k
            && stored.values.len() == RegressionMetric::ALL.len()
            && stored
                .values
                .iter()
                .all(|values| Some(values.len()) == pairs);
        if !whole {
            return Err("not the values of all pairs of runs");
        }
        Ok(Self {
            n_runs: k,
            values: stored.values,
            mean_absolute_error: stored.mean_absolute_error,
        })
    }
}

/// A run's predictions around their mean, in units in which squares neither overflow nor vanish.
struct Centred {
    mean: f64,
    /// In units of `2^exponent`, the size of the largest.
    deviations: Vec<f64>,
    exponent: i32,
    /// The sum of their squares, in those units.
    squares: f64,
}

/// The power of two near a size, within a range whose reciprocal is finite; 0 for no size.
#[allow(clippy::cast_possible_truncation)] // clamped
fn exponent(size: f64) -> i32 {
    if size > 0.0 {
        size.log2().floor().clamp(-1000.0, 1000.0) as i32
    } else {
        0
    }
}

impl RegressionReproducibility {
    /// All metrics of `(k, n)` predictions and `(n,)` targets.
    ///
    /// # Errors
    /// [`Error::TooFew`] below two runs, [`Error::Empty`] without samples, [`Error::ShapeMismatch`]
    /// when there is not one target a sample, [`Error::NonFinite`], and [`Error::OutOfDomain`] for
    /// predictions so far apart that a difference of two is beyond the range of `f64`.
    pub fn from_predictions<T: Real, U: Real>(
        predictions: ArrayView2<'_, T>,
        targets: ArrayView1<'_, U>,
    ) -> Result<Self> {
        let (k, n) = predictions.dim();
        if k < 2 {
            return Err(Error::too_few("runs", 2, k));
        }
        if n == 0 {
            return Err(Error::empty("samples"));
        }
        if targets.len() != n {
            return Err(Error::shape("targets", &[n], &[targets.len()]));
        }
        xai_core::check_finite("predictions", predictions)?;
        xai_core::check_finite("targets", targets)?;
        let runs: Vec<Vec<f64>> = parallel::map(k, |run| {
            let row = predictions.row(run);
            row.iter().map(|x| x.to_f64_exact()).collect()
        });
        let residuals = parallel::map(k, |run| -> Vec<f64> {
            let pairs = targets.iter().zip(&runs[run]);
            pairs.map(|(y, x)| y.to_f64_exact() - x).collect()
        });
        for (run, residuals) in residuals.iter().enumerate() {
            // Half the range leaves room for the difference and the sum of two.
            if let Some(sample) = residuals.iter().position(|r| r.abs() > f64::MAX / 4.0) {
                return Err(Error::out_of_domain(
                    "residuals",
                    &[run, sample],
                    residuals[sample],
                    "a quarter of the range of f64 at most; scale the target",
                ));
            }
        }
        let centred = parallel::map(k, |run| Centred::of(&runs[run]));
        let pairs: Vec<(usize, usize)> = (0..k)
            .flat_map(|i| (i + 1..k).map(move |j| (i, j)))
            .collect();
        let of_pairs = parallel::map(pairs.len(), |pair| {
            let (i, j) = pairs[pair];
            let [ratio, signed_ratio, difference, signed_difference] =
                of_residuals(&residuals[i], &residuals[j]);
            let covariance = products(&centred[i].deviations, &centred[j].deviations);
            [
                Some(ratio),
                Some(signed_ratio),
                Some(difference),
                Some(signed_difference),
                concordance(&centred[i], &centred[j], covariance, n),
                pearson(&centred[i], &centred[j], covariance),
                Some(mean_absolute(
                    runs[i].iter().zip(&runs[j]).map(|(a, b)| a - b),
                    n,
                )),
            ]
        });
        let values = (0..RegressionMetric::ALL.len())
            .map(|metric| of_pairs.iter().map(|values| values[metric]).collect())
            .collect();
        let mean_absolute_error = residuals
            .iter()
            .map(|residuals| mean_absolute(residuals.iter().copied(), n))
            .collect();
        Ok(Self {
            n_runs: k,
            values,
            mean_absolute_error,
        })
    }

    /// The number of runs.
    #[must_use]
    pub fn n_runs(&self) -> usize {
        self.n_runs
    }

    /// The value of a metric on every pair, undefined ones as `None`.
    #[must_use]
    pub fn pairs(&self, metric: RegressionMetric) -> &[Option<f64>] {
        &self.values[metric as usize]
    }

    /// The distribution of a metric over the pairs.
    #[must_use]
    pub fn summary(&self, metric: RegressionMetric) -> Summary {
        Summary::of(self.pairs(metric).iter().copied()).unwrap_or_default()
    }

    /// An interval for the mean of a metric over pairs, by a jackknife over *runs*. `None` below three
    /// runs, or when leaving out some run leaves no pair defined.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1).
    pub fn interval(&self, metric: RegressionMetric, level: f64) -> Result<Option<Interval>> {
        let mut spread = PairSpread::new(self.n_runs);
        let k = self.n_runs;
        let pairs = (0..k).flat_map(|i| (i + 1..k).map(move |j| (i, j)));
        for ((i, j), &value) in pairs.zip(self.pairs(metric)) {
            spread.add(i, j, value);
        }
        spread.interval(level)
    }

    /// An interval over *runs* for any statistic of a metric over the pairs. `None` as for
    /// [`interval`](Self::interval).
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a level outside (0, 1), a quantile outside [0, 1] or no
    /// replicates.
    pub fn interval_of(
        &self,
        metric: RegressionMetric,
        statistic: PairStatistic,
        method: RunInterval,
        level: f64,
    ) -> Result<Option<Interval>> {
        statistic.check()?;
        let values = PairValues::new(self.n_runs, self.pairs(metric));
        interval_over_runs(self.n_runs, method, level, |times| {
            values.statistic(statistic, times)
        })
    }
}

/// Shares in [−1, 1], added as integers of 2⁻⁶²: their order does not show.
#[derive(Default)]
struct ShareSum(i128);

impl ShareSum {
    const ONE: f64 = (1u64 << 62) as f64;

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // within [−2^62, 2^62]
    fn add(&mut self, share: f64) {
        self.0 += i128::from((share * Self::ONE) as i64);
    }

    #[allow(clippy::cast_precision_loss)]
    fn mean(&self, n: usize) -> f64 {
        self.0 as f64 / Self::ONE / n as f64
    }
}

/// Ratio, signed ratio, relative difference, and signed relative difference of residuals.
fn of_residuals(first: &[f64], second: &[f64]) -> [f64; 4] {
    let mut sums = [(); 4].map(|()| ShareSum::default());
    for (&a, &b) in first.iter().zip(second) {
        let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        if high == 0.0 {
            // Both right: as consistent as can be, in either direction.
            sums[0].add(1.0);
            sums[1].add(1.0);
            continue;
        }
        // The product itself could underflow.
        let sign = match (a == 0.0 || b == 0.0, (a > 0.0) == (b > 0.0)) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            (false, false) => -1.0,
        };
        let ratio = low / high;
        let difference = (high - low) / (high + low);
        sums[0].add(ratio);
        sums[1].add(sign * ratio);
        sums[2].add(difference);
        sums[3].add(sign * difference);
    }
    sums.map(|sum| sum.mean(first.len()))
}

#[allow(clippy::cast_precision_loss)] // fewer samples than 2^53
fn mean_absolute(values: impl Iterator<Item = f64> + Clone, n: usize) -> f64 {
    let sum = |scale: f64| -> f64 {
        let terms = values.clone().map(|x| x.abs() * scale);
        terms.collect::<ExactSum>().value()
    };
    match sum(1.0) {
        sum if sum.is_finite() => sum / n as f64,
        // The sum is beyond the range of f64, their mean is not.
        _ => sum(2f64.powi(-64)) / n as f64 * 2f64.powi(64),
    }
}

impl Centred {
    #[allow(clippy::cast_precision_loss)] // fewer samples than 2^53
    fn of(values: &[f64]) -> Self {
        let sum: ExactSum = values.iter().copied().collect();
        let constant = values.iter().all(|x| *x == values[0]);
        // The mean of a constant is that constant, whatever the division rounds to.
        let mean = if constant {
            values[0]
        } else {
            sum.value() / values.len() as f64
        };
        let mut deviations: Vec<f64> = values.iter().map(|x| x - mean).collect();
        let largest = deviations.iter().fold(0.0f64, |m, x| m.max(x.abs()));
        let exponent = exponent(largest);
        let unit = 2f64.powi(-exponent);
        deviations.iter_mut().for_each(|x| *x *= unit);
        Self {
            mean,
            squares: products(&deviations, &deviations),
            deviations,
            exponent,
        }
    }
}

fn products(a: &[f64], b: &[f64]) -> f64 {
    let products = a.iter().zip(b).map(|(a, b)| a * b);
    products.collect::<ExactSum>().value()
}

fn pearson(first: &Centred, second: &Centred, covariance: f64) -> Option<f64> {
    let spread = first.squares.sqrt() * second.squares.sqrt();
    let correlation = covariance / spread;
    (spread > 0.0 && correlation.is_finite()).then(|| correlation.clamp(-1.0, 1.0))
}

/// `2 s_ij / (s_i² + s_j² + (m_i − m_j)²)`
#[allow(clippy::cast_precision_loss)]
fn concordance(first: &Centred, second: &Centred, covariance: f64, n: usize) -> Option<f64> {
    let shift = first.mean - second.mean;
    let common = first
        .exponent
        .max(second.exponent)
        .max(exponent(shift.abs()));
    let (of_first, of_second) = (
        2f64.powi(first.exponent - common),
        2f64.powi(second.exponent - common),
    );
    let shift = shift * 2f64.powi(-common);
    let room = first.squares * of_first * of_first
        + second.squares * of_second * of_second
        + n as f64 * shift * shift;
    let concordance = 2.0 * covariance * of_first * of_second / room;
    (room > 0.0 && concordance.is_finite()).then(|| concordance.clamp(-1.0, 1.0))
}

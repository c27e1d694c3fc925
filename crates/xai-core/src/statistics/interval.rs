//! Confidence intervals of estimates, by jackknife and bootstrap.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::error::{Error, Result};
use crate::number::check_finite_slice;
use crate::random::{random_stream, uniform_index};
use crate::statistics::centred::Centred;
use crate::statistics::summary::quantile_of_sorted;
use crate::{input, parallel};

/// Method by which an interval was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum IntervalMethod {
    /// Estimate ± Student's t times the standard error of the jackknife.
    Jackknife,
    /// Mean ± Student's t times the standard error.
    StudentT,
    /// Quantiles of bootstrap replicates.
    BootstrapPercentile,
    /// Quantiles of bootstrap replicates, corrected for bias and skewness (BCa).
    BootstrapBca,
    /// Wilson's score interval of a proportion.
    Wilson,
    /// Student's t on the logit scale, for the mean of values in [0, 1].
    LogitT,
    /// DeLong's interval of the area under the ROC curve.
    #[cfg_attr(feature = "serde", serde(rename = "delong"))]
    DeLong,
    /// Newcombe's score interval of the area under the ROC curve.
    Newcombe,
}

/// Confidence interval of an estimate.
///
/// Coverage of intervals of level .95 in 1 000 to 20 000 simulated data sets each (more of them in
/// `docs/statistics.md`):
///
/// | method | estimate | coverage |
/// |---|---|---|
/// | [`jackknife`] | an average over pairs of 3 to 30 runs | .93 to .98 |
/// | [`bootstrap_bca`] | an average of 10 to 50 values | .82 to .96 |
/// | [`bootstrap_bca`] | an average over pairs of 5 runs | .81 to .92 |
/// | [`bootstrap_bca`] | a share of 5 % among 30 | .77 |
/// | [`wilson`](crate::statistics::wilson) | a share of 5 % among 30 | .94 |
/// | [`unit_mean_interval`](crate::statistics::unit_mean_interval) | a mean of 10 to 10 000 values in [0, 1] | .92 to .98 |
/// | [`auroc_interval`](crate::statistics::auroc_interval) | an area under the ROC curve of 10 and 200 values | .89 to .96 |
///
/// Therefore proportions (means of values that are all 0 or 1) use Wilson's interval, and BCa and
/// Student's intervals over 20 units or fewer are [marked](Self::is_small_sample).
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Nominal coverage, for example 0.95.
    pub level: f64,
    /// Method by which the interval was computed.
    pub method: IntervalMethod,
    /// Number of independent units (runs, samples, graphs); `None` if only replicates are known.
    #[cfg_attr(feature = "serde", serde(default))]
    pub n_units: Option<usize>,
}

impl Interval {
    /// Returns `true` for intervals over 20 units or fewer whose coverage is below their level.
    /// Show a warning for them.
    ///
    /// Instead of .95, BCa intervals cover .73 to .86 of means of 5 values and .87 to .94 of means
    /// of 20 values, less for more skewed values. Student's intervals cover .82 to .92 for
    /// exponential and log-normal values, and .95 for symmetric ones. The [`jackknife`] of averages
    /// over pairs has about its nominal coverage from 3 units on.
    ///
    /// ```
    /// use xai_core::statistics::bootstrap_bca;
    /// let replicates: Vec<f64> = (0..=100).map(f64::from).collect();
    /// let interval = |n: usize| bootstrap_bca(50.0, &replicates, &vec![50.0; n], 0.95);
    /// assert!(interval(20)?.is_small_sample() && !interval(21)?.is_small_sample());
    /// # Ok::<(), xai_core::Error>(())
    /// ```
    #[must_use]
    pub fn is_small_sample(&self) -> bool {
        let falls_short = [IntervalMethod::BootstrapBca, IntervalMethod::StudentT];
        falls_short.contains(&self.method) && self.n_units.is_some_and(|n| n <= 20)
    }
}

/// Quantile `p` of Student's t distribution.
pub(super) fn student_t(p: f64, freedom: f64) -> Result<f64> {
    let distribution = StudentsT::new(0.0, 1.0, freedom)
        .map_err(|e| Error::parameter(input::UNITS, freedom, e.to_string()))?;
    Ok(distribution.inverse_cdf(p))
}

/// Checks the coverage of an interval.
pub(super) fn check_level(level: f64) -> Result<()> {
    // A level close to 1 may round to a probability of 1, for which quantiles are infinite.
    if level > 0.0 && 0.5 + level / 2.0 < 1.0 {
        Ok(())
    } else {
        Err(Error::parameter(
            input::LEVEL,
            level,
            "a coverage in (0, 1)",
        ))
    }
}

/// Jackknife interval of an estimate, from its values with one unit left out at a time.
///
/// ```text
/// se² = (n − 1)/n Σ (θ_(i) − mean θ_(·))²      θ ± t_{n−1} se
/// ```
///
/// A unit is what was drawn independently: a run, a sample or a graph, never a pair of them.
///
/// # Errors
/// `TooFew` for fewer than two units, `NonFinite` for an estimate, `InvalidParameter` for a level
/// outside (0, 1).
///
/// ```
/// // The mean of 1, 2, 3: its jackknife error is that of the mean, s/√n = 1/√3.
/// let interval = xai_core::statistics::jackknife(2.0, &[2.5, 2.0, 1.5], 0.95)?;
/// assert!((interval.high - (2.0 + 4.302_652_729_9 / 3f64.sqrt())).abs() < 1e-6);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 11.
pub fn jackknife(estimate: f64, leave_one_out: &[f64], level: f64) -> Result<Interval> {
    check_level(level)?;
    if leave_one_out.len() < 2 {
        return Err(Error::too_few(input::UNITS, 2, leave_one_out.len()));
    }
    check_finite_slice(input::ESTIMATE, &[estimate])?;
    check_finite_slice(input::LEAVE_ONE_OUT, leave_one_out)?;
    let n = leave_one_out.len() as f64;
    // (n − 1)/n Σ (…)² = (n − 1)²/n · std², with the sample deviation `std`.
    let std = Centred::new(leave_one_out).std().unwrap_or(f64::INFINITY);
    let error = std * (n - 1.0) / n.sqrt();
    by_student(estimate, error, leave_one_out.len(), level)
}

/// Interval `θ ± t_{n−1} error` of a jackknife over `n` units.
pub(super) fn by_student(estimate: f64, error: f64, n: usize, level: f64) -> Result<Interval> {
    let t = student_t(0.5 + level / 2.0, n as f64 - 1.0)?;
    Ok(Interval {
        low: estimate - t * error,
        high: estimate + t * error,
        level,
        method: IntervalMethod::Jackknife,
        n_units: Some(n),
    })
}

/// Bootstrap replicates of a statistic of `n` units.
///
/// `statistic` receives the indices of the units drawn with replacement. Replicate `b` draws from
/// the stream of `(seed, b)`, so the replicates do not depend on threads. A replicate for which it
/// returns `None` is left out, which makes the result shorter than `n_replicates`.
///
/// # Errors
/// `TooFew` for fewer than two units, `InvalidParameter` for no replicates, `NonFinite` for a
/// replicate.
///
/// ```
/// let values = [1.0, 2.0, 3.0];
/// let mean = |units: &[usize]| Some(units.iter().map(|&i| values[i]).sum::<f64>() / 3.0);
/// let replicates = xai_core::statistics::bootstrap_replicates(3, 100, 7, mean)?;
/// assert!(replicates.iter().all(|m| (1.0..=3.0).contains(m)));
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn bootstrap_replicates(
    n: usize,
    n_replicates: usize,
    seed: u64,
    statistic: impl Fn(&[usize]) -> Option<f64> + Sync + Send,
) -> Result<Vec<f64>> {
    if n < 2 {
        return Err(Error::too_few(input::UNITS, 2, n));
    }
    if n_replicates == 0 {
        return Err(Error::parameter(input::N_REPLICATES, 0, "at least 1"));
    }
    let drawn = parallel::map(n_replicates, |replicate| {
        let mut stream = random_stream(seed, replicate as u64);
        let units: Vec<usize> = (0..n).map(|_| uniform_index(&mut stream, n)).collect();
        statistic(&units)
    });
    let replicates: Vec<f64> = drawn.into_iter().flatten().collect();
    check_finite_slice(input::REPLICATES, &replicates)?;
    Ok(replicates)
}

/// Percentile interval: the range between two quantiles of bootstrap replicates.
///
/// # Errors
/// `TooFew` for fewer than two replicates, `NonFinite` for a replicate, `InvalidParameter` for a
/// level outside (0, 1).
///
/// ```
/// let replicates: Vec<f64> = (0..=100).map(f64::from).collect();
/// let interval = xai_core::statistics::bootstrap_percentile(&replicates, 0.9)?;
/// assert!((interval.low - 5.0).abs() < 1e-12 && (interval.high - 95.0).abs() < 1e-12);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn bootstrap_percentile(replicates: &[f64], level: f64) -> Result<Interval> {
    check_level(level)?;
    let sorted = sorted_replicates(replicates)?;
    let end = |q| quantile_of_sorted(&sorted, q).unwrap_or_default();
    Ok(Interval {
        low: end(0.5 - level / 2.0),
        high: end(0.5 + level / 2.0),
        level,
        method: IntervalMethod::BootstrapPercentile,
        n_units: None,
    })
}

/// Bias-corrected and accelerated (BCa) interval. Its quantiles are shifted by the share of
/// replicates below the estimate (bias) and by the skewness of the leave-one-out values
/// (acceleration).
///
/// Use [`wilson`](crate::statistics::wilson) for means of values that are all 0 or 1. [Up to
/// 20 units](Interval::is_small_sample) it covers less often than its level says.
///
/// # Errors
/// As [`bootstrap_percentile`] and [`jackknife`].
///
/// ```
/// let replicates: Vec<f64> = (0..=100).map(f64::from).collect();
/// let interval = xai_core::statistics::bootstrap_bca(50.0, &replicates, &[49.0, 50.0, 51.0], 0.9)?;
/// assert!((interval.low - 5.0).abs() < 1.5 && (interval.high - 95.0).abs() < 1.5);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Efron, *Better bootstrap confidence intervals*, 1987.
pub fn bootstrap_bca(
    estimate: f64,
    replicates: &[f64],
    leave_one_out: &[f64],
    level: f64,
) -> Result<Interval> {
    check_level(level)?;
    if leave_one_out.len() < 2 {
        return Err(Error::too_few(input::UNITS, 2, leave_one_out.len()));
    }
    check_finite_slice(input::ESTIMATE, &[estimate])?;
    check_finite_slice(input::LEAVE_ONE_OUT, leave_one_out)?;
    let sorted = sorted_replicates(replicates)?;
    let normal = Normal::standard();
    let n = sorted.len() as f64;
    // Replicates equal to the estimate count half, like a mid-rank. The share stays away from 0 and
    // 1, whose normal quantiles are infinite.
    let below = sorted.partition_point(|&x| x < estimate);
    let up_to = sorted.partition_point(|&x| x <= estimate);
    let share = ((below + up_to) as f64 / (2.0 * n)).clamp(0.5 / n, 1.0 - 0.5 / n);
    let bias = normal.inverse_cdf(share);
    let acceleration = Centred::new(leave_one_out).skew() / 6.0;
    let end = |q: f64| {
        let z = bias + normal.inverse_cdf(q);
        let moved = normal.cdf(bias + z / (1.0 - acceleration * z));
        quantile_of_sorted(&sorted, moved.clamp(0.0, 1.0)).unwrap_or_default()
    };
    Ok(Interval {
        low: end(0.5 - level / 2.0),
        high: end(0.5 + level / 2.0),
        level,
        method: IntervalMethod::BootstrapBca,
        n_units: Some(leave_one_out.len()),
    })
}

/// Checks and sorts replicates.
fn sorted_replicates(replicates: &[f64]) -> Result<Vec<f64>> {
    if replicates.len() < 2 {
        return Err(Error::too_few(input::REPLICATES, 2, replicates.len()));
    }
    check_finite_slice(input::REPLICATES, replicates)?;
    let mut sorted = replicates.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leave_one_out_means(values: &[f64]) -> Vec<f64> {
        let total: f64 = values.iter().sum();
        values
            .iter()
            .map(|x| (total - x) / (values.len() - 1) as f64)
            .collect()
    }

    #[test]
    fn the_jackknife_of_a_mean_is_the_t_interval() {
        let values = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0];
        let interval = jackknife(5.0, &leave_one_out_means(&values), 0.95).unwrap();
        let error = (32.0f64 / 7.0 / 8.0).sqrt();
        let t = 2.364_624_251_6; // t quantile 0.975 with 7 degrees of freedom
        assert!(
            (interval.low - (5.0 - t * error)).abs() < 1e-6,
            "{interval:?}"
        );
        assert!((interval.high - (5.0 + t * error)).abs() < 1e-6);
    }

    #[test]
    fn bca_moves_the_quantiles_by_the_skew() {
        let replicates: Vec<f64> = (0..=1000).map(f64::from).collect();
        // Deviations 1, 1, −2: a = −6 / (6 · 6^1.5), Φ(z / (1 − a z)) at z = ±1.6449.
        let bca = bootstrap_bca(500.0, &replicates, &[0.0, 0.0, 3.0], 0.9).unwrap();
        assert!((bca.low - 32.002_728).abs() < 1e-5, "{bca:?}");
        assert!((bca.high - 930.469_102).abs() < 1e-5);
        let constant = bootstrap_bca(500.0, &replicates, &[0.1; 3], 0.9).unwrap();
        assert!((constant.low - 50.0).abs() < 1e-6 && (constant.high - 950.0).abs() < 1e-6);
    }

    #[test]
    fn bca_without_bias_or_skew_is_the_percentile_interval() {
        let replicates: Vec<f64> = (0..=1000).map(f64::from).collect();
        let bca = bootstrap_bca(500.0, &replicates, &[1.0, 2.0, 3.0], 0.95).unwrap();
        let percentile = bootstrap_percentile(&replicates, 0.95).unwrap();
        assert!(
            (bca.low - percentile.low).abs() < 1e-6,
            "{bca:?} {percentile:?}"
        );
        assert!((bca.high - percentile.high).abs() < 1e-6);
    }

    #[test]
    fn replicates_depend_on_the_seed_alone() {
        let values = [0.3, 1.7, 2.2, 9.1];
        let mean = |units: &[usize]| Some(units.iter().map(|&i| values[i]).sum::<f64>() / 4.0);
        let draw = |seed| bootstrap_replicates(4, 200, seed, mean).unwrap();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn bad_input_is_named() {
        let about = |error: Error| (error.input(), std::mem::discriminant(error.kind()));
        let cases = [
            (
                jackknife(1.0, &[1.0], 0.95).unwrap_err(),
                Error::too_few(input::UNITS, 2, 1),
            ),
            (
                jackknife(1.0, &[1.0, 2.0], 1.0).unwrap_err(),
                Error::parameter(input::LEVEL, 1, ""),
            ),
            (
                jackknife(f64::NAN, &[1.0, 2.0], 0.9).unwrap_err(),
                Error::non_finite(input::ESTIMATE, &[0]),
            ),
            (
                bootstrap_percentile(&[1.0], 0.9).unwrap_err(),
                Error::too_few(input::REPLICATES, 2, 1),
            ),
            (
                bootstrap_replicates(1, 9, 0, |_| None).unwrap_err(),
                Error::too_few(input::UNITS, 2, 1),
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(about(error), about(expected));
        }
    }
}

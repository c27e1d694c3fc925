//! Confidence intervals of means and proportions.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::error::{Error, Result};
use crate::input;
use crate::statistics::interval::{Interval, IntervalMethod, by_student, check_level, student_t};
use crate::sum::Moments;

/// Confidence interval of the mean of independent values, from their moments. It has the same bits
/// for any order of the values.
///
/// Values in [0, 1] use [`unit_mean_interval`], which is Wilson's interval if all of them are 0 or
/// 1. Other values use [`t_interval`]. `None` without values, and where [`t_interval`] has none.
///
/// # Errors
/// `InvalidParameter` for a level outside (0, 1), `NonFinite` for a value.
///
/// ```
/// use xai_core::{statistics::mean_interval, sum::Moments};
/// let mut values = Moments::new();
/// for value in [1.0, 2.0, 3.0] {
///     values.add(value);
/// }
/// let interval = mean_interval(&values, 0.95)?.unwrap();
/// assert!((interval.high - (2.0 + 4.302_652_729_9 / 3f64.sqrt())).abs() < 1e-6);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn mean_interval(values: &Moments, level: f64) -> Result<Option<Interval>> {
    check_level(level)?;
    match (values.min(), values.max()) {
        (Some(min), Some(max)) if min >= 0.0 && max <= 1.0 => unit_mean_interval(values, level),
        _ => t_interval(values, level),
    }
}

/// Student's interval of the mean of independent values, `m ± t_{n−1} s/√n`. For a mean it equals
/// the jackknife interval.
///
/// `None` for fewer than two values, and where [`Moments::std`] has none. For few skewed values it is
/// [too narrow](Interval::is_small_sample).
///
/// # Errors
/// `InvalidParameter` for a level outside (0, 1), `NonFinite` for a value.
///
/// ```
/// use xai_core::{statistics::t_interval, sum::Moments};
/// let mut sizes = Moments::new();
/// for size in [1.0, 1.0, 4.0] {
///     sizes.add(size);
/// }
/// // m = 2, s = √3: 2 ± 4.3027
/// let interval = t_interval(&sizes, 0.95)?.unwrap();
/// assert!((interval.low + 2.302_652_729_9).abs() < 1e-6 && interval.is_small_sample());
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn t_interval(values: &Moments, level: f64) -> Result<Option<Interval>> {
    check_level(level)?;
    let Some(mean) = values.mean() else {
        return Ok(None);
    };
    if !mean.is_finite() {
        return Err(Error::non_finite(input::VALUES, &[]));
    }
    let Some(std) = values.std() else {
        return Ok(None);
    };
    let n = values.count();
    let error = std / (n as f64).sqrt();
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let interval = by_student(mean, error, n, level)?;
    Ok(Some(Interval {
        method: IntervalMethod::StudentT,
        ..interval
    }))
}

/// Confidence interval of the mean of independent values in [0, 1]: Student's t on the logit scale.
///
/// ```text
/// logit m ± t_{n−1} s / (√n m (1 − m))      m: the mean, s: the standard deviation
/// ```
///
/// Within [0, 1], with the same bits for any order of the values. Values that are all 0 or 1 use
/// [`wilson`]'s interval. So do values that are all equal, and a single value, because their
/// deviation carries no information: values of 0 and 1 have the largest variance of all
/// distributions on [0, 1] with the same mean. `None` without values.
///
/// Coverage of intervals of level .95 in 1 000 to 5 000 simulated data sets each, compared with m ±
/// t s/√n, which fails if most values are 1:
///
/// | values | n | coverage | m ± t s/√n |
/// |---|---|---|---|
/// | fifths, 85 % of them 1, mean .95 | 10 | .98 | .81 |
/// | | 30 | .95 | .87 |
/// | | 100 to 10 000 | .95 to .96 | .93 to .96 |
/// | fifths, 99 % of them 1, mean .995 | 10 | .95 | .10 |
/// | | 30 to 10 000 | .95 to .96 | .27 to .96 |
/// | fifths, about equally frequent, mean .55 | 10 | .98 | .95 |
/// | | 30 to 10 000 | .94 to .96 | .94 to .96 |
///
/// # Errors
/// `OutOfDomain` for values outside [0, 1], `InvalidParameter` for a level outside (0, 1).
///
/// ```
/// use xai_core::{statistics::unit_mean_interval, sum::Moments};
/// let mut values = Moments::new();
/// for value in [0.25, 0.5, 0.75] {
///     values.add(value);
/// }
/// // m = 0.5, s = 0.25: 0 ± 4.3027 · 0.25 / (√3 · 0.25)
/// let interval = unit_mean_interval(&values, 0.95)?.unwrap();
/// let half = 4.302_652_729_9 / 3f64.sqrt();
/// assert!((interval.high - 1.0 / (1.0 + (-half).exp())).abs() < 1e-9);
/// assert!((interval.low - (1.0 - interval.high)).abs() < 1e-15);
/// assert_eq!(unit_mean_interval(&Moments::new(), 0.95)?, None);
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn unit_mean_interval(values: &Moments, level: f64) -> Result<Option<Interval>> {
    check_level(level)?;
    let (Some(mean), Some(min), Some(max)) = (values.mean(), values.min(), values.max()) else {
        return Ok(None);
    };
    for end in [min, max] {
        if !(0.0..=1.0).contains(&end) {
            let expected = "a value in [0, 1]";
            return Err(Error::out_of_domain(input::VALUES, &[], end, expected));
        }
    }
    if let Some(ones) = values.n_ones() {
        return wilson(ones, values.count(), level).map(Some);
    }
    let (n, p) = (values.count() as f64, 0.5 + level / 2.0);
    let (method, (low, high)) = match values.std().filter(|std| *std > 0.0) {
        Some(std) => (IntervalMethod::LogitT, logit_t(mean, std, n, p)?),
        None => (IntervalMethod::Wilson, wilson_of_mean(mean, n, p)),
    };
    Ok(Some(Interval {
        low,
        high,
        level,
        method,
        n_units: usize::try_from(values.count()).ok(),
    }))
}

/// Ends of Student's interval on the logit scale. `p` is the upper probability.
fn logit_t(mean: f64, std: f64, n: f64, p: f64) -> Result<(f64, f64)> {
    let rest = 1.0 - mean;
    let half = student_t(p, n - 1.0)? * std / n.sqrt() / (mean * rest);
    // The upper end is the mirrored lower end of `1 − mean`, so that mirrored values have the
    // mirrored interval.
    let lower_end = |part: f64, rest: f64| 1.0 / (1.0 + rest / part * half.exp());
    Ok((lower_end(mean, rest), 1.0 - lower_end(rest, mean)))
}

/// Ends of Wilson's interval for a proportion `mean` of `n` units. `p` is the upper probability.
fn wilson_of_mean(mean: f64, n: f64, p: f64) -> (f64, f64) {
    let z = Normal::standard().inverse_cdf(p);
    let end = |part: f64| lower_end(part * n, n, z);
    (end(mean), 1.0 - end(1.0 - mean))
}

/// Wilson's score interval of a proportion, from `successes` among `n` independent units.
///
/// ```text
/// (s + z²/2 ± z √(s (n − s)/n + z²/4)) / (n + z²),  z the (1 + level)/2 quantile of the normal distribution
/// ```
///
/// Within [0, 1]. Its width is never 0: no success among `n` gives [0, z²/(n + z²)]. It replaces
/// the bootstrap for means of values that are all 0 or 1, where replicates take few distinct
/// values: for a proportion of 5 % of 30 units it covers .94, BCa .77.
///
/// # Errors
/// `TooFew` without units, `InvalidParameter` for more successes than units or a level outside (0,
/// 1).
///
/// ```
/// // One of ten; z² = 3.8415: (1 + 1.9207 ± 1.96 √(0.9 + 0.9604)) / 13.8415
/// let interval = xai_core::statistics::wilson(1, 10, 0.95)?;
/// assert!((interval.low - 0.0179).abs() < 1e-4 && (interval.high - 0.4042).abs() < 1e-4);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Wilson, *Probable inference, the law of succession, and statistical inference*, 1927.
pub fn wilson(successes: u64, n: u64, level: f64) -> Result<Interval> {
    check_level(level)?;
    if n == 0 {
        return Err(Error::too_few(input::UNITS, 1, 0));
    }
    if successes > n {
        let expected = format!("at most {n}, the number of units");
        return Err(Error::parameter(input::SUCCESSES, successes, expected));
    }
    let z = Normal::standard().inverse_cdf(0.5 + level / 2.0);
    // The upper end is the mirrored lower end of the failures, so that neither end cancels.
    let (low, high) = (
        lower_end(successes as f64, n as f64, z),
        1.0 - lower_end((n - successes) as f64, n as f64, z),
    );
    Ok(Interval {
        low,
        high,
        level,
        method: IntervalMethod::Wilson,
        n_units: usize::try_from(n).ok(),
    })
}

/// Lower end of Wilson's interval for `s` successes of `n`; 0 if there are none. It is the smaller
/// root of a quadratic equation, computed as the product of both roots, `s²/(n (n + z²))`, divided
/// by the larger one, which does not cancel.
pub(super) fn lower_end(s: f64, n: f64, z: f64) -> f64 {
    let failures = n - s;
    let half = z * (s / n * failures + z * z / 4.0).sqrt();
    s / n * s / (s + z * z / 2.0 + half)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use proptest::prelude::*;

    fn moments(values: impl IntoIterator<Item = f64>) -> Moments {
        let mut moments = Moments::new();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_mean_and_is_mirrored_with_the_values(values in prop::collection::vec(0u8..=8, 1..50)) {
            let of = |mirror: bool| moments(values.iter().map(|&v| {
                let share = f64::from(v) / 8.0;
                if mirror { 1.0 - share } else { share }
            }));
            let (one, other) = (of(false), of(true));
            let interval = unit_mean_interval(&one, 0.95).unwrap().unwrap();
            let mirrored = unit_mean_interval(&other, 0.95).unwrap().unwrap();
            let mean = one.mean().unwrap();
            prop_assert!(0.0 <= interval.low && interval.low <= mean && mean <= interval.high && interval.high <= 1.0);
            prop_assert!(interval.low < interval.high);
            prop_assert!((interval.low - (1.0 - mirrored.high)).abs() < 1e-13);
        }
    }

    #[test]
    fn many_values_have_the_interval_of_the_normal_distribution() {
        let values = moments((0..1_000_000u32).map(|i| f64::from(i % 1001) / 1000.0));
        let Interval { low, high, .. } = unit_mean_interval(&values, 0.95).unwrap().unwrap();
        // Uniform: s = 0.2889, s/√n = 0.000289.
        assert!(
            (high - low - 2.0 * 1.96 * 0.000_288_9).abs() < 1e-6,
            "{low} {high}"
        );
    }

    #[test]
    fn equal_values_have_the_widest_interval() {
        let of = |values: &[f64]| unit_mean_interval(&moments(values.iter().copied()), 0.95);
        let equal = of(&[0.5; 10]).unwrap().unwrap();
        let halves = wilson(5, 10, 0.95).unwrap();
        assert!((equal.low - halves.low).abs() < 1e-15 && (equal.high - halves.high).abs() < 1e-15);
        assert_eq!(of(&[1.0; 10]).unwrap(), Some(wilson(10, 10, 0.95).unwrap()));
        assert_eq!(of(&[0.5, 1.5]).unwrap_err().input(), input::VALUES);
    }

    proptest! {
        #[test]
        fn the_ends_solve_the_quadratic_equation(
            (successes, n) in (1u64..2000).prop_flat_map(|n| (0..=n, Just(n))), level in 0.5..0.999f64,
        ) {
            let Interval { low, high, .. } = wilson(successes, n, level).unwrap();
            let share = successes as f64 / n as f64;
            prop_assert!(0.0 <= low && low <= share && share <= high && high <= 1.0 && low < high);
            let z = Normal::standard().inverse_cdf(0.5 + level / 2.0);
            for p in [low, high] {
                // |share − p| = z √(p (1 − p)/n)
                let distance = (share - p).powi(2) - z * z * p * (1.0 - p) / n as f64;
                prop_assert!(distance.abs() < 1e-12, "{} {}", p, distance);
            }
            let mirrored = wilson(n - successes, n, level).unwrap();
            prop_assert!((mirrored.low - (1.0 - high)).abs() < 1e-15);
        }
    }

    #[test]
    fn intervals_of_0_and_all_successes_have_positive_width() {
        let z2 = 1.959_963_984_540_054f64.powi(2);
        let none = wilson(0, 30, 0.95).unwrap();
        assert_eq!(none.low, 0.0);
        assert!((none.high - z2 / (30.0 + z2)).abs() < 1e-12, "{none:?}");
        let all = wilson(30, 30, 0.95).unwrap();
        assert_eq!(all.high, 1.0);
        assert!((all.low - 30.0 / (30.0 + z2)).abs() < 1e-12, "{all:?}");
    }

    #[test]
    fn bad_input_is_named() {
        let none = wilson(0, 0, 0.95).unwrap_err();
        assert!(matches!(none.kind(), ErrorKind::TooFew { .. }));
        assert_eq!(none.input(), input::UNITS);
        let more = wilson(3, 2, 0.95).unwrap_err();
        assert_eq!(more.input(), input::SUCCESSES);
        assert_eq!(wilson(1, 2, 1.0).unwrap_err().input(), input::LEVEL);
    }
}

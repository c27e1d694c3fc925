//! Intervals of means of values in [0, 1].

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

use crate::error::{Error, Result};
use crate::input;
use crate::statistics::interval::{Interval, IntervalMethod, check_level};
use crate::statistics::wilson::{lower_end, wilson};
use crate::sum::Moments;

/// The interval of the mean of values in [0, 1] that were drawn independently: Student's t on the logit
/// scale.
///
/// ```text
/// logit m ± t_{n−1} s / (√n m (1 − m))      m: the mean, s: the standard deviation
/// ```
///
/// Within [0, 1], and the same to the last bit for any order of the values. Values that are all 0 or 1
/// take [`wilson`]'s interval, and so do values that are all equal, or one value alone, whose deviation
/// says nothing: no distribution on [0, 1] of that mean has a larger one. `None` without values.
///
/// How often intervals of level .95 do cover, in 1 000 to 5 000 simulated data sets each, beside m ± t s/√n, which
/// fails where most values are 1:
///
/// | values | n | covers | m ± t s/√n |
/// |---|---|---|---|
/// | fifths, 85 % of them 1, mean .95 | 10 | .98 | .81 |
/// | | 30 | .95 | .87 |
/// | | 100 to 10 000 | .95 to .96 | .93 to .96 |
/// | fifths, 99 % of them 1, mean .995 | 10 | .95 | .10 |
/// | | 30 to 10 000 | .95 to .96 | .27 to .96 |
/// | fifths, nearly alike in number, mean .55 | 10 | .98 | .95 |
/// | | 30 to 10 000 | .94 to .96 | .94 to .96 |
///
/// # Errors
/// [`ErrorKind::OutOfDomain`](crate::ErrorKind::OutOfDomain) for values outside [0, 1],
/// [`ErrorKind::InvalidParameter`](crate::ErrorKind::InvalidParameter) for a level outside (0, 1).
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
        None => (IntervalMethod::Wilson, of_equal(mean, n, p)),
    };
    Ok(Some(Interval {
        low,
        high,
        level,
        method,
        n_units: usize::try_from(values.count()).ok(),
    }))
}

fn logit_t(mean: f64, std: f64, n: f64, p: f64) -> Result<(f64, f64)> {
    let t = StudentsT::new(0.0, 1.0, n - 1.0)
        .map_err(|e| Error::parameter(input::UNITS, n, e.to_string()))?
        .inverse_cdf(p);
    let rest = 1.0 - mean;
    let half = t * std / n.sqrt() / (mean * rest);
    let end = |part: f64, rest: f64| 1.0 / (1.0 + rest / part * half.exp());
    Ok((end(mean, rest), 1.0 - end(rest, mean)))
}

fn of_equal(mean: f64, n: f64, p: f64) -> (f64, f64) {
    let z = Normal::standard().inverse_cdf(p);
    let end = |part: f64| lower_end(part * n, n, z);
    (end(mean), 1.0 - end(1.0 - mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn moments(values: impl IntoIterator<Item = f64>) -> Moments {
        let mut moments = Moments::new();
        values.into_iter().for_each(|value| moments.add(value));
        moments
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_mean_and_mirrors(values in prop::collection::vec(0u8..=8, 1..50)) {
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
}

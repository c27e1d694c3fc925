//! Jackknife for units with few distinct leave-one-out values.

use crate::error::{Error, Result};
use crate::input;
use crate::number::check_finite_slice;
use crate::statistics::centred::{exponent, largest};
use crate::statistics::interval::{Interval, by_student, check_level};

/// [`jackknife`](crate::statistics::jackknife) for many units that are alike. `kinds` has, for each
/// kind of unit, the estimate without one such unit and the number of these units.
///
/// ```text
/// se² = (n − 1)/n Σ_k n_k (θ_(k) − mean θ_(·))²,   n = Σ_k n_k      θ ± t_{n−1} se
/// ```
///
/// The time does not depend on the number of units. Kinds with count 0 are ignored, also if their
/// estimate is not finite.
///
/// # Errors
/// `TooFew` for fewer than two units, `NonFinite` for an estimate, `InvalidParameter` for a level
/// outside (0, 1).
///
/// ```
/// use xai_core::statistics::{jackknife, jackknife_with_counts};
/// // The mean of 0, 0, 1 is 1/3: without a 0 it is 1/2, without the 1 it is 0.
/// let interval = jackknife_with_counts(1.0 / 3.0, &[(0.5, 2), (0.0, 1)], 0.95)?;
/// assert!((interval.high - (1.0 / 3.0 + 4.302_652_729_9 / 3.0)).abs() < 1e-6);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// Efron and Tibshirani, *An Introduction to the Bootstrap*, 1993, chapter 11.
pub fn jackknife_with_counts(estimate: f64, kinds: &[(f64, u64)], level: f64) -> Result<Interval> {
    check_level(level)?;
    let kinds: Vec<(f64, f64)> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|&(value, count)| (value, count as f64))
        .collect();
    let values: Vec<f64> = kinds.iter().map(|(value, _)| *value).collect();
    let n: f64 = kinds.iter().map(|(_, count)| count).sum();
    if n < 2.0 {
        return Err(Error::too_few(input::UNITS, 2, n as usize));
    }
    check_finite_slice(input::ESTIMATE, &[estimate])?;
    check_finite_slice(input::LEAVE_ONE_OUT, &values)?;
    // Deviations are taken from the first value, so that equal values give exactly 0 instead of a
    // rounding error, and in units of a power of two, in which squares do not underflow.
    let differences: Vec<f64> = values.iter().map(|x| x - values[0]).collect();
    let unit = 2f64.powi(exponent(largest(&differences)));
    let from_first = |x: f64| (x - values[0]) / unit;
    let shift: f64 = kinds.iter().map(|(x, count)| count * from_first(*x)).sum();
    let squares: f64 = kinds
        .iter()
        .map(|(x, count)| {
            let deviation = from_first(*x) - shift / n;
            count * deviation * deviation
        })
        .sum();
    let error = ((n - 1.0) / n * squares).sqrt() * unit;
    by_student(estimate, error, n as usize, level)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::statistics::jackknife;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counted_kinds_give_the_jackknife_of_their_units(
            kinds in prop::collection::vec((-1e3..1e3f64, 0u64..30), 1..6), level in 0.5..0.99f64,
        ) {
            let units: Vec<f64> = kinds
                .iter()
                .flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize))
                .collect();
            match (jackknife_with_counts(1.5, &kinds, level), jackknife(1.5, &units, level)) {
                (Ok(ours), Ok(theirs)) => {
                    prop_assert!((ours.low - theirs.low).abs() <= 1e-9 * (theirs.high - theirs.low).max(1.0));
                    prop_assert_eq!(ours.n_units, theirs.n_units);
                }
                (ours, theirs) => prop_assert_eq!(ours.is_err(), theirs.is_err()),
            }
        }
    }

    #[test]
    fn one_kind_has_no_width_and_bad_input_is_named() {
        let alike = jackknife_with_counts(0.1, &[(0.1, 7), (f64::NAN, 0)], 0.95).unwrap();
        assert_eq!((alike.low, alike.high), (0.1, 0.1));
        let few = jackknife_with_counts(0.1, &[(0.1, 1)], 0.95).unwrap_err();
        assert!(matches!(few.kind(), ErrorKind::TooFew { .. }));
        let wrong = jackknife_with_counts(0.1, &[(0.1, 2), (f64::NAN, 1)], 0.95).unwrap_err();
        assert_eq!(
            (wrong.input(), wrong.index()),
            (input::LEAVE_ONE_OUT, &[1][..])
        );
    }
}

//! Confidence intervals of the area under the ROC curve.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::error::Result;
use crate::input;
use crate::number::{Real, check_finite_slice};
use crate::statistics::interval::{Interval, IntervalMethod, check_level, student_t};
use crate::statistics::ranks::for_each_tie;
use crate::tensor::check_shape;

/// Confidence interval of [`auroc`](crate::statistics::auroc), the probability `A` that a value of
/// the second class is above one of the first. Uses DeLong's variance on the logit scale.
///
/// ```text
/// v = S₂/n₂ + S₁/n₁      S: the variance over the values of one class of the share of the other class that
///                           lies below (second class) or above (first class), ties half
/// logit A ± t √v / (A (1 − A))      t with Welch and Satterthwaite's degrees of freedom
/// ```
///
/// Within [0, 1]. `None` without values of both classes. If all these shares are equal, for example
/// because the classes are perfectly separated, or if a class has one value, the variance cannot be
/// estimated. The result is then Newcombe's score interval with the variance of Hanley and McNeil
/// ([`IntervalMethod::Newcombe`]), whose width is never 0. Values are assumed to be independent.
/// Takes `O(n log n)` and counts in integers; swapping the classes mirrors the interval.
///
/// Coverage of intervals of level .95 for normally distributed values of both classes, at `A` of
/// .5, .8, .95 and .99, in 4 000 simulated data sets each (400 in the last row):
///
/// | values per class | coverage |
/// |---|---|
/// | 1 and 50 | .94 to 1.00 |
/// | 3 and 50 | .92 to .99 |
/// | 10 and 10 | .98 to .99 |
/// | 10 and 200 | .89 to .96 |
/// | 30 and 30 | .95 to .98 |
/// | 200 and 2000 | .92 to .97 |
///
/// # Errors
/// `ShapeMismatch` if there is not one flag per value, `NonFinite` for a value, `InvalidParameter`
/// for a level outside (0, 1).
///
/// ```
/// use xai_core::statistics::{IntervalMethod, auroc_interval};
/// // First class 1, 3; second class 2, 4: shares 0.5 and 1 of the first class are below 2 and 4, so A = 0.75 and both
/// // variances S are 0.125; √v = √0.125, 2 degrees of freedom, t = 4.3027.
/// let flags = [false, true, false, true];
/// let interval = auroc_interval(&[1.0, 2.0, 3.0, 4.0], &flags, 0.95)?.unwrap();
/// let logit = |p: f64| (p / (1.0 - p)).ln();
/// let half = 4.302_652_729_9 * 0.125f64.sqrt() / (0.75 * 0.25);
/// assert!((logit(interval.high) - (3f64.ln() + half)).abs() < 1e-6);
/// assert!((logit(interval.low) - (3f64.ln() - half)).abs() < 1e-6);
/// let separated = auroc_interval(&[1.0, 2.0, 3.0, 4.0], &[false, false, true, true], 0.95)?.unwrap();
/// assert!(separated.low < 0.5 && separated.high == 1.0);
/// assert_eq!(separated.method, IntervalMethod::Newcombe);
/// assert_eq!(auroc_interval(&[1.0, 2.0], &[true, true], 0.95)?, None);
/// # Ok::<(), xai_core::Error>(())
/// ```
///
/// # Source
/// DeLong, DeLong and Clarke-Pearson, *Comparing the areas under two or more correlated receiver
/// operating characteristic curves*, 1988; the logit scale: Pepe, *The statistical evaluation of medical
/// tests*, 2003, section 5.2; degrees of freedom: Brunner and Munzel, *The nonparametric Behrens-Fisher
/// problem*, 2000; separated classes: Newcombe, *Confidence intervals for an effect size measure based on
/// the Mann-Whitney statistic, part 2*, 2006, method 5.
pub fn auroc_interval<T: Real>(
    values: &[T],
    is_second: &[bool],
    level: f64,
) -> Result<Option<Interval>> {
    check_level(level)?;
    check_shape(input::LABELS, &[values.len()], &[is_second.len()])?;
    check_finite_slice(input::VALUES, values)?;
    let (first, second) = placements(values, is_second);
    if first.count == 0 || second.count == 0 {
        return Ok(None);
    }
    let spread = first
        .variance_of_mean(second.count)
        .zip(second.variance_of_mean(first.count))
        .filter(|(first_variance, second_variance)| first_variance + second_variance > 0.0);
    let (method, (low, high)) = match spread {
        Some(spread) => {
            let ends = delong(&first, &second, spread, 0.5 + level / 2.0)?;
            (IntervalMethod::DeLong, ends)
        }
        None => {
            let ends = newcombe(&first, &second, 0.5 + level / 2.0);
            (IntervalMethod::Newcombe, ends)
        }
    };
    Ok(Some(Interval {
        low,
        high,
        level,
        method,
        n_units: Some(values.len()),
    }))
}

/// Area `A` and its complement `1 − A`, both from exact counts, so that neither is a difference
/// that cancels.
fn areas(first: &Placements, second: &Placements) -> (f64, f64) {
    let pairs = 2 * first.count * second.count;
    let share = |count: u128| count as f64 / pairs as f64;
    (share(second.sum), share(pairs - second.sum))
}

/// Interval from DeLong's variance, given the variance of the mean share of each class. `p` is the
/// upper probability of the interval.
fn delong(
    first: &Placements,
    second: &Placements,
    (first_variance, second_variance): (f64, f64),
    p: f64,
) -> Result<(f64, f64)> {
    let (above, below) = areas(first, second);
    let (error, freedom) = welch(
        (first_variance, first.count),
        (second_variance, second.count),
    );
    let half = student_t(p, freedom)? * error / (above * below);
    // Inverse logit of `logit(area) − half`. The upper end is the mirrored lower end of the
    // complement, so that neither end loses digits near 0 or 1.
    let lower_end = |area: f64, rest: f64| 1.0 / (1.0 + rest / area * half.exp());
    Ok((lower_end(above, below), 1.0 - lower_end(below, above)))
}

/// Newcombe's score interval. `p` is the upper probability of the interval.
fn newcombe(first: &Placements, second: &Placements, p: f64) -> (f64, f64) {
    let (above, below) = areas(first, second);
    let z = Normal::standard().inverse_cdf(p);
    let numbers = (first.count as f64, second.count as f64);
    let lower_end = |area| newcombe_lower_end(area, numbers, z);
    (lower_end(above), 1.0 - lower_end(below))
}

/// Placements of the values of one class: for each value, twice the number of values of the other
/// class on the correct side, so that ties count 1.
///
/// Stores their number, sum and sum of squares in integers that cannot overflow.
#[derive(Default)]
struct Placements {
    count: u128,
    sum: u128,
    squares: u128,
}

impl Placements {
    fn add(&mut self, twice: u128, times: u128) {
        self.count += times;
        self.sum += times * twice;
        self.squares += times * twice * twice;
    }

    /// Variance of the mean placement, as a share of the other class with `n_other` values. `None`
    /// for one value.
    fn variance_of_mean(&self, n_other: u128) -> Option<f64> {
        // Not negative, because n Σx² ≥ (Σx)². Exact, so that it is 0 only if all placements are equal.
        let spread = self.count * self.squares - self.sum * self.sum;
        let (n, n_other) = (self.count as f64, n_other as f64);
        (self.count > 1).then(|| spread as f64 / (n * n * (n - 1.0)) / (4.0 * n_other * n_other))
    }
}

/// Placements of both classes: numbers of second values above each first one, and of first values
/// below each second one.
fn placements<T: Real>(values: &[T], is_second: &[bool]) -> (Placements, Placements) {
    let n_second = is_second.iter().filter(|&&second| second).count() as u128;
    let (mut first, mut second) = (Placements::default(), Placements::default());
    for_each_tie(values, |_, ties| {
        let n_second_ties = ties.iter().filter(|&&i| is_second[i]).count() as u128;
        let n_first_ties = ties.len() as u128 - n_second_ties;
        let above = n_second - second.count - n_second_ties;
        second.add(2 * first.count + n_first_ties, n_second_ties);
        first.add(2 * above + n_second_ties, n_first_ties);
    });
    (first, second)
}

/// Standard error of the sum of two independent means and its degrees of freedom, from the variance
/// and the number of values of each mean.
fn welch(
    (first_variance, n_first): (f64, u128),
    (second_variance, n_second): (f64, u128),
) -> (f64, f64) {
    let all = first_variance + second_variance;
    // Relative to the total variance, whose square could underflow.
    let (first, second) = (first_variance / all, second_variance / all);
    let share = |part: f64, n: u128| part * part / (n as f64 - 1.0);
    let freedom = 1.0 / (share(first, n_first) + share(second, n_second));
    (all.sqrt(), freedom)
}

/// Lower end of Newcombe's interval: the area below the estimate whose distance from it is `z`
/// standard errors. The standard error is Hanley and McNeil's, with the mean of both sample sizes
/// in place of each.
fn newcombe_lower_end(area: f64, (n_first, n_second): (f64, f64), z: f64) -> f64 {
    let more = (n_first + n_second) / 2.0 - 1.0;
    let variance = |p: f64| {
        let factor = 1.0 + more * ((1.0 - p) / (2.0 - p) + p / (1.0 + p));
        p * (1.0 - p) * factor / (n_first * n_second)
    };
    let (mut low, mut high) = (0.0, area);
    // Bisection: the condition holds below the end and not between the end and the estimate. 60
    // steps exceed the precision of `f64`.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if (area - middle) * (area - middle) > z * z * variance(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::statistics::{auroc, jackknife};
    use proptest::prelude::*;

    fn scored() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
        prop::collection::vec((0u8..7, any::<bool>()), 2..60)
            .prop_map(|v| v.into_iter().map(|(x, s)| (f64::from(x), s)).unzip())
    }

    proptest! {
        #[test]
        fn swapping_the_classes_mirrors_the_interval((values, second) in scored(), level in 0.5..0.99f64) {
            let first: Vec<bool> = second.iter().map(|s| !s).collect();
            let of = |flags: &[bool]| auroc_interval(&values, flags, level).unwrap();
            match (auroc(&values, &second), of(&second), of(&first)) {
                (Some(area), Some(one), Some(other)) => {
                    prop_assert!(0.0 <= one.low && one.low <= area && area <= one.high && one.high <= 1.0);
                    prop_assert!(one.low < one.high);
                    prop_assert!((one.low - (1.0 - other.high)).abs() < 1e-13, "{one:?} {other:?}");
                    prop_assert!((one.high - (1.0 - other.low)).abs() < 1e-13);
                    prop_assert_eq!(one.method, other.method);
                }
                nothing => prop_assert_eq!(nothing, (None, None, None)),
            }
        }

        /// Leaving a value out of its kind moves the area by its share's distance from the mean.
        #[test]
        fn the_variance_is_that_of_the_jackknife_within_each_class((values, second) in scored()) {
            let (first, second_placements) = placements(&values, &second);
            prop_assume!(first.count > 1 && second_placements.count > 1);
            let area = auroc(&values, &second).unwrap();
            for kind in [false, true] {
                let without = |i: usize| {
                    let keep = |j: &usize| *j != i;
                    let v: Vec<f64> = (0..values.len()).filter(keep).map(|j| values[j]).collect();
                    let s: Vec<bool> = (0..values.len()).filter(keep).map(|j| second[j]).collect();
                    auroc(&v, &s).unwrap()
                };
                let left: Vec<f64> = (0..values.len()).filter(|&i| second[i] == kind).map(without).collect();
                let interval = jackknife(area, &left, 0.95).unwrap();
                let t = student_t(0.975, left.len() as f64 - 1.0).unwrap();
                let error = (interval.high - interval.low) / 2.0 / t;
                let (placements, n_other) = if kind {
                    (&second_placements, first.count)
                } else {
                    (&first, second_placements.count)
                };
                let ours = placements.variance_of_mean(n_other).unwrap();
                prop_assert!((ours.sqrt() - error).abs() < 1e-7, "{} {}", ours.sqrt(), error);
            }
        }
    }

    #[test]
    fn ends_for_separated_classes_solve_the_score_equation() {
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let second: Vec<bool> = (0..12).map(|i| i >= 8).collect();
        let interval = auroc_interval(&values, &second, 0.95).unwrap().unwrap();
        let (p, z2) = (interval.low, 1.959_963_984_540_054f64.powi(2));
        let variance = p * (1.0 - p) * (1.0 + 5.0 * ((1.0 - p) / (2.0 - p) + p / (1.0 + p))) / 32.0;
        assert!(
            ((1.0 - p).powi(2) - z2 * variance).abs() < 1e-12,
            "{interval:?}"
        );
        assert_eq!(
            (interval.high, interval.method),
            (1.0, IntervalMethod::Newcombe)
        );
    }

    #[test]
    fn for_many_values_the_t_quantile_is_normal() {
        let values: Vec<f64> = (0..400_000i64)
            .map(|i| (i * 7919 % 10_007) as f64)
            .collect();
        let second: Vec<bool> = (0..400_000).map(|i| i % 3 == 0).collect();
        let interval = auroc_interval(&values, &second, 0.95).unwrap().unwrap();
        // Unrelated values: √(1/12 (1/n₁ + 1/n₂)) = 0.000968.
        let half = (interval.high - interval.low) / 2.0;
        assert!((half - 1.96 * 0.000_968).abs() < 2e-5, "{interval:?}");
    }

    #[test]
    fn bad_input_is_named() {
        let about =
            |values: &[f64], level| auroc_interval(values, &[true, false], level).unwrap_err();
        assert_eq!(about(&[1.0, 2.0], 1.0).input(), input::LEVEL);
        assert_eq!(about(&[1.0, f64::NAN], 0.9).input(), input::VALUES);
        assert!(matches!(
            about(&[1.0], 0.9).kind(),
            ErrorKind::ShapeMismatch { .. }
        ));
    }
}

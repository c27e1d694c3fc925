//! Summary statistics of values some of which may be undefined.

use crate::error::{Error, Result};
use crate::input;
use crate::number::check_finite_slice;
use crate::statistics::centred::Centred;
use crate::sum::ExactMean;

/// Summary statistics of values. Undefined values are left out and counted.
///
/// ```
/// let summary = xai_core::Summary::from_values([Some(1.0), None, Some(2.0), Some(6.0)])?;
/// assert_eq!((summary.n_defined, summary.n_undefined), (3, 1));
/// assert_eq!(summary.mean, Some(3.0));
/// assert_eq!(summary.std, Some(7f64.sqrt())); // ((−2)² + (−1)² + 3²)/(3 − 1) = 7
/// assert_eq!(summary.median, Some(2.0));
/// assert_eq!(summary.q75, Some(4.0)); // halfway from 2 to 6
/// # Ok::<(), xai_core::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Number of defined values, over which the statistics are taken.
    pub n_defined: usize,
    /// Number of undefined values.
    pub n_undefined: usize,
    /// Mean; `None` without defined values.
    pub mean: Option<f64>,
    /// Sample standard deviation (ddof 1); `None` for fewer than two values, or if it exceeds the
    /// range of `f64`.
    pub std: Option<f64>,
    /// Smallest value.
    pub min: Option<f64>,
    /// Lower quartile, linearly interpolated.
    pub q25: Option<f64>,
    /// Median.
    pub median: Option<f64>,
    /// Upper quartile, linearly interpolated.
    pub q75: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
}

impl Summary {
    /// Summarises values in any order. Mean and deviation are computed from exact sums.
    ///
    /// # Errors
    /// `NonFinite` for the first value that is not finite.
    pub fn from_values(values: impl IntoIterator<Item = Option<f64>>) -> Result<Self> {
        let mut n_undefined = 0;
        let mut defined = Vec::new();
        for (index, value) in values.into_iter().enumerate() {
            match value {
                None => n_undefined += 1,
                Some(x) if x.is_finite() => defined.push(x),
                Some(_) => return Err(Error::non_finite(input::VALUES, &[index])),
            }
        }
        defined.sort_unstable_by(f64::total_cmp);
        let quantile = |q| quantile_of_sorted(&defined, q);
        Ok(Self {
            n_defined: defined.len(),
            n_undefined,
            mean: defined.iter().copied().collect::<ExactMean>().value(),
            std: Centred::new(&defined).std(),
            min: defined.first().copied(),
            q25: quantile(0.25),
            median: quantile(0.5),
            q75: quantile(0.75),
            max: defined.last().copied(),
        })
    }
}

/// The `q`-quantile of finite values, `q` in [0, 1]: the linear interpolation at position `q (n −
/// 1)` of the sorted values. `None` without values.
///
/// # Errors
/// `InvalidParameter` for `q` outside [0, 1], `NonFinite` for a value.
///
/// ```
/// assert_eq!(xai_core::statistics::quantile(&[4.0, 1.0, 2.0], 0.75)?, Some(3.0));
/// # Ok::<(), xai_core::Error>(())
/// ```
pub fn quantile(values: &[f64], q: f64) -> Result<Option<f64>> {
    if !(0.0..=1.0).contains(&q) {
        return Err(Error::parameter(input::Q, q, "a share in [0, 1]"));
    }
    check_finite_slice(input::VALUES, values)?;
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Ok(quantile_of_sorted(&sorted, q))
}

/// Quantile of values in ascending order.
pub(crate) fn quantile_of_sorted(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = q * last as f64;
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    let weight = position - below as f64;
    // Exact for a weight of 0 and between equal values. Only the difference of two huge values of
    // opposite sign overflows.
    let (low, high) = (sorted[below], sorted[above]);
    let gap = high - low;
    Some(if gap.is_finite() {
        low + weight * gap
    } else {
        low * (1.0 - weight) + high * weight
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_result_does_not_depend_on_the_order_of_values(
            (values, shuffled) in prop::collection::vec(prop::option::of(-1e6..1e6f64), 0..40)
                .prop_flat_map(|v| (Just(v.clone()), Just(v).prop_shuffle()))
        ) {
            prop_assert_eq!(Summary::from_values(values).unwrap(), Summary::from_values(shuffled).unwrap());
        }

        #[test]
        fn statistics_are_between_the_extremes(values in prop::collection::vec(-1e6..1e6f64, 1..40)) {
            let s = Summary::from_values(values.iter().copied().map(Some)).unwrap();
            let ordered = [s.min, s.q25, s.median, s.q75, s.max].map(Option::unwrap);
            prop_assert!(ordered.is_sorted());
            let mean = s.mean.unwrap();
            prop_assert!(s.min.unwrap() <= mean + 1e-9 && mean <= s.max.unwrap() + 1e-9);
        }
    }

    #[test]
    fn nothing_has_no_statistics() {
        let nothing = Summary::from_values([None, None]).unwrap();
        assert_eq!(
            nothing,
            Summary {
                n_undefined: 2,
                ..Summary::default()
            }
        );
        let one = Summary::from_values([Some(3.0)]).unwrap();
        assert_eq!(
            (one.mean, one.std, one.median),
            (Some(3.0), None, Some(3.0))
        );
    }

    #[test]
    fn bad_input_is_named() {
        let error = Summary::from_values([Some(1.0), None, Some(f64::NAN)]).unwrap_err();
        assert_eq!((error.input(), error.index()), (input::VALUES, &[2][..]));
        assert_eq!(quantile(&[1.0], 1.5).unwrap_err().input(), input::Q);
        assert_eq!(quantile(&[], 0.5).unwrap(), None);
    }
}

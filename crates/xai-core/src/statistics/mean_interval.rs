//! Intervals of means of any values.

use super::interval::{Interval, by_student, check_level};
use super::unit_mean::unit_mean_interval;
use crate::error::{Error, Result};
use crate::input;
use crate::sum::Moments;

/// The interval of the mean of values that were drawn independently, from their moments: the same bits
/// for any order of the values.
///
/// Values that all lie in [0, 1] take [`unit_mean_interval`], and among them those that are all 0 or 1
/// Wilson's. Others take the jackknife of a mean, which is `m ± t_{n−1} s/√n`: `None` below two of them,
/// or where the deviation leaves the range of `f64`.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`](crate::ErrorKind::InvalidParameter) for a level outside (0, 1),
/// [`ErrorKind::NonFinite`](crate::ErrorKind::NonFinite) for values that are not finite.
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
    let (Some(mean), Some(min), Some(max)) = (values.mean(), values.min(), values.max()) else {
        return Ok(None);
    };
    if !mean.is_finite() {
        return Err(Error::non_finite(input::VALUES, &[]));
    }
    if min >= 0.0 && max <= 1.0 {
        return unit_mean_interval(values, level);
    }
    let Some(std) = values.std() else {
        return Ok(None);
    };
    let n = values.count();
    let error = std / (n as f64).sqrt();
    by_student(mean, error, usize::try_from(n).unwrap_or(usize::MAX), level).map(Some)
}

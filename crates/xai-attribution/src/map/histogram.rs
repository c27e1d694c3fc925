//! Histogram of the values of a map.

use xai_core::Result;
use xai_core::describe::Parameter;
use xai_core::number::elementary;
use xai_core::statistics::quantile;

/// Largest number of bins.
const MAX_BINS: usize = 1 << 20;

/// Number of bins of equal width between the smallest and the largest value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Bins {
    /// This number of bins, 1 to 1 048 576.
    #[param(plain, at_least = 1, at_most = MAX_BINS)]
    Count(usize),
    /// Bins of width at most `2 (q₇₅ − q₂₅) / ∛n` for `n` values with these quartiles: the rule of Freedman and
    /// Diaconis. Never more than 1 048 576 bins, and a single bin if the quartiles are equal.
    FreedmanDiaconis,
}

impl Default for Bins {
    /// 100 bins.
    fn default() -> Self {
        Self::Count(100)
    }
}

impl Bins {
    /// Number of bins for finite values.
    pub(crate) fn count(self, values: &[f64]) -> Result<usize> {
        if let Self::Count(count) = self {
            return Ok(count);
        }
        let at = |q| quantile(values, q).map(Option::unwrap_or_default);
        // The cube root by functions with the same bits on every machine: the number of bins must not depend on it.
        let root = elementary::exp(elementary::ln(values.len() as f64) / 3.0);
        let width = 2.0 * (at(0.75)? - at(0.25)?) / root;
        let (low, high) = ends(values);
        if !(width > 0.0 && width.is_finite()) {
            return Ok(1);
        }
        // `as` saturates if the quotient exceeds the range of integers.
        Ok((((high - low) / width).ceil() as usize).clamp(1, MAX_BINS))
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    values
        .iter()
        .fold(ends, |(low, high), &x| (low.min(x), high.max(x)))
}

/// Counts values in bins of equal width over their range. Bins are closed below, the last one on both sides.
///
/// The counts are those of `numpy.histogram`, including its corrections at the edges. Equal values all fall into the
/// middle bin.
pub(crate) fn histogram(values: &[f64], n_bins: usize) -> Vec<usize> {
    let mut counts = vec![0usize; n_bins];
    let (low, high) = ends(values);
    if high <= low {
        counts[n_bins / 2] = values.len();
        return counts;
    }
    // If the range overflows, that of the values divided by 4 does not.
    let unit = if (high - low).is_finite() { 1.0 } else { 0.25 };
    let (low, high) = (low * unit, high * unit);
    let step = (high - low) / n_bins as f64;
    // The edges of `numpy.linspace`, which multiplies in another order if the step underflows.
    let edge = |bin: usize| {
        if bin == n_bins {
            high
        } else if step == 0.0 {
            (bin as f64 / n_bins as f64) * (high - low) + low
        } else {
            bin as f64 * step + low
        }
    };
    for value in values {
        let value = value * unit;
        // Rounding may put a value near an edge one bin off, so compare with the edges themselves.
        let bin_coordinate = ((value - low) / (high - low)) * n_bins as f64;
        let mut bin = (bin_coordinate as usize).min(n_bins - 1);
        if value < edge(bin) {
            bin -= 1;
        }
        if bin < n_bins - 1 && value >= edge(bin + 1) {
            bin += 1;
        }
        counts[bin] += 1;
    }
    counts
}

/// Entropy `−Σ q ln q` in nats, with `q` the share of each bin in the total count.
pub(crate) fn entropy(counts: &[usize]) -> f64 {
    let total = counts.iter().sum::<usize>() as f64;
    let shares = counts.iter().filter(|&&count| count > 0);
    let terms = shares.map(|&count| {
        let share = count as f64 / total;
        share * elementary::ln(share)
    });
    // `0 - x` instead of `-x`: a single bin has entropy 0, not −0.
    0.0 - terms.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bin_is_closed_on_both_sides() {
        assert_eq!(histogram(&[0.0, 1.0, 2.0, 3.0, 4.0], 2), [2, 3]);
        assert_eq!(histogram(&[0.0, 1.0], 1), [2]);
        assert_eq!(histogram(&[2.5; 3], 3), [0, 3, 0]);
    }

    /// Edges are multiples of the rounded width, so 3/10 lies below the fourth edge, as in `numpy.histogram`.
    #[test]
    fn values_at_an_edge_are_where_numpy_has_them() {
        let tenths: Vec<f64> = (0..=10).map(|i| f64::from(i) / 10.0).collect();
        assert_eq!(histogram(&tenths, 10), [1, 1, 2, 0, 1, 2, 1, 0, 1, 2]);
        let thirds: Vec<f64> = (0..=21).map(|i| f64::from(i) * 0.3 - 1.1).collect();
        assert_eq!(histogram(&thirds, 7), [3, 3, 3, 3, 3, 3, 4]);
    }

    #[test]
    fn ranges_beyond_that_of_f64_are_counted() {
        assert_eq!(histogram(&[-f64::MAX, 0.0, f64::MAX], 2), [1, 2]);
        assert_eq!(histogram(&[0.0, f64::MIN_POSITIVE / 4.0], 2), [1, 1]);
    }

    #[test]
    fn entropy_is_that_of_the_shares() {
        assert_eq!(entropy(&[0, 5, 0]), 0.0);
        assert!((entropy(&[2, 2, 0, 2, 2]) - 4f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn freedman_and_diaconis_count_by_quartiles() {
        // The quartiles of 0 to 7 are 1.75 and 5.25, so bins have the width 2 · 3.5 / ∛8 = 3.5.
        let values: Vec<f64> = (0..8).map(f64::from).collect();
        assert_eq!(Bins::FreedmanDiaconis.count(&values).unwrap(), 2);
        assert_eq!(
            Bins::FreedmanDiaconis
                .count(&[1.0, 1.0, 1.0, 9.0, 1.0])
                .unwrap(),
            1
        );
        assert_eq!("12".parse::<Bins>().unwrap(), Bins::Count(12));
    }
}

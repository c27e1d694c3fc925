//! `x ln x` of counts, the terms of entropies.

use std::sync::LazyLock;

use xai_core::number::elementary::ln;

/// Computes `x ln x` of counts as integers, rounded down to multiples of a unit.
///
/// The unit is a power of two such that `n ln n` is between 2^60 and 2^61 units (for `n ≥ 2`). Sums of integers are
/// exact, so that sums over the cells of a table do not depend on the order of the cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountLogs {
    /// Number of units in 1.0.
    units: f64,
}

impl CountLogs {
    /// Chooses the unit for tables of `n` samples, fewer than 2^53.
    pub(crate) fn new(n: u64) -> Self {
        let largest = (n as f64 * ln(n as f64)).max(1.0);
        // The biased exponent field minus 1023 is ⌊log2 largest⌋; one more is the next power of two above.
        let power_above = (largest.to_bits() >> 52) as i32 - 1022;
        Self {
            units: 2f64.powi(61 - power_above),
        }
    }

    /// `x ln x` of a count of at most `n` in units, below 2^61.
    fn in_units(self, count: u64) -> i64 {
        if count < 2 {
            return 0; // By convention 0 ln 0 = 0, and 1 ln 1 is 0.
        }
        let small = usize::try_from(count).ok().and_then(|x| SMALL_LOGS.get(x));
        (small.copied().unwrap_or_else(|| x_ln_x(count)) * self.units) as i64
    }

    /// Sum of `x ln x` over counts, in units.
    pub(crate) fn sum(self, counts: impl Iterator<Item = u64>) -> i128 {
        counts.map(|count| i128::from(self.in_units(count))).sum()
    }
}

/// `x ln x` of a count of at least 1.
pub(crate) fn x_ln_x(x: u64) -> f64 {
    let x = x as f64;
    x * ln(x)
}

/// `x ln x` of small counts. In a table of many classes most cells are small, and a lookup is faster than a logarithm.
static SMALL_LOGS: LazyLock<[f64; 1024]> =
    LazyLock::new(|| std::array::from_fn(|x| x_ln_x(x.max(1) as u64)));

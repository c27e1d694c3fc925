//! `x ln x` of counts, which entropies are sums of.

use std::sync::LazyLock;

use xai_core::number::elementary::ln;

/// `x ln x` of counts as integers: rounded down to multiples of a unit, a power of two chosen so that `n ln n` is between
/// 2^60 and 2^61 units (`n ≥ 2`).
///
/// Sums of integers are exact, so sums over the cells of a table do not depend on the order of the cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CountLogs {
    /// Units per 1.
    units: f64,
}

impl CountLogs {
    /// For tables of `n` samples, fewer than 2^53.
    pub(crate) fn new(n: u64) -> Self {
        let most = (n as f64 * ln(n as f64)).max(1.0);
        // The exponent of `most`, plus 1: the power of two above it.
        let above = (most.to_bits() >> 52) as i32 - 1022;
        Self {
            units: 2f64.powi(61 - above),
        }
    }

    /// `x ln x` of a count of at most `n`, in units: below 2^61.
    fn of(self, count: u64) -> i64 {
        if count < 2 {
            return 0; // 0 ln 0 is 0
        }
        let small = usize::try_from(count).ok().and_then(|x| SMALL_LOGS.get(x));
        (small.copied().unwrap_or_else(|| x_ln_x(count)) * self.units) as i64
    }

    /// The sum of `x ln x` over counts.
    pub(crate) fn sum(self, counts: impl Iterator<Item = u64>) -> i128 {
        counts.map(|count| i128::from(self.of(count))).sum()
    }
}

/// `x ln x` of a count of at least 1.
pub(crate) fn x_ln_x(x: u64) -> f64 {
    let x = x as f64;
    x * ln(x)
}

/// `x ln x` of small counts, which most cells of a table of many classes have: a look-up instead of a logarithm.
static SMALL_LOGS: LazyLock<[f64; 1024]> =
    LazyLock::new(|| std::array::from_fn(|x| x_ln_x(x.max(1) as u64)));

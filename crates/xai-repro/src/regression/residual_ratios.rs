//! How alike two runs' residuals are in size, per sample and on average.

/// Means over the samples, all from one pass.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResidualRatios {
    pub(super) ratio: f64,
    pub(super) signed_ratio: f64,
    pub(super) difference: f64,
    pub(super) signed_difference: f64,
}

impl ResidualRatios {
    /// Of two runs' residuals, at least one sample.
    pub(super) fn new(first: &[f64], second: &[f64]) -> Self {
        let [ratio, signed_ratio, difference, signed_difference] = of_residuals(first, second);
        Self {
            ratio,
            signed_ratio,
            difference,
            signed_difference,
        }
    }
}

/// Shares in [−1, 1], added as integers of 2⁻⁶²: their order does not show.
#[derive(Default)]
struct ShareSum(i128);

impl ShareSum {
    const ONE: f64 = (1u64 << 62) as f64;

    #[inline]
    fn add(&mut self, share: f64) {
        self.0 += i128::from((share * Self::ONE) as i64);
    }

    fn mean(&self, n: usize) -> f64 {
        self.0 as f64 / Self::ONE / n as f64
    }
}

/// Ratio, signed ratio, relative difference, and signed relative difference of residuals.
fn of_residuals(first: &[f64], second: &[f64]) -> [f64; 4] {
    let mut sums = [(); 4].map(|()| ShareSum::default());
    for (&a, &b) in first.iter().zip(second) {
        let (low, high) = (a.abs().min(b.abs()), a.abs().max(b.abs()));
        if high == 0.0 {
            // Both right: as consistent as can be, in either direction.
            sums[0].add(1.0);
            sums[1].add(1.0);
            continue;
        }
        // The product itself could underflow.
        let sign = match (a == 0.0 || b == 0.0, (a > 0.0) == (b > 0.0)) {
            (true, _) => 0.0,
            (false, true) => 1.0,
            (false, false) => -1.0,
        };
        let ratio = low / high;
        let difference = (high - low) / (high + low);
        sums[0].add(ratio);
        sums[1].add(sign * ratio);
        sums[2].add(difference);
        sums[3].add(sign * difference);
    }
    sums.map(|sum| sum.mean(first.len()))
}

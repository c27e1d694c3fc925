//! How a metric is spread over pairs, in memory that does not grow with their number.

use xai_core::{ExactSum, Interval, Result, Summary, jackknife};

/// Number, mean, deviation and extremes of values, whatever their order.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Spread {
    n_defined: u64,
    n_undefined: u64,
    sum: ExactSum,
    /// The squares, each with its rounding error: so the deviation is exact too, and needs no second
    /// pass around the mean.
    squares: ExactSum,
    low: f64,
    high: f64,
}

impl Default for Spread {
    fn default() -> Self {
        Self {
            n_defined: 0,
            n_undefined: 0,
            sum: ExactSum::new(),
            squares: ExactSum::new(),
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        }
    }
}

#[allow(clippy::cast_precision_loss)] // fewer pairs than 2^53
impl Spread {
    pub(crate) fn add(&mut self, value: Option<f64>) {
        let Some(value) = value else {
            self.n_undefined += 1;
            return;
        };
        self.n_defined += 1;
        self.sum.add(value);
        let (square, error) = exact_product(value, value);
        self.squares.add(square);
        self.squares.add(error);
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.n_defined += other.n_defined;
        self.n_undefined += other.n_undefined;
        self.sum.add_sum(&other.sum);
        self.squares.add_sum(&other.squares);
        self.low = self.low.min(other.low);
        self.high = self.high.max(other.high);
    }

    /// The summary, without quantiles.
    pub(crate) fn summary(&self) -> Summary {
        let if_any = |value| (self.n_defined > 0).then_some(value);
        let count = |n| usize::try_from(n).unwrap_or(usize::MAX);
        Summary {
            n_defined: count(self.n_defined),
            n_undefined: count(self.n_undefined),
            mean: if_any(self.sum.value() / self.n_defined as f64),
            std: self.deviation(),
            min: if_any(self.low),
            max: if_any(self.high),
            ..Summary::default()
        }
    }

    /// `√((n Σx² − (Σx)²) / (n (n − 1)))`, the difference taken exactly.
    fn deviation(&self) -> Option<f64> {
        if self.n_defined < 2 {
            return None;
        }
        let n = self.n_defined as f64;
        let mut spread = ExactSum::new();
        let mut add = |a: f64, b: f64| {
            let (product, error) = exact_product(a, b);
            spread.add(product);
            spread.add(error);
        };
        for part in parts(&self.squares) {
            add(n, part);
        }
        let sum = parts(&self.sum);
        for a in sum {
            for b in sum {
                add(-a, b);
            }
        }
        // Squares beyond the range of f64 leave no number, which `max` would hide.
        let squares = Some(spread.value()).filter(|squares| squares.is_finite())?;
        Some((squares.max(0.0) / n / (n - 1.0)).sqrt())
    }
}

/// A sum as four doubles of descending size: 212 bits of it.
fn parts(sum: &ExactSum) -> [f64; 4] {
    let mut rest = sum.clone();
    [(); 4].map(|()| {
        let part = rest.value();
        rest.add(-part);
        part
    })
}

/// A product and what rounding took from it. (Dekker's way: a fused multiply-add is a call into a
/// library where the processor may lack it.)
fn exact_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let high = x * 134_217_729.0; // 2^27 + 1
        let high = high - (high - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    (product, error)
}

/// The spread over all pairs, and what each run has part in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PairSpread {
    pub(crate) spread: Spread,
    /// For each run the sum of its pairs' defined values, and their number.
    of_run: Vec<(ExactSum, u64)>,
}

impl PairSpread {
    pub(crate) fn new(n_runs: usize) -> Self {
        Self {
            spread: Spread::default(),
            of_run: vec![(ExactSum::new(), 0); n_runs],
        }
    }

    pub(crate) fn add(&mut self, first: usize, second: usize, value: Option<f64>) {
        self.spread.add(value);
        if let Some(value) = value {
            for run in [first, second] {
                self.of_run[run].0.add(value);
                self.of_run[run].1 += 1;
            }
        }
    }

    /// Adds another, whose runs are these.
    pub(crate) fn merge(&mut self, other: &Self, runs: impl Iterator<Item = usize>) {
        self.spread.merge(&other.spread);
        for (run, theirs) in runs.zip(&other.of_run) {
            let mine = &mut self.of_run[run];
            mine.0.add_sum(&theirs.0);
            mine.1 += theirs.1;
        }
    }

    /// The means without each run; `None` when some run has part in every defined pair.
    pub(crate) fn leave_one_out(&self) -> Option<Vec<f64>> {
        let without = |(with, n_with): &(ExactSum, u64)| {
            let n = self
                .spread
                .n_defined
                .checked_sub(*n_with)
                .filter(|&n| n > 0)?;
            let mut rest: ExactSum = parts(with).into_iter().map(|part| -part).collect();
            rest.add_sum(&self.spread.sum);
            #[allow(clippy::cast_precision_loss)] // fewer pairs than 2^53
            Some(rest.value() / n as f64)
        };
        self.of_run.iter().map(without).collect()
    }

    /// The jackknife interval of the mean.
    pub(crate) fn interval(&self, level: f64) -> Result<Option<Interval>> {
        let mean = self.spread.summary().mean;
        match (mean, self.leave_one_out()) {
            (Some(mean), Some(leave_one_out)) if leave_one_out.len() > 2 => {
                jackknife(mean, &leave_one_out, level).map(Some)
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spread(values: &[Option<f64>]) -> Spread {
        let mut spread = Spread::default();
        for &value in values {
            spread.add(value);
        }
        spread
    }

    proptest! {
        #[test]
        fn the_spread_is_that_of_all_values_at_once(
            values in prop::collection::vec(prop::option::of(-1.0..1.0f64), 0..60), cut in 0usize..60,
        ) {
            let whole = spread(&values);
            let (left, right) = values.split_at(cut.min(values.len()));
            let mut merged = spread(right);
            merged.merge(&spread(left));
            prop_assert_eq!(&merged, &whole);
            let (ours, two_pass) = (whole.summary(), Summary::of(values).unwrap());
            prop_assert_eq!((ours.n_defined, ours.n_undefined), (two_pass.n_defined, two_pass.n_undefined));
            prop_assert_eq!((ours.mean, ours.min, ours.max), (two_pass.mean, two_pass.min, two_pass.max));
            match (ours.std, two_pass.std) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() <= 1e-14 * b.max(1e-300), "{} {}", a, b),
                (a, b) => prop_assert_eq!(a, b),
            }
        }
    }

    #[test]
    fn equal_values_have_no_deviation() {
        let same = spread(&[Some(0.1); 1000]).summary();
        assert_eq!((same.std, same.mean), (Some(0.0), Some(0.1)));
        // Nine digits are lost to the mean; the deviation keeps all of its own.
        let near = spread(&[Some(1e9), Some(1e9 + 1.0), Some(1e9 + 2.0)]).summary();
        assert_eq!(near.std, Some(1.0));
        assert_eq!(spread(&[Some(1e200), Some(2e200)]).summary().std, None);
    }
}

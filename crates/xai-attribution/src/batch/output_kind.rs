//! Whether the outputs of a run are probabilities or logits.

/// What the outputs of a model are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputKind {
    Logits,
    Probabilities,
}

/// The fewest and the most decimals that rounded probabilities are recognised by: with one decimal, too much is rounded, and beyond four
/// the rounding is smaller than that of half precision.
const DECIMALS: [i32; 3] = [2, 3, 4];

/// The largest deviation from 1 of the sum of probabilities that were computed in half precision or in `bfloat16`, whose rounding is
/// 2⁻⁹ of each.
const HALF_PRECISION: f64 = 1.0 / 256.0;

/// Sums of probabilities that are rounded may deviate from 1 by as much as this.
const MOST_DEVIATION: f64 = 0.5;

/// What the rows of outputs of a run have in common. It does not depend on their order, nor on the batches that they came in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenOutputs {
    n_outputs: usize,
    are_shares: bool,
    /// The largest distance of the sum of a row from 1.
    deviation: f64,
    /// By the entries of [`DECIMALS`]: whether all outputs have at most so many decimals.
    are_rounded: [bool; 3],
}

impl Default for SeenOutputs {
    fn default() -> Self {
        Self {
            n_outputs: 0,
            are_shares: true,
            deviation: 0.0,
            are_rounded: [true; 3],
        }
    }
}

impl SeenOutputs {
    /// Takes down a row of outputs.
    pub(crate) fn add(&mut self, outputs: &[f64]) {
        self.n_outputs = self.n_outputs.max(outputs.len());
        self.are_shares &= outputs.iter().all(|output| (0.0..=1.0).contains(output));
        self.deviation = self
            .deviation
            .max((outputs.iter().sum::<f64>() - 1.0).abs());
        for (are_rounded, decimals) in self.are_rounded.iter_mut().zip(DECIMALS) {
            let unit = 10f64.powi(decimals);
            // A decimal fraction in single precision is off by up to 2⁻²⁵.
            let slack = unit * f64::from(f32::EPSILON);
            let is_rounded =
                |output: &f64| (output * unit - (output * unit).round()).abs() <= slack;
            *are_rounded = *are_rounded && outputs.iter().all(is_rounded);
        }
    }

    /// Probabilities if every output lies in [0, 1] and every row adds to 1 but for rounding; else logits. With the reason.
    pub(crate) fn kind(&self) -> (OutputKind, &'static str) {
        let rounded = self.are_rounded.iter().position(|&are_rounded| are_rounded);
        // Half a unit of the last decimal for each output.
        let of_rounding = rounded.map_or(0.0, |place| {
            0.5 * 10f64.powi(-DECIMALS[place]) * self.n_outputs as f64
        });
        let tolerance = of_rounding.clamp(HALF_PRECISION, MOST_DEVIATION);
        if self.n_outputs == 1 {
            (OutputKind::Logits, "logits: there is one for each input")
        } else if !self.are_shares {
            (OutputKind::Logits, "logits: some are not in [0, 1]")
        } else if self.deviation > tolerance {
            (
                OutputKind::Logits,
                "logits: those of an input do not always add to 1",
            )
        } else {
            (
                OutputKind::Probabilities,
                "probabilities: all are in [0, 1], and those of each input add to 1",
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xai_core::Activation;
    use xai_core::random::{random_stream, uniform_index};

    /// Probabilities of `n` inputs over some classes, after a change of each.
    fn probabilities(n: usize, n_classes: usize, change: impl Fn(f64) -> f64) -> SeenOutputs {
        let mut seen = SeenOutputs::default();
        for row in 0..n {
            let mut stream = random_stream(7, row as u64);
            let logit = |_| uniform_index(&mut stream, 10_000) as f64 / 1_000.0;
            let mut outputs: Vec<f64> = (0..n_classes).map(logit).collect();
            Activation::Softmax.apply_row(&mut outputs);
            let changed: Vec<f64> = outputs.into_iter().map(&change).collect();
            seen.add(&changed);
        }
        seen
    }

    /// A number with so many bits of mantissa, as half precision has 11 and `bfloat16` 8.
    fn with_bits(x: f64, bits: i32) -> f64 {
        if x == 0.0 {
            return 0.0;
        }
        let unit = 2f64.powi(x.log2().floor() as i32 + 1 - bits);
        (x / unit).round() * unit
    }

    #[test]
    fn probabilities_are_recognised_in_any_precision() {
        for n_classes in [2, 3, 10, 100, 1_000] {
            for bits in [8, 11, 24, 53] {
                let seen = probabilities(200, n_classes, |p| with_bits(p, bits));
                assert_eq!(
                    seen.kind().0,
                    OutputKind::Probabilities,
                    "{n_classes} {bits}"
                );
            }
            for decimals in [2, 3, 4, 6] {
                let unit = 10f64.powi(decimals);
                let rounded = |p: f64| (p * unit).round() / unit;
                let seen = probabilities(200, n_classes, rounded);
                // A thousand probabilities of two decimals are mostly 0.
                if n_classes < 100 || decimals > 2 {
                    assert_eq!(
                        seen.kind().0,
                        OutputKind::Probabilities,
                        "{n_classes} {decimals}"
                    );
                }
                let single = probabilities(200, n_classes, |p| f64::from(rounded(p) as f32));
                assert_eq!(single.kind().0, seen.kind().0, "{n_classes} {decimals}");
            }
        }
    }

    #[test]
    fn what_is_not_a_distribution_is_read_as_logits() {
        let of = |rows: &[&[f64]]| {
            let mut seen = SeenOutputs::default();
            rows.iter().for_each(|row| seen.add(row));
            seen.kind().0
        };
        assert_eq!(of(&[&[0.25, 0.75], &[1.0, 0.0]]), OutputKind::Probabilities);
        // One row decides for all.
        assert_eq!(of(&[&[0.25, 0.75], &[1.5, -0.5]]), OutputKind::Logits);
        assert_eq!(
            of(&[&[0.25, 0.75], &[0.25, 0.7499], &[0.4, 0.5]]),
            OutputKind::Logits
        );
        // One output may be the probability or the logit of a class.
        assert_eq!(of(&[&[0.5], &[0.75]]), OutputKind::Logits);
        // Sigmoids of several labels.
        assert_eq!(of(&[&[0.9, 0.8, 0.1]]), OutputKind::Logits);
    }
}

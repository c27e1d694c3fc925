//! Decides whether the outputs of a model are probabilities or logits.

/// Kind of the outputs of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputKind {
    Logits,
    Probabilities,
}

/// Numbers of decimals at which rounded probabilities are recognised. One decimal is too coarse to tell; rounding to
/// more than four is finer than that of half precision, which is tolerated anyway.
const DECIMALS: [i32; 3] = [2, 3, 4];

/// Tolerated deviation from 1 of the sum of probabilities computed in half precision or `bfloat16`. The latter rounds
/// each by at most 2⁻⁸ of its value, so that the sum is off by at most 2⁻⁸.
const HALF_PRECISION: f64 = 1.0 / 256.0;

/// Largest tolerated deviation from 1 of the sum of rounded probabilities, however many there are.
const MOST_DEVIATION: f64 = 0.5;

/// Properties that all rows of outputs seen so far have. Independent of the order of the rows and of the batches.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SeenOutputs {
    n_outputs: usize,
    are_shares: bool,
    /// Largest distance of the sum of a row from 1.
    deviation: f64,
    /// Per entry of [`DECIMALS`]: whether all outputs have at most that many decimals.
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
    /// Includes a row of outputs.
    pub(crate) fn add(&mut self, outputs: &[f64]) {
        self.n_outputs = self.n_outputs.max(outputs.len());
        self.are_shares &= outputs.iter().all(|output| (0.0..=1.0).contains(output));
        self.deviation = self
            .deviation
            .max((outputs.iter().sum::<f64>() - 1.0).abs());
        for (are_rounded, decimals) in self.are_rounded.iter_mut().zip(DECIMALS) {
            let unit = 10f64.powi(decimals);
            // In single precision, a decimal fraction in [0, 1] is off by up to 2⁻²⁵; `f32::EPSILON` is 2⁻²³.
            let slack = unit * f64::from(f32::EPSILON);
            let is_rounded =
                |output: &f64| (output * unit - (output * unit).round()).abs() <= slack;
            *are_rounded = *are_rounded && outputs.iter().all(is_rounded);
        }
    }

    /// Returns the kind with the reason: probabilities if there are several outputs per row, all of them lie in
    /// [0, 1], and every row sums to 1 up to rounding; otherwise logits.
    pub(crate) fn kind(&self) -> (OutputKind, &'static str) {
        let rounded = self.are_rounded.iter().position(|&are_rounded| are_rounded);
        // Rounding changes each output by at most half a unit of the last decimal.
        let rounding = rounded.map_or(0.0, |index| {
            0.5 * 10f64.powi(-DECIMALS[index]) * self.n_outputs as f64
        });
        let tolerance = rounding.clamp(HALF_PRECISION, MOST_DEVIATION);
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

    /// Seen outputs of `n` softmax rows over some classes, after applying `change` to each probability.
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

    /// Rounds to `bits` bits of mantissa (half precision has 11, `bfloat16` 8).
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
                // With two decimals, most of a hundred or more probabilities round to 0.
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
    fn outputs_that_are_no_distribution_are_read_as_logits() {
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

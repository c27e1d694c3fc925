//! Simulated true labels, drawn from class probabilities.

use xai_core::random::{RandomStream, random_stream};
use xai_core::{Error, Result};

use crate::simulate::alias_table::AliasTable;
use crate::{help, input};

/// Number of attempts to draw labels with every class before an error.
const MAX_DRAWS: u64 = 10_000;

/// Draws independent true labels, class `i` with probability `p_i`.
///
/// ```
/// use xai_repro::simulate::LabelSimulator;
/// let simulator = LabelSimulator::with_every_class(&[0.5, 0.3, 0.2], 100)?;
/// let labels = simulator.simulate(1, 0)?; // draw 0 under seed 1
/// assert!((0..3).all(|class| labels.contains(&class)));
/// assert_eq!(labels, simulator.simulate(1, 0)?);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LabelSimulator {
    distribution: AliasTable,
    /// Probability of the rarest class.
    min_probability: f64,
    n_samples: usize,
    every_class: bool,
}

impl LabelSimulator {
    /// Creates a simulator of `n_samples` labels per draw, class `i` with probability `probabilities[i]`.
    ///
    /// # Errors
    /// As [`AliasTable::new`].
    pub fn new(probabilities: &[f64], n_samples: usize) -> Result<Self> {
        Ok(Self {
            distribution: AliasTable::new(probabilities)?,
            min_probability: probabilities.iter().copied().fold(f64::INFINITY, f64::min),
            n_samples,
            every_class: false,
        })
    }

    /// Creates a simulator whose labels contain every class: a draw that lacks a class is rejected as a whole and
    /// repeated.
    ///
    /// # Errors
    /// As [`AliasTable::new`], `TooFew` for fewer labels than classes, and `InvalidParameter` if the rarest class is
    /// expected to occur in less than one of 10 000 draws.
    pub fn with_every_class(probabilities: &[f64], n_samples: usize) -> Result<Self> {
        let simulator = Self::new(probabilities, n_samples)?;
        let c = simulator.distribution.n_classes();
        if n_samples < c {
            return Err(Error::too_few(input::N_SAMPLES, c, n_samples));
        }
        // A draw with every class has at most the probability `1 − (1 − p)^n` that the rarest class occurs. If less
        // than one success is then expected among all attempts, fail now instead of after 10 000 draws. `ln_1p` keeps
        // the digits of a small `p`.
        let absent = (n_samples as f64 * (-simulator.min_probability).ln_1p()).exp();
        if (1.0 - absent) * (MAX_DRAWS as f64) < 1.0 {
            return Err(simulator.too_rare());
        }
        Ok(Self {
            every_class: true,
            ..simulator
        })
    }

    /// Draws labels from the random stream of `(seed, item)`.
    ///
    /// # Errors
    /// `InvalidParameter` if every class is required and each of 10 000 draws lacked one.
    pub fn simulate(&self, seed: u64, item: u64) -> Result<Vec<u32>> {
        let mut stream = random_stream(seed, item);
        let mut labels = Vec::with_capacity(self.n_samples);
        for _ in 0..MAX_DRAWS {
            sample(&self.distribution, self.n_samples, &mut stream, &mut labels);
            if !self.every_class || has_every_class(&labels, self.distribution.n_classes()) {
                return Ok(labels);
            }
        }
        Err(self.too_rare())
    }

    fn too_rare(&self) -> Error {
        let value = format!("{} for the rarest class", self.min_probability);
        let n = self.n_samples;
        let expected = format!("a class likely enough to occur among {n} labels");
        Error::parameter(input::PROBABILITIES, value, expected).with_help(help::DRAW_MORE_LABELS)
    }
}

/// Fills `labels` with `n` draws.
pub(crate) fn sample(
    distribution: &AliasTable,
    n: usize,
    stream: &mut RandomStream,
    labels: &mut Vec<u32>,
) {
    labels.clear();
    labels.extend((0..n).map(|_| distribution.sample(stream)));
}

fn has_every_class(labels: &[u32], c: usize) -> bool {
    let mut seen = vec![false; c];
    for &label in labels {
        seen[label as usize] = true;
    }
    !seen.contains(&false)
}

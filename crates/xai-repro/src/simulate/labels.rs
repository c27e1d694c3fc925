//! Labels drawn from class probabilities.

use xai_core::random::{Xoshiro256PlusPlus, random_stream};
use xai_core::{Error, Result};

use crate::simulate::alias_table::AliasTable;
use crate::{help, input};

/// How often all labels are drawn before it is an error that a class is missing.
const MOST_REDRAWS: u64 = 10_000;

/// Draws true labels: independent and identically distributed, class `i` with probability `p_i`.
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
    law: AliasTable,
    rarest: f64,
    n_samples: usize,
    every_class: bool,
}

impl LabelSimulator {
    /// `n_samples` labels per draw, class `i` with probability `probabilities[i]`.
    ///
    /// # Errors
    /// As [`AliasTable::new`].
    pub fn new(probabilities: &[f64], n_samples: usize) -> Result<Self> {
        Ok(Self {
            law: AliasTable::new(probabilities)?,
            rarest: probabilities.iter().copied().fold(f64::INFINITY, f64::min),
            n_samples,
            every_class: false,
        })
    }

    /// As [`new`](Self::new), conditioned on every class occurring: a draw that lacks a class is rejected and repeated
    /// as a whole.
    ///
    /// # Errors
    /// As [`AliasTable::new`]; `TooFew` for fewer labels than classes, `InvalidParameter` for a class too
    /// rare to be expected once in 10 000 draws.
    pub fn with_every_class(probabilities: &[f64], n_samples: usize) -> Result<Self> {
        let simulator = Self::new(probabilities, n_samples)?;
        let c = simulator.law.n_classes();
        if n_samples < c {
            return Err(Error::too_few(input::N_SAMPLES, c, n_samples));
        }
        // Every class occurs with probability at most `1 − (1 − p)^n`, that the rarest one occurs. Where not one
        // success is expected among all redraws, there is an error at once.
        let absent = (n_samples as f64 * (-simulator.rarest).ln_1p()).exp();
        if (1.0 - absent) * (MOST_REDRAWS as f64) < 1.0 {
            return Err(simulator.too_rare());
        }
        Ok(Self {
            every_class: true,
            ..simulator
        })
    }

    /// The labels of a draw: those of the stream of `(seed, item)`.
    ///
    /// # Errors
    /// `InvalidParameter` when each of 10 000 draws lacked a class.
    pub fn simulate(&self, seed: u64, item: u64) -> Result<Vec<u32>> {
        let mut stream = random_stream(seed, item);
        let mut labels = Vec::with_capacity(self.n_samples);
        for _ in 0..MOST_REDRAWS {
            sample(&self.law, self.n_samples, &mut stream, &mut labels);
            if !self.every_class || has_every_class(&labels, self.law.n_classes()) {
                return Ok(labels);
            }
        }
        Err(self.too_rare())
    }

    fn too_rare(&self) -> Error {
        let value = format!("{} for the rarest class", self.rarest);
        let n = self.n_samples;
        let expected = format!("a class likely enough to occur among {n} labels");
        Error::parameter(input::PROBABILITIES, value, expected).with_help(help::DRAW_MORE_LABELS)
    }
}

/// Fills `labels` with `n` draws.
pub(crate) fn sample(
    law: &AliasTable,
    n: usize,
    stream: &mut Xoshiro256PlusPlus,
    labels: &mut Vec<u32>,
) {
    labels.clear();
    labels.extend((0..n).map(|_| law.sample(stream)));
}

fn has_every_class(labels: &[u32], c: usize) -> bool {
    let mut seen = vec![false; c];
    for &label in labels {
        seen[label as usize] = true;
    }
    seen.into_iter().all(|class| class)
}

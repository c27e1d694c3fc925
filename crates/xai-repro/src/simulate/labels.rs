//! Labels drawn from class probabilities.

use xai_core::{Error, Result, Xoshiro256PlusPlus, random_stream};

use crate::AliasTable;

/// How often labels are redrawn before a rare class is given up on.
const MOST_REDRAWS: u64 = 10_000;

/// Draws true labels: independent and identically distributed, class `i` with probability `p_i`.
///
/// With [`every_class`](Self::every_class) the whole draw is repeated until each class occurs, which
/// is the same law given that each does.
///
/// ```
/// use xai_repro::LabelSimulator;
/// let simulator = LabelSimulator::new(&[0.5, 0.3, 0.2], 100, 1)?.every_class()?;
/// let labels = simulator.draw(0)?; // draw 0 under seed 1
/// assert!((0..3).all(|class| labels.contains(&class)));
/// assert_eq!(labels, simulator.draw(0)?);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct LabelSimulator {
    law: AliasTable,
    rarest: f64,
    n_samples: usize,
    every_class: bool,
    seed: u64,
}

impl LabelSimulator {
    /// `n_samples` labels a draw, class `i` with probability `probabilities[i]`.
    ///
    /// # Errors
    /// As [`AliasTable::new`].
    pub fn new(probabilities: &[f64], n_samples: usize, seed: u64) -> Result<Self> {
        Ok(Self {
            law: AliasTable::new(probabilities)?,
            rarest: probabilities.iter().copied().fold(f64::INFINITY, f64::min),
            n_samples,
            every_class: false,
            seed,
        })
    }

    /// Repeats a draw until each class occurs.
    ///
    /// # Errors
    /// [`Error::TooFew`] for fewer labels than classes, [`Error::InvalidParameter`] for a class too
    /// rare to occur in 10 000 draws.
    pub fn every_class(mut self) -> Result<Self> {
        let c = self.law.n_classes();
        if self.n_samples < c {
            return Err(Error::too_few(
                "labels, to have every class",
                c,
                self.n_samples,
            ));
        }
        // A draw has every class with at most the chance that it has the rarest one.
        #[allow(clippy::cast_precision_loss)] // a rough bound
        let absent = (self.n_samples as f64 * (-self.rarest).ln_1p()).exp();
        #[allow(clippy::cast_precision_loss)]
        if (1.0 - absent) * (MOST_REDRAWS as f64) < 1.0 {
            return Err(self.too_rare());
        }
        self.every_class = true;
        Ok(self)
    }

    /// The labels of a draw: those of the stream of the seed and `item`.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] when some class did not occur in 10 000 draws.
    pub fn draw(&self, item: u64) -> Result<Vec<u32>> {
        let mut stream = random_stream(self.seed, item);
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
        Error::parameter(
            "probabilities",
            format!("{} for the rarest class", self.rarest),
            format!(
                "a class likely enough to occur among {} labels; draw more labels",
                self.n_samples
            ),
        )
    }
}

/// Draws `n` labels, class `i` with probability `probabilities[i]`, from the stream of
/// `(seed, item)`; with `every_class` the whole draw is repeated until each class occurs.
///
/// # Errors
/// As [`LabelSimulator`].
///
/// ```
/// let labels = xai_repro::sample_labels(&[0.5, 0.3, 0.2], 100, false, 1, 0)?;
/// assert!(labels.len() == 100 && labels.iter().all(|&label| label < 3));
/// # Ok::<(), xai_repro::Error>(())
/// ```
pub fn sample_labels(
    probabilities: &[f64],
    n: usize,
    every_class: bool,
    seed: u64,
    item: u64,
) -> Result<Vec<u32>> {
    let simulator = LabelSimulator::new(probabilities, n, seed)?;
    match every_class {
        true => simulator.every_class()?.draw(item),
        false => simulator.draw(item),
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

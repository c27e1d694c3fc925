//! Random class probabilities of various shapes.

use xai_core::describe::{Parameter, Parameters, refused};
use xai_core::number::elementary::{exp, ln};
use xai_core::random::{RandomStream, random_stream, uniform, uniform_index};
use xai_core::{Error, ExactSum, Result};

use crate::input;
use crate::named::impl_display_by_word;

/// Shape of random probabilities for `c` classes.
///
/// Drawn probabilities are sorted, most frequent class first, and sum to 1.
///
/// | variant | raw values, which are divided by their sum |
/// |---|---|
/// | `Flat` | `1` |
/// | `Balanced` | i.i.d. `U(0.9, 1.1)` |
/// | `Uniform` | i.i.d. `U(0, 1)` |
/// | `Exponential` | `linspace(lowest, 1, c) ^ scale`, `scale ~ U(0.1, 20)` |
/// | `MultiModal` | `m ~ U{1..c}` classes at `c/m`, the others at 1 |
/// | `Step` | groups of classes with a common value `U(0, 1)`, the others i.i.d. `U(0, 1)` |
///
/// ```
/// use xai_repro::simulate::ClassDistribution;
/// assert_eq!(ClassDistribution::Flat.draw(4, 1, 0)?, [0.25; 4]);
/// let p = ClassDistribution::Uniform.draw(10, 1, 0)?;
/// assert!(p.is_sorted_by(|a, b| a >= b) && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[param(name = "kind")]
#[non_exhaustive]
pub enum ClassDistribution {
    /// All classes equally likely.
    Flat,
    /// Nearly flat.
    Balanced,
    /// Any shape, rarely very skewed.
    Uniform,
    /// From nearly flat to very skewed. The value after the colon is the raw value of the rarest class.
    #[param(value_name = "LOWEST", default = 0.794, at_least = 0, at_most = 1)]
    Exponential {
        /// Raw value of the rarest class before the power, in [0, 1]. With 0 that class never occurs. The most frequent
        /// class is at most `lowest^-20` times as likely as the rarest: 101 times for 0.794.
        lowest: f64,
    },
    /// Some classes equally frequent, the others equally rare.
    #[param(name = "multimodal", alias = "multi-modal")]
    MultiModal,
    /// Groups of classes with the same probability, and single classes.
    ///
    /// Let `w = ⌈c/5⌉`. Between 2 and `max(2, w)` groups are drawn, one after the other. If `f` classes are left, a
    /// group takes at least 2 and fewer than `min(w, f)` of them, with a common raw value `U(0, 1)`; it is skipped if
    /// `min(w, f) < 3`. With `c ≤ 10` there are therefore no groups, and `Step` equals `Uniform`.
    Step,
}

impl ClassDistribution {
    /// `Exponential` with `lowest = 0.794`: class probabilities differ at most by a factor of 101.
    pub const EXPONENTIAL: Self = Self::Exponential { lowest: 0.794 };

    /// Every variant once, with [`EXPONENTIAL`](Self::EXPONENTIAL) for the exponential shape.
    pub const ALL: &[Self] = &[
        Self::Flat,
        Self::Balanced,
        Self::Uniform,
        Self::EXPONENTIAL,
        Self::MultiModal,
        Self::Step,
    ];

    /// Draws the probabilities of `n_classes` classes from the random stream of `(seed, item)`.
    ///
    /// # Errors
    /// `InvalidParameter` for 0 classes or a `lowest` outside [0, 1].
    pub fn draw(&self, n_classes: usize, seed: u64, item: u64) -> Result<Vec<f64>> {
        self.draw_from(n_classes, &mut random_stream(seed, item))
    }

    /// Draws the probabilities of `n_classes` classes from a given random stream.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    pub fn draw_from(&self, n_classes: usize, stream: &mut RandomStream) -> Result<Vec<f64>> {
        if n_classes == 0 {
            return Err(Error::parameter(input::N_CLASSES, 0, "at least 1 class"));
        }
        let c = n_classes;
        let mut raw: Vec<f64> = match *self {
            Self::Flat => vec![1.0; c],
            Self::Balanced => (0..c).map(|_| 0.9 + 0.2 * uniform(stream)).collect(),
            Self::Uniform => (0..c).map(|_| positive_uniform(stream)).collect(),
            Self::Exponential { lowest } => {
                if !(0.0..=1.0).contains(&lowest) {
                    return Err(refused("kind", &self.to_value(), &Self::KIND));
                }
                let scale = 0.1 + 19.9 * uniform(stream);
                let step = (1.0 - lowest) / (c - 1).max(1) as f64;
                // Counting down from 1 gives the most frequent class exactly 1 for any `lowest`. The maximum is for the
                // last class, which rounding could put below `lowest`.
                (0..c)
                    .map(|i| power((1.0 - step * i as f64).max(lowest), scale))
                    .collect()
            }
            Self::MultiModal => {
                let modes = 1 + uniform_index(stream, c);
                let height = c as f64 / modes as f64;
                (0..c)
                    .map(|i| if i < modes { height } else { 1.0 })
                    .collect()
            }
            Self::Step => steps(c, stream),
        };
        raw.sort_unstable_by(|a, b| b.total_cmp(a));
        // Exact, so that the probabilities do not depend on the order of the raw values.
        let total: f64 = raw.iter().copied().collect::<ExactSum>().value();
        for p in &mut raw {
            *p /= total;
        }
        Ok(raw)
    }
}

/// `x^y` with the same bits on every machine, which `f64::powf` does not guarantee.
fn power(x: f64, y: f64) -> f64 {
    exp(y * ln(x))
}

/// Uniform in (0, 1]. 0 is excluded because a class with probability 0 could never be drawn.
fn positive_uniform(stream: &mut RandomStream) -> f64 {
    1.0 - uniform(stream)
}

/// Draws the raw values of [`ClassDistribution::Step`].
fn steps(c: usize, stream: &mut RandomStream) -> Vec<f64> {
    let widest = c.div_ceil(5);
    let n_steps = 2 + uniform_index(stream, widest.max(2) - 1);
    let mut raw = Vec::with_capacity(c);
    for _ in 0..n_steps {
        // Drawn even if the group is skipped. Without it, all later numbers of the stream would change, and stored
        // studies would no longer be reproducible.
        let height = positive_uniform(stream);
        let bound = widest.min(c - raw.len());
        if bound > 2 {
            let width = 2 + uniform_index(stream, bound - 2);
            raw.extend(std::iter::repeat_n(height, width));
        }
    }
    raw.resize_with(c, || positive_uniform(stream));
    raw
}

impl_display_by_word!(ClassDistribution);

/// Settings for drawing class probabilities: shape, number of classes, order and seed.
///
/// ```
/// use xai_repro::simulate::{ClassDistribution, ClassSimulator};
/// let rarest_first = ClassSimulator::default().kind(ClassDistribution::Uniform).n_classes(5).reversed(true);
/// assert!(rarest_first.draw(0)?.is_sorted());
/// # Ok::<(), xai_repro::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ClassSimulator {
    /// Shape of the class probabilities.
    kind: ClassDistribution,
    /// Number of classes.
    #[param(at_least = 1)]
    n_classes: usize,
    /// Put the rarest class first, for errors that favour the classes that are rare among the labels.
    reversed: bool,
    /// Seed of the draws. The same seed gives the same bits on every machine.
    seed: u64,
}

impl Default for ClassSimulator {
    /// Ten nearly equally likely classes, seed 1.
    fn default() -> Self {
        Self {
            kind: ClassDistribution::Balanced,
            n_classes: 10,
            reversed: false,
            seed: 1,
        }
    }
}

impl ClassSimulator {
    /// Draws the probabilities with index `item`.
    ///
    /// # Errors
    /// `InvalidParameter` for 0 classes, or an exponential shape whose `lowest` is outside [0, 1].
    pub fn draw(&self, item: u64) -> Result<Vec<f64>> {
        self.check_params()?;
        let mut probabilities = self.kind.draw(self.n_classes, self.seed, item)?;
        if self.reversed {
            probabilities.reverse();
        }
        Ok(probabilities)
    }

    /// Number of classes.
    #[must_use]
    pub fn n(&self) -> usize {
        self.n_classes
    }
}

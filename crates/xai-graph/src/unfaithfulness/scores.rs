//! The result of unfaithfulness, and the metric that is read from it.

use std::fmt;

use xai_core::describe::{Range, Score, Scores};

use crate::input;

/// The graph explanation unfaithfulness of some samples.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Unfaithfulness {
    /// `1 − exp(−divergence)` in [0, 1], lower is better.
    pub value: f64,
    /// The mean Kullback–Leibler divergence over the rows, in nats; may be ∞.
    pub divergence: f64,
    /// The number of rows.
    pub n_samples: u64,
}

impl Unfaithfulness {
    /// The unfaithfulness of a mean divergence, in nats, over some rows.
    #[must_use]
    pub fn new(divergence: f64, n_samples: u64) -> Self {
        Self {
            value: from_divergence(divergence),
            divergence,
            n_samples,
        }
    }
}

/// `1 − exp(−kl)`, exact for small divergences too.
pub(crate) fn from_divergence(kl: f64) -> f64 {
    -(-kl).exp_m1()
}

impl fmt::Display for Unfaithfulness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "unfaithfulness over {} samples: {:.4} (0 = faithful), mean divergence {:.4} nats",
            self.n_samples, self.value, self.divergence
        )
    }
}

impl Scores for Unfaithfulness {
    const SCORES: &'static [Score<Self>] = &[Score::new(
        "unfaithfulness",
        "Unfaithfulness",
        "How far is the answer on the explanation from the answer on the whole graph?",
        |unfaithfulness: &Self| Some(unfaithfulness.value),
    )
    .lower_is_better()
    .range(Range::SHARE)
    .needs(&[input::FULL, input::KEPT])
    .source("Agarwal et al. 2022, arXiv 2208.09339")];
}

//! What a model's output rows hold.

use xai_core::describe::Parameter;

/// What the outputs of a model are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ReturnType {
    /// Raw scores: any finite numbers.
    #[default]
    #[param(alias = "raw")]
    Logits,
    /// Probabilities in [0, 1].
    Probs,
    /// Natural logarithms of probabilities, at most 0; −∞ is the logarithm of 0.
    LogProbs,
}

/// What the columns of an output row are to one another.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OutputDistribution {
    /// One class of several: logits go through a softmax, probabilities sum to 1.
    #[default]
    Categorical,
    /// Each column is a yes or no by itself (binary and multi-label models): logits go through a
    /// sigmoid, probabilities need not sum to 1.
    Bernoulli,
}

//! The choices of unfaithfulness.

use crate::outputs::return_type::{OutputDistribution, ReturnType};

/// Which of the two distributions the divergence takes as the truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KlDirection {
    /// `KL(y‖ŷ)`: the answer on the whole graph is the truth, as the papers define it.
    #[default]
    Forward,
    /// `KL(ŷ‖y)`: what the code of `PyTorch` Geometric and of `GraphXAI` computes, where the
    /// documentation of the one and the paper of the other say `KL(y‖ŷ)`. (torch's `kl_div` takes the
    /// truth as its second argument; both pass the answer on the explanation.)
    Reverse,
}

/// The choices that two states must share to be merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Setup {
    pub(crate) returns: ReturnType,
    pub(crate) distribution: OutputDistribution,
    pub(crate) direction: KlDirection,
}

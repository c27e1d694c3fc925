//! The choices of unfaithfulness.

use xai_core::describe::{Parameter, Parameters};

use crate::outputs::return_type::{OutputDistribution, ReturnType};
use crate::unfaithfulness::metric::UnfaithfulnessMetric;

/// Which of the two distributions the divergence takes as the truth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum KlDirection {
    /// `KL(y‖ŷ)`: the answer on the whole graph is the truth, as the papers define it.
    #[default]
    Forward,
    /// `KL(ŷ‖y)`: what the code of `PyTorch` Geometric and of `GraphXAI` computes.
    ///
    /// The documentation of the one and the paper of the other say `KL(y‖ŷ)`. (torch's `kl_div` takes the
    /// truth as its second argument; both pass the answer on the explanation.)
    Reverse,
}

/// The choices that two states must share to be merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
#[params(of = UnfaithfulnessMetric<'_>, at = setup)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Setup {
    /// What the outputs are.
    pub(crate) return_type: ReturnType,
    /// What the columns are to one another.
    ///
    /// For independent columns the divergence of a row is the sum of those of its columns, each a yes or
    /// no.
    pub(crate) output_distribution: OutputDistribution,
    /// Which way the divergence is taken.
    pub(crate) kl_direction: KlDirection,
}

//! How outputs are compared.

use clap::Args;
use xai_files::failure::Files;
use xai_metrics::graph::outputs::OutputDistribution;
use xai_metrics::graph::{KlDirection, ReturnType, UnfaithfulnessMetric, help};

use crate::choice::{Choices, choice};

/// `--returns`
pub(crate) const RETURNS: &Choices<ReturnType> = &[
    ("logits", ReturnType::Logits, ""),
    ("probs", ReturnType::Probs, ""),
    ("log-probs", ReturnType::LogProbs, ""),
];

const DIRECTIONS: &Choices<KlDirection> = &[
    (
        "forward",
        KlDirection::Forward,
        "KL(full || kept), as the papers define it",
    ),
    (
        "reverse",
        KlDirection::Reverse,
        "KL(kept || full), what PyTorch Geometric and GraphXAI compute",
    ),
];

const COLUMNS: &Choices<OutputDistribution> = &[
    (
        "categorical",
        OutputDistribution::Categorical,
        "One class of several: softmax",
    ),
    (
        "bernoulli",
        OutputDistribution::Bernoulli,
        "Each a yes or no (binary, multi-label): sigmoid",
    ),
];

/// How outputs are compared.
#[derive(Debug, Args)]
pub(crate) struct Divergence {
    /// What the outputs are.
    #[arg(long, value_parser = choice(RETURNS), default_value = "logits")]
    returns: ReturnType,
    /// Direction of the divergence.
    #[arg(long, value_parser = choice(DIRECTIONS), default_value = "forward")]
    kl: KlDirection,
    /// What the columns are to one another.
    #[arg(long, value_parser = choice(COLUMNS), default_value = "categorical")]
    columns: OutputDistribution,
}

impl Divergence {
    pub(crate) fn metric(&self) -> UnfaithfulnessMetric<'static> {
        UnfaithfulnessMetric::new()
            .returns(self.returns)
            .direction(self.kl)
            .distribution(self.columns)
    }

    /// Ways out in terms of the options.
    pub(crate) fn ways_out() -> Files<'static> {
        Files::new().ways_out(&[
            (help::PASS_LOGITS, "pass --returns logits for raw scores"),
            (
                help::PASS_LOGITS_OR_BERNOULLI,
                "pass --returns logits for raw scores, --columns bernoulli for independent columns",
            ),
            (
                help::BERNOULLI_FOR_ONE_COLUMN,
                "pass --columns bernoulli for a single score per row",
            ),
        ])
    }
}

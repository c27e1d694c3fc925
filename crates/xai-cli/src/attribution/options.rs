//! Options that several commands take.

use clap::{Args, ValueEnum};
use serde::Deserialize;
use xai_metrics::attribution::{Activation, BaseScorePolicy, Layout, Scoring};

use crate::choice::{Choices, choice};
use crate::failure::{Files, help, input};

/// `--activation`
pub(crate) const ACTIVATIONS: &Choices<Activation> = &[
    ("none", Activation::None, "The outputs as they are"),
    ("softmax", Activation::Softmax, "One class of several"),
    ("sigmoid", Activation::Sigmoid, "Each output by itself"),
];

/// `--base-score-policy`
const POLICIES: &Choices<BaseScorePolicy> = &[
    (
        "error",
        BaseScorePolicy::Error,
        "Stop at a base score that the formula cannot divide by",
    ),
    ("as-is", BaseScorePolicy::AsIs, "Divide by it all the same"),
    (
        "skip",
        BaseScorePolicy::Skip,
        "Leave the sample out, and count it",
    ),
];

/// `--channels`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Channels {
    /// `(n, height, width, channels)`
    #[default]
    Last,
    /// `(n, channels, height, width)`
    First,
}

impl Channels {
    /// The layout of images; of other inputs it is known by the number of their axes.
    pub(crate) fn layout(self) -> Option<Layout> {
        (self == Self::First).then_some(Layout::ChannelsFirst)
    }
}

/// How scores are taken from the model.
#[derive(Debug, Args)]
pub(super) struct ScoringOptions {
    /// What is applied to the model's outputs.
    #[arg(long, value_parser = choice(ACTIVATIONS), default_value = "none")]
    activation: Activation,
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: Channels,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
}

impl ScoringOptions {
    pub(super) fn scoring(&self) -> Scoring {
        Scoring {
            activation: self.activation,
            batch_size: self.batch_size as usize,
            layout: self.channels.layout(),
        }
    }
}

/// What is done with scores that a formula cannot divide by.
#[derive(Debug, Args)]
pub(super) struct PolicyOption {
    /// What to do with base scores that the formula of Average Drop or Gain cannot divide by.
    #[arg(long, value_parser = choice(POLICIES), default_value = "error")]
    pub(super) base_score_policy: BaseScorePolicy,
}

/// The options of every parameter, and the ways out in terms of options.
pub(super) fn parameters() -> Files<'static> {
    Files::new()
        .options(&[
            (input::BATCH_SIZE, "--batch-size"),
            (input::MAX_FRACTION, "--max-fraction"),
            (input::STEPS, "--steps"),
            (input::BASELINE, "--baseline"),
            (input::N_SUBSETS, "--subsets"),
            (input::FRACTION, "--subset-fraction"),
            (input::GRID, "--grid"),
            (input::LEVEL, "--level"),
            (input::REPLICATES, "--replicates"),
            (input::EXPLAINERS, "--explanations"),
        ])
        .ways_out(&[(
            help::ACTIVATION_OR_POLICY,
            "pass --activation softmax or sigmoid, or choose --base-score-policy as-is or skip",
        )])
}

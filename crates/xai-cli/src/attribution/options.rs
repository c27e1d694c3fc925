//! Options that several commands take.

use clap::{Args, ValueEnum};
use serde::Deserialize;
use xai_metrics::attribution::{Activation, Layout, Scoring, help, input};

use crate::choice::{Choices, choice};
use crate::failure::Files;
#[cfg(feature = "onnx")]
use crate::input::onnx::engine::EngineOptions;

/// `--activation`
pub(crate) const ACTIVATIONS: &Choices<Activation> = &[
    ("none", Activation::None, "The outputs as they are"),
    ("softmax", Activation::Softmax, "One class of several"),
    ("sigmoid", Activation::Sigmoid, "Each output by itself"),
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

/// How maps are read.
#[derive(Debug, Args)]
pub(super) struct LayoutOptions {
    /// Where images have their channels.
    #[arg(long, value_enum, default_value_t)]
    channels: Channels,
}

/// How scores are taken from the model.
#[derive(Debug, Args)]
pub(super) struct ScoringOptions {
    /// What is applied to the model's outputs.
    #[arg(long, value_parser = choice(ACTIVATIONS), default_value = "none")]
    activation: Activation,
    #[command(flatten)]
    layout: LayoutOptions,
    /// Samples the model is called with at once.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    batch_size: u32,
    #[cfg(feature = "onnx")]
    #[command(flatten)]
    pub(super) engine: EngineOptions,
}

impl LayoutOptions {
    pub(super) fn scoring(&self) -> Scoring {
        Scoring {
            layout: self.channels.layout(),
            ..Scoring::default()
        }
    }
}

#[cfg(feature = "onnx")]
impl ScoringOptions {
    pub(super) fn scoring(&self) -> Scoring {
        Scoring {
            activation: self.activation,
            batch_size: self.batch_size as usize,
            ..self.layout.scoring()
        }
    }
}

/// The options of the parameters that are not called as they are, and the ways out in terms of options.
pub(super) fn parameters() -> Files<'static> {
    Files::new()
        .options(&[
            (input::BATCH_SIZE, "--batch-size"),
            (input::N_SUBSETS, "--subsets"),
            (input::FRACTION, "--subset-fraction"),
            (input::SIGMA, "--baseline"),
            (input::LEVEL, "--level"),
            (input::N_REPLICATES, "--replicates"),
            (input::EXPLAINERS, "--explanations"),
            (input::METRICS, "--metrics"),
        ])
        .ways_out(&[
            (
                help::CHOOSE_ACTIVATION_OR_POLICY,
                "pass --activation softmax or sigmoid, or choose --base-score-policy as-is or skip",
            ),
            (help::CHOOSE_OTHER_BASELINE, "choose another --baseline"),
        ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_the_option_are_those_of_the_library() {
        for (word, activation, _) in ACTIVATIONS {
            assert_eq!(word.parse::<Activation>().unwrap(), *activation);
        }
    }
}

//! `xai attribution`: one module a kind of command.

#[cfg(feature = "onnx")]
mod compare;
#[cfg(feature = "onnx")]
mod file_samples;
mod maps;
mod masked;
#[cfg(feature = "onnx")]
mod perturbed;
#[cfg(feature = "onnx")]
mod study;

use clap::ValueEnum;
use serde::Deserialize;
use xai_metrics::attribution::{
    Activation, AverageDrop, AverageGain, AverageIncrease, BaseScorePolicy, EvaluationError,
    complexity, sparseness,
};

use crate::context::Context;
use crate::failure::Failure;

#[cfg(feature = "onnx")]
pub(crate) use study::{ModelStudy, read_targets};

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// How much of the score is lost when only what the map marks is kept (lower is better).
    AverageDrop(masked::Masked),
    /// How often the score rises then (higher is better).
    AverageIncrease(masked::Masked),
    /// How far towards certainty the score rises then (higher is better).
    AverageGain(masked::Masked),
    /// How fast the score falls when the most important places go first (lower is better).
    #[cfg(feature = "onnx")]
    Deletion(perturbed::Perturbed),
    /// How fast the score rises when they come back first (higher is better).
    #[cfg(feature = "onnx")]
    Insertion(perturbed::Perturbed),
    /// Over how many places a map is spread: entropy in nats (lower is simpler).
    Complexity(maps::Maps),
    /// How unequally a map is shared out: Gini index (higher is sparser).
    Sparseness(maps::Maps),
    /// Which explainer to trust: all metrics of all explainers, with intervals and paired tests.
    #[cfg(feature = "onnx")]
    Compare(compare::Compare),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::AverageDrop(masked) => masked.run(AverageDrop::new(), context),
        Command::AverageIncrease(masked) => masked.run(AverageIncrease::new(), context),
        Command::AverageGain(masked) => masked.run(AverageGain::new(), context),
        #[cfg(feature = "onnx")]
        Command::Deletion(perturbed) => perturbed.run("deletion", context),
        #[cfg(feature = "onnx")]
        Command::Insertion(perturbed) => perturbed.run("insertion", context),
        Command::Complexity(maps) => maps.run("complexity", complexity, context),
        Command::Sparseness(maps) => maps.run("sparseness", sparseness, context),
        #[cfg(feature = "onnx")]
        Command::Compare(compare) => compare.run(context),
    }
}

/// `--activation`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ActivationName {
    /// The outputs as they are.
    #[default]
    None,
    /// One class of several.
    Softmax,
    /// Each output by itself.
    Sigmoid,
}

impl From<ActivationName> for Activation {
    fn from(name: ActivationName) -> Self {
        match name {
            ActivationName::None => Self::None,
            ActivationName::Softmax => Self::Softmax,
            ActivationName::Sigmoid => Self::Sigmoid,
        }
    }
}

/// `--channels`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChannelsName {
    /// `(n, height, width, channels)`
    #[default]
    Last,
    /// `(n, channels, height, width)`
    First,
}

/// `--base-score-policy`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// Stop at a base score that the formula cannot divide by.
    #[default]
    Error,
    /// Divide by it all the same.
    AsIs,
    /// Leave the sample out, and count it.
    Skip,
}

impl From<PolicyName> for BaseScorePolicy {
    fn from(name: PolicyName) -> Self {
        match name {
            PolicyName::Error => Self::Error,
            PolicyName::AsIs => Self::AsIs,
            PolicyName::Skip => Self::Skip,
        }
    }
}

/// The scores that were computed are let go: a command shows all of them or none.
impl From<EvaluationError> for Failure {
    fn from(stopped: EvaluationError) -> Self {
        stopped.into_error().into()
    }
}

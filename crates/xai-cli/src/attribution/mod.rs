//! `xai attribution`: one module per kind of command.

#[cfg(feature = "onnx")]
mod compare;
mod maps;
mod masked;
#[cfg(feature = "onnx")]
pub(crate) mod model_files;
pub(crate) mod options;
#[cfg(feature = "onnx")]
mod perturbation;
#[cfg(feature = "onnx")]
mod perturbed;
mod sample_result;

use xai_metrics::attribution::{AverageDrop, AverageGain, AverageIncrease, complexity, sparseness};

use crate::context::Context;
use crate::failure::Failure;

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

//! `xai graph`

use xai_files::Failure;

mod characterization;
mod fidelity;
pub(crate) mod groundtruth;
mod mask;
pub(crate) mod options;
mod robust_fidelity;
pub(crate) mod sweep;
mod sweep_of_model;
mod unfaithfulness;

use crate::Context;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Does the prediction change without the explanation (fid+), or with it alone (fid-)?
    Fidelity(fidelity::Fidelity),
    /// Necessary and sufficient in one number: fid+ and 1 - fid- combined.
    Characterization(characterization::Characterization),
    /// Area under fid+ / (1 - fid-) over explanation sizes.
    FidelityAuc(characterization::FidelityAuc),
    /// How far the answer on the explanation is from the answer on the whole graph.
    Unfaithfulness(unfaithfulness::Unfaithfulness),
    /// Does a mask find what is known to matter?
    Groundtruth(groundtruth::Groundtruth),
    /// Every score at every explanation size, and the best size.
    Sweep(Box<sweep::SweepCommand>),
    /// Fidelity that takes away a little at a time, of an ONNX model.
    RobustFidelity(Box<robust_fidelity::RobustFidelity>),
    /// How small, how decided, how connected a mask is.
    Mask(mask::Mask),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Fidelity(command) => command.run(context),
        Command::Characterization(command) => command.run(context),
        Command::FidelityAuc(command) => command.run(context),
        Command::Unfaithfulness(command) => command.run(context),
        Command::Groundtruth(command) => command.run(context),
        Command::Sweep(command) => command.run(context),
        Command::RobustFidelity(command) => command.run(context),
        Command::Mask(command) => command.run(context),
    }
}

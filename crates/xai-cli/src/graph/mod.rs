//! `xai graph`

use xai_files::Failure;

mod characterization;
mod fidelity;
pub(crate) mod groundtruth;
mod mask;
mod model_sweep;
pub(crate) mod options;
mod robust_fidelity;
pub(crate) mod sweep;
mod unfaithfulness;

use crate::Context;

/// Commands of the group `graph`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Fidelity: does the prediction change without the explanation (fid+), or with it alone (fid-)?
    Fidelity(fidelity::Fidelity),
    /// Characterization score: fid+ and 1 - fid- combined into one number.
    Characterization(characterization::Characterization),
    /// Area under the curve of fid+ / (1 - fid-) over explanation sizes.
    FidelityAuc(characterization::FidelityAuc),
    /// Unfaithfulness: distance of the output on the explanation from the output on the whole graph.
    Unfaithfulness(unfaithfulness::Unfaithfulness),
    /// Scores of a mask against a true explanation, for example AUROC and F1.
    Groundtruth(groundtruth::Groundtruth),
    /// Fidelity, characterization and unfaithfulness at every explanation size, and the best size.
    Sweep(Box<sweep::SweepCommand>),
    /// Robust fidelity of an ONNX model: removes random parts of the explanation instead of all of it.
    RobustFidelity(Box<robust_fidelity::RobustFidelity>),
    /// Properties of a mask: size, entropy and connectedness.
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

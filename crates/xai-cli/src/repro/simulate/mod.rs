//! `xai repro simulate`

use xai_files::failure::Failure;

mod classes;
pub(crate) mod study;

use crate::context::Context;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Class probabilities of a given shape.
    Classes(classes::Classes),
    /// The simulation study: how each metric behaves where the truth is known.
    Study(study::StudyCommand),
}

/// Runs one command of the group.
pub(super) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Classes(command) => command.run(context),
        Command::Study(command) => command.run(context),
    }
}

//! `xai casebased`

use crate::context::Context;
use crate::failure::Failure;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, _context: &Context) -> Result<(), Failure> {
    match *command {}
}

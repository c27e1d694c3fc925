//! `xai attribution`

use serde::Deserialize;

use crate::context::Context;
use crate::failure::Failure;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, _context: &Context) -> Result<(), Failure> {
    match *command {}
}

// NOTE to the owner of this file: the report (src/report) reads these two from a study file. Keep the names and derives
// (add `From` into the library's types).

/// `--activation`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ActivationName {
    /// The outputs as they are.
    #[default]
    None,
    Softmax,
    Sigmoid,
}

/// `--channels`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ChannelsName {
    /// `(n, height, width, channels)`
    #[default]
    Last,
    /// `(n, channels, height, width)`
    First,
}

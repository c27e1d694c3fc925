//! `xai graph`

use serde::Serialize;

use crate::context::Context;
use crate::failure::Failure;

/// Commands of the group.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, _context: &Context) -> Result<(), Failure> {
    match *command {}
}

// NOTE to the owner of this file: the report (src/report) uses this type, made from the library's result with `From`.
// Keep the five names of cli.md; more fields are fine.

/// The JSON of `xai graph groundtruth`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct GroundtruthResult {
    pub(crate) accuracy: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) precision: Option<f64>,
    pub(crate) f1_score: Option<f64>,
    pub(crate) auroc: Option<f64>,
}

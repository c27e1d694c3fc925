//! `xai casebased`

use xai_files::Failure;

mod aggregates;
pub(crate) mod attribution;
pub(crate) mod audit;
mod correspondence;
mod explain;
pub(crate) mod explaining;
pub(crate) mod fitting;
pub(crate) mod missing;
pub(crate) mod redaction;
pub(crate) mod samples;
pub(crate) mod training;

use crate::casebased::attribution::DataAttributionMetrics;
use crate::casebased::attribution::compare::CompareAttributions;
use crate::metric_commands::{MetricCommands, Run};
use crate::{Context, examples};

/// Commands of the group `casebased`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Correspondence of one prediction with neighbours that are given as a table.
    Correspondence(correspondence::CorrespondenceCommand),
    /// Finds the nearest training cases of every test row, and how far they agree with its prediction.
    Explain(explain::Explain),
    /// Summarises a test file: correspondence by class and by right or wrong prediction, its calibration, and the least
    /// supported predictions.
    Audit(audit::AuditCommand),
    /// Metrics of training-data attribution: how good explanations by training cases are.
    #[command(subcommand, after_help = examples::section(&[
        "xai casebased attribution list",
        "xai casebased attribution top-k-cardinality --attributions attributions.npy",
    ]))]
    Attribution(MetricCommands<DataAttributionMetrics, CompareAttributions>),
    /// Fits an explainer and stores it, for `explain --explainer` and `audit --explainer`.
    Fit(fitting::Fit),
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Correspondence(command) => command.run(context),
        Command::Explain(command) => command.run(context),
        Command::Audit(command) => command.run(context),
        Command::Attribution(command) => command.run(context),
        Command::Fit(command) => command.run(context),
    }
}

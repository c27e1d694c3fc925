//! `xai counterfactual`: the metrics of counterfactual explanations, one command each, and commands over all of them.

pub(crate) mod compare;
mod data;
mod family;
mod schema_file;
mod tables;

use std::path::PathBuf;

use clap::Subcommand;
use xai_files::Failure;

pub(crate) use crate::counterfactual::family::CounterfactualMetrics;
use crate::metric_commands::{MetricCommands, Run};
use crate::output::whole_file;
use crate::{Context, examples};

/// Commands of the group.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Metrics(MetricCommands<CounterfactualMetrics, compare::CompareMethods>),
    /// Writes a first schema of a table: kinds and ranges of its columns, to be corrected by hand.
    #[command(after_help = examples::section(&[
        "xai counterfactual schema --from train.csv --out schema.toml",
    ]))]
    Schema {
        /// Table with a header row, usually the training rows.
        #[arg(long, value_name = "FILE.csv")]
        from: PathBuf,
        /// Columns that are no features, such as the class.
        #[arg(long, value_name = "COLUMNS", value_delimiter = ',')]
        exclude: Vec<String>,
        /// File to write. Default: standard output.
        #[arg(long, value_name = "SCHEMA.toml")]
        out: Option<PathBuf>,
    },
}

/// Runs one command of the group.
pub(crate) fn run(command: &Command, context: &Context) -> Result<(), Failure> {
    match command {
        Command::Metrics(command) => command.run(context),
        Command::Schema { from, exclude, out } => {
            let table = tables::TableFile::read(from)?;
            let schema = schema_file::SchemaFile::guess(&table, exclude)?;
            let text = toml::to_string(&schema).map_err(Failure::new)?;
            match out {
                Some(path) => whole_file::write(path, |file| {
                    file.write_all(text.as_bytes())
                        .map_err(Failure::cannot_be_written)
                }),
                None => context.present(&schema, || text.trim_end().to_owned()),
            }
        }
    }
}

//! `xai report`: makes a report on a study, as a page and as JSON.
//!
//! [`study`] reads the study and [`sections`] computes its sections. The library `xai-report` makes `report.json` and
//! the page from the results.

mod check;
mod diff;
mod digest;
mod init;
mod input_files;
mod make;
mod sample;
mod schema;
mod section;
pub(crate) mod sections;
pub(crate) mod self_check;
pub(crate) mod study;

use std::path::PathBuf;

use xai_files::Failure;
use xai_report::Report;

use crate::{Context, examples};
use make::DEFAULT_FOLDER;

/// `xai report`
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_precedence_over_arg = true,
    after_help = examples::section(&[
        "xai report",
        "xai report study.toml --out study-report",
        "xai report init --from results",
    ])
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    make: Make,
}

/// Options of `xai report` without a subcommand.
#[derive(Debug, clap::Args)]
struct Make {
    /// The study: a TOML file with a section for each part of the report. Default: the built-in sample study.
    study: Option<PathBuf>,
    /// Folder for `index.html` and `report.json`; `-` writes the page to standard output.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    out: PathBuf,
    /// Overwrite an `index.html` or `report.json` in the folder that `xai report` did not write.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Writes a study with comments for the files of a folder.
    Init(init::Init),
    /// Checks the keys and files of a study without computing it or running models.
    Check(check::Check),
    /// Compares two reports; the exit code is 3 if a figure got worse beyond its interval.
    Diff(diff::Diff),
    /// Prints the JSON Schema of `report.json` or of a study.
    #[command(after_help = examples::section(&[
        "xai report schema > report.schema.json",
        "xai report schema study > study.schema.json",
    ]))]
    Schema {
        /// The file format to describe. Editors that support JSON Schema for TOML complete and check a study whose
        /// first line is `#:schema study.schema.json`.
        #[arg(value_enum, default_value = "report")]
        format: Schema,
    },
}

/// File format of a schema.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Schema {
    /// `report.json`
    Report,
    /// a study
    Study,
}

impl Default for Arguments {
    fn default() -> Self {
        Self {
            command: None,
            make: Make {
                study: None,
                out: PathBuf::from(DEFAULT_FOLDER),
                force: false,
            },
        }
    }
}

/// Runs `xai report` or one of its subcommands.
pub(crate) fn run(arguments: &Arguments, context: &Context) -> Result<(), Failure> {
    match &arguments.command {
        None => make::run(
            arguments.make.study.as_deref(),
            &arguments.make.out,
            arguments.make.force,
            context,
        ),
        Some(Command::Init(init)) => init.run(context),
        Some(Command::Check(check)) => check.run(context),
        Some(Command::Diff(diff)) => diff.run(context),
        Some(Command::Schema { format }) => print_schema(*format),
    }
}

fn print_schema(format: Schema) -> Result<(), Failure> {
    let text = match format {
        Schema::Report => Report::json_schema().map_err(Failure::new),
        Schema::Study => {
            serde_json::to_string_pretty(&schema::study_schema()).map_err(Failure::new)
        }
    };
    crate::output::stdout::print_text(&text?)
}

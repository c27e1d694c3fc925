//! `xai report`: a study as a page and as JSON.
//!
//! A study is read ([`study`]) and each of its sections is computed ([`sections`]); the library `xai-report` makes
//! `report.json` and the page of the results.

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
    after_help = examples::of(&[
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

/// What a report is made from, and where it goes.
#[derive(Debug, clap::Args)]
struct Make {
    /// The study: a TOML file with a section for everything that is reported on. Without it, the built-in
    /// sample study.
    study: Option<PathBuf>,
    /// The folder for `index.html` and `report.json`; `-` writes the page to standard output.
    #[arg(long, value_name = "FOLDER", default_value = DEFAULT_FOLDER)]
    out: PathBuf,
    /// Replace an `index.html` or `report.json` in the folder that `xai report` did not write.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Writes a study of the files of a folder, with comments.
    Init(init::Init),
    /// Whether a study can be computed: its keys, its files and what is in them. No model is asked.
    Check(check::Check),
    /// What changed between two reports, and whether by more than chance: the exit code is 3 where something got
    /// worse beyond its interval.
    Diff(diff::Diff),
    /// The JSON Schema of `report.json` or of a study, on standard output.
    #[command(after_help = examples::of(&[
        "xai report schema > report.schema.json",
        "xai report schema study > study.schema.json",
    ]))]
    Schema {
        /// What it describes. An editor that reads schemas of TOML completes and checks a study whose first line is
        /// `#:schema study.schema.json`.
        #[arg(value_enum, default_value = "report")]
        of: Schema,
    },
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Schema {
    /// `report.json`
    Report,
    /// A study
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

/// Runs `xai report` or one of its commands.
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
        Some(Command::Schema { of }) => schema(*of),
    }
}

/// Prints a schema.
fn schema(of: Schema) -> Result<(), Failure> {
    let text = match of {
        Schema::Report => Report::json_schema(),
        Schema::Study => serde_json::to_string_pretty(&schema::of_study()),
    };
    crate::output::stdout::print_text(&text.map_err(Failure::new)?)
}

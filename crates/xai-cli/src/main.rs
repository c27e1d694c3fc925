//! `xai`: how good are explanations of machine-learning predictions?
//!
//! One module a command group; each turns files into arrays, calls the library, and hands the
//! result to [`context::Context::present`]. Nothing is computed here that the library could.
#![forbid(unsafe_code)]

mod attribution;
mod casebased;
mod choice;
mod context;
mod failure;
mod graph;
mod input;
mod output;
mod report;
mod repro;

use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use failure::Failure;

/// How good are explanations of machine-learning predictions?
///
/// Without a command, reports on the built-in sample study.
#[derive(Debug, Parser)]
#[command(name = "xai", version, infer_subcommands = true)]
struct Xai {
    #[command(flatten)]
    context: context::Context,
    #[command(subcommand)]
    group: Option<Group>,
}

#[derive(Debug, Subcommand)]
enum Group {
    /// Does a prediction agree with its nearest training cases?
    #[command(subcommand)]
    Casebased(Box<casebased::Command>),
    /// Does the model still believe its answer on what an attribution map keeps?
    #[command(subcommand)]
    Attribution(attribution::Command),
    /// Is an explanatory subgraph sufficient and necessary?
    #[command(subcommand)]
    Graph(graph::Command),
    /// Do repeated trainings make the same predictions, and the same errors?
    #[command(subcommand)]
    Repro(repro::Command),
    /// Every family on one study, as a page and as JSON.
    Report(report::Arguments),
}

fn main() -> ExitCode {
    let parsed = Xai::command().try_get_matches().and_then(|matches| {
        let xai = Xai::from_arg_matches(&matches);
        let xai = xai.map_err(|error| error.format(&mut Xai::command()))?;
        Ok((xai, output::overwriting::check(&matches)))
    });
    let (Xai { context, group }, checked) = match parsed {
        Ok(parsed) => parsed,
        Err(other) => return printed(&other),
    };
    if let Err(failure) = checked {
        return failure.report();
    }
    let outcome = context.install(|| match &group {
        Some(Group::Casebased(command)) => casebased::run(command, &context),
        Some(Group::Attribution(command)) => attribution::run(command, &context),
        Some(Group::Graph(command)) => graph::run(command, &context),
        Some(Group::Repro(command)) => repro::run(command, &context),
        Some(Group::Report(arguments)) => report::run(arguments, &context),
        None => {
            context.remark("no command: `xai report` on the built-in sample study (`xai --help` lists the commands)");
            report::run(&report::Arguments::default(), &context)
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Prints the help, the version, or what is wrong with the arguments. Where standard error takes nothing
/// the exit code alone says it; help that could not be printed is a failure.
fn printed(message: &clap::Error) -> ExitCode {
    use std::io::ErrorKind::BrokenPipe;
    match message.print() {
        Err(error) if !message.use_stderr() && error.kind() != BrokenPipe => {
            Failure::standard_output(error).report()
        }
        _ => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2)),
    }
}

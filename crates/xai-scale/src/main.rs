//! `xai-scale`: metrics of explanations in SQL, on one machine or on a cluster.
//!
//! The functions are those of `xai_datafusion`; this program finds the files that a query names, runs the query here or
//! sends it to a cluster, and prints or writes the result. `docs/scale.md` tells how large data may be.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod allocator;
mod amount;
mod answer;
mod cluster;
mod columns;
mod data_root;
mod explain;
mod failure;
mod functions;
mod generate;
mod nesting;
mod output;
mod plain;
mod predict;
mod progress;
mod score;
mod session;
mod sql;
mod statements;
mod stores;
mod tables;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use clap::{Parser, Subcommand};
use xai_files::{Failure, whole_file};

/// Metrics of explanations in SQL, over files of any size.
///
/// Tables are files: a path in quotes is a Parquet, CSV, JSON lines or Arrow file, or a folder of such files.
#[derive(Debug, Parser)]
#[command(name = "xai-scale", version)]
#[command(after_help = "Examples:
  xai-scale sql \"SELECT explainer, average_drop(base, masked) FROM 'scores.parquet' GROUP BY explainer\"
  xai-scale scheduler
  xai-scale executor --scheduler 127.0.0.1:50050")]
struct XaiScale {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Answers a query, here or on a cluster.
    Sql(sql::Arguments),
    /// Lists the functions for queries.
    Functions(functions::Arguments),
    /// Lists the columns of tables.
    Tables(columns::Arguments),
    /// Explains predictions by their nearest training cases, from tables to a table.
    Explain(explain::Arguments),
    /// Asks a model about the rows of a table, and about what attributions keep of them.
    Score(score::Arguments),
    /// Runs the scheduler of a cluster, which takes queries and hands out their parts.
    Scheduler(cluster::scheduler::Arguments),
    /// Runs an executor of a cluster, which does the work.
    Executor(cluster::executor::Arguments),
    /// Lists the queries of a cluster, or cancels one.
    Queries(cluster::queries::Arguments),
    /// Writes certificate and key of those who share a secret, for other programs.
    Certificate(cluster::certificate::Arguments),
    /// Writes Parquet files of made-up scores, to measure with.
    Generate(generate::Arguments),
}

fn main() -> ExitCode {
    allocator::keep_freed_memory();
    if std::env::args_os()
        .nth(1)
        .is_some_and(|command| command == "executor")
    {
        cluster::executor::with_stack(STACK);
    }
    match nesting::with_stack(run) {
        Ok(Ok(code)) => code,
        Ok(Err(panic)) => resume_unwind(panic),
        Err(error) => {
            eprintln!("{}", no_threads(&error));
            ExitCode::FAILURE
        }
    }
}

fn run() -> ExitCode {
    let command = XaiScale::parse().command;
    // A query tells what went wrong by its error. Servers have a log; RUST_LOG=info tells what they do.
    let level = match command {
        Command::Scheduler(_) | Command::Executor(_) => "warn",
        _ => "off",
    };
    let log = env_logger::Env::default().default_filter_or(level);
    env_logger::Builder::from_env(log).init();
    if level == "off" {
        keep_panics_to_ourselves();
    }
    let outcome = match command {
        Command::Sql(arguments) => running(interruptible(sql::run(arguments))),
        Command::Functions(arguments) => functions::run(&arguments),
        Command::Tables(arguments) => running(interruptible(columns::run(arguments))),
        Command::Explain(arguments) => running(interruptible(explain::run(arguments))),
        Command::Score(arguments) => running(interruptible(score::run(arguments))),
        Command::Scheduler(arguments) => running(cluster::scheduler::run(arguments)),
        Command::Executor(arguments) => running(cluster::executor::run(arguments)),
        Command::Queries(arguments) => running(interruptible(cluster::queries::run(arguments))),
        Command::Certificate(arguments) => cluster::certificate::run(&arguments),
        Command::Generate(arguments) => running(async move { generate::run(&arguments) }),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Stack of a thread that runs queries: without optimization the deepest terms need more than the two megabytes that
/// threads have otherwise.
const STACK: usize = 16 << 20;

fn no_threads(error: &std::io::Error) -> Failure {
    Failure::new(format_args!("no threads: {error}"))
}

fn running(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .map_err(|error| no_threads(&error))?;
    let outcome = catch_unwind(AssertUnwindSafe(|| runtime.block_on(work)));
    // Work that still runs elsewhere does not hold the end up.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|panic| {
        eprintln!("{}", PANIC.lock().unwrap_or_else(PoisonError::into_inner));
        resume_unwind(panic)
    })
}

/// What the last panic said. Some readers panic on damaged bytes: that becomes an error that names the file, beside which
/// nothing else need be said.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn keep_panics_to_ourselves() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// Ends with the work or with Ctrl-C, after which no half-written file is left. A second Ctrl-C ends at once.
async fn interruptible(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let (sender, pressed) = tokio::sync::oneshot::channel();
    // On a thread of its own: those of the queries look for signals between many batches alone.
    std::thread::spawn(move || -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            tokio::signal::ctrl_c().await?;
            let _ = sender.send(());
            tokio::signal::ctrl_c().await
        })?;
        whole_file::remove_unfinished();
        std::process::exit(i32::from(Failure::interrupted().exit_code()))
    });
    tokio::select! {
        outcome = work => outcome,
        Ok(()) = pressed => Err(Failure::interrupted()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn every_help_ends_with_examples_that_can_be_given() {
        let mut command = XaiScale::command();
        command.build();
        let below: Vec<_> = command.get_subcommands().cloned().collect();
        for command in below
            .iter()
            .chain([&command])
            .filter(|it| it.get_name() != "help")
        {
            let help = command.get_after_help().map(ToString::to_string);
            let help = help.unwrap_or_default();
            let examples: Vec<&str> = help.lines().map(str::trim).skip(1).collect();
            assert!((1..=3).contains(&examples.len()), "{}", command.get_name());
            for example in examples {
                let (words, query) = example.split_once(" \"").unwrap_or((example, ""));
                let query = query.split_once('"');
                let after = query.map(|(_, after)| after).unwrap_or_default();
                let words = words
                    .split_whitespace()
                    .chain(query.map(|(query, _)| query));
                let given = words.chain(after.split_whitespace());
                let parsed = XaiScale::try_parse_from(given);
                assert!(parsed.is_ok(), "{example}\n{}", parsed.unwrap_err());
            }
        }
    }

    /// The words of a list in YAML, some of them in quotes.
    fn words(list: &str) -> Vec<String> {
        let (mut words, mut is_quoted) = (vec![String::new()], false);
        for c in list.chars() {
            match c {
                '"' => is_quoted = !is_quoted,
                ',' if !is_quoted => words.push(String::new()),
                c => words.last_mut().expect("one").push(c),
            }
        }
        words.iter().map(|word| word.trim().to_owned()).collect()
    }

    #[test]
    fn containers_are_given_commands_that_there_are() {
        let services = include_str!("../compose.yaml").split("\n\n  ");
        let ours = services.filter(|service| service.contains("<<: *xai-scale"));
        let commands = ours.filter_map(|service| {
            let (_, list) = service.split_once("command: [")?;
            Some(words(
                list.split_once("]\n")
                    .map_or(list, |(list, _)| list)
                    .trim_end_matches(']'),
            ))
        });
        let commands: Vec<Vec<String>> = commands.collect();
        let names: Vec<&str> = commands.iter().map(|words| words[0].as_str()).collect();
        assert_eq!(names, ["scheduler", "executor", "generate", "sql"]);
        for command in &commands {
            let given = ["xai-scale"]
                .into_iter()
                .chain(command.iter().map(String::as_str));
            let parsed = XaiScale::try_parse_from(given);
            assert!(parsed.is_ok(), "{command:?}\n{}", parsed.unwrap_err());
        }
    }
}

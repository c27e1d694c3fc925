//! `xai-sql`: explanation metrics in SQL, over files and object stores.
//!
//! The functions come from `xai_datafusion`. This program finds the files that a query names, runs the query, and
//! prints or writes the result.
#![deny(unsafe_code)]
#![warn(missing_docs)]

mod allocator;
mod amount;
mod answer;
mod columns;
mod explain;
mod failure;
mod faulty;
mod functions;
mod nesting;
mod output;
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
use std::time::Duration;

use clap::{Parser, Subcommand};
use xai_files::{Failure, whole_file};

/// Explanation metrics in SQL, over files of any size.
///
/// Tables are files: a path in quotes is a Parquet, CSV, JSON lines or Arrow file, or a folder of such files.
#[derive(Debug, Parser)]
#[command(name = "xai-sql", version)]
#[command(after_help = "Examples:
  xai-sql sql \"SELECT explainer, average_drop(base, masked) FROM 'scores.parquet' GROUP BY explainer\"
  xai-sql tables scores.parquet
  xai-sql functions average_drop")]
struct XaiSql {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs a query over files.
    Sql(sql::Arguments),
    /// Lists the functions for queries.
    Functions(functions::Arguments),
    /// Lists the columns of tables.
    Tables(columns::Arguments),
    /// Explains predictions by their nearest training cases.
    Explain(explain::Arguments),
    /// Runs a model on the rows of a table, and on what attributions keep of them.
    Score(score::Arguments),
}

fn main() -> ExitCode {
    allocator::keep_freed_memory();
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
    let command = XaiSql::parse().command;
    keep_panics_to_ourselves();
    let outcome = match command {
        Command::Sql(arguments) => running(interruptible(sql::run(arguments))),
        Command::Functions(arguments) => functions::run(&arguments),
        Command::Tables(arguments) => running(interruptible(columns::run(arguments))),
        Command::Explain(arguments) => running(interruptible(explain::run(arguments))),
        Command::Score(arguments) => running(interruptible(score::run(arguments))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Stack of threads that run queries. Without optimization the deepest terms need more than the default of two
/// megabytes.
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
    // Does not wait for work that still runs on other threads.
    runtime.shutdown_background();
    outcome.unwrap_or_else(|panic| {
        eprintln!("{}", PANIC.lock().unwrap_or_else(PoisonError::into_inner));
        resume_unwind(panic)
    })
}

/// Message of the last panic. Some readers panic on damaged bytes, which becomes an error that names the file, so the
/// default message would only confuse.
static PANIC: Mutex<String> = Mutex::new(String::new());

fn keep_panics_to_ourselves() {
    std::panic::set_hook(Box::new(|panic| {
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = panic.to_string();
    }));
}

/// Time that a query has to stop after Ctrl-C.
const GRACE: Duration = Duration::from_secs(2);

/// Ends with the work or with Ctrl-C, and leaves no half-written file. Work that does not stop, such as reading a pipe
/// that nobody writes to, ends with the process after [`GRACE`], or at the second Ctrl-C.
async fn interruptible(work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let (sender, pressed) = tokio::sync::oneshot::channel();
    // On a thread of its own, because those of the query are busy for many batches.
    std::thread::spawn(move || -> std::io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(async {
            tokio::signal::ctrl_c().await?;
            let _ = sender.send(());
            tokio::select! {
                again = tokio::signal::ctrl_c() => again,
                () = tokio::time::sleep(GRACE) => Ok(()),
            }
        })?;
        eprintln!("{}", Failure::interrupted());
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
        let mut command = XaiSql::command();
        command.build();
        let below: Vec<_> = command.get_subcommands().cloned().collect();
        for command in below
            .iter()
            .chain([&command])
            .filter(|it| it.get_name() != "help")
        {
            let help = command
                .get_after_help()
                .map(ToString::to_string)
                .unwrap_or_default();
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
                let parsed = XaiSql::try_parse_from(given);
                assert!(parsed.is_ok(), "{example}\n{}", parsed.unwrap_err());
            }
        }
    }
}

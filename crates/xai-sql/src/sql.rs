//! `xai-sql sql`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use datafusion::sql::parser::Statement;
use tokio::time::timeout;
use xai_datafusion::{MemoryLimit, queries_alone};
use xai_files::Failure;

use crate::amount;
use crate::answer;
use crate::failure::query_failure;
use crate::output::{self, Format, OutFile, OutFolder, Output};
use crate::session::{Limits, Setting, embedded};
use crate::statements;
use crate::tables::{self, ReadOptions};

/// Runs a query (SELECT, EXPLAIN or VALUES) with the metrics as functions.
///
/// A table is a path in single quotes: a Parquet (.parquet), CSV (.csv, .tsv), JSON lines (.json, .jsonl, .ndjson) or
/// Arrow (.arrow) file, a folder with such files, or a pattern of file names ('runs/*.csv'). All files below a folder
/// are one table, and folders named column=value are columns. CSV and JSON may be compressed (.csv.gz, .jsonl.zst).
/// Tables may be in an object store (s3://BUCKET/NAME, gs://, az://, https://), with credentials from the environment.
/// Column names with capital letters need double quotes. Results of several queries are printed one after the other;
/// with --json, one list per line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql sql \"SELECT explainer, average_drop(base, masked) FROM 'scores.parquet' GROUP BY explainer\"
  xai-sql sql \"SELECT class, average_drop(base, masked) FROM 'runs' GROUP BY class\" --out drop.parquet
  xai-sql sql \"SELECT average_drop(base, masked) FROM 'runs'\" --memory-limit 2GB --json")]
pub(crate) struct Arguments {
    /// The query, or several separated by semicolons [default: read from --file or standard input].
    #[arg(value_name = "SQL", conflicts_with = "file")]
    query: Option<String>,
    /// File with the queries; - for standard input.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print a list of objects instead of a table.
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write the rows to a file: .parquet, .csv, .json (an object per line) or .arrow; - for standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format of --out, if its name does not tell it.
    #[arg(long, value_name = "FORMAT", requires = "out")]
    format: Option<Format>,
    /// Divide the rows by the values of these columns, separated by commas: --out becomes a new folder with folders
    /// named column=value, with files in Parquet or in the --format.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "out")]
    partition_by: Vec<String>,
    /// Setting of the engine, for example datafusion.execution.batch_size=1024; can be repeated.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Number of partitions that a table is read in at the same time [default: number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536), conflicts_with = "memory_limit")]
    partitions: Option<u32>,
    /// Memory that the states of the query may take before they go to disk, for example 2GB. The query then runs in
    /// one partition.
    #[arg(long, value_name = "BYTES", value_parser = amount::bytes)]
    memory_limit: Option<usize>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Give up after this number of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

/// Runs the queries.
pub(crate) async fn run(arguments: Arguments) -> Result<(), Failure> {
    let Some(seconds) = arguments.timeout else {
        return answer_all(&arguments).await;
    };
    match timeout(Duration::from_secs(seconds), answer_all(&arguments)).await {
        Ok(outcome) => outcome,
        Err(_) => {
            let failure = Failure::new(format_args!("no result within {seconds} seconds"));
            Err(failure.help("give more time with --timeout"))
        }
    }
}

async fn answer_all(arguments: &Arguments) -> Result<(), Failure> {
    let statements = match &arguments.query {
        Some(query) => statements::parse(query)?,
        None => statements::parse(&statements::text(arguments.file.as_deref())?)?,
    };
    if statements.len() > 1 && arguments.out.is_some() {
        let what = format_args!("one query has a file: there are {}", statements.len());
        return Err(Failure::for_option("--out", what).help("write one query at a time"));
    }
    for (number, statement) in statements.into_iter().enumerate() {
        if number > 0 && !arguments.json {
            output::print(b"\n")?;
        }
        answer_one(arguments, statement).await?;
    }
    Ok(())
}

async fn answer_one(arguments: &Arguments, statement: Statement) -> Result<(), Failure> {
    let by = &arguments.partition_by;
    let output = match (&arguments.out, arguments.json) {
        (Some(out), _) if by.is_empty() => Output::File(OutFile::new(out, arguments.format)?),
        (Some(out), _) => Output::Folder(OutFolder::new(out, arguments.format, by)?),
        (None, true) => Output::Json,
        (None, false) => Output::Table,
    };
    let limits = Limits {
        partitions: arguments.partitions.map(|partitions| partitions as usize),
        memory: arguments.memory_limit.map(MemoryLimit::new),
        settings: arguments.set.clone(),
    };
    let session = embedded(&limits)?;
    let reading = arguments.reading;
    let (plan, tables) = tables::plan(&session, statement, reading).await?;
    if let Some(out) = &arguments.out {
        tables.check_output(out)?;
    }
    // Once more by the plan, which sees what a statement has inside.
    let verified = queries_alone().verify_plan(&plan);
    verified.map_err(|error| query_failure(&error))?;
    answer::write(&session, &plan, &tables, &output, limits.memory).await
}

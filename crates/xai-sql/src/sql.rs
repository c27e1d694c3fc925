//! `xai-sql sql`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use datafusion::sql::parser::Statement;
use tokio::time::timeout;
use xai_datafusion::queries_alone;
use xai_files::Failure;

use crate::amount;
use crate::answer;
use crate::failure::of_query;
use crate::output::{self, Format, OutFile, OutFolder, Output};
use crate::session::{Limits, Setting, embedded};
use crate::statements;
use crate::tables::{self, ReadOptions};

/// Answers a query: SELECT, EXPLAIN or VALUES, with the metrics among the functions.
///
/// A table is a path in single quotes: a Parquet (.parquet), CSV (.csv, .tsv), JSON lines (.json, .jsonl, .ndjson) or Arrow
/// (.arrow) file, a folder, all such files below which are one table, or a pattern of names ('runs/*.csv'); folders named
/// column=value are columns. Text may be compressed (.csv.gz, .jsonl.zst). It may be in a store: s3://BUCKET/NAME, gs://, az://,
/// https://, with the credentials that its own programs have. Column names with capital letters stand in double quotes. The answers of several
/// queries are tables one after the other; as JSON, a list on each line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  xai-sql sql \"SELECT explainer, average_drop(base, masked) FROM 'scores.parquet' GROUP BY explainer\"
  xai-sql sql \"SELECT class, average_drop(base, masked) FROM 'runs' GROUP BY class\" --out drop.parquet
  xai-sql sql \"SELECT average_drop(base, masked) FROM 'runs'\" --memory-limit 2GB --json")]
pub(crate) struct Arguments {
    /// The query, or several with semicolons between them; without it, and without --file, they are read from standard input.
    #[arg(value_name = "SQL", conflicts_with = "file")]
    query: Option<String>,
    /// File with the queries; - is standard input.
    #[arg(short, long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Print a list of objects instead of a table.
    #[arg(long, conflicts_with = "out")]
    json: bool,
    /// Write the rows to a file: .parquet, .csv, .json (an object on each line) or .arrow; - is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Format of --out, where its name does not tell.
    #[arg(long, value_name = "FORMAT", requires = "out")]
    format: Option<Format>,
    /// Columns, divided by commas, by whose values the rows are divided: --out is a new folder, of folders named column=value,
    /// of files in Parquet or the --format.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', requires = "out")]
    partition_by: Vec<String>,
    /// A setting of the engine for this query, as datafusion.execution.batch_size=1024; may be given again.
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<Setting>,
    /// Parts that a table is read in at the same time; the number of cores where it is not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    partitions: Option<u32>,
    /// Memory that the query may take before it goes to disk, as 2GB.
    #[arg(long, value_name = "BYTES", value_parser = amount::bytes)]
    memory_limit: Option<usize>,
    #[command(flatten)]
    reading: ReadOptions,
    /// Give up after this number of seconds.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
}

/// Answers the query.
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
        return Err(Failure::of_option("--out", what).help("write one query at a time"));
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
        memory: arguments.memory_limit,
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
    verified.map_err(|error| of_query(&error))?;
    answer::write(&session, &plan, &tables, &output).await
}

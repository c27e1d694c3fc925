//! Reading and parsing of queries.

use std::io::{IsTerminal, Read, stdin};
use std::path::Path;

use datafusion::sql::parser::{DFParser, Statement};
use datafusion::sql::sqlparser::ast;
use xai_files::destination::is_standard_output;
use xai_files::{Failure, InFile};

use crate::failure::query_failure;
use crate::nesting;

/// Reads a file, or standard input if there is no file or its name is `-`.
pub(crate) fn text(file: Option<&Path>) -> Result<String, Failure> {
    // One byte more than the limit shows that the input is too long, however long it is.
    let most = nesting::LONGEST as u64 + 1;
    let mut text = String::new();
    let path = file.filter(|path| !is_standard_output(path));
    let read = match path {
        Some(path) => {
            let file = std::fs::File::open(path)
                .map_err(Failure::cannot_be_opened)
                .in_file(path)?;
            file.take(most).read_to_string(&mut text)
        }
        None if file.is_none() && stdin().is_terminal() => {
            let failure = Failure::usage("no SQL");
            return Err(failure
                .help("give it in quotes, name a file with -f, or send it to standard input"));
        }
        None => stdin().take(most).read_to_string(&mut text),
    };
    let read = read.map_err(Failure::cannot_be_read);
    read.in_file(path.unwrap_or(Path::new("standard input")))?;
    Ok(text)
}

/// Parses statements that are separated by semicolons, and refuses those that do not only read.
pub(crate) fn parse(text: &str) -> Result<Vec<Statement>, Failure> {
    nesting::check_text(text)?;
    let statements = DFParser::parse_sql(text).map_err(|error| query_failure(&error))?;
    let mut statements = Vec::from(statements);
    for statement in &mut statements {
        check_that_it_reads(statement)?;
        if let Some(statement) = as_sql(statement) {
            nesting::check_statement(statement)?;
        }
    }
    if statements.is_empty() {
        return Err(Failure::usage(
            "no statement: expected SELECT, VALUES, WITH or EXPLAIN",
        ));
    }
    Ok(statements)
}

/// The SQL of a statement, or of the statement that it explains.
pub(crate) fn as_sql(statement: &mut Statement) -> Option<&mut ast::Statement> {
    match statement {
        Statement::Explain(explain) => as_sql(&mut explain.statement),
        Statement::Statement(statement) => Some(statement),
        _ => None,
    }
}

/// Refuses statements that write: `--out` does that, and leaves no half-written file. `EXPLAIN` passes here, whatever
/// it explains, because the plan is checked once more before it runs.
fn check_that_it_reads(statement: &Statement) -> Result<(), Failure> {
    let reads = match statement {
        Statement::Explain(_) => true,
        Statement::Statement(statement) => matches!(**statement, ast::Statement::Query(_)),
        _ => false,
    };
    if reads {
        return Ok(());
    }
    let text = statement.to_string();
    let first = text.split_whitespace().next().unwrap_or_default();
    let failure = Failure::usage(format_args!(
        "{first}: expected SELECT, VALUES, WITH or EXPLAIN"
    ));
    Err(failure.help(
        "--out FILE writes what a query reads; `xai-sql tables` lists the columns of tables, `xai-sql functions` the functions",
    ))
}

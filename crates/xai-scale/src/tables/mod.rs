//! Tables of a query: paths in quotes.

mod faulty;
mod files;
mod format;
mod listed;
mod names;

use std::path::Path;
use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::listing::ListingTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
use datafusion::sql::sqlparser::ast as sqlparser;
use xai_files::Failure;

use crate::failure::of_query;
use crate::plain::without_dictionaries;
use faulty::Table;
use files::Files;
pub(crate) use files::Readers;
use listed::Listed;

/// The tables that a query reads.
#[derive(Debug)]
pub(crate) struct Tables {
    tables: Vec<Table>,
    readers: Readers,
}

impl Tables {
    /// With the tables of another, read by the same readers.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.tables.extend(other.tables);
        self
    }
}

/// The plan of a query, with every file and folder that it names registered as a table.
pub(crate) async fn plan(
    session: &SessionContext,
    query: &str,
    readers: Readers,
) -> Result<(LogicalPlan, Tables), Failure> {
    let state = session.state();
    let dialect = state.config().options().sql_parser.dialect;
    let statement = state.sql_to_statement(query, &dialect);
    let mut statement = statement.map_err(|error| of_query(&error))?;
    check_that_it_reads(&statement, query)?;
    let references = state.resolve_table_references(&statement);
    let references = references.map_err(|error| of_query(&error))?;
    let mut tables = Vec::new();
    let mut names = Vec::new();
    for reference in references {
        let TableReference::Bare { table } = &reference else {
            continue;
        };
        if state.table_functions().contains_key(table.as_ref()) {
            continue;
        }
        let (provider, read) = open(session, Path::new(table.as_ref()), readers).await?;
        let name = names::plain(table, &names);
        let plain = TableReference::bare(name.as_str());
        let registered = session.register_table(plain, Arc::new(provider));
        registered.map_err(|error| of_query(&error))?;
        rename(&mut statement, table, &name);
        names.push(name);
        tables.push(read);
    }
    let plan = session.state().statement_to_plan(statement).await;
    let plan = plan.map_err(|error| of_query(&error))?;
    Ok((plan, Tables { tables, readers }))
}

/// A table by its path alone.
pub(crate) async fn read(
    session: &SessionContext,
    path: &Path,
) -> Result<(DataFrame, Tables), Failure> {
    let (provider, table) = open(session, path, Readers::Here).await?;
    let frame = session.read_table(Arc::new(provider));
    let frame = frame.map_err(|error| of_query(&error))?;
    let tables = vec![table];
    let readers = Readers::Here;
    Ok((frame, Tables { tables, readers }))
}

async fn open(
    session: &SessionContext,
    path: &Path,
    readers: Readers,
) -> Result<(ListingTable, Table), Failure> {
    let files = find(path)?;
    let wrong = |error: DataFusionError| of_query(&error).as_bad_data().in_file(&files.path);
    let listed = Listed::new(session, &files).await.map_err(wrong)?;
    let schema = match listed.schema(session).await {
        Ok(schema) => schema,
        Err(error) => return Err(faulty::without_schema(&files, &error).await),
    };
    let schema = match readers {
        Readers::Here => schema,
        Readers::Cluster => without_dictionaries(&schema),
    };
    let provider = listed.table(schema.clone()).map_err(wrong)?;
    Ok((provider, Table { files, schema }))
}

fn rename(statement: &mut Statement, from: &str, to: &str) {
    match statement {
        Statement::Explain(explain) => rename(&mut explain.statement, from, to),
        Statement::Statement(statement) => names::rename(statement, from, to),
        _ => {}
    }
}

/// What went wrong while a query ran; where a file of its tables cannot be read, that file is named.
pub(crate) async fn failure(error: &DataFusionError, tables: &Tables) -> Failure {
    if !faulty::is_of_reading(error, tables.readers) {
        return of_query(error);
    }
    for table in &tables.tables {
        if let Some(failure) = faulty::first(table).await {
            return failure;
        }
    }
    of_query(error)
}

/// Writing is what `--out` is for, which leaves no half-written file.
fn check_that_it_reads(statement: &Statement, query: &str) -> Result<(), Failure> {
    let reads = match statement {
        Statement::Explain(_) => true,
        Statement::Statement(statement) => matches!(**statement, sqlparser::Statement::Query(_)),
        _ => false,
    };
    if reads {
        return Ok(());
    }
    let first = query.split_whitespace().next().unwrap_or_default();
    let failure = Failure::usage(format_args!(
        "{first}: expected SELECT, VALUES, WITH or EXPLAIN"
    ));
    Err(failure.help("--out FILE writes what a query reads"))
}

fn find(path: &Path) -> Result<Files, Failure> {
    let looks_like_path = path.extension().is_some() || path.components().count() > 1;
    if !looks_like_path && !path.exists() {
        let failure = Failure::usage(format_args!("no table {}", path.display()));
        return Err(failure.help(
            "a table is a file or a folder: write its path in quotes, as in FROM 'scores.parquet'",
        ));
    }
    Files::find(path)
}

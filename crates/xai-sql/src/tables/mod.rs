//! Tables of a query, which are named by their paths.

mod columns;
mod files;
mod format;
mod listed;
mod not_finite;
mod options;

use std::panic::AssertUnwindSafe;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion::dataframe::DataFrame;
use datafusion::datasource::listing::ListingTable;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use datafusion::sql::parser::Statement;
use futures::FutureExt;
use xai_files::Failure;
use xai_files::destination::{is_inside, is_same_file};

use crate::failure::query_failure;
use crate::faulty::{Unreadable, without_panic};
use crate::output::without_dictionaries;
use crate::session::{Limits, embedded};
pub(crate) use files::Files;
use listed::Listed;
pub(crate) use options::ReadOptions;

/// Part of the errors of our functions about NaN and infinity.
const NOT_FINITE: &str = "not a finite number";

/// The tables that a query reads.
#[derive(Debug, Default)]
pub(crate) struct Tables(Vec<Files>);

impl Tables {
    /// Adds the tables of another query.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Number of files of all tables.
    pub(crate) fn n_files(&self) -> usize {
        self.0.iter().map(|table| table.files.len()).sum()
    }

    /// Refuses an output that is a file of a table, or that would be one in the next query.
    pub(crate) fn check_output(&self, out: &Path) -> Result<(), Failure> {
        let refused = |what: std::fmt::Arguments<'_>| {
            let failure = Failure::for_option("--out", what).with_value(out.display());
            Err(failure.help("name another file"))
        };
        for files in &self.0 {
            if let Some(file) = files.files.iter().find(|file| is_same_file(out, file)) {
                return refused(format_args!(
                    "the file {}, which is read and would be lost",
                    file.display()
                ));
            }
            if is_inside(out, &files.path) {
                return refused(format_args!(
                    "in the folder {}, which is read: its rows would be among those of the folder",
                    files.path.display()
                ));
            }
        }
        Ok(())
    }

    /// Converts an error of a query. If a number is not finite, the files are searched for its row and column.
    pub(crate) async fn failure(&self, error: &DataFusionError, plans: &[&LogicalPlan]) -> Failure {
        let failure = self.failure_of_file(error);
        if !failure.what().contains(NOT_FINITE) {
            return failure;
        }
        // In one partition rows keep their order.
        let one = Limits {
            partitions: Some(1),
            ..Limits::default()
        };
        let Ok(session) = embedded(&one) else {
            return failure;
        };
        let columns = not_finite::columns_read(&session, plans).unwrap_or_default();
        for files in &self.0 {
            for file in &files.files {
                let found = not_finite::first(&session, files, file, &columns);
                if let Ok(Ok(Some((row, column)))) = AssertUnwindSafe(found).catch_unwind().await {
                    return failure.and_help(format_args!(
                        "row {row} of {} has one in the column `{column}`: write NULL for what is not known, or leave it \
                         out in the query (isnan, nullif)",
                        file.display()
                    ));
                }
            }
        }
        failure
    }

    /// Converts an error. An unreadable file gets the name by which the query calls it.
    fn failure_of_file(&self, error: &DataFusionError) -> Failure {
        let unreadable = match error.find_root() {
            DataFusionError::External(reason) => reason.downcast_ref::<Unreadable>(),
            _ => None,
        };
        let Some(unreadable) = unreadable else {
            return query_failure(error);
        };
        let mut names = self.0.iter().flat_map(|table| &table.files);
        let name = names.find(|name| unreadable.is(name));
        let failure = Failure::new(&unreadable.reason);
        match name {
            Some(name) => failure.in_file(name),
            None => failure.in_file(unreadable.file()),
        }
    }
}

/// Plans a query and registers every file and folder that it names as a table.
pub(crate) async fn plan(
    session: &SessionContext,
    statement: Statement,
    options: ReadOptions,
) -> Result<(LogicalPlan, Tables), Failure> {
    let state = session.state();
    let references = state
        .resolve_table_references(&statement)
        .map_err(|error| query_failure(&error))?;
    let mut tables = Vec::new();
    for reference in references {
        let TableReference::Bare { table } = &reference else {
            continue;
        };
        if state.table_functions().contains_key(table.as_ref()) {
            continue;
        }
        let (provider, read) = open(session, Path::new(table.as_ref()), options).await?;
        let registered = session.register_table(reference.clone(), Arc::new(provider));
        registered.map_err(|error| query_failure(&error))?;
        tables.push(read);
    }
    let plan = session
        .state()
        .statement_to_plan(statement)
        .await
        .map_err(|error| {
            let failure = query_failure(&error);
            match tables.iter().find_map(|table| table.hint.as_ref()) {
                Some(hint) => failure.and_help(hint),
                None => failure,
            }
        })?;
    Ok((plan, Tables(tables)))
}

/// Opens a table by its path as a data frame.
pub(crate) async fn read(
    session: &SessionContext,
    path: &Path,
    options: ReadOptions,
) -> Result<(DataFrame, Tables), Failure> {
    let (provider, table) = open(session, path, options).await?;
    let frame = session
        .read_table(Arc::new(provider))
        .map_err(|error| query_failure(&error))?;
    Ok((frame, Tables(vec![table])))
}

/// Opens a table by its path.
pub(crate) async fn open(
    session: &SessionContext,
    path: &Path,
    options: ReadOptions,
) -> Result<(ListingTable, Files), Failure> {
    let allow_missing_columns = options.allow_missing_columns;
    let path = local(path);
    let files = find(session, &path, options.delimiter).await?;
    let wrong = |error: DataFusionError| query_failure(&error).as_bad_data().in_file(&files.path);
    let listed = Listed::new(session, &files).await.map_err(wrong)?;
    let schema = match without_panic(listed.schema(session)).await {
        Ok(schema) => schema,
        Err(error) => {
            let failure = columns::unknown(session, &files, &error).await;
            let names = columns::read_columns(session, &files, &files.files[0], 0).await;
            let hint = names.ok().and_then(|names| files.hint(&names));
            return Err(match hint {
                Some(hint) => failure.and_help(hint),
                None => failure,
            });
        }
    };
    if schema.fields().is_empty() {
        return Err(files::empty(&files.path));
    }
    columns::check(session, &files, &schema, allow_missing_columns).await?;
    let hint = files.hint(&schema);
    // Grouping by plain values is faster than by dictionaries.
    let schema = without_dictionaries(&schema);
    let schema = if allow_missing_columns {
        columns::with_null(&schema)
    } else {
        schema
    };
    let provider = listed.table(schema).map_err(wrong)?;
    Ok((provider, Files { hint, ..files }))
}

/// Strips `file://` from a path.
fn local(path: &Path) -> PathBuf {
    let local = path.to_str().and_then(|path| path.strip_prefix("file://"));
    PathBuf::from(local.map_or(path, Path::new))
}

async fn find(
    session: &SessionContext,
    path: &Path,
    delimiter: Option<u8>,
) -> Result<Files, Failure> {
    let looks_like_path = path.extension().is_some() || path.components().count() > 1;
    if !looks_like_path && !path.exists() {
        let failure = Failure::usage(format_args!("no table {}", path.display()));
        return Err(failure.help(
            "a table is a file or a folder: write its path in quotes, as in FROM 'scores.parquet'",
        ));
    }
    let files = Files::find(session, path).await?;
    Ok(files.divided_by(delimiter))
}

//! Whether all files of a table have its columns.

use std::path::PathBuf;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{LogicalPlan, TableScan};
use datafusion::optimizer::Optimizer;
use datafusion::optimizer::optimize_projections::OptimizeProjections;
use datafusion::prelude::SessionContext;
use xai_files::Failure;

use crate::failure::of_query;
use crate::tables::faulty::without_panic;
use crate::tables::files::Files;
use crate::tables::format::ROWS_FOR_TYPES;
use crate::tables::listed::columns;

/// A table that a query reads.
#[derive(Debug)]
pub(super) struct Table {
    /// Its name in the plan, where the plan reads others, too.
    pub(super) name: Option<String>,
    pub(super) files: Files,
    /// The columns of its files.
    pub(super) schema: SchemaRef,
    pub(super) lacking: Vec<Lacking>,
}

/// A file that lacks a column of its table, and the columns that it has.
#[derive(Debug)]
pub(super) struct Lacking {
    file: PathBuf,
    columns: Vec<String>,
}

impl Lacking {
    fn failure(&self, column: &str) -> Failure {
        let failure = Failure::no_column(column, &self.columns).in_file(&self.file);
        failure.and_help(
            "other files of the folder have it: write the column, with NULL where there is no value, or move the file \
             out of the folder",
        )
    }
}

/// Why the columns of a table are not known: the file that does not tell its columns, or that the files have
/// different ones.
pub(super) async fn unknown(
    session: &SessionContext,
    files: &Files,
    error: &DataFusionError,
) -> Failure {
    for file in &files.files {
        let columns = columns(session, file, &files.format, ROWS_FOR_TYPES);
        if let Err(error) = without_panic(columns).await {
            return of_query(&error).as_bad_data().in_file(file);
        }
    }
    of_query(error).as_bad_data().in_file(&files.path)
}

/// The files that lack a column of their table, which the engine takes for NULL.
///
/// Where the engine takes columns by their places, a file with others is an error.
pub(super) async fn lacking(
    session: &SessionContext,
    files: &Files,
    schema: &Schema,
) -> Result<Vec<Lacking>, Failure> {
    let names = |schema: &Schema| {
        schema
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect()
    };
    let all: Vec<String> = names(schema);
    let mut lacking = Vec::new();
    if files.files.len() == 1 {
        return Ok(lacking);
    }
    for file in &files.files {
        let found = columns(session, file, &files.format, files.format.rows_for_names());
        let found = without_panic(found).await;
        let found = found.map_err(|error| of_query(&error).as_bad_data().in_file(file))?;
        let columns: Vec<String> = names(&found);
        let may_be_other = columns.is_empty() && files.format.may_be_empty();
        if columns == all || may_be_other {
            continue;
        }
        let missing = all.iter().find(|name| !columns.contains(name));
        let one = Lacking {
            file: file.clone(),
            columns: columns.clone(),
        };
        match (files.format.is_by_place(), missing) {
            (true, Some(name)) => return Err(one.failure(name)),
            (true, None) => {
                let what = format!(
                    "its columns are {}, not {}",
                    columns.join(", "),
                    all.join(", ")
                );
                let failure = Failure::new(what).in_file(file);
                return Err(
                    failure.help("write the columns of all files of the folder in one order")
                );
            }
            (false, Some(_)) => lacking.push(one),
            (false, None) => {}
        }
    }
    Ok(lacking)
}

/// Checks that every file has the columns that a plan reads.
pub(super) fn check(
    session: &SessionContext,
    plan: &LogicalPlan,
    tables: &[Table],
) -> Result<(), Failure> {
    if tables.iter().all(|table| table.lacking.is_empty()) {
        return Ok(());
    }
    // This rule alone tells the columns: others leave conditions out that no row of the other files meets.
    let columns_alone = Optimizer::with_rules(vec![Arc::new(OptimizeProjections::new())]);
    let plan = columns_alone.optimize(plan.clone(), &session.state(), |_, _| {});
    let plan = plan.map_err(|error| of_query(&error))?;
    let mut failure = None;
    let looked_through = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            failure = tables.iter().find_map(|table| of_scan(scan, table));
        }
        Ok(match failure {
            Some(_) => TreeNodeRecursion::Stop,
            None => TreeNodeRecursion::Continue,
        })
    });
    looked_through.map_err(|error| of_query(&error))?;
    failure.map_or(Ok(()), Err)
}

fn of_scan(scan: &TableScan, table: &Table) -> Option<Failure> {
    if table
        .name
        .as_ref()
        .is_some_and(|name| name != scan.table_name.table())
    {
        return None;
    }
    let filters = scan.filters.iter().flat_map(|filter| filter.column_refs());
    let filters = filters.map(|column| column.name.clone());
    let fields = scan.projected_schema.fields().iter();
    let mut read = fields.map(|field| field.name().clone()).chain(filters);
    read.find_map(|name| {
        // A column of the folders' names is in no file.
        table.schema.field_with_name(&name).ok()?;
        let lacks = |file: &&Lacking| !file.columns.contains(&name);
        let file = table.lacking.iter().find(lacks)?;
        Some(file.failure(&name))
    })
}

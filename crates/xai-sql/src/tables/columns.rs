//! Checks that all files of a table have the same columns.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::error::DataFusionError;
use datafusion::prelude::SessionContext;
use futures::StreamExt;
use xai_files::Failure;

use crate::failure::query_failure;
use crate::faulty::without_panic;
use crate::tables::files::Files;
use crate::tables::format::ROWS_FOR_TYPES;
use crate::tables::listed::{AT_A_TIME, columns};

/// Explains why the schema of a table cannot be inferred: an unreadable file, or a column with two types.
pub(super) async fn unknown(
    session: &SessionContext,
    files: &Files,
    error: &DataFusionError,
) -> Failure {
    let mut before: Vec<(&Path, SchemaRef)> = Vec::new();
    for file in &files.files {
        let found = match read_columns(session, files, file, ROWS_FOR_TYPES).await {
            Ok(found) => found,
            Err(failure) => return failure,
        };
        for (other, known) in &before {
            if let Some(failure) = different(file, &found, other, known) {
                return failure;
            }
        }
        before.push((file, found));
    }
    query_failure(error).as_bad_data().in_file(&files.path)
}

/// The columns of a file. Those of CSV and JSON are inferred from the first rows.
pub(super) async fn read_columns(
    session: &SessionContext,
    files: &Files,
    file: &Path,
    rows: usize,
) -> Result<SchemaRef, Failure> {
    let found = without_panic(columns(session, file, &files.format, rows)).await;
    found.map_err(|error| query_failure(&error).as_bad_data().in_file(file))
}

/// Error for a column that has different types in two files.
fn different(file: &Path, found: &Schema, other: &Path, known: &Schema) -> Option<Failure> {
    let of_other = |name: &str| known.field_with_name(name).ok();
    found.fields().iter().find_map(|field| {
        let before = of_other(field.name())?;
        let (here, there) = (field.data_type(), before.data_type());
        (here != there).then(|| {
            let other = other.display();
            let what = format!(
                "its column `{}` is {here}, and {there} in {other}",
                field.name()
            );
            Failure::new(what)
                .in_file(file)
                .help("write the column with one type in all files of the folder")
        })
    })
}

/// Checks that every file has all columns of the table, and for formats that are matched by position also their order.
/// With `allow_missing`, only formats that are matched by position are checked.
///
/// The engine alone would fill a missing column with NULL, or take another column in its place where it matches
/// columns by position.
pub(super) async fn check(
    session: &SessionContext,
    files: &Files,
    schema: &Schema,
    allow_missing: bool,
) -> Result<(), Failure> {
    let is_by_place = files.format.is_by_place();
    if files.files.len() == 1 || (allow_missing && !is_by_place) {
        return Ok(());
    }
    let all = names(schema);
    let rows = files.format.rows_for_names();
    let found = files
        .files
        .iter()
        .map(|file| read_columns(session, files, file, rows));
    // Collected, because the compiler cannot prove that the iterator is `Send`.
    let found: Vec<_> = found.collect();
    let mut found = futures::stream::iter(found).buffered(AT_A_TIME);
    for file in &files.files {
        let Some(found) = found.next().await.transpose()? else {
            break;
        };
        let found = names(&found);
        if found.is_empty() && files.format.may_be_empty() {
            continue;
        }
        if let Some(column) = all.iter().find(|name| !found.contains(name)) {
            let failure = Failure::no_column(column, &found).in_file(file);
            return Err(failure.and_help(format_args!(
                "other files of the folder have it: write the column, with NULL where there is no value, {}or move the \
                 file out of the folder",
                if is_by_place { "" } else { "give --allow-missing-columns, " }
            )));
        }
        if is_by_place && found != all {
            let what = format!(
                "its columns are {}, not {}",
                found.join(", "),
                all.join(", ")
            );
            let failure = Failure::new(what).in_file(file);
            return Err(failure.help("write the columns of all files of the folder in one order"));
        }
    }
    Ok(())
}

/// Makes all columns nullable.
pub(super) fn with_null(schema: &Schema) -> SchemaRef {
    let fields = schema
        .fields()
        .iter()
        .map(|field| field.as_ref().clone().with_nullable(true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn names(schema: &Schema) -> Vec<String> {
    let fields = schema.fields().iter();
    fields.map(|field| field.name().clone()).collect()
}

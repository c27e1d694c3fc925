//! Search for the number that a function refused because it is not finite.
//!
//! Functions see batches of rows without knowing their file, so after such an error the files are read again, one
//! after the other.

use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::Column;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan};
use datafusion::prelude::SessionContext;
use futures::StreamExt;

use crate::tables::files::Files;
use crate::tables::listed::Listed;

/// Names of the columns that plans read.
pub(super) fn columns_read(
    session: &SessionContext,
    plans: &[&LogicalPlan],
) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for plan in plans {
        let plan = session.state().optimize(plan)?;
        plan.apply_with_subqueries(|node| {
            if let LogicalPlan::TableScan(scan) = node {
                let fields = scan.projected_schema.fields().iter();
                names.extend(fields.map(|field| field.name().clone()));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    Ok(names)
}

/// Finds the first number of a file that is not finite: its row, counted from 1, and its column.
pub(super) async fn first(
    session: &SessionContext,
    files: &Files,
    file: &Path,
    read: &[String],
) -> Result<Option<(usize, String)>> {
    let listed = Listed::new(session, &files.alone(file)?).await?;
    let schema = listed.schema(session).await?;
    let names: Vec<&str> = schema
        .fields()
        .iter()
        .map(|field| field.name().as_str())
        .filter(|name| read.iter().any(|it| it == name))
        .collect();
    let columns = names
        .iter()
        .map(|name| Expr::Column(Column::from_name(*name)));
    let frame = session
        .read_table(Arc::new(listed.table(Arc::clone(&schema))?))?
        .select(columns.collect::<Vec<_>>())?;
    let mut rows = frame.execute_stream().await?;
    let mut n_before = 0;
    while let Some(batch) = rows.next().await {
        let batch = batch?;
        let of_columns = batch.columns().iter().map(first_in).zip(&names);
        let found = of_columns
            .filter_map(|(row, name)| Some((row?, *name)))
            .min();
        if let Some((row, name)) = found {
            return Ok(Some((n_before + row + 1, name.to_owned())));
        }
        n_before += batch.num_rows();
    }
    Ok(None)
}

fn first_in(column: &ArrayRef) -> Option<usize> {
    let mut rows = 0..column.len();
    match column.data_type() {
        DataType::Float32 => {
            let numbers = column.as_primitive::<Float32Type>();
            rows.find(|&row| numbers.is_valid(row) && !numbers.value(row).is_finite())
        }
        DataType::Float64 => {
            let numbers = column.as_primitive::<Float64Type>();
            rows.find(|&row| numbers.is_valid(row) && !numbers.value(row).is_finite())
        }
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            rows.find(|&row| lists.is_valid(row) && first_in(&lists.value(row)).is_some())
        }
        _ => None,
    }
}

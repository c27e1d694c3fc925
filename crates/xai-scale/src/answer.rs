//! The rows of a query, to where they go.

use std::sync::Arc;

use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionContext;
use xai_files::Failure;

use crate::failure;
use crate::output::{self, Output, Stopped};
use crate::progress;
use crate::tables::Tables;

/// How often a query is asked whose results are gone before they are read.
const MOST_ASKED: u32 = 3;

/// Runs a query and writes its rows. Where an executor has stopped before its results were read, the query is asked again.
pub(crate) async fn write(
    session: &SessionContext,
    plan: &LogicalPlan,
    tables: &Tables,
    output: &Output,
) -> Result<(), Failure> {
    let mut n_asked = 0;
    loop {
        n_asked += 1;
        match attempt(session, plan, output).await {
            Ok(()) => return Ok(()),
            Err(Stopped::Output(failure)) => return Err(failure),
            Err(Stopped::Query(error)) => {
                // Of what is printed as it comes some may have been read.
                let may_ask = n_asked < MOST_ASKED && !output.is_printed_at_once();
                if !(may_ask && failure::is_of_results(&error)) {
                    return Err(tables.failure(&error, &[plan]).await);
                }
            }
        }
    }
}

async fn attempt(
    session: &SessionContext,
    plan: &LogicalPlan,
    output: &Output,
) -> Result<(), Stopped> {
    let frame = session.execute_logical_plan(plan.clone()).await?;
    let context = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let rows = execute_stream(Arc::clone(&plan), context)?;
    let rows = progress::shown(plan, rows, output.is_printed_at_once());
    output::write(rows, output).await
}

//! Runs a query and writes its rows.

use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::SessionContext;
use xai_datafusion::MemoryLimit;
use xai_files::Failure;

use crate::output::{self, Output, Stopped};
use crate::progress;
use crate::tables::Tables;

/// Runs a query and writes its rows.
pub(crate) async fn write(
    session: &SessionContext,
    plan: &LogicalPlan,
    tables: &Tables,
    output: &Output,
    memory: Option<MemoryLimit>,
) -> Result<(), Failure> {
    let written = match start(session, plan, output).await {
        Ok(rows) => {
            let rows = match memory {
                Some(limit) => limit.report(plan, rows),
                None => rows,
            };
            output::write(rows, output).await
        }
        Err(error) => Err(Stopped::Query(error)),
    };
    match written {
        Ok(()) => Ok(()),
        Err(Stopped::Output(failure)) => Err(failure),
        Err(Stopped::Query(error)) => Err(tables.failure(&error, &[plan]).await),
    }
}

/// Starts a query and returns its rows.
async fn start(
    session: &SessionContext,
    plan: &LogicalPlan,
    output: &Output,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let frame = session.execute_logical_plan(plan.clone()).await?;
    let context = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let rows = execute_stream(Arc::clone(&plan), context)?;
    Ok(progress::shown(plan, rows, output.is_printed_at_once()))
}

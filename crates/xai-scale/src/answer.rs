//! The rows of a query, to where they go.

use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{StreamExt, stream};
use xai_files::Failure;

use crate::cluster::Session;
use crate::failure;
use crate::output::{self, Output, Stopped};
use crate::progress;
use crate::tables::Tables;

/// How often a query is asked whose results are gone before they are read.
const MOST_ASKED: u32 = 3;

/// How many rows of a cluster are there before the first is printed. Before that the query can be asked again; and a cluster
/// has computed them all when it gives the first.
const AT_HAND: usize = 10_000;

/// Runs a query and writes its rows. Where an executor has stopped before its results were read, the query is asked again.
pub(crate) async fn write(
    session: &Session,
    plan: &LogicalPlan,
    tables: &Tables,
    output: &Output,
) -> Result<(), Failure> {
    let mut n_asked = 0;
    loop {
        n_asked += 1;
        let (stopped, is_printed) = match begun(session, plan, output).await {
            Err(error) => (Stopped::Query(error), false),
            Ok(rows) => match output::write(rows, output).await {
                Ok(()) => return Ok(()),
                Err(stopped) => (stopped, output.is_printed_at_once()),
            },
        };
        match stopped {
            Stopped::Output(failure) => return Err(failure),
            Stopped::Query(error) => {
                if n_asked == MOST_ASKED || is_printed || !failure::is_of_results(&error) {
                    return Err(tables.failure(&error, &[plan]).await);
                }
            }
        }
    }
}

/// The rows of a query that runs; of those that are printed as they come, the first are at hand.
async fn begun(
    session: &Session,
    plan: &LogicalPlan,
    output: &Output,
) -> Result<SendableRecordBatchStream, DataFusionError> {
    let frame = session.context.execute_logical_plan(plan.clone()).await?;
    let context = Arc::new(frame.task_ctx());
    let plan = frame.create_physical_plan().await?;
    let rows = execute_stream(Arc::clone(&plan), context)?;
    let schema = rows.schema();
    let mut rows = progress::shown(plan, rows, output.is_printed_at_once()).fuse();
    let mut first = Vec::new();
    let mut n_rows = 0;
    while session.is_remote() && output.is_printed_at_once() && n_rows < AT_HAND {
        let Some(batch) = rows.next().await.transpose()? else {
            break;
        };
        n_rows += batch.num_rows();
        first.push(Ok(batch));
    }
    let rows = stream::iter(first).chain(rows);
    Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
}

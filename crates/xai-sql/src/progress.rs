//! Progress of a query on a terminal.

use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;
use futures::stream::poll_fn;
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget};
use tokio::task::JoinHandle;

/// Time after which a query shows its progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two updates.
const TICK: Duration = Duration::from_millis(200);

/// Number of rows that a query has read, on standard error. Disappears when dropped.
struct Progress {
    bar: ProgressBar,
    shown: JoinHandle<()>,
}

/// Shows the progress of a plan while its rows are read, if standard error is a terminal. It ends with the rows or an
/// error, or, if rows are printed as they arrive, with the first batch.
pub(crate) fn shown(
    plan: Arc<dyn ExecutionPlan>,
    mut rows: SendableRecordBatchStream,
    are_printed: bool,
) -> SendableRecordBatchStream {
    if !stderr().is_terminal() {
        return rows;
    }
    let schema = rows.schema();
    let mut progress = Some(Progress::new(plan));
    let rows = poll_fn(move |context| {
        let next = ready!(rows.poll_next_unpin(context));
        if are_printed || !matches!(next, Some(Ok(_))) {
            drop(progress.take());
        }
        Poll::Ready(next)
    });
    Box::pin(RecordBatchStreamAdapter::new(schema, rows))
}

impl Progress {
    fn new(plan: Arc<dyn ExecutionPlan>) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let shown = bar.clone();
        let shown = tokio::spawn(async move {
            let start = Instant::now();
            tokio::time::sleep(PATIENCE).await;
            shown.set_draw_target(ProgressDrawTarget::stderr());
            loop {
                let seconds = start.elapsed().as_secs();
                let rows = HumanCount(rows_read(&plan) as u64);
                shown.set_message(format!("{rows} rows read, {seconds} s"));
                shown.tick();
                tokio::time::sleep(TICK).await;
            }
        });
        Self { bar, shown }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shown.abort();
        self.bar.finish_and_clear();
    }
}

/// Number of rows that the scans of a plan have returned so far.
fn rows_read(plan: &Arc<dyn ExecutionPlan>) -> usize {
    let below = plan.children();
    if below.is_empty() {
        let metrics = plan.metrics();
        return metrics.and_then(|it| it.output_rows()).unwrap_or(0);
    }
    below.into_iter().map(rows_read).sum()
}

//! The scheduler of the engine, and its queries.

use std::mem;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ballista_core::serde::protobuf::{JobStatus, job_status};
use ballista_scheduler::scheduler_server::SchedulerServer;
use ballista_scheduler::state::task_manager::JobOverview;
use datafusion_proto::protobuf::PhysicalPlanNode;

use super::limited_plan::LimitedPlan;

/// The engine's scheduler.
pub(super) type Engine = SchedulerServer<LimitedPlan, PhysicalPlanNode>;

/// How often a query is run that loses results each time.
pub(super) const MOST_BEGUN: u32 = 10;

/// A query that is cancelled when this is dropped before it is over.
pub(super) struct Unfinished {
    engine: Engine,
    name: String,
}

impl Unfinished {
    /// With a name of its own, by which it is found: the client is told its number when it is over. It begins with who asks.
    pub(super) fn new(engine: Engine, client: &str) -> Self {
        static QUERIES: AtomicU64 = AtomicU64::new(0);
        let name = format!("{client} {}", QUERIES.fetch_add(1, Ordering::Relaxed));
        Self { engine, name }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Nothing is left to cancel.
    pub(super) fn ended(mut self) {
        self.name.clear();
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            tokio::spawn(cancel(self.engine.clone(), mem::take(&mut self.name)));
        }
    }
}

/// Whether a query has ended, well or not.
pub(super) fn is_over(job: &JobStatus) -> bool {
    use job_status::Status::{Failed, Successful};
    matches!(job.status, Some(Successful(_) | Failed(_)))
}

async fn cancel(engine: Engine, name: String) {
    // It is among them as soon as the engine has taken it out of its mailbox.
    for _ in 0..20 {
        if let Some(query) = named(&engine, &name).await {
            if !is_over(&query.status)
                && let Err(error) = engine.cancel_job(query.job_id).await
            {
                eprintln!("warning: a query cannot be cancelled: {error}");
            }
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The query of a name.
pub(super) async fn named(engine: &Engine, name: &str) -> Option<JobOverview> {
    let queries = engine.state.task_manager.get_all_jobs().await;
    let mut queries = queries.unwrap_or_default().into_iter();
    queries.find(|query| query.job_name == name)
}

/// Why a query is not run once more.
pub(super) fn lost_too_often() -> String {
    format!("results of executors were lost in each of {MOST_BEGUN} attempts")
}

//! Tasks that end when their query is over, and whose results are told apart.
//!
//! An executor asks its scheduler for work, and the engine's scheduler has no way to tell such an executor that a query was
//! cancelled: it would work on to the end. So it asks, twice a second, whether a query that it works on still runs.
//!
//! The engine numbers the tasks of a part of a query anew when the part is run again, and names their files by these numbers. An
//! executor that finds a file of that name in its own folder reads it, be it what an attempt that failed has left there, and not the
//! one that another executor has made: rows were lost without a word. So files have a name that no other task has.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::BuildHasher;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use ballista_core::JobId;
use ballista_core::client::BallistaClient;
use ballista_core::client_pool::{BallistaClientPool, PooledClient};
use ballista_core::error::Result as Connected;
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    GetJobStatusParams, RuntimeStatsReport, ShuffleWritePartition, TaskColumnStats,
    WindowStateReport, job_status,
};
use ballista_core::utils::GrpcClientConfig;
use ballista_executor::execution_engine::{
    DefaultExecutionEngine, ExecutionEngine, QueryStageExecutor,
};
use datafusion::common::exec_err;
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::metrics::MetricsSet;
use datafusion::prelude::SessionConfig;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tonic::transport::Channel;

use super::address::Address;
use super::tls::Tls;

/// How often it is asked whether a query still runs.
const PAUSE: Duration = Duration::from_millis(500);
/// How many connections to another executor are kept for the next results.
const KEPT: usize = 16;

/// The engine of an executor, whose tasks end when their query is over.
pub(super) struct StoppableEngine {
    engine: DefaultExecutionEngine,
    queries: Arc<Queries>,
}

impl StoppableEngine {
    /// Of the executor of a scheduler. To be called inside of the runtime of the process.
    pub(super) fn new(scheduler: Address, tls: Tls) -> Self {
        Self {
            engine: DefaultExecutionEngine::with_client_pool(Arc::new(Connections::default())),
            queries: Arc::new(Queries {
                scheduler,
                tls,
                runtime: Handle::current(),
                watched: Mutex::default(),
            }),
        }
    }
}

impl ExecutionEngine for StoppableEngine {
    fn create_query_stage_exec(
        &self,
        job: JobId,
        stage: usize,
        _: usize,
        partitions: Vec<usize>,
        plan: Arc<dyn ExecutionPlan>,
        work_dir: &str,
        config: &SessionConfig,
    ) -> Result<Arc<dyn QueryStageExecutor>> {
        let results = PathBuf::from(work_dir).join(job.as_str());
        let engine = &self.engine;
        let of_engine = engine.create_query_stage_exec(
            job.clone(),
            stage,
            unique_name(),
            partitions,
            plan,
            work_dir,
            config,
        )?;
        Ok(Arc::new(StoppableTask {
            of_engine,
            job,
            results,
            queries: Arc::clone(&self.queries),
        }))
    }
}

/// A number by which the engine names the files of a task, which no other task of a cluster has: chosen by chance for the process, and
/// then counted.
fn unique_name() -> usize {
    static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one("process"));
    static TASKS: AtomicU64 = AtomicU64::new(0);
    let task = TASKS.fetch_add(1, Ordering::Relaxed);
    ((*PROCESS << 24) | (task & 0xff_ffff)) as usize
}

type Idle = Mutex<HashMap<(String, u16), Vec<BallistaClient>>>;

/// Connections to other executors, which are used again. Those of the engine are made by its own engine alone.
#[derive(Default)]
struct Connections(Arc<Idle>);

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Connections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Connections")
    }
}

#[tonic::async_trait]
impl BallistaClientPool for Connections {
    async fn acquire(
        &self,
        host: &str,
        port: u16,
        config: &GrpcClientConfig,
        customized: Option<Arc<BallistaConfigGrpcEndpoint>>,
    ) -> Connected<PooledClient> {
        let executor = (host.to_owned(), port);
        let idle = locked(&self.0).get_mut(&executor).and_then(Vec::pop);
        let client = match idle {
            Some(client) => client,
            None => {
                BallistaClient::try_new(
                    host,
                    port,
                    config.max_message_size,
                    config.use_tls,
                    customized,
                    config.io_retries_times,
                    config.io_retry_wait_time_ms,
                    config.initial_connection_window_size,
                    config.initial_stream_window_size,
                )
                .await?
            }
        };
        let kept = Arc::clone(&self.0);
        let keep = move |client| {
            let mut kept = locked(&kept);
            let kept = kept.entry(executor).or_default();
            if kept.len() < KEPT {
                kept.push(client);
            }
        };
        Ok(PooledClient::new(client, Box::new(keep)))
    }

    async fn evict_idle(&self) {
        locked(&self.0).clear();
    }
}

/// A task of a query.
struct StoppableTask {
    of_engine: Arc<dyn QueryStageExecutor>,
    job: JobId,
    /// The folder of the query.
    results: PathBuf,
    queries: Arc<Queries>,
}

impl fmt::Debug for StoppableTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.of_engine, f)
    }
}

impl fmt::Display for StoppableTask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.of_engine, f)
    }
}

#[tonic::async_trait]
impl QueryStageExecutor for StoppableTask {
    async fn execute_query_stage(
        &self,
        task: usize,
        context: Arc<TaskContext>,
    ) -> Result<Vec<ShuffleWritePartition>> {
        tokio::select! {
            done = self.of_engine.execute_query_stage(task, context) => return done,
            () = self.queries.over(&self.job) => {}
        }
        // The scheduler had the results of the query removed when it ended, and this task may have made others since.
        let _ = tokio::fs::remove_dir_all(&self.results).await;
        exec_err!("query {} is over", self.job)
    }

    fn collect_plan_metrics(&self) -> Vec<MetricsSet> {
        self.of_engine.collect_plan_metrics()
    }

    fn collect_runtime_stats_reports(&self) -> Vec<RuntimeStatsReport> {
        self.of_engine.collect_runtime_stats_reports()
    }

    fn collect_window_state_reports(&self) -> Result<Vec<WindowStateReport>> {
        self.of_engine.collect_window_state_reports()
    }

    fn collect_column_stats(&self) -> Vec<TaskColumnStats> {
        self.of_engine.collect_column_stats()
    }
}

/// The queries that an executor works on; each is asked for once, however many tasks it has here.
struct Queries {
    scheduler: Address,
    tls: Tls,
    /// That of the process: the threads of tasks are busy, and their clocks stand still for seconds.
    runtime: Handle,
    watched: Mutex<HashMap<JobId, Weak<watch::Sender<bool>>>>,
}

impl Queries {
    /// Ends when a query is over: cancelled, failed, or not known to the scheduler any more.
    async fn over(self: &Arc<Self>, job: &JobId) {
        let watched = self.watched(job);
        let mut is_over = watched.subscribe();
        // An error is that of a sender that is gone, and it is held here.
        let _ = is_over.wait_for(|is_over| *is_over).await;
    }

    fn watched(self: &Arc<Self>, job: &JobId) -> Arc<watch::Sender<bool>> {
        let mut watched = locked(&self.watched);
        if let Some(known) = watched.get(job).and_then(Weak::upgrade) {
            return known;
        }
        watched.retain(|_, query| query.strong_count() > 0);
        let made = Arc::new(watch::Sender::new(false));
        watched.insert(job.clone(), Arc::downgrade(&made));
        let asking = Arc::clone(self).ask(job.clone(), Arc::downgrade(&made));
        self.runtime.spawn(asking);
        made
    }

    /// Asks as long as there is a task of the query.
    async fn ask(self: Arc<Self>, job: JobId, query: Weak<watch::Sender<bool>>) {
        let mut scheduler = None;
        loop {
            tokio::time::sleep(PAUSE).await;
            let Some(query) = query.upgrade() else {
                return;
            };
            if scheduler.is_none() {
                let endpoint = self.tls.endpoint(&self.scheduler);
                let connected = match endpoint {
                    Ok(endpoint) => endpoint.connect().await.ok(),
                    Err(_) => None,
                };
                scheduler = connected.map(SchedulerGrpcClient::new);
            }
            // A scheduler that does not answer is looked for by the executor itself.
            let Some(asked) = &mut scheduler else {
                continue;
            };
            match runs(asked, &job).await {
                Ok(true) => {}
                Ok(false) => {
                    query.send_replace(true);
                    return;
                }
                Err(_) => scheduler = None,
            }
        }
    }
}

/// Whether a query still runs.
async fn runs(
    scheduler: &mut SchedulerGrpcClient<Channel>,
    job: &JobId,
) -> Result<bool, tonic::Status> {
    let job_id = job.as_str().to_owned();
    let answer = scheduler
        .get_job_status(GetJobStatusParams { job_id })
        .await?;
    let status = answer.into_inner().status.and_then(|status| status.status);
    Ok(!matches!(
        status,
        None | Some(job_status::Status::Failed(_))
    ))
}

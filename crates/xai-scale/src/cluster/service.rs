//! What a scheduler answers: all that the engine's does, but that a query ends with the connection of its client, and by nobody else.

use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::middleware;
use axum::routing::get;
use ballista_core::JobId;
use ballista_core::config::{BALLISTA_ADAPTIVE_PLANNER_ENABLED, BALLISTA_JOB_NAME};
use ballista_core::serde::protobuf::scheduler_grpc_server::{SchedulerGrpc, SchedulerGrpcServer};
use ballista_core::serde::protobuf::{
    CancelJobParams, CancelJobResult, CleanJobDataParams, CleanJobDataResult,
    CreateUpdateSessionParams, CreateUpdateSessionResult, ExecuteQueryParams, ExecuteQueryResult,
    ExecutorStoppedParams, ExecutorStoppedResult, GetJobMetricsParams, GetJobMetricsResult,
    GetJobStatusParams, GetJobStatusResult, HeartBeatParams, HeartBeatResult, JobStatus,
    KeyValuePair, PollWorkParams, PollWorkResult, RegisterExecutorParams, RegisterExecutorResult,
    RemoveSessionParams, RemoveSessionResult, UpdateTaskStatusParams, UpdateTaskStatusResult,
    job_status,
};
use ballista_scheduler::scheduler_server::SchedulerServer;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::future::BoxFuture;
use futures::{FutureExt, Stream};
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;
use tonic::transport::server::{TcpConnectInfo, TcpIncoming, TlsConnectInfo};
use tonic::transport::{Error as TransportError, Server};
use tonic::{Request, Response, Status};

use super::limited_plan::LimitedPlan;
use super::tls::Tls;

/// The engine's scheduler.
pub(super) type Engine = SchedulerServer<LimitedPlan, PhysicalPlanNode>;

type Answer<T> = Result<Response<T>, Status>;

/// Serves the calls of a scheduler, with messages of at most so many bytes, and whether it lives (`/healthz`) and has
/// executors (`/readyz`).
pub(super) async fn serve(
    engine: Engine,
    listener: TcpListener,
    tls: &Tls,
    largest_message: usize,
) -> Result<(), TransportError> {
    let service = Service {
        engine: engine.clone(),
        finished: Arc::default(),
    };
    let calls = SchedulerGrpcServer::new(service)
        .max_decoding_message_size(largest_message)
        .max_encoding_message_size(largest_message);
    let mut routes = RoutesBuilder::default();
    routes.add_service(calls);
    let is_ready = move || {
        let (code, text) = match engine.is_ready() {
            true => (StatusCode::OK, "ready"),
            false => (StatusCode::SERVICE_UNAVAILABLE, "no executors"),
        };
        std::future::ready((code, text))
    };
    let router = routes.routes().into_axum_router();
    let router = router.route("/healthz", get(|| std::future::ready("ok")));
    let router = router.route("/readyz", get(is_ready));
    let router = router.layer(middleware::map_request(with_address));
    // A client whose machine is gone closes no connection: it is asked. HTTP/1 is for the two pages.
    let server = Server::builder()
        .http2_keepalive_interval(Some(PATIENCE))
        .http2_keepalive_timeout(Some(PATIENCE))
        .accept_http1(true);
    let server = tls.serving(server)?.add_routes(router.into());
    server
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
        .await
}

/// With the address of those who call, where the engine looks for it.
async fn with_address(mut request: axum::extract::Request) -> axum::extract::Request {
    let extensions = request.extensions();
    let plain = extensions.get::<TcpConnectInfo>();
    let encrypted = extensions.get::<TlsConnectInfo<TcpConnectInfo>>();
    let caller = plain.or(encrypted.map(TlsConnectInfo::get_ref));
    if let Some(address) = caller.and_then(TcpConnectInfo::remote_addr) {
        request.extensions_mut().insert(ConnectInfo(address));
    }
    request
}

/// How long a client may be silent until it is asked whether it is there, and then until it is taken for gone.
const PATIENCE: Duration = Duration::from_secs(10);

struct Service {
    engine: Engine,
    finished: Arc<Finished>,
}

/// How long results are kept for a client that does not say that it has them.
pub(super) const RESULTS_KEPT: Duration = Duration::from_secs(3600);

/// The queries that have ended, by the sessions of their clients, which nobody else knows.
#[derive(Default)]
struct Finished(Mutex<Vec<(Instant, String, JobId)>>);

impl Finished {
    fn locked(&self) -> MutexGuard<'_, Vec<(Instant, String, JobId)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, session: String, query: JobId) {
        let mut finished = self.locked();
        finished.retain(|(when, ..)| when.elapsed() < RESULTS_KEPT);
        finished.push((Instant::now(), session, query));
    }

    /// Takes those of a session out.
    fn of(&self, session: &str) -> Vec<JobId> {
        let mut finished = self.locked();
        let of_session = finished.extract_if(.., |(_, of, _)| of == session);
        of_session.map(|(.., query)| query).collect()
    }
}

/// Calls that the engine answers.
macro_rules! answered_by_the_engine {
    ($($call:ident($asked:ty) -> $answer:ty;)*) => {$(
        fn $call<'s, 'f>(&'s self, request: Request<$asked>) -> BoxFuture<'f, Answer<$answer>>
        where
            's: 'f,
            Self: 'f,
        {
            SchedulerGrpc::$call(&self.engine, request)
        }
    )*};
}

impl SchedulerGrpc for Service {
    type ExecuteQueryPushStream = Pin<Box<Watched>>;

    answered_by_the_engine! {
        poll_work(PollWorkParams) -> PollWorkResult;
        register_executor(RegisterExecutorParams) -> RegisterExecutorResult;
        heart_beat_from_executor(HeartBeatParams) -> HeartBeatResult;
        update_task_status(UpdateTaskStatusParams) -> UpdateTaskStatusResult;
        create_update_session(CreateUpdateSessionParams) -> CreateUpdateSessionResult;
        remove_session(RemoveSessionParams) -> RemoveSessionResult;
        get_job_status(GetJobStatusParams) -> GetJobStatusResult;
        get_job_metrics(GetJobMetricsParams) -> GetJobMetricsResult;
        executor_stopped(ExecutorStoppedParams) -> ExecutorStoppedResult;
    }

    fn execute_query<'s, 'f>(
        &'s self,
        mut request: Request<ExecuteQueryParams>,
    ) -> BoxFuture<'f, Answer<ExecuteQueryResult>>
    where
        's: 'f,
        Self: 'f,
    {
        set(&mut request, BALLISTA_ADAPTIVE_PLANNER_ENABLED, "false");
        SchedulerGrpc::execute_query(&self.engine, request)
    }

    fn execute_query_push<'s, 'f>(
        &'s self,
        mut request: Request<ExecuteQueryParams>,
    ) -> BoxFuture<'f, Answer<Self::ExecuteQueryPushStream>>
    where
        's: 'f,
        Self: 'f,
    {
        let (engine, name) = (self.engine.clone(), unique_name());
        let session = request.get_ref().session_id.clone();
        let finished = Arc::clone(&self.finished);
        set(&mut request, BALLISTA_JOB_NAME, &name);
        set(&mut request, BALLISTA_ADAPTIVE_PLANNER_ENABLED, "false");
        let answer = SchedulerGrpc::execute_query_push(&self.engine, request);
        let watched = |states| {
            let states = Some(states);
            Box::pin(Watched {
                states,
                name,
                session,
                finished,
                engine,
            })
        };
        answer.map(|answer| Ok(answer?.map(watched))).boxed()
    }

    /// Refused to all: whoever knows the number of a query could end that of somebody else.
    fn cancel_job<'s, 'f>(
        &'s self,
        _: Request<CancelJobParams>,
    ) -> BoxFuture<'f, Answer<CancelJobResult>>
    where
        's: 'f,
        Self: 'f,
    {
        let why = "a query ends with the connection of its client";
        std::future::ready(Err(Status::permission_denied(why))).boxed()
    }

    /// Removes the results of a session, which its client has read. The name of a query, for which the engine has this call, is the
    /// time at which it began: anyone could guess it.
    fn clean_job_data<'s, 'f>(
        &'s self,
        request: Request<CleanJobDataParams>,
    ) -> BoxFuture<'f, Answer<CleanJobDataResult>>
    where
        's: 'f,
        Self: 'f,
    {
        for query in self.finished.of(&request.get_ref().job_id) {
            self.engine.state.executor_manager.clean_up_job_data(query);
        }
        std::future::ready(Ok(Response::new(CleanJobDataResult {}))).boxed()
    }
}

/// Settles something about a query, whatever its client says.
///
/// The adaptive planner of the engine loses a stage that it has to run again, because results are gone while their executor
/// lives, and the query never ends.
fn set(request: &mut Request<ExecuteQueryParams>, key: &str, value: &str) {
    let settings = &mut request.get_mut().settings;
    settings.retain(|setting| setting.key != key);
    settings.push(KeyValuePair {
        key: key.to_owned(),
        value: Some(value.to_owned()),
    });
}

/// A name by which a query is found: the client is told its number when it is over.
fn unique_name() -> String {
    static QUERIES: AtomicU64 = AtomicU64::new(0);
    format!("query {}", QUERIES.fetch_add(1, Ordering::Relaxed))
}

type States = <Engine as SchedulerGrpc>::ExecuteQueryPushStream;

/// What a client is told of its query until it is over. Where the client is gone before, by Ctrl-C, a timeout or a kill, its
/// connection closes, and with it this is dropped: then the query is cancelled.
struct Watched {
    /// Until the query is over.
    states: Option<States>,
    name: String,
    session: String,
    finished: Arc<Finished>,
    engine: Engine,
}

impl Stream for Watched {
    type Item = Result<GetJobStatusResult, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(states) = &mut self.states else {
            return Poll::Ready(None);
        };
        let next = ready!(states.as_mut().poll_next(context));
        let goes_on = match &next {
            Some(Ok(told)) => !told.status.as_ref().is_some_and(is_over),
            Some(Err(_)) => true,
            None => false,
        };
        if !goes_on {
            self.states = None;
            if let Some(Ok(told)) = &next
                && let Some(query) = &told.status
            {
                let session = mem::take(&mut self.session);
                self.finished.add(session, query.job_id.clone().into());
            }
        }
        Poll::Ready(next)
    }
}

fn is_over(job: &JobStatus) -> bool {
    use job_status::Status::{Failed, Successful};
    matches!(job.status, Some(Successful(_) | Failed(_)))
}

impl Drop for Watched {
    fn drop(&mut self) {
        if self.states.take().is_some() {
            tokio::spawn(cancel(self.engine.clone(), mem::take(&mut self.name)));
        }
    }
}

async fn cancel(engine: Engine, name: String) {
    // It is among them as soon as the engine has taken it out of its mailbox.
    for _ in 0..20 {
        let queries = engine.state.task_manager.get_all_jobs().await;
        let mut queries = queries.unwrap_or_default().into_iter();
        if let Some(query) = queries.find(|query| query.job_name == name) {
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

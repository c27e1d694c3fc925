//! What a scheduler answers: all that the engine's does, but that a query ends with the connection of its client, or on the machine of
//! the scheduler.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::http::header::ORIGIN;
use axum::middleware;
use ballista_core::JobId;
use ballista_core::config::{BALLISTA_ADAPTIVE_PLANNER_ENABLED, BALLISTA_JOB_NAME};
use ballista_core::serde::protobuf::scheduler_grpc_server::{SchedulerGrpc, SchedulerGrpcServer};
use ballista_core::serde::protobuf::{
    CancelJobParams, CancelJobResult, CleanJobDataParams, CleanJobDataResult,
    CreateUpdateSessionParams, CreateUpdateSessionResult, ExecuteQueryParams, ExecuteQueryResult,
    ExecutorStoppedParams, ExecutorStoppedResult, GetJobMetricsParams, GetJobMetricsResult,
    GetJobStatusParams, GetJobStatusResult, HeartBeatParams, HeartBeatResult, KeyValuePair,
    PollWorkParams, PollWorkResult, RegisterExecutorParams, RegisterExecutorResult,
    RemoveSessionParams, RemoveSessionResult, UpdateTaskStatusParams, UpdateTaskStatusResult,
    job_status,
};
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use tokio::net::TcpListener;
use tonic::service::RoutesBuilder;
use tonic::transport::server::{TcpConnectInfo, TcpIncoming, TlsConnectInfo};
use tonic::transport::{Error as TransportError, Server};
use tonic::{Request, Response, Status};

use super::engine::{Engine, MOST_BEGUN, Unfinished, is_over, lost_too_often};
use super::pages::CallerOnMachine;
use super::repeated::Repeated;
use super::tls::Tls;
use super::{flight, pages};
use crate::failure::tells_of_connection;

type Answer<T> = Result<Response<T>, Status>;

/// What a scheduler hands out beside the states of queries.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rows {
    /// Nothing: clients ask executors.
    Nothing,
    /// Results of executors.
    Results,
    /// Results, and those of queries in SQL.
    Queries,
}

/// Serves the calls of a scheduler, with messages of at most so many bytes, and its pages.
pub(super) async fn serve(
    engine: Engine,
    listener: TcpListener,
    tls: &Tls,
    largest_message: usize,
    rows: Rows,
) -> Result<(), TransportError> {
    let repeated = Arc::<Repeated>::default();
    let service = Service {
        engine: engine.clone(),
        finished: Arc::default(),
        repeated: Arc::clone(&repeated),
    };
    let calls = SchedulerGrpcServer::new(service)
        .max_decoding_message_size(largest_message)
        .max_encoding_message_size(largest_message);
    let mut routes = RoutesBuilder::default();
    routes.add_service(calls);
    match rows {
        Rows::Nothing => {}
        Rows::Results => {
            let results = flight::proxy(engine.clone(), largest_message, tls);
            routes.add_service(results.served(largest_message));
        }
        Rows::Queries => {
            let queries = flight::queries(engine.clone(), repeated, largest_message, tls);
            routes.add_service(queries.served(largest_message));
        }
    }
    let router = routes.routes().into_axum_router();
    let router = router.merge(pages::router(engine));
    let router = router.layer(middleware::map_request(with_address));
    // A client whose machine is gone closes no connection: it is asked. HTTP/1 is for the pages.
    let server = Server::builder()
        .http2_keepalive_interval(Some(PATIENCE))
        .http2_keepalive_timeout(Some(PATIENCE))
        .accept_http1(true);
    let server = tls.serving(server)?.add_routes(router.into());
    server
        .serve_with_incoming(TcpIncoming::from(listener).with_nodelay(Some(true)))
        .await
}

/// With the address of those who call, where the engine looks for it, and whether they are on this machine. Pages of others that a
/// person looks at in a browser here ask nothing: what they send says where they are from.
async fn with_address(
    mut request: axum::extract::Request,
) -> Result<axum::extract::Request, StatusCode> {
    if request.headers().contains_key(ORIGIN) {
        return Err(StatusCode::FORBIDDEN);
    }
    let extensions = request.extensions();
    let plain = extensions.get::<TcpConnectInfo>();
    let encrypted = extensions.get::<TlsConnectInfo<TcpConnectInfo>>();
    let caller = plain.or(encrypted.map(TlsConnectInfo::get_ref));
    let addresses = caller.map(|it| (it.remote_addr(), it.local_addr()));
    if let Some((Some(remote), local)) = addresses {
        let is_on_machine = local.is_some_and(|local| local.ip() == remote.ip());
        let extensions = request.extensions_mut();
        extensions.insert(ConnectInfo(remote));
        extensions.insert(CallerOnMachine(is_on_machine));
    }
    Ok(request)
}

/// How long a client may be silent until it is asked whether it is there, and then until it is taken for gone.
const PATIENCE: Duration = Duration::from_secs(10);

struct Service {
    engine: Engine,
    finished: Arc<Finished>,
    repeated: Arc<Repeated>,
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

/// Calls that are answered to nobody.
macro_rules! refused {
    ($($(#[$why:meta])* $call:ident($asked:ty) -> $answer:ty, $status:expr;)*) => {$(
        $(#[$why])*
        fn $call<'s, 'f>(&'s self, _: Request<$asked>) -> BoxFuture<'f, Answer<$answer>>
        where
            's: 'f,
            Self: 'f,
        {
            std::future::ready(Err($status)).boxed()
        }
    )*};
}

impl SchedulerGrpc for Service {
    type ExecuteQueryPushStream = BoxStream<'static, State>;

    answered_by_the_engine! {
        register_executor(RegisterExecutorParams) -> RegisterExecutorResult;
        heart_beat_from_executor(HeartBeatParams) -> HeartBeatResult;
        create_update_session(CreateUpdateSessionParams) -> CreateUpdateSessionResult;
        remove_session(RemoveSessionParams) -> RemoveSessionResult;
        get_job_status(GetJobStatusParams) -> GetJobStatusResult;
        get_job_metrics(GetJobMetricsParams) -> GetJobMetricsResult;
        executor_stopped(ExecutorStoppedParams) -> ExecutorStoppedResult;
    }

    fn poll_work<'s, 'f>(
        &'s self,
        request: Request<PollWorkParams>,
    ) -> BoxFuture<'f, Answer<PollWorkResult>>
    where
        's: 'f,
        Self: 'f,
    {
        self.repeated.reported(&request.get_ref().task_status);
        let answer = SchedulerGrpc::poll_work(&self.engine, request);
        let told = async move {
            let answer = answer.await?;
            for query in self.repeated.given_out(&answer.get_ref().tasks) {
                eprintln!("warning: query {query} has lost results, and begins again");
                let cancelled = self.engine.cancel_job(query).await;
                cancelled.map_err(|error| Status::internal(error.to_string()))?;
            }
            Ok(answer)
        };
        told.boxed()
    }

    fn update_task_status<'s, 'f>(
        &'s self,
        request: Request<UpdateTaskStatusParams>,
    ) -> BoxFuture<'f, Answer<UpdateTaskStatusResult>>
    where
        's: 'f,
        Self: 'f,
    {
        self.repeated.reported(&request.get_ref().task_status);
        SchedulerGrpc::update_task_status(&self.engine, request)
    }

    refused! {
        /// Nobody would see that the client is gone, or that the query has to be run again.
        execute_query(ExecuteQueryParams) -> ExecuteQueryResult,
            Status::unimplemented("a query is followed by the stream of its states (execute_query_push)");
        /// Whoever knows the number of a query could end that of somebody else. On this machine there is a page for it.
        cancel_job(CancelJobParams) -> CancelJobResult,
            Status::permission_denied("a query ends with the connection of its client");
    }

    fn execute_query_push<'s, 'f>(
        &'s self,
        mut request: Request<ExecuteQueryParams>,
    ) -> BoxFuture<'f, Answer<Self::ExecuteQueryPushStream>>
    where
        's: 'f,
        Self: 'f,
    {
        let caller = request.extensions().get::<ConnectInfo<SocketAddr>>();
        let caller = caller.map_or_else(String::new, |it| it.0.ip().to_string());
        set(&mut request, BALLISTA_ADAPTIVE_PLANNER_ENABLED, "false");
        let mut watched = Watched {
            engine: self.engine.clone(),
            finished: Arc::clone(&self.finished),
            repeated: Arc::clone(&self.repeated),
            caller,
            request,
            states: None,
            n_begun: 0,
        };
        let answer = async move {
            let began = watched.begin().await?;
            let states = futures::stream::unfold(watched, async |mut watched| {
                let state = watched.next().await?;
                Some((state, watched))
            });
            Ok(began.map(|()| states.boxed()))
        };
        answer.boxed()
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

type State = Result<GetJobStatusResult, Status>;
type States = <Engine as SchedulerGrpc>::ExecuteQueryPushStream;

/// A query, of which a client is told until it is over. Where the client is gone before, by Ctrl-C, a timeout or a kill, its
/// connection closes, and with it this is dropped: then the query is cancelled.
struct Watched {
    engine: Engine,
    finished: Arc<Finished>,
    repeated: Arc<Repeated>,
    caller: String,
    request: Request<ExecuteQueryParams>,
    /// Until the query is over.
    states: Option<(States, Unfinished)>,
    n_begun: u32,
}

impl Watched {
    /// Gives the query to the engine.
    async fn begin(&mut self) -> Answer<()> {
        let query = Unfinished::new(self.engine.clone(), &self.caller);
        set(&mut self.request, BALLISTA_JOB_NAME, query.name());
        let mut request = Request::new(self.request.get_ref().clone());
        *request.metadata_mut() = self.request.metadata().clone();
        let answer = SchedulerGrpc::execute_query_push(&self.engine, request).await?;
        self.n_begun += 1;
        Ok(answer.map(|states| self.states = Some((states, query))))
    }

    /// What the client is told next. Of a query that is run again it hears nothing.
    async fn next(&mut self) -> Option<State> {
        loop {
            let (states, _) = self.states.as_mut()?;
            let next = states.next().await;
            let job = match &next {
                Some(Ok(GetJobStatusResult {
                    status: Some(job), ..
                })) if is_over(job) => job,
                Some(_) => return next,
                None => return self.ended(next),
            };
            // An executor that ends while another reads from it: the engine takes that for an error of the query.
            let (answer, is_broken) = match &job.status {
                Some(job_status::Status::Successful(job)) => (&job.partition_location[..], false),
                Some(job_status::Status::Failed(job)) => (&[][..], tells_of_connection(&job.error)),
                _ => (&[][..], false),
            };
            let id = JobId::from(job.job_id.as_str());
            if !self.repeated.is_wrong(&job.job_id, answer) && !is_broken {
                let session = self.request.get_ref().session_id.clone();
                self.finished.add(session, id);
                return self.ended(next);
            }
            self.engine.state.executor_manager.clean_up_job_data(id);
            let _ = self.ended(None);
            if self.n_begun == MOST_BEGUN {
                // An error says more than that.
                return match is_broken {
                    true => next,
                    false => Some(Err(Status::aborted(lost_too_often()))),
                };
            }
            if let Err(status) = self.begin().await {
                return Some(Err(status));
            }
        }
    }

    /// The query is over.
    fn ended(&mut self, state: Option<State>) -> Option<State> {
        if let Some((_, query)) = self.states.take() {
            query.ended();
        }
        state
    }
}

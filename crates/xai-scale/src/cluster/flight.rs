//! What a scheduler hands out at its own port: results that executors have, and queries in SQL, by Arrow Flight SQL.

use std::path::Path;
use std::sync::Arc;

use arrow_flight::sql::{
    ActionCreatePreparedStatementRequest, Any as Message, Command, CommandStatementQuery,
    TicketStatementQuery,
};
use ballista_core::error::{BallistaError, Result as Answered};
use ballista_core::extension::BallistaConfigGrpcEndpoint;
use ballista_core::flight_proxy_service::BallistaFlightProxyService;
use ballista_flight_sql::{BallistaFlightSqlService, QueryBackend, QueryResult};
use datafusion::catalog::{SchemaProvider, TableProvider};
use datafusion::common::plan_datafusion_err;
use datafusion::error::Result;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::SessionContext;
use prost::Message as _;
use tonic::Status;
use xai_files::Failure;

use super::engine::{Engine, MOST_BEGUN, Unfinished, lost_too_often, named};
use super::guard::{self, Checks, Guarded};
use super::repeated::Repeated;
use super::tls::Tls;
use crate::data_root;
use crate::failure::tells_of_connection;
use crate::nesting;
use crate::session::{Limits, embedded};
use crate::statements;
use crate::tables::{self, ReadOptions};

/// Results by tickets that the engine gives its own clients.
pub(super) type Proxy = Guarded<BallistaFlightProxyService, OfScheduler>;

/// The same, and queries.
pub(super) type Queries = Guarded<BallistaFlightSqlService<Backend>, OfScheduler>;

/// Hands out results.
pub(super) fn proxy(engine: Engine, largest_message: usize, tls: &Tls) -> Proxy {
    Guarded {
        service: proxy_of_engine(largest_message, tls),
        checks: OfScheduler {
            engine,
            answers_queries: false,
        },
    }
}

/// Answers queries, and hands out results.
pub(super) fn queries(
    engine: Engine,
    repeated: Arc<Repeated>,
    largest_message: usize,
    tls: &Tls,
) -> Queries {
    let backend = Arc::new(Backend {
        engine: engine.clone(),
        repeated,
    });
    Guarded {
        service: BallistaFlightSqlService::new(backend, proxy_of_engine(largest_message, tls)),
        checks: OfScheduler {
            engine,
            answers_queries: true,
        },
    }
}

fn proxy_of_engine(largest_message: usize, tls: &Tls) -> BallistaFlightProxyService {
    let endpoint = BallistaConfigGrpcEndpoint::new(tls.endpoint_override());
    let endpoint = Some(Arc::new(endpoint));
    BallistaFlightProxyService::new(largest_message, largest_message, tls.is_on(), endpoint)
}

/// Checks of a scheduler: tickets lead to its executors, and queries read.
pub(super) struct OfScheduler {
    engine: Engine,
    /// Whether what is checked reads messages of Flight SQL. What does not reads each ticket as one of the engine, and the same bytes
    /// can be both.
    answers_queries: bool,
}

/// A message of Flight SQL, where it is one.
fn command(message: &[u8]) -> Option<Command> {
    let message = Message::decode(message).ok()?;
    Command::try_from(message)
        .ok()
        .filter(|command| !matches!(command, Command::Unknown(_)))
}

#[tonic::async_trait]
impl Checks for OfScheduler {
    async fn ticket(&self, ticket: &[u8]) -> Result<(), Status> {
        let of_sql = self.answers_queries.then(|| command(ticket)).flatten();
        let of_engine = match of_sql {
            Some(Command::TicketStatementQuery(TicketStatementQuery { statement_handle })) => {
                match statement_handle.split_first() {
                    // Where rows are, as the engine writes it for a ticket of its own.
                    Some((0, ticket)) => ticket.to_vec(),
                    _ => return Ok(()),
                }
            }
            Some(_) => return Ok(()),
            None => ticket.to_vec(),
        };
        let place = guard::check_ticket(&of_engine)?;
        let executors = self
            .engine
            .state
            .executor_manager
            .get_executors_state()
            .await;
        let executors = executors.map_err(|error| Status::internal(error.to_string()))?;
        let mut places = executors.into_iter().map(|(it, ..)| (it.host, it.port));
        match places.any(|it| it == place) {
            true => Ok(()),
            false => Err(Status::permission_denied(format!(
                "{}:{} is no executor of this cluster",
                place.0, place.1
            ))),
        }
    }

    async fn action(&self, message: &[u8]) -> Result<(), Status> {
        match command(message) {
            Some(Command::ActionCreatePreparedStatementRequest(
                ActionCreatePreparedStatementRequest { query, .. },
            )) => check_text(&query),
            _ => Ok(()),
        }
    }

    async fn query(&self, message: &[u8]) -> Result<(), Status> {
        match command(message) {
            Some(Command::CommandStatementQuery(CommandStatementQuery { query, .. })) => {
                check_text(&query)
            }
            _ => Ok(()),
        }
    }
}

/// Refuses what is no query, and one whose terms stand too deep inside each other, before it is planned.
fn check_text(query: &str) -> Result<(), Status> {
    let parsed = nesting::with_stack(|| statements::parse(query).map(drop));
    let parsed = parsed.map_err(|error| Status::internal(error.to_string()))?;
    match parsed {
        Ok(Ok(())) => Ok(()),
        Ok(Err(failure)) => Err(Status::invalid_argument(sentence(&failure))),
        Err(_) => Err(Status::internal("a query that cannot be read")),
    }
}

/// Where the queries of Flight SQL are answered.
pub(super) struct Backend {
    engine: Engine,
    repeated: Arc<Repeated>,
}

/// What other programs print of a failure.
fn sentence(failure: &Failure) -> String {
    match failure.help_text() {
        Some(help) => format!("{}; {help}", failure.what()),
        None => failure.what(),
    }
}

#[tonic::async_trait]
impl QueryBackend for Backend {
    async fn session(&self, id: &str) -> Answered<Arc<SessionContext>> {
        let session = QueryBackend::session(&self.engine, id).await?;
        let reader = embedded(&Limits::default());
        let reader = reader.map_err(|failure| BallistaError::General(sentence(&failure)))?;
        for name in session.catalog_names() {
            if let Some(catalog) = session.catalog(&name) {
                catalog.register_schema("public", Arc::new(FilesBelow(reader.clone())))?;
            }
        }
        Ok(session)
    }

    async fn close_session(&self, id: &str) -> Answered<()> {
        QueryBackend::close_session(&self.engine, id).await
    }

    async fn execute(
        &self,
        _: &str,
        session: Arc<SessionContext>,
        plan: LogicalPlan,
    ) -> Answered<QueryResult> {
        nesting::check_plan(&plan)?;
        guard::check_query(&plan)?;
        for _ in 0..MOST_BEGUN {
            let query = Unfinished::new(self.engine.clone(), "flight-sql");
            // A client that goes away drops this, and with that cancels the query.
            let (session, plan) = (Arc::clone(&session), plan.clone());
            let answer = QueryBackend::execute(&self.engine, query.name(), session, plan).await;
            let id = named(&self.engine, query.name())
                .await
                .map(|job| job.job_id);
            query.ended();
            let parts = answer.as_ref().map_or(&[][..], |answer| &answer.partitions);
            let error = answer.as_ref().err().map(ToString::to_string);
            let is_broken = error.is_some_and(|error| tells_of_connection(&error));
            match id {
                Some(id) if self.repeated.is_wrong(id.as_str(), parts) || is_broken => {
                    self.engine.state.executor_manager.clean_up_job_data(id);
                }
                _ => return answer,
            }
        }
        Err(BallistaError::General(lost_too_often()))
    }
}

/// Files below the data roots as tables, by their paths.
struct FilesBelow(SessionContext);

impl std::fmt::Debug for FilesBelow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FilesBelow")
    }
}

#[tonic::async_trait]
impl SchemaProvider for FilesBelow {
    /// The files, and folders, that are in the data roots themselves: a path may lead further.
    fn table_names(&self) -> Vec<String> {
        data_root::tables()
    }

    async fn table(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        let opened = tables::open(&self.0, Path::new(name), ReadOptions::default()).await;
        match opened {
            Ok((table, _)) => Ok(Some(Arc::new(table))),
            Err(failure) => Err(plan_datafusion_err!("{}", sentence(&failure))),
        }
    }

    fn table_exist(&self, name: &str) -> bool {
        self.table_names().iter().any(|table| table == name)
    }
}

//! What the processes of a cluster refuse to do for others.
//!
//! Whoever reaches a port can send what the engine's own client would not: a plan that writes, a scan of any file of the
//! account, a job or a ticket whose name leads out of the folder of results. A plan runs where each of its nodes is known
//! to read or to compute, and each of its files is below a folder that may be read.

use std::sync::Arc;

use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo, HandshakeRequest, PollInfo,
    SchemaResult, Ticket,
};
use ballista_core::JobId;
use ballista_core::error::BallistaError::TonicError;
use ballista_core::serde::{decode_protobuf, scheduler::Action as Asked};
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::flight_service::BallistaFlightService;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::listing::ListingTable;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::ExecutionPlan;
use tonic::{Request, Response, Status, Streaming};

use super::tls::Tls;
use crate::data_root;
use crate::tables::scanned;

/// Nodes of physical plans that read, compute, or keep results in the executor's own folder.
const ALLOWED: [&str; 43] = [
    "AggregateExec",
    "AsyncFuncExec",
    "BoundedWindowAggExec",
    "BufferExec",
    "CoalesceBatchesExec",
    "CoalescePartitionsExec",
    "CooperativeExec",
    "CrossJoinExec",
    "DataSourceExec",
    "EmptyExec",
    "ExplainExec",
    "FilterExec",
    "GlobalLimitExec",
    "HashJoinExec",
    "InterleaveExec",
    "LazyMemoryExec",
    "LocalLimitExec",
    "NestedLoopJoinExec",
    "OrderedRangeRepartitionExec",
    "PartialSortExec",
    "PartitionedTopKExec",
    "PerPartitionFilterExec",
    "PlaceholderRowExec",
    "PrefixMergeExec",
    "ProjectionExec",
    "RangeFilterExec",
    "RangeShuffleReaderExec",
    "RangeShuffleWriterExec",
    "RepartitionExec",
    "RuntimeStatsExec",
    "ScalarSubqueryExec",
    "ShuffleReaderExec",
    "ShuffleWriterExec",
    "SortExec",
    "SortMergeJoinExec",
    "SortPreservingMergeExec",
    "SortShuffleWriterExec",
    "SymmetricHashJoinExec",
    "UnionExec",
    "UnnestExec",
    "UnorderedRangeRepartitionExec",
    "WindowAggExec",
    "AnalyzeExec",
];

/// Refuses a query that does more than read, or reads what it may not: on the scheduler, which looks at files when it plans. Physical
/// plans, which its engine takes as well, are checked where they run.
pub(super) fn check_query(plan: &LogicalPlan) -> Result<()> {
    plan.apply_with_subqueries(|node| {
        match node {
            LogicalPlan::Dml(_)
            | LogicalPlan::Copy(_)
            | LogicalPlan::Ddl(_)
            | LogicalPlan::Statement(_) => {
                return Err(plan_datafusion_err!(
                    "a cluster answers queries, and writes nothing"
                ));
            }
            LogicalPlan::TableScan(scan) => {
                let provider = source_as_provider(&scan.source)?;
                // A view is a query of its own.
                if let Some(view) = provider.get_logical_plan() {
                    check_query(&view)?;
                }
                if let Some(table) = provider.downcast_ref::<ListingTable>() {
                    for url in table.table_paths() {
                        data_root::check_place(&url.object_store(), url.prefix())?;
                    }
                }
            }
            _ => {}
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Refuses a part of a query that an executor should not run.
pub(super) fn check_plan(plan: &Arc<dyn ExecutionPlan>) -> Result<()> {
    plan.apply(|node| {
        // What sorts a few rows is `SortExec(TopK)`.
        let name = node.name().split('(').next().unwrap_or_default();
        if !ALLOWED.contains(&name) {
            return Err(plan_datafusion_err!(
                "{}: an executor reads and computes, and does nothing else",
                node.name()
            ));
        }
        if let Some(files) = scanned(node) {
            let groups = files.file_groups.iter().flat_map(|group| group.files());
            for file in groups {
                let place = &file.object_meta.location;
                data_root::check_place(&files.object_store_url, place)?;
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Whether a name is no more than that, wherever it stands.
pub(super) fn is_plain(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.chars().all(is_plain)
}

/// Refuses a job whose name is more than a name: it becomes one of a folder.
fn check_job(job: &JobId) -> Result<()> {
    match is_plain(job.as_str()) {
        true => Ok(()),
        false => Err(plan_datafusion_err!(
            "{:?} is the name of no job",
            job.as_str()
        )),
    }
}

/// Refuses a ticket whose job would lead out of the folder of results; the executor that has its rows.
pub(super) fn check_ticket(ticket: &[u8]) -> Result<(String, u16), Status> {
    let asked = decode_protobuf(ticket);
    let asked = asked.map_err(|error| Status::invalid_argument(error.to_string()))?;
    let Asked::FetchPartition {
        job_id, host, port, ..
    } = asked;
    match check_job(&job_id) {
        Ok(()) => Ok((host, port)),
        Err(error) => Err(Status::permission_denied(error.to_string())),
    }
}

/// What may be asked of a service that hands out rows.
#[tonic::async_trait]
pub(super) trait Checks: Send + Sync + 'static {
    /// A ticket for rows.
    async fn ticket(&self, ticket: &[u8]) -> Result<(), Status>;

    /// What is to be done, by its message.
    async fn action(&self, message: &[u8]) -> Result<(), Status>;

    /// A query, by its message.
    async fn query(&self, _: &[u8]) -> Result<(), Status> {
        refused()
    }
}

/// Checks of an executor: it hands out results of jobs.
struct OfExecutor;

#[tonic::async_trait]
impl Checks for OfExecutor {
    async fn ticket(&self, ticket: &[u8]) -> Result<(), Status> {
        check_ticket(ticket).map(drop)
    }

    async fn action(&self, message: &[u8]) -> Result<(), Status> {
        check_ticket(message).map(drop)
    }
}

/// A service of the engine, asked for rows after checks, and for nothing else.
pub(super) struct Guarded<S, C> {
    pub(super) service: S,
    pub(super) checks: C,
}

impl<S: FlightService, C: Checks> Guarded<S, C> {
    /// With messages of at most so many bytes.
    pub(super) fn served(self, largest_message: usize) -> FlightServiceServer<Self> {
        FlightServiceServer::new(self)
            .max_decoding_message_size(largest_message)
            .max_encoding_message_size(largest_message)
    }
}

type Answer<T> = Result<Response<T>, Status>;

fn refused<T>() -> Result<T, Status> {
    Err(Status::unimplemented(
        "results are handed out here, and nothing else",
    ))
}

#[tonic::async_trait]
impl<S: FlightService, C: Checks> FlightService for Guarded<S, C> {
    type DoActionStream = S::DoActionStream;
    type DoGetStream = S::DoGetStream;
    type DoExchangeStream = S::DoExchangeStream;
    type DoPutStream = S::DoPutStream;
    type HandshakeStream = S::HandshakeStream;
    type ListActionsStream = S::ListActionsStream;
    type ListFlightsStream = S::ListFlightsStream;

    async fn do_get(&self, request: Request<Ticket>) -> Answer<Self::DoGetStream> {
        self.checks.ticket(&request.get_ref().ticket).await?;
        self.service.do_get(request).await
    }

    async fn do_action(&self, request: Request<Action>) -> Answer<Self::DoActionStream> {
        self.checks.action(&request.get_ref().body).await?;
        self.service.do_action(request).await
    }

    async fn get_flight_info(&self, request: Request<FlightDescriptor>) -> Answer<FlightInfo> {
        self.checks.query(&request.get_ref().cmd).await?;
        self.service.get_flight_info(request).await
    }

    async fn handshake(
        &self,
        request: Request<Streaming<HandshakeRequest>>,
    ) -> Answer<Self::HandshakeStream> {
        self.service.handshake(request).await
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Answer<SchemaResult> {
        refused()
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Answer<PollInfo> {
        refused()
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Answer<Self::ListFlightsStream> {
        refused()
    }

    async fn list_actions(&self, _: Request<Empty>) -> Answer<Self::ListActionsStream> {
        refused()
    }

    async fn do_put(&self, _: Request<Streaming<FlightData>>) -> Answer<Self::DoPutStream> {
        refused()
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Answer<Self::DoExchangeStream> {
        refused()
    }
}

/// Serves results as the engine does, by checked tickets; messages have at most so many bytes.
pub(super) fn results(largest_message: usize, tls: Tls) -> Arc<ArrowFlightServerProvider> {
    Arc::new(move |work_dir, address, mut shutdown, config| {
        let results = Guarded {
            service: BallistaFlightService::new(work_dir),
            checks: OfExecutor,
        };
        let service = results.served(largest_message);
        let server = tls.serving(create_grpc_server(&config));
        tokio::spawn(async move {
            let server = server.map_err(TonicError)?.add_service(service);
            let served = server.serve_with_shutdown(address, shutdown.recv());
            served.await.map_err(TonicError)
        })
    })
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::SessionContext;

    use super::*;

    #[test]
    fn a_job_has_a_plain_name() {
        for (job, is_plain) in [
            ("k3Jx_9-a", true),
            ("", false),
            (".", false),
            ("..", false),
            ("../../etc", false),
            ("/etc", false),
            ("a/b", false),
            ("a\0", false),
        ] {
            assert_eq!(check_job(&JobId::from(job)).is_ok(), is_plain, "{job:?}");
        }
    }

    #[tokio::test]
    async fn an_executor_runs_what_reads_and_nothing_else() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name).display().to_string();
        std::fs::create_dir(at("t")).expect("made");
        std::fs::write(at("t/part.csv"), "a,b\n1,2\n3,4\n").expect("written");
        let session = SessionContext::new();
        let table = format!(
            "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '{}/'",
            at("t")
        );
        session.sql(&table).await.expect("a table");
        let plan = async |query: &str| {
            let plan = session
                .state()
                .create_logical_plan(query)
                .await
                .expect(query);
            session
                .state()
                .create_physical_plan(&plan)
                .await
                .expect(query)
        };
        let copy = format!("COPY t TO '{}' STORED AS PARQUET", at("written"));
        for query in [copy.as_str(), "INSERT INTO t VALUES (5, 6)"] {
            let refused = check_plan(&plan(query).await).expect_err(query);
            assert!(refused.to_string().contains("DataSinkExec"), "{refused}");
        }
        for query in [
            "SELECT b, avg(a) FROM t WHERE a > 1 GROUP BY b ORDER BY b LIMIT 3",
            "SELECT t.a, sum(u.b) OVER (ORDER BY u.a) FROM t JOIN t AS u ON t.a = u.b",
            "SELECT a FROM t UNION ALL SELECT value FROM generate_series(1, 3)",
            "SELECT unnest([a, b]) FROM t CROSS JOIN (SELECT 1)",
            "SELECT a, (SELECT max(b) FROM t) FROM t WHERE a IN (SELECT b FROM t) OR a < 0",
            "SELECT 1",
        ] {
            check_plan(&plan(query).await).expect(query);
        }
    }
}

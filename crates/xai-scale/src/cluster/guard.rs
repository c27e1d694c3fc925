//! What the processes of a cluster refuse to do for others.
//!
//! Whoever reaches a port can send what the engine's own client would not: a plan that writes, a scan of any file of the
//! account, a job or a ticket whose name leads out of the folder of results. A plan runs where each of its nodes is known
//! to read or to compute, and each of its files is below a folder that may be read.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use arrow_flight::flight_service_server::{FlightService, FlightServiceServer};
use arrow_flight::{
    Action, ActionType, Criteria, Empty, FlightData, FlightDescriptor, FlightInfo,
    HandshakeRequest, HandshakeResponse, PollInfo, PutResult, SchemaResult, Ticket,
};
use ballista_core::JobId;
use ballista_core::error::BallistaError::TonicError;
use ballista_core::serde::{decode_protobuf, scheduler::Action as Asked};
use ballista_core::utils::create_grpc_server;
use ballista_executor::ArrowFlightServerProvider;
use ballista_executor::flight_service::BallistaFlightService;
use clap::Args;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, plan_datafusion_err};
use datafusion::datasource::listing::{ListingTable, ListingTableUrl};
use datafusion::datasource::source_as_provider;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::LogicalPlan;
use datafusion::object_store::path::Path as Location;
use datafusion::physical_plan::ExecutionPlan;
use futures::stream::BoxStream;
use tonic::{Request, Response, Status, Streaming};
use xai_files::{Failure, InFile};

use super::tls::Tls;
use crate::failure::of_query;
use crate::stores;
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

/// Folders below which files may be read; without one, any file of the account.
#[derive(Debug, Clone, Default)]
struct DataRoots(Vec<Root>);

#[derive(Debug, Clone)]
enum Root {
    Folder(PathBuf),
    Store(ObjectStoreUrl, Location),
}

/// What may be read, as an option of scheduler and executor.
#[derive(Debug, Args)]
pub(super) struct DataRootOptions {
    /// Folder whose files queries may read, with all below it, also in a store (s3://BUCKET/FOLDER); can be given several times.
    /// Without it, and on the loopback alone, any file and any store of the account.
    #[arg(long, value_name = "FOLDER")]
    data_root: Vec<PathBuf>,
}

impl DataRootOptions {
    /// Makes them the roots of this process, which listens on an address.
    pub(super) fn install(&self, bind: IpAddr) -> Result<(), Failure> {
        let roots = DataRoots::new(&self.data_root, bind.is_loopback())?;
        // A process has one scheduler or one executor.
        let _ = ROOTS.set(roots);
        Ok(())
    }
}

/// Those of this process: the engine decodes plans by functions that can be given nothing.
static ROOTS: OnceLock<DataRoots> = OnceLock::new();

impl DataRoots {
    /// The roots of a process that listens on an address. On the loopback none is needed.
    fn new(folders: &[PathBuf], is_loopback: bool) -> Result<Self, Failure> {
        if folders.is_empty() && !is_loopback {
            let failure = Failure::of_option("--data-root", "needed where others can send queries");
            return Err(failure.help("name the folders whose files queries may read; --data-root / for all that the account can"));
        }
        let root = |folder: &PathBuf| match stores::address(folder)? {
            Some(address) => {
                let url = ListingTableUrl::try_new(address, None);
                let url = url.map_err(|error| of_query(&error).in_file(folder))?;
                Ok(Root::Store(url.object_store(), url.prefix().clone()))
            }
            None => {
                let real = folder.canonicalize();
                let real = real.map_err(Failure::cannot_be_opened).in_file(folder);
                real.map(Root::Folder)
            }
        };
        let roots: Result<Vec<Root>, Failure> = folders.iter().map(root).collect();
        Ok(Self(roots?))
    }

    fn of_process() -> &'static Self {
        ROOTS.get_or_init(Self::default)
    }

    /// Refuses a file, or a folder, that is below none of them. What is not there is refused by where it would be.
    fn check(&self, file: &Path) -> Result<()> {
        let known = file.ancestors().find_map(|part| {
            let real = part.canonicalize().ok()?;
            Some(real.join(file.strip_prefix(part).ok()?))
        });
        let is_plain = |file: &PathBuf| {
            let mut parts = file.components();
            parts.all(|part| part != std::path::Component::ParentDir)
        };
        let is_below = |file: PathBuf| {
            let mut roots = self.0.iter();
            roots.any(|root| matches!(root, Root::Folder(root) if file.starts_with(root)))
        };
        match self.0.is_empty() || known.filter(is_plain).is_some_and(is_below) {
            true => Ok(()),
            false => Err(plan_datafusion_err!(
                "{}: not below a --data-root of the cluster",
                file.display()
            )),
        }
    }

    /// The same of a file or an object that the engine has by its store and its place there.
    fn check_place(&self, store: &ObjectStoreUrl, place: &Location) -> Result<()> {
        if store.as_str() == "file:///" {
            return self.check(&Path::new("/").join(place.as_ref()));
        }
        let is_plain = place
            .parts()
            .all(|part| !matches!(part.as_ref(), "." | ".."));
        let is_below = |root: &Root| match root {
            Root::Store(root, below) => root == store && place.prefix_matches(below),
            Root::Folder(_) => false,
        };
        match self.0.is_empty() || (is_plain && self.0.iter().any(is_below)) {
            true => Ok(()),
            false => Err(plan_datafusion_err!(
                "{store}{place}: not below a --data-root of the cluster"
            )),
        }
    }
}

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
                        DataRoots::of_process().check_place(&url.object_store(), url.prefix())?;
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
                DataRoots::of_process().check_place(&files.object_store_url, place)?;
            }
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

/// Refuses a job whose name is more than a name: it becomes one of a folder.
fn check_job(job: &JobId) -> Result<()> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match !job.as_str().is_empty() && job.as_str().chars().all(is_plain) {
        true => Ok(()),
        false => Err(plan_datafusion_err!(
            "{:?} is the name of no job",
            job.as_str()
        )),
    }
}

/// What hands results out, by tickets that name a job and nothing else.
struct GuardedResults(BallistaFlightService);

/// Refuses a ticket whose job would lead out of the folder of results.
fn check_ticket(ticket: &[u8]) -> Result<(), Status> {
    let asked = decode_protobuf(ticket);
    let asked = asked.map_err(|error| Status::invalid_argument(error.to_string()))?;
    let Asked::FetchPartition { job_id, .. } = asked;
    check_job(&job_id).map_err(|error| Status::permission_denied(error.to_string()))
}

type Answer<T> = Result<Response<T>, Status>;

fn not_here<T>() -> Answer<T> {
    Err(Status::unimplemented("an executor hands out results"))
}

#[tonic::async_trait]
impl FlightService for GuardedResults {
    type DoActionStream = <BallistaFlightService as FlightService>::DoActionStream;
    type DoGetStream = <BallistaFlightService as FlightService>::DoGetStream;
    type DoExchangeStream = BoxStream<'static, Result<FlightData, Status>>;
    type DoPutStream = BoxStream<'static, Result<PutResult, Status>>;
    type HandshakeStream = BoxStream<'static, Result<HandshakeResponse, Status>>;
    type ListActionsStream = BoxStream<'static, Result<ActionType, Status>>;
    type ListFlightsStream = BoxStream<'static, Result<FlightInfo, Status>>;

    async fn do_get(&self, request: Request<Ticket>) -> Answer<Self::DoGetStream> {
        check_ticket(&request.get_ref().ticket)?;
        self.0.do_get(request).await
    }

    async fn do_action(&self, request: Request<Action>) -> Answer<Self::DoActionStream> {
        check_ticket(&request.get_ref().body)?;
        self.0.do_action(request).await
    }

    async fn get_schema(&self, _: Request<FlightDescriptor>) -> Answer<SchemaResult> {
        not_here()
    }

    async fn get_flight_info(&self, _: Request<FlightDescriptor>) -> Answer<FlightInfo> {
        not_here()
    }

    async fn poll_flight_info(&self, _: Request<FlightDescriptor>) -> Answer<PollInfo> {
        not_here()
    }

    async fn handshake(
        &self,
        _: Request<Streaming<HandshakeRequest>>,
    ) -> Answer<Self::HandshakeStream> {
        not_here()
    }

    async fn list_flights(&self, _: Request<Criteria>) -> Answer<Self::ListFlightsStream> {
        not_here()
    }

    async fn list_actions(&self, _: Request<Empty>) -> Answer<Self::ListActionsStream> {
        not_here()
    }

    async fn do_put(&self, _: Request<Streaming<FlightData>>) -> Answer<Self::DoPutStream> {
        not_here()
    }

    async fn do_exchange(
        &self,
        _: Request<Streaming<FlightData>>,
    ) -> Answer<Self::DoExchangeStream> {
        not_here()
    }
}

/// Serves results as the engine does, by checked tickets; messages have at most so many bytes.
pub(super) fn results(largest_message: usize, tls: Tls) -> Arc<ArrowFlightServerProvider> {
    Arc::new(move |work_dir, address, mut shutdown, config| {
        let results = GuardedResults(BallistaFlightService::new(work_dir));
        let service = FlightServiceServer::new(results)
            .max_decoding_message_size(largest_message)
            .max_encoding_message_size(largest_message);
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
    fn files_are_read_below_the_roots_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["data", "database", "secret"] {
            std::fs::create_dir(at(name)).expect("made");
        }
        std::fs::write(at("data/a"), "").expect("written");
        let roots = DataRoots::new(&[at("data")], false).expect("a folder that is there");
        for allowed in ["data/a", "data/not/there", "data"] {
            roots.check(&at(allowed)).expect(allowed);
        }
        let refused = [
            "secret/a",
            "database/a",
            "data/../secret/a",
            "data/x/../../secret/a",
            ".",
        ];
        for refused in refused {
            assert!(roots.check(&at(refused)).is_err(), "{refused}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(at("secret"), at("data/link")).expect("linked");
            assert!(roots.check(&at("data/link/a")).is_err());
        }
        assert!(DataRoots::default().check(&at("secret/a")).is_ok());
        assert!(DataRoots::new(&[], false).is_err() && DataRoots::new(&[], true).is_ok());
        assert!(DataRoots::new(&[at("nothing")], true).is_err());
        let of_store = DataRoots::new(&["s3://b/data".into()], false).expect("an address");
        let allows = |roots: &DataRoots, store: &str, place: &str| {
            let store = ObjectStoreUrl::parse(store).expect("an address");
            roots.check_place(&store, &Location::from(place)).is_ok()
        };
        assert!(allows(&of_store, "s3://b", "data/x.csv"));
        for (store, place) in [
            ("s3://b", "database/x.csv"),
            ("s3://b", "x.csv"),
            ("s3://c", "data/x.csv"),
            ("http://169.254.169.254", "data/x.csv"),
            ("file://", "data/x.csv"),
        ] {
            assert!(!allows(&of_store, store, place), "{store}/{place}");
        }
        assert!(!allows(&roots, "s3://b", "data/x.csv"));
        assert!(allows(&DataRoots::default(), "s3://b", "x.csv"));
    }

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

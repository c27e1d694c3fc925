//! What those can do who reach a port and send what our client would not.

use std::path::Path;
use std::time::{Duration, Instant};

use arrow_flight::Ticket;
use arrow_flight::flight_service_client::FlightServiceClient;
use ballista_core::serde::protobuf::action::ActionType;
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{
    Action, CancelJobParams, CleanJobDataParams, ExecuteQueryParams, FetchPartition,
};
use ballista_core::version::insert_version_header;
use datafusion::arrow::array::{ArrayRef, Int64Array, RecordBatch};
use datafusion::arrow::ipc::writer::StreamWriter;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use datafusion_proto::logical_plan::{AsLogicalPlan, DefaultLogicalExtensionCodec};
use datafusion_proto::physical_plan::{AsExecutionPlan, DefaultPhysicalExtensionCodec};
use datafusion_proto::protobuf::{LogicalPlanNode, PhysicalPlanNode};
use prost::Message;
use std::sync::Arc;

use crate::harness::{Cluster, Files, server};

/// The answer of a scheduler to a query, sent as anyone can.
async fn answer(address: &str, query: Query) -> String {
    let url = format!("http://{address}");
    let mut scheduler = SchedulerGrpcClient::connect(url).await.expect("connected");
    let mut request = tonic::Request::new(ExecuteQueryParams {
        session_id: "session".to_owned(),
        settings: Vec::new(),
        operation_id: "operation".to_owned(),
        query: Some(query),
    });
    insert_version_header(request.metadata_mut());
    let mut states = match scheduler.execute_query_push(request).await {
        Ok(states) => states.into_inner(),
        Err(status) => return format!("{status:?}"),
    };
    let mut last = String::new();
    while let Ok(Some(state)) = states.message().await {
        last = format!("{state:?}");
    }
    last
}

async fn answer_to(address: &str, plan: &datafusion::logical_expr::LogicalPlan) -> String {
    let codec = DefaultLogicalExtensionCodec {};
    let node = LogicalPlanNode::try_from_logical_plan(plan, &codec).expect("a message");
    let mut bytes = Vec::new();
    node.try_encode(&mut bytes).expect("bytes");
    answer(address, Query::LogicalPlan(bytes)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cluster_writes_no_file_for_a_plan_that_does() {
    let files = Files::new();
    let cluster = Cluster::new(1);
    let out = files.path("written.parquet");
    let session = SessionContext::new();
    let copy = format!(
        "COPY (SELECT 1 AS a) TO '{}' STORED AS PARQUET",
        out.display()
    );
    let plan = session
        .state()
        .create_logical_plan(&copy)
        .await
        .expect("a plan");
    let answer = answer_to(&cluster.address, &plan).await;
    assert!(answer.contains("writes nothing"), "{answer}");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!out.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_ends_the_query_of_somebody_else_or_removes_its_results() {
    let cluster = Cluster::new(1);
    let url = format!("http://{}", cluster.address);
    let mut scheduler = SchedulerGrpcClient::connect(url).await.expect("connected");
    let codec = DefaultLogicalExtensionCodec {};
    let session = SessionContext::new();
    let plan = session.state().create_logical_plan("SELECT 1 AS a").await;
    let plan = plan.expect("a plan");
    let node = LogicalPlanNode::try_from_logical_plan(&plan, &codec).expect("a message");
    let mut request = tonic::Request::new(ExecuteQueryParams {
        session_id: "known to its client alone".to_owned(),
        settings: Vec::new(),
        operation_id: "operation".to_owned(),
        query: Some(Query::LogicalPlan(node.encode_to_vec())),
    });
    insert_version_header(request.metadata_mut());
    let told = scheduler.execute_query_push(request).await.expect("taken");
    let mut told = told.into_inner();
    let mut job_id = String::new();
    while let Some(state) = told.message().await.expect("a state") {
        job_id = state.status.expect("a state").job_id;
    }
    let asked = CancelJobParams {
        job_id: job_id.clone(),
    };
    let refused = scheduler.cancel_job(asked).await.expect_err("refused");
    assert_eq!(refused.code(), tonic::Code::PermissionDenied);
    // By the number of the query nothing is removed, by the session of its client everything.
    let mut remove = async |job_id: &str| {
        let asked = CleanJobDataParams {
            job_id: job_id.to_owned(),
            remove_stage_ids: Vec::new(),
        };
        scheduler.clean_job_data(asked).await.expect("heard");
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    for other in [&job_id, "", "another session"] {
        remove(other).await;
        assert_eq!(cluster.results(0).len(), 1, "{other}");
    }
    let deadline = Instant::now() + Duration::from_secs(30);
    while !cluster.results(0).is_empty() {
        assert!(Instant::now() < deadline, "still there");
        remove("known to its client alone").await;
    }
}

/// A physical plan, which the engine's scheduler takes as well, as a message.
async fn physical(session: &SessionContext, query: &str) -> Query {
    let state = session.state();
    let plan = state.create_logical_plan(query).await.expect("a plan");
    let plan = state.create_physical_plan(&plan).await.expect("a plan");
    let codec = DefaultPhysicalExtensionCodec {};
    let node = PhysicalPlanNode::try_from_physical_plan(plan, &codec).expect("a message");
    Query::PhysicalPlan(node.encode_to_vec())
}

/// Waits until an executor has said something, or a file is there.
fn wait_for(cluster: &Cluster, words: &str, out: &Path) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !cluster.log(0).contains(words) && !out.exists() {
        let log = cluster.log(0);
        assert!(Instant::now() < deadline, "{words} was not said: {log}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_executor_refuses_physical_plans_that_the_scheduler_passes_on() {
    let files = Files::with_scores(100, 2, 1);
    std::fs::create_dir(files.path("open")).expect("made");
    let open = files.path("open");
    let open = open.to_str().expect("a name");
    let cluster = Cluster::with(1, &["--data-root", open], &["--data-root", open]);
    let session = SessionContext::new();
    let out = files.path("written.parquet");
    let copy = format!(
        "COPY (SELECT 1 AS a) TO '{}' STORED AS PARQUET",
        out.display()
    );
    answer(&cluster.address, physical(&session, &copy).await).await;
    wait_for(&cluster, "DataSinkExec: an executor reads", &out);
    assert!(!out.exists(), "written");
    let runs = files.path("runs");
    let table = format!(
        "CREATE EXTERNAL TABLE t STORED AS PARQUET LOCATION '{}/'",
        runs.display()
    );
    session.sql(&table).await.expect("a table");
    answer(
        &cluster.address,
        physical(&session, "SELECT base FROM t").await,
    )
    .await;
    wait_for(&cluster, "not below a --data-root", &out);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_outside_the_data_roots_are_not_read() {
    let files = Files::with_scores(100, 2, 1);
    std::fs::create_dir(files.path("open")).expect("made");
    std::fs::rename(files.path("runs"), files.path("open/runs")).expect("moved");
    std::fs::create_dir(files.path("closed")).expect("made");
    files
        .run(&["generate", "--rows", "100", "--out", "closed/runs"])
        .well();
    let open = files.path("open");
    let open = open.to_str().expect("a name");
    for (of_scheduler, of_executor) in [
        (&["--data-root", open][..], &["--data-root", open][..]),
        (&[], &["--data-root", open]),
    ] {
        let cluster = Cluster::with(1, of_scheduler, of_executor);
        let count = |folder: &str| {
            let query = format!("SELECT count(*) AS n FROM '{folder}/runs' WHERE base >= 0");
            files.run(&["sql", &query, "--json", "--scheduler", &cluster.address])
        };
        assert_eq!(count("open").well(), "[{\"n\":100}]\n");
        let said = count("closed");
        let (error, _) = said.badly(1);
        assert!(
            error.contains("closed") && error.contains("--data-root"),
            "{error}"
        );
        if of_scheduler.is_empty() {
            continue;
        }
        // The scheduler, too: by a view, and by a link from within.
        let session = SessionContext::new();
        let closed = files.path("closed/runs");
        let view = session
            .read_parquet(
                closed.to_str().expect("a name"),
                ParquetReadOptions::default(),
            )
            .await
            .expect("a table")
            .into_view();
        session.register_table("v", view).expect("a view");
        let plan = session
            .state()
            .create_logical_plan("SELECT base FROM v")
            .await;
        let answer = answer_to(&cluster.address, &plan.expect("a plan")).await;
        assert!(answer.contains("--data-root"), "{answer}");
        #[cfg(unix)]
        {
            let link = files.path("open/link");
            std::os::unix::fs::symlink(&closed, &link).expect("linked");
            let path = link.to_str().expect("a name");
            let table = session
                .read_parquet(path, ParquetReadOptions::default())
                .await;
            let plan = table.expect("a table").into_unoptimized_plan();
            let answer = answer_to(&cluster.address, &plan).await;
            assert!(answer.contains("--data-root"), "{answer}");
        }
    }
}

#[test]
fn what_others_can_reach_needs_a_data_root() {
    let files = Files::new();
    for command in [
        &[
            "scheduler",
            "--bind",
            "0.0.0.0",
            "--port",
            "0",
            "--insecure",
        ][..],
        &[
            "executor",
            "--bind",
            "0.0.0.0",
            "--scheduler",
            "127.0.0.1:1",
            "--insecure",
        ],
    ] {
        let said = files.run(command);
        let (error, help) = said.badly(2);
        assert!(
            error.starts_with("--data-root") && help.contains("--data-root"),
            "{said:?}"
        );
    }
}

/// Puts rows where a ticket of a job of that name would find them.
fn put_rows(job: &Path) {
    let folder = job.join("1").join("0");
    std::fs::create_dir_all(&folder).expect("made");
    let column: ArrayRef = Arc::new(Int64Array::from(vec![42]));
    let rows = RecordBatch::try_from_iter([("secret", column)]).expect("rows");
    let file = std::fs::File::create(folder.join("data.arrow")).expect("a file");
    let mut writer = StreamWriter::try_new(file, &rows.schema()).expect("a writer");
    writer
        .write(&rows)
        .and_then(|()| writer.finish())
        .expect("written");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_leads_into_the_folder_of_results_alone() {
    let files = Files::new();
    let cluster = Cluster::new(0);
    let work = files.path("work");
    let work_name = work.to_str().expect("a name");
    let arguments = [
        "executor",
        "--scheduler",
        &cluster.address,
        "--work-dir",
        work_name,
    ];
    let (_executor, line) = server(&arguments, &files.path("log"));
    let address = line
        .strip_prefix("executor at ")
        .and_then(|rest| rest.split(',').next());
    let url = format!("http://{}", address.expect("an address"));
    let deadline = Instant::now() + Duration::from_secs(30);
    let mut results = loop {
        let endpoint = tonic::transport::Endpoint::from_shared(url.clone());
        match endpoint.expect("an address").connect().await {
            Ok(channel) => break FlightServiceClient::new(channel),
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let own = std::fs::read_dir(&work)
        .expect("read")
        .next()
        .expect("a folder");
    put_rows(&own.expect("a folder").path().join("results").join("job"));
    put_rows(&files.path("secret"));
    let secret = files.path("secret");
    let asked = [
        ("job", true),
        (secret.to_str().expect("a name"), false),
        ("../../../secret", false),
        ("job/../../../../secret", false),
        ("", false),
    ];
    for (job, is_given) in asked {
        let partition = FetchPartition {
            job_id: job.to_owned(),
            stage_id: 1,
            ..FetchPartition::default()
        };
        let action = Action {
            settings: Vec::new(),
            action_type: Some(ActionType::FetchPartition(partition)),
        };
        let ticket = Ticket::new(action.encode_to_vec());
        let answer = results.do_get(ticket).await;
        assert_eq!(answer.is_ok(), is_given, "{job}: {:?}", answer.err());
        let block = arrow_flight::Action::new("IO_BLOCK_TRANSPORT", action.encode_to_vec());
        let answer = results.do_action(block).await;
        assert_eq!(answer.is_ok(), is_given, "{job}: {:?}", answer.err());
    }
}

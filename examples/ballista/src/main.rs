//! The SQL functions of `xai-datafusion` on a cluster of Ballista: a scheduler and two executors on the loopback, as
//! Ballista ships them, and one query.
//!
//! ```sh
//! cd examples/ballista && cargo run
//! ```
//!
//! Two things make the functions known to a cluster: every process registers them ([`functions`]), and the codecs of
//! the sessions find them by name in plans that arrive ([`config`]). A cluster of your own does the same in the places
//! where Ballista lets you override the session builder, the codecs and the function registry of its scheduler and
//! executors.
//!
//! Before you rely on such a cluster, read `docs/upstream/` of this repository: Ballista 55 can lose or repeat groups
//! when an executor ends in the middle of a query.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use ballista_executor::new_standalone_executor_from_state;
use ballista_scheduler::standalone::new_standalone_scheduler_from_state;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::error::Result;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use xai_datafusion::distributed::FunctionCodec;
use xai_datafusion::{Stages, register_all};

const QUERY: &str = "
    SELECT explainer, average_drop(base, masked) AS average_drop, groundtruth_auroc(base, is_relevant) AS auroc, count(*) AS n
    FROM scores GROUP BY explainer ORDER BY explainer";

/// Settings of a session whose plans may use our functions.
fn config() -> Result<SessionConfig> {
    let logical = FunctionCodec::new(BallistaLogicalExtensionCodec::default())?;
    let physical = FunctionCodec::new(BallistaPhysicalExtensionCodec::default())?;
    Ok(SessionConfig::new_with_ballista()
        .with_target_partitions(4)
        .with_ballista_logical_extension_codec(Arc::new(logical))
        .with_ballista_physical_extension_codec(Arc::new(physical)))
}

/// Adds our functions to a session. Its stages run in several processes, which send each other their states.
fn functions(mut state: SessionState) -> Result<SessionState> {
    register_all(&mut state, Stages::SeveralProcesses)?;
    Ok(state)
}

fn session(config: SessionConfig) -> SessionState {
    let builder = SessionStateBuilder::new_with_default_features();
    builder.with_config(config).build()
}

/// Answers the query over the files of a folder.
async fn answer(state: SessionState, folder: &Path) -> Result<String> {
    let session = SessionContext::new_with_state(state);
    let folder = folder.to_string_lossy();
    session
        .register_parquet("scores", folder, ParquetReadOptions::default())
        .await?;
    let rows = session.sql(QUERY).await?.collect().await?;
    Ok(pretty_format_batches(&rows)?.to_string())
}

/// Writes made-up scores of three explainers to a folder.
async fn write_scores(folder: &Path) -> Result<()> {
    let rows = "SELECT 'explainer ' || (i % 3) AS explainer, (i * 37 % 101 + 1) / 102.0 AS base, (i * 53 % 97) / 97.0 AS masked,
        (i % 7) % 2 AS is_relevant FROM generate_series(1, 100000) AS numbers(i)";
    let folder = folder.display();
    let sql = format!("COPY ({rows}) TO '{folder}/' STORED AS PARQUET");
    SessionContext::new().sql(&sql).await?.collect().await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let scores = tempfile::tempdir()?;
    write_scores(scores.path()).await?;

    let server = functions(session(config()?))?;
    let scheduler = new_standalone_scheduler_from_state(&server).await?;
    let scheduler = format!("http://localhost:{}", scheduler.port());
    for _ in 0..2 {
        let client = SchedulerGrpcClient::connect(scheduler.clone()).await?;
        let tasks_at_a_time = 2;
        new_standalone_executor_from_state(client, tasks_at_a_time, &server).await?;
    }

    // Last, because the state for a cluster has the functions of the engine alone.
    let client = functions(session(config()?).upgrade_for_ballista(scheduler)?)?;
    let of_cluster = answer(client, scores.path()).await?;
    println!("{of_cluster}");
    let here = answer(functions(session(SessionConfig::new()))?, scores.path()).await?;
    assert_eq!(of_cluster, here, "the same bits as in one process");
    Ok(())
}

//! Plans with our functions as messages, read by a process that has registered none of them.

use datafusion::physical_plan::collect;
use datafusion::prelude::{SessionConfig, SessionContext};
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use datafusion_proto::logical_plan::DefaultLogicalExtensionCodec;
use datafusion_proto::physical_plan::DefaultPhysicalExtensionCodec;
use xai_datafusion::Stages;
use xai_datafusion::distributed::FunctionCodec;

use crate::tables::{bits, rows};

/// A function of this crate of each kind beside one of the engine, with groups, a window and a nested call.
const QUERY: &str = "
    SELECT g, average_drop(base, masked) AS d, exact_avg(greatest(base - masked, 0.0))['high'] AS high,
        exact_avg(class_score([base, masked], t))['mean'] AS score, groundtruth_auroc(base, t) AS auroc
    FROM (SELECT i % 3 AS g, (i % 101 + 1) / 102.0 AS base, (i % 97) / 97.0 AS masked, i % 7 % 2 AS t,
        row_number() OVER (ORDER BY i) AS n FROM (SELECT unnest(range(1, 1000)) AS i))
    WHERE n < 900 GROUP BY g ORDER BY g";

fn client() -> SessionContext {
    let session = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3));
    let mut state = session.state();
    xai_datafusion::register_all(&mut state, Stages::SeveralProcesses).expect("registered");
    SessionContext::new_with_state(state)
}

fn expected() -> Vec<Vec<Option<u64>>> {
    let expected = rows(&client(), QUERY).expect("rows");
    (1..5).map(|column| bits(expected.column(column))).collect()
}

#[tokio::test]
async fn a_physical_plan_gives_the_same_bits_in_another_process() {
    let frame = client().sql(QUERY).await.expect("planned");
    let plan = frame.create_physical_plan().await.expect("a plan");
    let codec = FunctionCodec::new(DefaultPhysicalExtensionCodec {}).expect("a codec");
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).expect("a message");
    let other = SessionContext::new().task_ctx();
    let plan = physical_plan_from_bytes_with_extension_codec(&bytes, &other, &codec);
    let batches = collect(plan.expect("a plan"), other).await.expect("rows");
    let found = datafusion::arrow::compute::concat_batches(&batches[0].schema(), &batches);
    let found = found.expect("one batch");
    let found: Vec<_> = (1..5).map(|column| bits(found.column(column))).collect();
    assert_eq!(
        found,
        tokio::task::spawn_blocking(expected).await.expect("rows")
    );
}

#[tokio::test]
async fn a_logical_plan_gives_the_same_bits_in_another_process() {
    let frame = client().sql(QUERY).await.expect("planned");
    let codec = FunctionCodec::new(DefaultLogicalExtensionCodec {}).expect("a codec");
    let plan = frame.logical_plan();
    let bytes = logical_plan_to_bytes_with_extension_codec(plan, &codec).expect("a message");
    let other = SessionContext::new();
    let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &other.task_ctx(), &codec);
    let frame = other.execute_logical_plan(plan.expect("a plan")).await;
    let batches = frame.expect("planned").collect().await.expect("rows");
    let found = datafusion::arrow::compute::concat_batches(&batches[0].schema(), &batches);
    let found = found.expect("one batch");
    let found: Vec<_> = (1..5).map(|column| bits(found.column(column))).collect();
    assert_eq!(
        found,
        tokio::task::spawn_blocking(expected).await.expect("rows")
    );
}

#[tokio::test]
async fn a_function_that_nobody_knows_is_an_error() {
    let frame = client().sql("SELECT predicted_class([1.0])").await;
    let frame = frame.expect("planned");
    let plain = DefaultLogicalExtensionCodec {};
    let plan = frame.logical_plan();
    let bytes = logical_plan_to_bytes_with_extension_codec(plan, &plain).expect("a message");
    let other = SessionContext::new().task_ctx();
    let read = logical_plan_from_bytes_with_extension_codec(&bytes, &other, &plain);
    let error = read.expect_err("unknown").to_string();
    assert!(error.contains("predicted_class"), "{error}");
}

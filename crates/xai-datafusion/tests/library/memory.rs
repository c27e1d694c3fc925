//! Queries with little memory.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};
use xai_datafusion::MemoryLimit;

use crate::tables::{bits, rows};

fn session(memory: Option<usize>) -> SessionContext {
    let mut runtime = RuntimeEnvBuilder::new();
    if let Some(memory) = memory {
        runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(memory)));
    }
    let config = SessionConfig::new()
        .with_target_partitions(1)
        .with_batch_size(1024);
    let session = SessionContext::new_with_config_rt(config, Arc::new(runtime.build().unwrap()));
    xai_datafusion::register(&session);
    session
}

/// With many groups the states themselves go to disk, and come back.
#[test]
fn states_that_went_to_disk_have_the_same_bits() {
    let sql = "SELECT g, average_drop(x, y), exact_avg(y)['high'], groundtruth_auroc(y, t), \
               pos_fidelity(t, g % 2) FROM (SELECT i % 30011 AS g, (i % 7 + 1) / 8.0 AS x, \
               (i % 1013) / 1013.0 AS y, i % 3 % 2 AS t FROM generate_series(1, 120000) AS s(i)) GROUP BY g ORDER BY g";
    let [wide, narrow] =
        [None, Some(30_000_000)].map(|memory| rows(&session(memory), sql).unwrap());
    assert_eq!(wide.num_rows(), 30011);
    assert_eq!(
        wide.column(0).as_primitive::<Int64Type>(),
        narrow.column(0).as_primitive::<Int64Type>()
    );
    for column in 1..5 {
        assert_eq!(bits(wide.column(column)), bits(narrow.column(column)));
    }
}

/// A few groups of many scores: what is held goes to disk inside a group, too, and without groups.
#[test]
fn scores_beyond_the_memory_of_the_session_go_to_disk() {
    let table = "(SELECT i % 50 AS g, (i % 1013) / 1013.0 AS y, i % 7 % 2 AS t FROM generate_series(1, 400000) AS s(i))";
    let all = format!("SELECT groundtruth_auroc(y, t) FROM {table}");
    // No ORDER BY, which reserves 10 MB.
    let each = format!("SELECT groundtruth_auroc(y, t) AS a FROM {table} GROUP BY g");
    let grouped = format!("SELECT exact_sum(a) FROM ({each})");
    // All scores are 3.2 MB.
    let sessions = [None, Some(3_000_000)].map(session);
    for sql in [all, grouped] {
        let [wide, narrow] = sessions
            .each_ref()
            .map(|session| rows(session, &sql).unwrap());
        assert_eq!(bits(wide.column(0)), bits(narrow.column(0)));
    }
}

/// 1 000 groups of ten million bins would be 160 GB.
#[test]
fn bins_take_no_more_memory_than_rows() {
    let sql = "SELECT g, groundtruth_auroc(y, t), groundtruth_auroc_binned(y, t, 0.5, 10000000)['auroc'] \
               FROM (SELECT i % 1009 AS g, (i % 1013) / 1013.0 AS y, i % 7 % 2 AS t \
               FROM generate_series(1, 50000) AS s(i)) GROUP BY g";
    let found = rows(&session(Some(10_000_000)), sql).unwrap();
    assert_eq!(found.num_rows(), 1009);
    // Scores that differ are in different bins.
    assert_eq!(bits(found.column(1)), bits(found.column(2)));
}

/// Elements and counts, whichever comes first and wherever they meet.
#[test]
fn bins_are_the_same_before_and_after_they_are_counted() {
    let sql = |n: usize, bins: usize| {
        format!(
            "SELECT g, groundtruth_auroc_binned(y, t, 0.5, {bins})['auroc'] AS a, \
             groundtruth_auroc_binned(floor(y * {bins}) / {bins} + 0.4 / {bins}, t, 0.5, {bins})['error_bound'] AS e, \
             groundtruth_auroc(floor(y * {bins}) / {bins}, t) AS exact \
             FROM (SELECT i % 3 AS g, (i * 7919 % 1013) / 1013.0 AS y, i % 5 % 2 AS t \
             FROM generate_series(1, {n}) AS s(i)) GROUP BY g ORDER BY g"
        )
    };
    // 16 bytes a bin are four elements of it: of 64 bins 256.
    for n in [3 * 255, 3 * 256, 3 * 257, 30_000] {
        let found = rows(&session(None), &sql(n, 64)).unwrap();
        assert_eq!(bits(found.column(1)), bits(found.column(3)), "{n}");
    }
}

/// In two partitions such a query waits forever in two of three trials (apache/datafusion#24883). The deadline only
/// detects that.
#[tokio::test]
async fn a_query_with_a_memory_limit_ends() {
    let limit = MemoryLimit::new(2_000_000);
    // More partitions are asked for than the limit allows.
    let config = SessionConfig::new()
        .with_target_partitions(2)
        .with_batch_size(64);
    let runtime = limit.limit(RuntimeEnvBuilder::new()).build_arc().unwrap();
    let session = SessionContext::new_with_config_rt(limit.configure(config), runtime);
    let sql = "SELECT g, count(DISTINCT name) FROM (SELECT i % 7 AS g, concat(repeat('x', 100), \
               CAST(i % 1000 AS VARCHAR)) AS name FROM generate_series(1, 40000) AS s(i)) GROUP BY g";
    for _ in 0..5 {
        let query = async { session.sql(sql).await.unwrap().collect().await };
        let ended = tokio::time::timeout(std::time::Duration::from_secs(60), query).await;
        let rows = ended.expect("it ends").expect("rows");
        assert_eq!(rows.iter().map(|batch| batch.num_rows()).sum::<usize>(), 7);
    }
}

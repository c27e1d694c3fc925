//! Queries with little memory.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::Int64Type;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

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

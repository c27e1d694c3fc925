//! Tables in memory, cut at random, and queries of them.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::compute::concat_batches;
use datafusion::arrow::datatypes::Float64Type;
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::prelude::{SessionConfig, SessionContext};
use proptest::prelude::*;

/// How a table is cut: the partition of each piece, and the rows of a piece.
#[derive(Debug, Clone)]
pub(crate) struct Cuts {
    pub(crate) n_partitions: usize,
    pub(crate) batch_size: usize,
    pub(crate) pieces: Vec<(usize, usize)>,
    /// Whether partial aggregation is given up at once, as it is where there are many groups.
    pub(crate) is_passed_on: bool,
}

pub(crate) fn any_cuts() -> impl Strategy<Value = Cuts> {
    let pieces = prop::collection::vec((0usize..64, 1usize..40), 1..40);
    (1usize..=64, 1usize..50, pieces, any::<bool>()).prop_map(
        |(n_partitions, batch_size, pieces, is_passed_on)| Cuts {
            n_partitions,
            batch_size,
            pieces,
            is_passed_on,
        },
    )
}

/// A session with all functions.
pub(crate) fn session(n_partitions: usize, batch_size: usize) -> SessionContext {
    configured(
        SessionConfig::new()
            .with_target_partitions(n_partitions)
            .with_batch_size(batch_size),
    )
}

fn configured(config: SessionConfig) -> SessionContext {
    let session = SessionContext::new_with_config(config);
    xai_datafusion::register(&session);
    session
}

/// A session with a table `t` of these columns, cut as said.
pub(crate) fn table(columns: Vec<(&str, ArrayRef)>, cuts: &Cuts) -> SessionContext {
    let mut config = SessionConfig::new()
        .with_target_partitions(cuts.n_partitions)
        .with_batch_size(cuts.batch_size);
    if cuts.is_passed_on {
        let options = &mut config.options_mut().execution;
        options.skip_partial_aggregation_probe_rows_threshold = 1;
        options.skip_partial_aggregation_probe_ratio_threshold = 0.0;
    }
    let session = configured(config);
    let whole = RecordBatch::try_from_iter_with_nullable(
        columns
            .into_iter()
            .map(|(name, column)| (name, column, true)),
    )
    .unwrap();
    let mut partitions = vec![Vec::new(); cuts.n_partitions];
    let mut start = 0;
    for &(partition, n_rows) in cuts.pieces.iter().cycle() {
        let n_rows = n_rows.min(whole.num_rows() - start);
        partitions[partition % cuts.n_partitions].push(whole.slice(start, n_rows));
        start += n_rows;
        if start == whole.num_rows() {
            break;
        }
    }
    let table = MemTable::try_new(whole.schema(), partitions).unwrap();
    session.register_table("t", Arc::new(table)).unwrap();
    session
}

/// The rows of a query.
pub(crate) fn rows(session: &SessionContext, sql: &str) -> Result<RecordBatch> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let batches = session.sql(sql).await?.collect().await?;
        let schema = match batches.first() {
            Some(batch) => batch.schema(),
            None => {
                return Ok(RecordBatch::new_empty(Arc::new(
                    datafusion::arrow::datatypes::Schema::empty(),
                )));
            }
        };
        Ok(concat_batches(&schema, &batches)?)
    })
}

/// A column of numbers, bit for bit.
pub(crate) fn bits(column: &ArrayRef) -> Vec<Option<u64>> {
    let column = column.as_primitive::<Float64Type>();
    column.iter().map(|value| value.map(f64::to_bits)).collect()
}

/// The first number of the first row.
pub(crate) fn number(session: &SessionContext, sql: &str) -> Option<f64> {
    let rows = rows(session, sql).unwrap();
    let column = rows.column(0).as_primitive::<Float64Type>();
    column.is_valid(0).then(|| column.value(0))
}

/// The text of the error of a query.
pub(crate) fn error(session: &SessionContext, sql: &str) -> String {
    rows(session, sql).unwrap_err().to_string()
}

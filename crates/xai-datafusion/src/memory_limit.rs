//! Memory limits of queries.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, StringArray};
use datafusion::common::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::SessionConfig;
use futures::StreamExt;

/// Number of bytes that the states of a query may take before they go to disk.
///
/// A query with a limit runs in **one partition**. DataFusion 55.2 can wait forever when rows that are exchanged
/// between partitions go to disk ([apache/datafusion#24883]); with one partition nothing is exchanged. Results are the
/// same bits for any number of partitions, so only the time changes. `EXPLAIN` reports it ([`report`](Self::report)).
///
/// [apache/datafusion#24883]: https://github.com/apache/datafusion/issues/24883
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimit(usize);

impl MemoryLimit {
    /// Creates a limit of a number of bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Sets the number of partitions of a session.
    #[must_use]
    pub fn configure(self, config: SessionConfig) -> SessionConfig {
        config.with_target_partitions(1)
    }

    /// Sets the memory pool of a session.
    #[must_use]
    pub fn limit(self, runtime: RuntimeEnvBuilder) -> RuntimeEnvBuilder {
        runtime.with_memory_pool(Arc::new(FairSpillPool::new(self.0)))
    }

    /// Adds a row about the limit to the rows of `EXPLAIN`, and nothing to those of other queries.
    ///
    /// # Errors
    /// In the stream, errors of the rows.
    #[must_use]
    pub fn report(
        self,
        plan: &LogicalPlan,
        rows: SendableRecordBatchStream,
    ) -> SendableRecordBatchStream {
        if !matches!(plan, LogicalPlan::Explain(_) | LogicalPlan::Analyze(_)) {
            return rows;
        }
        let schema = rows.schema();
        let text = format!(
            "{} bytes, one partition: with more, DataFusion 55.2 can wait forever when rows go to disk",
            self.0
        );
        let columns =
            ["memory_limit", &text].map(|cell| Arc::new(StringArray::from(vec![cell])) as _);
        let report: Result<RecordBatch> =
            RecordBatch::try_new(Arc::clone(&schema), columns.to_vec()).map_err(Into::into);
        let rows = rows.chain(futures::stream::iter([report]));
        Box::pin(RecordBatchStreamAdapter::new(schema, rows))
    }
}

//! A query over tables of Python, in this process.

use std::sync::Arc;

use arrow_pyarrow::PyArrowType;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::Result;
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::TryStreamExt;
use pyo3::prelude::*;
use xai_datafusion::queries_alone;

use crate::error::raised;
use crate::stream::{Engine, Table};

/// The name of a table, what has its rows, and whether it gives them more than once.
pub(crate) type Given<'py> = (String, Bound<'py, PyAny>, bool);

/// A session with our functions and these tables; paths in quotes are tables, too.
pub(crate) fn session(
    tables: Vec<Given<'_>>,
    threads: usize,
    memory_limit: Option<usize>,
) -> PyResult<SessionContext> {
    let environment = RuntimeEnvBuilder::new();
    let environment = match memory_limit {
        Some(bytes) => environment.with_memory_pool(Arc::new(FairSpillPool::new(bytes))),
        None => environment,
    };
    let environment = environment.build_arc().map_err(|error| raised(&error))?;
    let config = SessionConfig::new().with_target_partitions(threads);
    let session = SessionContext::new_with_config_rt(config, environment).enable_url_table();
    xai_datafusion::register(&session);
    for (name, object, is_repeatable) in tables {
        let table = Table::new(&object, is_repeatable)?;
        let schema = Arc::clone(table.schema());
        let registered = StreamingTable::try_new(schema, vec![table])
            .and_then(|table| session.register_table(name, Arc::new(table)));
        registered.map_err(|error| raised(&error))?;
    }
    Ok(session)
}

/// The columns and the batches of the result of a query.
#[pyfunction]
pub(crate) fn query(
    py: Python<'_>,
    sql: String,
    tables: Vec<Given<'_>>,
    threads: usize,
    memory_limit: Option<usize>,
) -> PyResult<(PyArrowType<Schema>, Vec<PyArrowType<RecordBatch>>)> {
    let session = session(tables, threads, memory_limit)?;
    let (schema, batches) = Engine::new(threads)?.wait(py, answer(session, sql))?;
    Ok((
        PyArrowType(schema),
        batches.into_iter().map(PyArrowType).collect(),
    ))
}

async fn answer(session: SessionContext, sql: String) -> Result<(Schema, Vec<RecordBatch>)> {
    let frame = session.sql_with_options(&sql, queries_alone()).await?;
    let rows = frame.execute_stream().await?;
    let schema = Schema::clone(&rows.schema());
    Ok((schema, rows.try_collect().await?))
}

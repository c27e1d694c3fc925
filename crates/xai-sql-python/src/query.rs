//! SQL queries over tables of Python, run in this process.

use std::sync::Arc;

use arrow_pyarrow::PyArrowType;
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::streaming::StreamingTable;
use datafusion::error::Result;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::physical_plan::streaming::PartitionStream;
use datafusion::prelude::{SessionConfig, SessionContext};
use futures::TryStreamExt;
use pyo3::prelude::*;
use xai_datafusion::{MemoryLimit, queries_alone};

use crate::error::raised;
use crate::stream::{Engine, Table};

/// Name of a table, its Python object, and whether the object can be read more than once.
pub(crate) type Given<'py> = (String, Bound<'py, PyAny>, bool);

/// Creates a session with the functions of [`xai_datafusion`] and the given tables. Queries can also read files, as in
/// `FROM 'scores.parquet'`.
pub(crate) fn session(
    tables: Vec<Given<'_>>,
    threads: usize,
    memory_limit: Option<MemoryLimit>,
) -> PyResult<SessionContext> {
    let mut environment = RuntimeEnvBuilder::new();
    let mut config = SessionConfig::new().with_target_partitions(threads);
    if let Some(limit) = memory_limit {
        environment = limit.limit(environment);
        config = limit.configure(config);
    }
    let environment = environment.build_arc().map_err(|error| raised(&error))?;
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

/// Runs a query and returns the schema and the batches of its result.
#[pyfunction]
pub(crate) fn query(
    py: Python<'_>,
    sql: String,
    tables: Vec<Given<'_>>,
    threads: usize,
    memory_limit: Option<usize>,
) -> PyResult<(PyArrowType<Schema>, Vec<PyArrowType<RecordBatch>>)> {
    let memory_limit = memory_limit.map(MemoryLimit::new);
    let session = session(tables, threads, memory_limit)?;
    let rows = answer(session, sql, memory_limit);
    let (schema, batches) = Engine::new(threads)?.wait(py, rows)?;
    Ok((
        PyArrowType(schema),
        batches.into_iter().map(PyArrowType).collect(),
    ))
}

async fn answer(
    session: SessionContext,
    sql: String,
    memory_limit: Option<MemoryLimit>,
) -> Result<(Schema, Vec<RecordBatch>)> {
    let frame = session.sql_with_options(&sql, queries_alone()).await?;
    let plan = frame.logical_plan().clone();
    let rows = frame.execute_stream().await?;
    let rows = match memory_limit {
        Some(limit) => limit.report(&plan, rows),
        None => rows,
    };
    let schema = Schema::clone(&rows.schema());
    Ok((schema, rows.try_collect().await?))
}

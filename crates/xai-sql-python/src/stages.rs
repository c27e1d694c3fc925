//! Queries in two stages, which other engines run.

use std::sync::Arc;

use arrow_pyarrow::{FromPyArrow, PyArrowType};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::arrow::ffi_stream::ArrowArrayStreamReader;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::error::raised;
use crate::query::{Given, session};
use crate::stream::{Batches, Engine, rows};

/// A query over rows in several parts: the first stage computes states of each part, the second one the result.
#[pyclass(frozen, module = "xai_metrics_sql")]
pub(crate) struct TwoStages {
    of: xai_datafusion::TwoStages,
}

#[pymethods]
impl TwoStages {
    #[new]
    fn new(
        py: Python<'_>,
        sql: String,
        table: String,
        schema: PyArrowType<Schema>,
        others: Vec<Given<'_>>,
    ) -> PyResult<Self> {
        let session = session(others, 1, None)?;
        let schema = Arc::new(schema.0);
        let plan =
            async move { xai_datafusion::TwoStages::plan(&session, &sql, &table, &schema).await };
        let of = Engine::new(1)?.wait(py, plan)?;
        Ok(Self { of })
    }

    #[getter]
    fn columns(&self) -> Vec<String> {
        self.of.columns()
    }

    #[getter]
    fn has_states(&self) -> bool {
        self.of.has_states()
    }

    #[getter]
    fn n_keys(&self) -> usize {
        self.of.n_keys()
    }

    #[getter]
    fn schema(&self) -> PyArrowType<Schema> {
        PyArrowType(Schema::clone(&self.of.schema()))
    }

    #[getter]
    fn state_schema(&self) -> PyArrowType<Schema> {
        PyArrowType(Schema::clone(&self.of.state_schema()))
    }

    fn partial(&self, part: &Bound<'_, PyAny>) -> PyResult<Batches> {
        self.started(part, xai_datafusion::TwoStages::partial)
    }

    fn finish(&self, states: &Bound<'_, PyAny>) -> PyResult<Batches> {
        self.started(states, xai_datafusion::TwoStages::finish)
    }

    fn divide(
        &self,
        py: Python<'_>,
        states: PyArrowType<RecordBatch>,
        n: usize,
    ) -> PyResult<Vec<(usize, PyArrowType<RecordBatch>)>> {
        if n == 0 {
            return Err(PyValueError::new_err("n: expected at least 1, got 0"));
        }
        let divided = py
            .detach(|| self.of.divide(states.0, n))
            .map_err(|error| raised(&error))?;
        Ok(divided
            .into_iter()
            .map(|(place, of)| (place, PyArrowType(of)))
            .collect())
    }
}

type Rows = SendableRecordBatchStream;

impl TwoStages {
    /// Starts a stage on rows.
    fn started(
        &self,
        given: &Bound<'_, PyAny>,
        stage: fn(&xai_datafusion::TwoStages, Rows) -> Result<Rows>,
    ) -> PyResult<Batches> {
        let given = ArrowArrayStreamReader::from_pyarrow_bound(given)?;
        let engine = Engine::new(1)?;
        let made = {
            let _inside = engine.enter();
            stage(&self.of, rows(given))
        };
        Ok(Batches::new(made.map_err(|error| raised(&error))?, engine))
    }
}

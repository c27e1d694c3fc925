//! Rows from Python, and rows for Python.

use std::fmt;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arrow_pyarrow::{FromPyArrow, PyArrowType};
use datafusion::arrow::array::{RecordBatch, RecordBatchReader};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use datafusion::arrow::ffi_stream::ArrowArrayStreamReader;
use datafusion::common::{exec_datafusion_err, exec_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::{
    RecordBatchReceiverStreamBuilder, RecordBatchStreamAdapter,
};
use datafusion::physical_plan::streaming::PartitionStream;
use futures::StreamExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, EnterGuard, Runtime};

use crate::error::raised;

/// Rows per batch for the engine. A data frame is often a single batch, which only one thread could process.
const ROWS: usize = 8192;
/// Number of batches that are read ahead.
const AHEAD: usize = 4;
/// Interval at which Ctrl-C is checked.
const MOMENT: Duration = Duration::from_millis(100);

/// The rows of a stream, in pieces that threads can share. Must be called inside a runtime.
///
/// The stream is read on its own thread, because reading may run Python code that requests other rows from the engine,
/// and a thread of the engine must not wait for itself.
pub(crate) fn rows(reader: ArrowArrayStreamReader) -> SendableRecordBatchStream {
    let mut builder = RecordBatchReceiverStreamBuilder::new(reader.schema(), AHEAD);
    let sender = builder.tx();
    builder.spawn_blocking(move || {
        for batch in reader {
            let batch = batch.map_err(reader_error)?;
            for start in (0..batch.num_rows()).step_by(ROWS) {
                let n = ROWS.min(batch.num_rows() - start);
                // The receiver was dropped, so nobody reads the remaining rows.
                if sender.blocking_send(Ok(batch.slice(start, n))).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    });
    builder.build()
}

fn reader_error(error: ArrowError) -> DataFusionError {
    DataFusionError::Execution(match error {
        ArrowError::CDataInterface(text) => text,
        other => other.to_string(),
    })
}

/// A table of another library.
pub(crate) struct Table {
    object: Py<PyAny>,
    /// Whether the rows can be read again; a stream is empty the second time.
    is_repeatable: bool,
    schema: SchemaRef,
    /// The reader that was opened for the schema. The first scan takes it.
    first: Mutex<Option<ArrowArrayStreamReader>>,
}

impl Table {
    pub(crate) fn new(object: &Bound<'_, PyAny>, is_repeatable: bool) -> PyResult<Arc<Self>> {
        let reader = ArrowArrayStreamReader::from_pyarrow_bound(object)?;
        Ok(Arc::new(Self {
            object: object.clone().unbind(),
            is_repeatable,
            schema: reader.schema(),
            first: Mutex::new(Some(reader)),
        }))
    }

    fn open(&self) -> Result<ArrowArrayStreamReader> {
        if let Some(first) = locked(&self.first).take() {
            return Ok(first);
        }
        if !self.is_repeatable {
            return exec_err!("the query reads a stream more than once: give a table instead");
        }
        let again =
            Python::attach(|py| ArrowArrayStreamReader::from_pyarrow_bound(self.object.bind(py)));
        again.map_err(|error| exec_datafusion_err!("{error}"))
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

impl PartitionStream for Table {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        match self.open() {
            Ok(reader) => rows(reader),
            Err(error) => {
                let failed = futures::stream::iter([Err(error)]);
                Box::pin(RecordBatchStreamAdapter::new(
                    Arc::clone(&self.schema),
                    failed,
                ))
            }
        }
    }
}

/// Threads of the engine. They exist only for one query, because threads do not survive a fork of the process.
pub(crate) struct Engine(Option<Runtime>);

impl Engine {
    pub(crate) fn new(threads: usize) -> PyResult<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .build()?;
        Ok(Self(Some(runtime)))
    }

    fn runtime(&self) -> &Runtime {
        self.0
            .as_ref()
            .expect("it is taken when the engine is dropped")
    }

    /// Enters the runtime, in which streams of rows may be opened.
    pub(crate) fn enter(&self) -> EnterGuard<'_> {
        self.runtime().enter()
    }

    /// Waits for work without the interpreter lock, and checks for Ctrl-C.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl Future<Output = Result<T>> + Send + 'static,
    ) -> PyResult<T> {
        // Not with a timer of the engine, which stands still while all threads of the engine compute.
        let (done, mut answer) = mpsc::channel();
        let work = self
            .runtime()
            .spawn(async move { drop(done.send(work.await)) });
        loop {
            let moment;
            (answer, moment) = py.detach(move || {
                let moment = answer.recv_timeout(MOMENT);
                (answer, moment)
            });
            match moment {
                Ok(done) => return done.map_err(|error| raised(&error)),
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals().inspect_err(|_| work.abort())?;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let why = "the engine panicked; please report it";
                    return Err(PyRuntimeError::new_err(why));
                }
            }
        }
    }
}

impl Drop for Engine {
    /// Does not wait: a thread that reads may wait for the interpreter lock, which this thread holds.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Batches of a result, computed when they are requested.
#[pyclass(frozen, module = "xai_metrics_sql")]
pub(crate) struct Batches {
    left: Mutex<Option<(SendableRecordBatchStream, Engine)>>,
}

impl Batches {
    pub(crate) fn new(rows: SendableRecordBatchStream, engine: Engine) -> Self {
        Self {
            left: Mutex::new(Some((rows, engine))),
        }
    }
}

#[pymethods]
impl Batches {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<PyArrowType<RecordBatch>>> {
        // Taken out, so that the mutex is not locked while the interpreter lock is released. After an error there are
        // no further batches.
        let Some((mut rows, engine)) = locked(&self.left).take() else {
            return Ok(None);
        };
        let next = async move { Ok((rows.next().await.transpose()?, rows)) };
        let (next, rows) = engine.wait(py, next)?;
        if next.is_some() {
            *locked(&self.left) = Some((rows, engine));
        }
        Ok(next.map(PyArrowType))
    }
}

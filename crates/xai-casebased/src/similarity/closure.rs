//! The caller's closures, called on batches of rows.

use std::fmt;
use std::sync::Arc;

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::{Error, Input, Result};

/// An error of a caller's closure.
pub type ClosureError = Box<dyn std::error::Error + Send + Sync>;

/// Largest number of rows per call of a closure.
const BATCH: usize = 1024;

type Function<A> = dyn Fn(ArrayView2<'_, f64>) -> Result<Array2<A>, ClosureError> + Send + Sync;

/// A closure that maps `(m, d)` rows to `(m, c)` outputs.
pub(crate) struct Closure<A>(Arc<Function<A>>);

impl<A> Clone for Closure<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A> fmt::Debug for Closure<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closure")
    }
}

impl<A: Clone> Closure<A> {
    pub(crate) fn new<E: Into<ClosureError>>(
        closure: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<A>, E> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |rows| closure(rows).map_err(Into::into)))
    }

    /// Calls the closure on batches of rows and concatenates its outputs.
    ///
    /// # Errors
    /// About `output`: [`ErrorKind::Model`](xai_core::ErrorKind::Model) if the closure fails,
    /// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) unless it returns one output row per input row
    /// and the same number of columns every time, and [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without rows or
    /// columns.
    pub(crate) fn evaluate(&self, output: Input, rows: ArrayView2<'_, f64>) -> Result<Array2<A>> {
        let mut values = Vec::new();
        let mut columns = None;
        for (i, batch) in rows.axis_chunks_iter(Axis(0), BATCH).enumerate() {
            let first = i * BATCH;
            let answer = (self.0)(batch).map_err(|e| {
                let last = first + batch.nrows();
                Error::model(xai_core::text::numbered_range("row", &(first..last)), e).about(output)
            })?;
            // The first batch determines the number of columns.
            let expected = [batch.nrows(), *columns.get_or_insert(answer.ncols())];
            if answer.shape() != expected {
                return Err(Error::shape(output, &expected, answer.shape()));
            }
            values.extend(answer.iter().cloned());
        }
        match columns {
            None | Some(0) => Err(Error::empty(output)),
            Some(columns) => Ok(Array2::from_shape_vec((rows.nrows(), columns), values)
                .expect("every batch gave one row of this many columns per row")),
        }
    }
}

//! Closures of the caller, called on batches of rows.

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::{Error, Input, Result};

/// An error of a caller's closure.
pub type ClosureError = Box<dyn std::error::Error + Send + Sync>;

/// Rows that a closure is given at once.
const BATCH: usize = 1024;

/// Calls a closure on batches of rows and joins its `(rows, c)` answers, the same `c` every time.
///
/// # Errors
/// About `output`: [`ErrorKind::Model`](xai_core::ErrorKind::Model) where the closure fails,
/// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) where it does not give one row per
/// row, [`ErrorKind::Empty`](xai_core::ErrorKind::Empty) without columns.
pub(crate) fn in_batches<A: Clone>(
    output: Input,
    rows: ArrayView2<'_, f64>,
    closure: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<A>, ClosureError>,
) -> Result<Array2<A>> {
    let mut values = Vec::new();
    let mut columns = None;
    for (i, batch) in rows.axis_chunks_iter(Axis(0), BATCH).enumerate() {
        let first = i * BATCH;
        let answer = closure(batch).map_err(|e| {
            let last = first + batch.nrows();
            Error::model(format!("rows {first}..{last}"), e).about(output)
        })?;
        let expected = [batch.nrows(), *columns.get_or_insert(answer.ncols())];
        if answer.dim() != (expected[0], expected[1]) {
            let actual = [answer.nrows(), answer.ncols()];
            return Err(Error::shape(output, &expected, &actual));
        }
        values.extend(answer.iter().cloned());
    }
    let columns = columns.unwrap_or(0);
    if columns == 0 {
        return Err(Error::empty(output));
    }
    Ok(Array2::from_shape_vec((rows.nrows(), columns), values)
        .expect("every batch gave one row of this many columns per row"))
}

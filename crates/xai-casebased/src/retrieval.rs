//! Where neighbours come from.

use ndarray::{Array2, ArrayView2, Axis};
use xai_core::{Error, Result};

use crate::{Nearest, NeighborSearch};

/// An error of a caller's closure.
pub(crate) type ClosureError = Box<dyn std::error::Error + Send + Sync>;

/// Samples whose neighbours are wanted: checked, finite, and as many predictions as rows.
#[derive(Clone, Copy)]
pub(crate) struct Samples<'a> {
    /// As they were handed in.
    pub(crate) original: ArrayView2<'a, f64>,
    /// Scaled as the training rows are.
    pub(crate) scaled: ArrayView2<'a, f64>,
    /// The predicted classes, where there are any.
    pub(crate) predicted: Option<&'a [i64]>,
}

/// A way to say which training rows are near a sample.
pub(crate) trait Retrieval: Send + Sync {
    /// The nearest `k` training rows of every sample.
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>>;

    /// The share of true neighbours that are found; `None` where all are.
    fn recall(&self) -> Option<f64> {
        None
    }
}

/// Features, as they are scaled.
impl Retrieval for Box<dyn NeighborSearch> {
    fn nearest(&self, samples: Samples<'_>, k: usize) -> Result<Vec<Vec<Nearest>>> {
        self.nearest_batch(samples.scaled, k)
    }

    fn recall(&self) -> Option<f64> {
        self.as_ref().recall()
    }
}

/// An error about some of the samples, in the numbers of all.
pub(crate) fn among(samples: &[usize]) -> impl Fn(Error) -> Error + '_ {
    let place = |index: &mut Vec<usize>| {
        if let Some(sample) = index.first_mut() {
            *sample = samples.get(*sample).copied().unwrap_or(*sample);
        }
    };
    move |mut error| {
        if let Error::OutOfDomain { index, .. } | Error::NonFinite { index, .. } = &mut error {
            place(index);
        }
        error
    }
}

/// Rows that a closure is given at once.
const BATCH: usize = 1024;

/// Calls a closure on batches of rows and joins its `(rows, c)` answers, the same `c` every time.
pub(crate) fn in_batches<A: Clone>(
    what: &'static str,
    rows: ArrayView2<'_, f64>,
    closure: impl Fn(ArrayView2<'_, f64>) -> Result<Array2<A>, ClosureError>,
) -> Result<Array2<A>> {
    let mut values = Vec::new();
    let mut columns = None;
    for (i, batch) in rows.axis_chunks_iter(Axis(0), BATCH).enumerate() {
        let first = i * BATCH;
        let answer = closure(batch).map_err(|e| {
            let last = first + batch.nrows();
            Error::model(format!("{what} of rows {first}..{last}"), e)
        })?;
        let expected = [batch.nrows(), *columns.get_or_insert(answer.ncols())];
        if answer.dim() != (expected[0], expected[1]) {
            return Err(Error::shape(
                what,
                &expected,
                &[answer.nrows(), answer.ncols()],
            ));
        }
        values.extend(answer.iter().cloned());
    }
    let columns = columns.unwrap_or(0);
    if columns == 0 {
        return Err(Error::empty(what));
    }
    Array2::from_shape_vec((rows.nrows(), columns), values)
        .map_err(|_| Error::shape(what, &[rows.nrows(), columns], &[]))
}

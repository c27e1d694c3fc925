//! Sources of attributions: memory, a memory-mapped file, or the caller's reader.

use std::fmt;
use std::ops::Range;

use ndarray::{Array2, ArrayView2, CowArray, Ix2, s};
use xai_core::number::check_finite;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, Real, Result};

use crate::similarity::ClosureError;

/// Attributions of test cases to training cases, `(n_test, n_train)`, that are read in blocks of rows.
///
/// `τ_ti` above 0 means that training case `i` raised the score of test case `t`. Arrays and views of `f32` and
/// `f64` implement this trait, including views of memory-mapped files, and [`rows_with`] implements it with a
/// closure. Metrics keep one block of rows per thread and never copy the whole. The results have the same bits for
/// any source.
pub trait AttributionRows: Sync {
    /// Shape, `(n_test, n_train)`.
    fn shape(&self) -> (usize, usize);

    /// Reads some rows with all columns.
    ///
    /// # Errors
    /// The errors of the reader.
    fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError>;

    /// All rows if they are stored as `f32` in memory, otherwise `None`. Metrics that only need the order of the values
    /// then read them without a copy.
    fn as_single(&self) -> Option<ArrayView2<'_, f32>> {
        None
    }

    /// Approximate size in bytes, as `f64`, of the blocks that are read; a block has 1 to 64 rows. The default
    /// is 4 MiB, so that the overhead of a call is small. For arrays in memory it is 512 KiB, so that a block
    /// stays in the cache. It is not used in a pass with a metric that processes a block as a whole
    /// ([`RowFunction::per_block`](super::RowFunction::per_block)), whose blocks have the default size.
    fn bytes_at_once(&self) -> usize {
        DEFAULT_BLOCK_BYTES
    }
}

/// Default size of a block in bytes.
pub(super) const DEFAULT_BLOCK_BYTES: usize = 1 << 22;

macro_rules! arrays {
    ($($array:ty: $rows:expr, $single:expr;)+) => {$(
        impl AttributionRows for $array {
            fn shape(&self) -> (usize, usize) {
                self.dim()
            }

            fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError> {
                Ok($rows(self.slice(s![rows, ..])))
            }

            fn as_single(&self) -> Option<ArrayView2<'_, f32>> {
                $single(self.view())
            }

            fn bytes_at_once(&self) -> usize {
                1 << 19
            }
        }
    )+};
}

arrays!(
    ArrayView2<'_, f64>: CowArray::from, |_| None;
    Array2<f64>: CowArray::from, |_| None;
    ArrayView2<'_, f32>: widen, Some;
    Array2<f32>: widen, Some;
);

/// Converts single to double precision, which is exact.
fn widen<'a>(rows: ArrayView2<'_, f32>) -> CowArray<'a, f64, Ix2> {
    rows.mapv(f64::from).into()
}

macro_rules! pointers {
    ($($pointer:ty),+) => {$(
        impl<R: AttributionRows + ?Sized> AttributionRows for $pointer {
            fn shape(&self) -> (usize, usize) {
                (**self).shape()
            }

            fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError> {
                (**self).rows(rows)
            }

            fn as_single(&self) -> Option<ArrayView2<'_, f32>> {
                (**self).as_single()
            }

            fn bytes_at_once(&self) -> usize {
                (**self).bytes_at_once()
            }
        }
    )+};
}

pointers!(&R, Box<R>);

/// Creates attributions that a closure computes or reads. It takes a range of test cases and returns
/// `(range.len(), n_train)` values. It may be called from several threads, once per block of rows.
///
/// ```
/// use ndarray::Array2;
/// use std::ops::Range;
/// use xai_casebased::data_attribution::{AttributionData, TopKCardinality, rows_with};
/// // A million rows that are never in memory together: test case t depends on training case t mod 5 only.
/// let rows = rows_with((1_000_000, 5), |rows: Range<usize>| -> Result<_, std::fmt::Error> {
///     let first = rows.start;
///     Ok(Array2::from_shape_fn((rows.len(), 5), |(t, i)| f64::from((first + t) % 5 == i)))
/// });
/// let cardinality = TopKCardinality::new().evaluate(&AttributionData::new(rows))?;
/// assert_eq!(cardinality.unique, 5);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub fn rows_with<F, E>(shape: (usize, usize), read: F) -> RowReader<F>
where
    F: Fn(Range<usize>) -> Result<Array2<f64>, E> + Sync,
    E: Into<ClosureError>,
{
    RowReader { shape, read }
}

/// Attributions that a closure computes or reads. Created by [`rows_with`].
#[derive(Clone)]
pub struct RowReader<F> {
    shape: (usize, usize),
    read: F,
}

impl<F> fmt::Debug for RowReader<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RowReader")
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

impl<F, E> AttributionRows for RowReader<F>
where
    F: Fn(Range<usize>) -> Result<Array2<f64>, E> + Sync,
    E: Into<ClosureError>,
{
    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError> {
        (self.read)(rows).map(CowArray::from).map_err(Into::into)
    }
}

/// Reads some rows, checks their shape, and makes them contiguous.
pub(super) fn read_rows(
    input: Input,
    source: &dyn AttributionRows,
    range: Range<usize>,
) -> Result<CowArray<'_, f64, Ix2>> {
    let rows = source.rows(range.clone()).map_err(|source| {
        Error::io(input, std::io::Error::other(source)).part(numbered_range("row", &range))
    })?;
    let expected = [range.len(), source.shape().1];
    if rows.shape() != expected {
        return Err(Error::shape(input, &expected, rows.shape()));
    }
    Ok(if rows.is_standard_layout() {
        rows
    } else {
        rows.as_standard_layout().into_owned().into()
    })
}

/// Checks that the row at `index` is finite.
pub(super) fn check_row<T: Real>(input: Input, index: usize, row: &[T]) -> Result<()> {
    let view = ArrayView2::from_shape((1, row.len()), row).expect("one row");
    check_finite(input, view).map_err(|error| error.shifted(0, index))
}

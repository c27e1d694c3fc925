//! Where attributions come from: memory, a memory-mapped file, or a reader of the caller's own.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, CowArray, Ix2, s};
use xai_core::number::check_finite;
use xai_core::text::numbered_range;
use xai_core::{Error, Input, Real, Result};

use crate::similarity::ClosureError;

/// Attributions of test cases to training cases, `(n_test, n_train)`, that are asked for some rows at a time.
///
/// `τ_ti` above 0 says that training case `i` raised the score of test case `t`. Arrays and views of `f32` and `f64`
/// are such rows, also views of memory-mapped files, and so is what [`rows_with`] makes of a closure. A metric holds a
/// block of rows per thread, and never a copy of the whole. The numbers are the same to the last bit, wherever
/// the rows come from.
pub trait AttributionRows: Sync {
    /// `(n_test, n_train)`.
    fn shape(&self) -> (usize, usize);

    /// Some rows, all columns.
    ///
    /// # Errors
    /// The reader's own.
    fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError>;

    /// All rows as they are stored, where that is `f32` in memory; `None` otherwise. What asks for their order alone then
    /// needs no copy of them.
    fn as_single(&self) -> Option<ArrayView2<'_, f32>> {
        None
    }

    /// About how many bytes of rows, as `f64`, are asked for at once; at least one row. Some MB, so that a call costs little
    /// beside what it reads. Arrays in memory are asked for less, which stays in the cache of a processor.
    fn bytes_at_once(&self) -> usize {
        MANY_BYTES
    }
}

/// What a thread holds of a reader's rows.
pub(super) const MANY_BYTES: usize = 1 << 22;

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
    ArrayView2<'_, f32>: widened, Some;
    Array2<f32>: widened, Some;
);

/// Single precision as double: exact.
fn widened<'a>(rows: ArrayView2<'_, f32>) -> CowArray<'a, f64, Ix2> {
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

/// Rows that a closure makes: it is given a range of test cases, and answers `(rows, n_train)`. It is called from
/// several threads, once for each block of rows.
///
/// ```
/// use ndarray::Array2;
/// use std::ops::Range;
/// use xai_casebased::data_attribution::{AttributionData, TopKCardinality, rows_with};
/// // A million rows that no memory holds: test case t depends on training case t mod 5 alone.
/// let rows = rows_with((1_000_000, 5), |rows: Range<usize>| -> Result<_, std::fmt::Error> {
///     let first = rows.start;
///     Ok(Array2::from_shape_fn((rows.len(), 5), |(t, i)| f64::from((first + t) % 5 == i)))
/// });
/// let cardinality = TopKCardinality::new().evaluate(&AttributionData::new(rows))?;
/// assert_eq!(cardinality.unique, 5);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub fn rows_with<F, E>(shape: (usize, usize), read: F) -> impl AttributionRows
where
    F: Fn(Range<usize>) -> Result<Array2<f64>, E> + Sync,
    E: Into<ClosureError>,
{
    struct Reader<F>((usize, usize), F);

    impl<F, E> AttributionRows for Reader<F>
    where
        F: Fn(Range<usize>) -> Result<Array2<f64>, E> + Sync,
        E: Into<ClosureError>,
    {
        fn shape(&self) -> (usize, usize) {
            self.0
        }

        fn rows(&self, rows: Range<usize>) -> Result<CowArray<'_, f64, Ix2>, ClosureError> {
            (self.1)(rows).map(CowArray::from).map_err(Into::into)
        }
    }

    Reader(shape, read)
}

/// Some rows, of the shape that was promised and one after another in memory.
pub(super) fn read_rows(
    input: Input,
    source: &dyn AttributionRows,
    range: Range<usize>,
) -> Result<CowArray<'_, f64, Ix2>> {
    let rows = source.rows(range.clone()).map_err(|source| {
        Error::io(input, std::io::Error::other(source)).part(numbered_range("row", &range))
    })?;
    let promised = [range.len(), source.shape().1];
    if rows.shape() != promised {
        return Err(Error::shape(input, &promised, rows.shape()));
    }
    Ok(match rows.is_standard_layout() {
        true => rows,
        false => rows.as_standard_layout().into_owned().into(),
    })
}

/// Checks that a row is finite.
pub(super) fn check_row<T: Real>(input: Input, index: usize, row: &[T]) -> Result<()> {
    let row = ArrayView2::from_shape((1, row.len()), row).expect("one row");
    check_finite(input, row).map_err(|error| error.shifted(0, index))
}

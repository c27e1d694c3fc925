//! Every distance of two sets of rows.

use ndarray::{Array2, ArrayView2};
use xai_core::distance::DistanceFunction;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Distance, Result, parallel};

use crate::input;
use crate::search::kernel::rank::Ranking;
use crate::search::kernel::row_blocks::{QUERIES, RowBlocks};

/// The distance of each of `(m, d)` rows to each of `(n, d)` others, `(m, n)`: the bits of
/// [`DistanceFunction`](xai_core::distance::DistanceFunction), by the loops of the engines.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) for the parameter of the distance;
/// about [`input::ROWS`], of either side:
/// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) where they have other numbers of features,
/// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite), also of a row that whitening takes beyond `f64`, and
/// what the distance says of the rows.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::{Distance, search::distances};
/// let found = distances(array![[0.0, 0.0]].view(), array![[3.0, 4.0], [1.0, -1.0]].view(), &Distance::Manhattan)?;
/// assert_eq!(found, array![[7.0, 2.0]]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
pub fn distances(
    from: ArrayView2<'_, f64>,
    to: ArrayView2<'_, f64>,
    distance: &Distance,
) -> Result<Array2<f64>> {
    distance.validate()?;
    let ((m, d), n) = (from.dim(), to.nrows());
    check_shape(input::ROWS, &[n, d], to.shape())?;
    let prepared = |rows| -> Result<Rows<'_, f64>> {
        check_finite(input::ROWS, rows)?;
        distance.check_rows(input::ROWS, rows)?;
        let rows = distance.prepare(Rows::new(rows));
        if distance.prepares() {
            check_finite(input::ROWS, rows.view()).map_err(|e| e.part("whitened rows"))?;
        }
        Ok(rows)
    };
    parallel::of_size(m.saturating_mul(n).saturating_mul(d), || {
        let (from, to) = (prepared(from)?, prepared(to)?);
        let mut found = Array2::zeros((m, n));
        if found.is_empty() || d == 0 {
            return Ok(found);
        }
        let by = distance.compared_by();
        let values = found.as_slice_mut().expect("just made");
        if !Ranking::of(&by, d).tells_distance() {
            parallel::for_each_chunk(values, n, |row, distances| {
                for (distance, other) in distances.iter_mut().zip(to.iter()) {
                    *distance = by.distance(from.row(row), other);
                }
            });
            return Ok(found);
        }
        let blocks = RowBlocks::new(n, d, &by, |row, buffer| {
            buffer.copy_from_slice(to.row(row));
        });
        parallel::for_each_chunk(values, QUERIES * n, |chunk, distances| {
            blocks.for_each_tile(distances.len() / n, |query, first, n_blocks| {
                let distances = &mut distances[query * n..(query + 1) * n];
                let query = blocks.query(from.row(chunk * QUERIES + query));
                let write = |row: usize, distance| distances[row] = distance;
                blocks.within(first, n_blocks, query, f64::INFINITY, write);
            });
        });
        Ok(found)
    })
}

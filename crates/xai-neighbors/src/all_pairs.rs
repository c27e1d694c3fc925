//! Distances between all pairs of two sets of rows.

use ndarray::{Array2, ArrayView2};
use xai_core::distance::DistanceFunction;
use xai_core::number::check_finite;
use xai_core::tensor::{Rows, check_shape};
use xai_core::{Distance, Result, parallel};

use crate::input;
use crate::kernel::lanes::ROWS;
use crate::kernel::rank::Ranking;
use crate::kernel::row_blocks::{MAX_BLOCKS, Query, RowBlocks};

/// Rows that are laid out in blocks at a time: as many as one kernel call compares. They stay in a cache (up to
/// 64 features in a first-level cache of 32 KiB); blocks of all rows would be written to memory and read again.
const TILE: usize = MAX_BLOCKS * ROWS;

/// Rows per task of a thread.
const BAND: usize = 8 * TILE;

/// Queries that share the layout of a tile: enough to make its cost negligible.
const QUERIES: usize = 256;

/// Computes the distances between `(m, d)` rows and `(n, d)` other rows, `(m, n)`.
///
/// The values have the same bits as
/// [`DistanceFunction`](xai_core::distance::DistanceFunction); the vectorised kernels of the search
/// engines compute them.
///
/// # Errors
/// [`ErrorKind::InvalidParameter`](xai_core::ErrorKind::InvalidParameter) if the parameter of the distance is
/// invalid. About [`input::QUERIES`] for `from` and [`input::ROWS`] for `to`:
/// [`ErrorKind::ShapeMismatch`](xai_core::ErrorKind::ShapeMismatch) for different numbers of features,
/// [`ErrorKind::NonFinite`](xai_core::ErrorKind::NonFinite) for values that are not finite before or after
/// whitening, and the errors of [`Distance::check_rows`] for rows outside the domain of the distance.
///
/// ```
/// use ndarray::array;
/// use xai_neighbors::{Distance, distances};
/// let found = distances(array![[0.0, 0.0]].view(), array![[3.0, 4.0], [1.0, -1.0]].view(), &Distance::Manhattan)?;
/// assert_eq!(found, array![[7.0, 2.0]]);
/// # Ok::<(), xai_neighbors::Error>(())
/// ```
pub fn distances(
    from: ArrayView2<'_, f64>,
    to: ArrayView2<'_, f64>,
    distance: &Distance,
) -> Result<Array2<f64>> {
    distance.validate()?;
    let ((m, d), n) = (from.dim(), to.nrows());
    check_shape(input::ROWS, &[n, d], to.shape())?;
    let prepared = |about, rows| -> Result<Rows<'_, f64>> {
        check_finite(about, rows)?;
        distance.check_rows(about, rows)?;
        let rows = distance.prepare(Rows::new(rows));
        // Whitening can overflow. Centring, the other preparation, scales extreme rows first and cannot.
        if matches!(distance, Distance::Mahalanobis(_)) {
            check_finite(about, rows.view()).map_err(|e| e.part("whitened rows"))?;
        }
        Ok(rows)
    };
    parallel::with_work_size(m.saturating_mul(n).saturating_mul(d), || {
        let (from, to) = (prepared(input::QUERIES, from)?, prepared(input::ROWS, to)?);
        let mut found = Array2::zeros((m, n));
        if found.is_empty() || d == 0 {
            return Ok(found);
        }
        let by = distance.prepared_distance();
        let values = found.as_slice_mut().expect("a new array is contiguous");
        let ranking = Ranking::new(&by, d);
        if !ranking.determines_distance() {
            // The kernels could only skip far rows, and here every distance is needed.
            parallel::for_each_chunk(values, n, |row, distances| {
                for (distance, other) in distances.iter_mut().zip(to.iter()) {
                    *distance = by.distance(from.row(row), other);
                }
            });
            return Ok(found);
        }
        parallel::for_each_chunk(values, QUERIES * n, |chunk, distances| {
            let queries: Vec<_> = (chunk * QUERIES..m)
                .take(QUERIES)
                .map(|row| Query::new(from.row(row), ranking.rank))
                .collect();
            // Distances are row-major by query, but a task computes a band of columns for all queries of the chunk.
            // So each task gets one mutable part of every query's distances.
            let mut bands: Vec<Vec<&mut [f64]>> = Vec::new();
            bands.resize_with(n.div_ceil(BAND), Vec::new);
            for distances in distances.chunks_exact_mut(n) {
                for (band, part) in bands.iter_mut().zip(distances.chunks_mut(BAND)) {
                    band.push(part);
                }
            }
            parallel::map_owned(bands, |band, mut parts| {
                let rows = band * BAND..n.min((band + 1) * BAND);
                for first in rows.clone().step_by(TILE) {
                    let size = TILE.min(rows.end - first);
                    let tile = RowBlocks::new(size, d, &by, |row, buffer| {
                        buffer.copy_from_slice(to.row(first + row));
                    });
                    for (query, part) in queries.iter().zip(&mut parts) {
                        tile.distances(*query, &mut part[first - rows.start..][..size]);
                    }
                }
            });
        });
        Ok(found)
    })
}

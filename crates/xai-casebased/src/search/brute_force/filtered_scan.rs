//! A scan by matrix products in single precision, whose survivors are compared in full.
//!
//! For distances that an inner product decides, `½ ‖a − b‖² = ½ ‖a‖² + ½ ‖b‖² − a·b`, and a matrix
//! product gives the dot products of many queries with many rows near the peak of the processor. It
//! rounds to single precision, so it only says which rows *may* be near; the distance of those is
//! then taken in `f64` as for any other.

use xai_core::distance::DistanceFunction;
use xai_core::{Distance, parallel};

use crate::search::brute_force::filter::Filter;
use crate::search::brute_force::matrix_product::a_times_b_transposed;
use crate::search::k_nearest::KNearest;
use crate::search::nearest::Nearest;
use crate::search::queries::Queries;
use crate::training::rows::TrainingRows;

/// Queries and rows of one matrix product. Its result (1 MB) stays in the second-level cache, and the
/// packing of the rows is shared by many queries: 256 × 1 024, 256 × 512, 512 × 512 and 512 × 1 024 cost
/// 497, 490, 462 and 471 µs per query at 60 000 × 784 on two cores, where the multiplications alone take
/// at least 450.
const QUERIES: usize = 512;
const ROWS: usize = 512;

#[derive(Debug, Clone)]
pub(crate) struct FilteredScan {
    rows: TrainingRows,
    distance: Distance,
    filter: Filter,
    single: SingleRows,
}

/// The rows in single precision, tile by tile.
#[derive(Debug, Clone)]
struct SingleRows {
    /// `(n, d)`, shifted and scaled, or unit vectors.
    values: Vec<f32>,
    /// `½ ‖b‖²` of every row, 0 for unit vectors.
    half_squares: Vec<f32>,
    /// The largest norm in every tile of rows.
    norms: Vec<f64>,
}

impl SingleRows {
    fn new(rows: &TrainingRows, filter: &Filter) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_features());
        let mut values = vec![0.0; n * d];
        let mut half_squares = vec![0.0; n];
        let tiles: Vec<_> = values
            .chunks_mut(ROWS * d)
            .zip(half_squares.chunks_mut(ROWS))
            .collect();
        let norms = parallel::map_owned(tiles, |tile, (values, half_squares)| {
            let (mut most, mut row) = (0.0f64, vec![0.0; d]);
            let to = values.chunks_exact_mut(d).zip(half_squares);
            for (i, (single, half_square)) in to.enumerate() {
                rows.write(tile * ROWS + i, &mut row);
                let norm = filter.normalize(&mut row);
                most = most.max(norm);
                single
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(to, &x)| *to = x as f32);
                *half_square = filter.half_square(norm);
            }
            most * (1.0 + 1e-9)
        });
        Self {
            values,
            half_squares,
            norms,
        }
    }
}

impl FilteredScan {
    /// Of prepared rows that are compared by a distance that the filter [supports](Filter::supports).
    pub(crate) fn new(rows: TrainingRows, distance: Distance) -> Self {
        let filter = Filter::fit(&rows, &distance);
        Self {
            single: SingleRows::new(&rows, &filter),
            filter,
            rows,
            distance,
        }
    }

    /// The answers, and how many rows were compared in full and offered a place in them.
    pub(crate) fn search_counting(
        &self,
        queries: &Queries<'_>,
        k: usize,
    ) -> (Vec<Vec<Nearest>>, usize) {
        let m = queries.len();
        // Few queries still share the threads.
        let block = m.div_ceil(parallel::threads()).clamp(1, QUERIES);
        let blocks = parallel::map_blocks(m, block, |range| {
            let queries: Vec<&[f64]> = range.map(|i| queries.row(i)).collect();
            self.search_block(&queries, k)
        });
        let offers = blocks.iter().map(|(_, offers)| offers).sum();
        let found = blocks.into_iter().flat_map(|(found, _)| found).collect();
        (found, offers)
    }

    fn search_block(&self, queries: &[&[f64]], k: usize) -> (Vec<Vec<Nearest>>, usize) {
        let (n, d) = (self.rows.n_rows(), self.rows.n_features());
        let mut single = Vec::with_capacity(queries.len() * d);
        let mut buffer = vec![0.0; d];
        let mut searches: Vec<Search<'_>> = queries
            .iter()
            .map(|&query| {
                buffer.copy_from_slice(query);
                let norm = self.filter.normalize(&mut buffer);
                // In range or not, the product is taken; one out of range is not looked at.
                single.extend(buffer.iter().map(|&x| x as f32));
                Search {
                    query,
                    norm,
                    best: KNearest::new(k.min(n)),
                    offers: 0,
                }
            })
            .collect();
        let mut product = vec![0.0; queries.len() * ROWS.min(n)];
        if k > 0 {
            for (tile, &largest) in self.single.norms.iter().enumerate() {
                let first = tile * ROWS;
                let size = ROWS.min(n - first);
                let product = &mut product[..queries.len() * size];
                let rows = &self.single.values[first * d..(first + size) * d];
                a_times_b_transposed(&single, rows, d, product);
                let half_squares = &self.single.half_squares[first..first + size];
                for (search, products) in searches.iter_mut().zip(product.chunks_exact(size)) {
                    self.look_at(search, first, products, half_squares, largest, &mut buffer);
                }
            }
        }
        let offers = searches.iter().map(|s| s.offers).sum();
        let found = searches.into_iter().map(|s| s.best.into_vec()).collect();
        (found, offers)
    }

    /// Offers the rows of one tile that may be near enough.
    fn look_at(
        &self,
        search: &mut Search<'_>,
        first: usize,
        products: &[f32],
        half_squares: &[f32],
        largest: f64,
        buffer: &mut [f64],
    ) {
        let threshold_of = |search: &Search<'_>| {
            self.filter
                .threshold(search.best.limit(), search.norm, largest)
        };
        let mut threshold = threshold_of(search);
        // Sixteen at a time: nearly all groups have no row above the threshold.
        for (group, (p, h)) in products.chunks(16).zip(half_squares.chunks(16)).enumerate() {
            let mut above = false;
            for (p, h) in p.iter().zip(h) {
                // What is not comparable is looked at.
                above |= (p - h >= threshold) | (p - h).is_nan();
            }
            if !above {
                continue;
            }
            for (i, (p, h)) in p.iter().zip(h).enumerate() {
                if p - h < threshold {
                    continue;
                }
                let index = first + group * 16 + i;
                self.rows.write(index, buffer);
                search.offers += 1;
                search.best.offer(Nearest {
                    index,
                    distance: self.distance.distance(buffer, search.query),
                });
                threshold = threshold_of(search);
            }
        }
    }
}

/// A query on its way through the rows.
struct Search<'a> {
    query: &'a [f64],
    norm: f64,
    best: KNearest,
    /// Rows compared in full so far.
    offers: usize,
}

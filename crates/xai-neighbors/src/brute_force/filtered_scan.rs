//! A scan with matrix products in single precision as a filter; rows that pass are compared in full.
//!
//! For distances that are functions of inner products, `½ ‖a − b‖² = ½ ‖a‖² + ½ ‖b‖² − a·b`. A matrix product
//! computes the dot products of many queries with many rows near the peak performance of the processor. Its rounding
//! means that it only finds the rows that *may* be near; the distances of these are then computed in `f64`.
//!
//! On processors that multiply bytes, dot products of [integers](ByteRows) filter each tile first. If they let too
//! many rows of a tile pass, single precision is used for that tile: for the first one, when no neighbour is known
//! yet, and for rows that are too close to each other for the resolution of the integers.

use xai_core::distance::DistanceFunction;
use xai_core::{Distance, parallel};

use crate::brute_force::byte_product::ByteProduct;
use crate::brute_force::byte_rows::ByteRows;
use crate::brute_force::filter::Filter;
use crate::brute_force::matrix_product::a_times_b_transposed;
use crate::k_nearest::KNearest;
use crate::nearest::{Nearest, Neighbors};
use crate::queries::Queries;
use crate::training_rows::TrainingRows;

/// Numbers of queries and rows of one matrix product. Its result (1 MB) stays in the second-level cache, and many
/// queries share the packing of the rows. Measured at 60 000 × 784 on two cores, where the multiplications alone
/// take at least 450 µs per query: 256 × 1 024, 256 × 512, 512 × 512 and 512 × 1 024 take 497, 490, 462 and 471 µs.
const QUERIES: usize = 512;
const ROWS: usize = 512;

/// A scan over all rows that compares only those in full that pass the filters.
#[derive(Debug, Clone)]
pub(crate) struct FilteredScan {
    rows: TrainingRows,
    distance: Distance,
    filter: Filter,
    single: SingleRows,
    /// The rows as integers, if the processor can multiply these faster.
    bytes: Option<ByteRows>,
}

/// The rows in single precision, in the units of the filter.
#[derive(Debug, Clone)]
struct SingleRows {
    /// `(n, d)`, shifted and scaled, or unit vectors.
    values: Vec<f32>,
    /// `½ ‖b‖²` of every row, 0 for unit vectors.
    half_squares: Vec<f32>,
    /// Largest norm in every tile of rows, rounded up.
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
                for (to, &x) in single.iter_mut().zip(&row) {
                    *to = x as f32;
                }
                *half_square = filter.half_square(norm);
            }
            // The computed norms are rounded; the bounds need an upper bound.
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
    /// Creates a scan over prepared rows. The filter must [support](Filter::supports) the distance between them.
    pub(crate) fn new(rows: TrainingRows, distance: Distance) -> Self {
        let filter = Filter::fit(&rows, &distance);
        let single = SingleRows::new(&rows, &filter);
        Self {
            single,
            bytes: None,
            filter,
            rows,
            distance,
        }
    }

    /// Adds the filter by integers if this processor has the instructions.
    pub(crate) fn with_byte_filter(self) -> Self {
        match ByteProduct::detect() {
            Some(product) => self.with_byte_product(product),
            None => self,
        }
    }

    fn with_byte_product(self, product: ByteProduct) -> Self {
        let (single, d) = (&self.single, self.rows.n_features());
        Self {
            bytes: ByteRows::new(&single.values, d, ROWS, &single.norms, product),
            ..self
        }
    }

    /// Returns the neighbours of each query, and the number of rows that were compared in full and offered to their
    /// lists.
    pub(crate) fn search_counting(
        &self,
        queries: &Queries<'_>,
        k: usize,
    ) -> (Vec<Neighbors>, usize) {
        let m = queries.len();
        // Smaller blocks for few queries, so that every thread gets some.
        let block = m.div_ceil(parallel::threads()).clamp(1, QUERIES);
        let blocks = parallel::map_blocks(m, block, |range| {
            let queries: Vec<&[f64]> = range.map(|i| queries.row(i)).collect();
            self.search_block(&queries, k)
        });
        let offers = blocks.iter().map(|(_, offers)| offers).sum();
        let found = blocks.into_iter().flat_map(|(found, _)| found).collect();
        (found, offers)
    }

    /// Searches for a block of queries, tile by tile of the rows.
    fn search_block(&self, queries: &[&[f64]], k: usize) -> (Vec<Neighbors>, usize) {
        let (n, d) = (self.rows.n_rows(), self.rows.n_features());
        let mut single = Vec::with_capacity(queries.len() * d);
        let mut buffer = vec![0.0; d];
        let mut searches: Vec<QueryState<'_>> = queries
            .iter()
            .map(|&query| {
                buffer.copy_from_slice(query);
                let norm = self.filter.normalize(&mut buffer);
                // Values may overflow to ±∞ here. Their products are computed, but the threshold of such a query is −∞,
                // so all rows pass.
                single.extend(buffer.iter().map(|&x| x as f32));
                QueryState {
                    query,
                    norm,
                    best: KNearest::new(k.min(n)),
                    offers: 0,
                }
            })
            .collect();
        let norms = searches.iter().map(|search| search.norm);
        let mut bytes = self
            .bytes
            .as_ref()
            .map(|rows| (rows, rows.queries(&single, d, norms)));
        let (mut candidates, mut pause) = (Vec::new(), Pause::default());
        // Tiles of rows are the outer loop: each is read once for all queries of the block, and the neighbours
        // found in it raise the thresholds for the next.
        let mut product = vec![0.0; queries.len() * ROWS.min(n)];
        if k > 0 {
            for (tile, &largest) in self.single.norms.iter().enumerate() {
                if let Some((rows, queries)) = &mut bytes
                    && pause.is_over()
                {
                    let max_distance = |query: usize| {
                        let QueryState { best, norm, .. } = &searches[query];
                        self.filter.max_distance(best.limit(), *norm, largest)
                    };
                    if rows.find_candidates(tile, queries, max_distance, &mut candidates) {
                        for pair in &candidates {
                            self.offer(&mut searches[pair.query], pair.row, &mut buffer);
                        }
                        // The filter worked again; the next failure starts with the shortest pause.
                        pause = Pause::default();
                        continue;
                    }
                    pause.lengthen();
                }
                let first = tile * ROWS;
                let size = ROWS.min(n - first);
                let product = &mut product[..queries.len() * size];
                let rows = &self.single.values[first * d..(first + size) * d];
                a_times_b_transposed(&single, rows, d, product);
                let half_squares = &self.single.half_squares[first..first + size];
                for (search, products) in searches.iter_mut().zip(product.chunks_exact(size)) {
                    self.offer_candidates(
                        search,
                        first,
                        products,
                        half_squares,
                        largest,
                        &mut buffer,
                    );
                }
            }
        }
        let offers = searches.iter().map(|s| s.offers).sum();
        let found = searches
            .into_iter()
            .map(|s| s.best.into_neighbors())
            .collect();
        (found, offers)
    }

    /// Compares a row in full and offers it to the neighbours of a query.
    fn offer(&self, search: &mut QueryState<'_>, index: usize, buffer: &mut [f64]) {
        self.rows.write(index, buffer);
        search.offers += 1;
        search.best.offer(Nearest {
            index,
            distance: self.distance.distance(buffer, search.query),
        });
    }

    /// Compares the rows of a tile that may be near to a query in full, and offers them.
    ///
    /// `first` is the first row of the tile, `products` and `half_squares` are the `c` and `h` of its rows, and
    /// `largest` is their largest norm.
    fn offer_candidates(
        &self,
        search: &mut QueryState<'_>,
        first: usize,
        products: &[f32],
        half_squares: &[f32],
        largest: f64,
        buffer: &mut [f64],
    ) {
        let current_threshold = |search: &QueryState<'_>| {
            self.filter
                .threshold(search.best.limit(), search.norm, largest)
        };
        let mut threshold = current_threshold(search);
        // Groups of sixteen rows are tested without branches, which vectorises. Nearly all groups have no row above the
        // threshold.
        for (group, (p, h)) in products.chunks(16).zip(half_squares.chunks(16)).enumerate() {
            let mut above = false;
            for (p, h) in p.iter().zip(h) {
                // NaN has to pass.
                above |= (p - h >= threshold) | (p - h).is_nan();
            }
            if !above {
                continue;
            }
            for (i, (p, h)) in p.iter().zip(h).enumerate() {
                if p - h < threshold {
                    continue;
                }
                self.offer(search, first + group * 16 + i, buffer);
                // A new neighbour raises the threshold for the rest of the tile.
                threshold = current_threshold(search);
            }
        }
    }
}

/// A pause of the filter by integers after it let too many rows pass.
///
/// There is no pause after the first failure. Further failures in a row are followed by pauses of 1, 2, 4, … and at
/// most 32 tiles. So where the filter never helps, because all rows are near, it costs little.
#[derive(Debug, Default)]
struct Pause {
    /// Length of the next pause in tiles.
    length: u32,
    /// Tiles left of the current pause.
    left: u32,
}

impl Pause {
    /// Returns whether the filter is to be used for the next tile, and counts the tile.
    fn is_over(&mut self) -> bool {
        let is_over = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_over
    }

    /// Starts a pause of the current length, and doubles the length of the next.
    fn lengthen(&mut self) {
        (self.length, self.left) = ((2 * self.length).clamp(1, 32), self.length);
    }
}

/// A query and its neighbours so far.
struct QueryState<'a> {
    query: &'a [f64],
    /// Norm in the units of the filter.
    norm: f64,
    best: KNearest,
    /// Number of rows compared in full so far.
    offers: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::brute_force::direct_scan::DirectScan;
    use ndarray::Array2;
    use proptest::prelude::*;

    /// Numbers of very different kinds: smooth ones, a grid full of ties, clusters, outliers, far from the origin,
    /// very large and very small.
    fn number(kind: u8) -> BoxedStrategy<f64> {
        match kind {
            0 => (-3.0..3.0f64).boxed(),
            1 => (0i8..3).prop_map(f64::from).boxed(),
            2 => (0i8..4, -1e-3..1e-3f64)
                .prop_map(|(x, y)| f64::from(x) + y)
                .boxed(),
            3 => prop_oneof![50 => -1.0..1.0f64, 1 => -1e4..1e4f64].boxed(),
            4 => (0i8..100).prop_map(|x| 1e8 + f64::from(x) * 1e-3).boxed(),
            5 => (-1e150..1e150f64).boxed(),
            _ => (1e-160..9e-160f64).boxed(),
        }
    }

    fn rows(n: usize, d: usize, kind: u8) -> impl Strategy<Value = Array2<f64>> {
        prop::collection::vec(number(kind), n * d)
            .prop_map(move |rows| Array2::from_shape_vec((n, d), rows).expect("as many"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

        #[test]
        fn integers_lose_no_neighbour(
            (train, queries) in (1usize..1500, 1usize..20, 1usize..12, 0u8..7, 0u8..8).prop_flat_map(
                |(n, d, m, kind, of_queries)| {
                    let of_queries = if of_queries < 7 { of_queries } else { kind };
                    (rows(n, d, kind), rows(m, d, if m % 2 == 0 { of_queries } else { kind }))
                },
            ),
            distance in prop::sample::select(vec![Distance::Euclidean, Distance::SquaredEuclidean, Distance::Cosine]),
            k in 1usize..20,
        ) {
            let has_direction = |rows: &Array2<f64>| rows.rows().into_iter().all(|row| row.iter().any(|&x| x != 0.0));
            prop_assume!(distance != Distance::Cosine || has_direction(&train) && has_direction(&queries));
            let training_rows = TrainingRows::from_array(train.view(), &distance).expect("finite rows");
            let (prepared, prepared_distance) = training_rows.prepare(&distance).expect("rows");
            let direct = DirectScan::new(&prepared, &prepared_distance);
            let filtered = FilteredScan::new(prepared, prepared_distance);
            let queries = Queries::new(queries.view(), train.ncols(), &distance).expect("finite rows");
            let expected = direct.search_counting(&queries, k).0;
            let plain = filtered.clone().with_byte_product(ByteProduct::portable());
            prop_assert_eq!(&plain.search_counting(&queries, k).0, &expected);
            prop_assert_eq!(&filtered.with_byte_filter().search_counting(&queries, k).0, &expected);
        }
    }
}

//! A scan by matrix products in single precision, whose survivors are compared in full.
//!
//! For metrics that an inner product decides, `½ ‖a − b‖² = ½ ‖a‖² + ½ ‖b‖² − a·b`, and a matrix
//! product gives the dot products of many queries with many rows at the speed of the machine. It
//! rounds to single precision, so it only says which rows *may* be near; the distance of those is
//! then taken in `f64` like everybody's.
//!
//! # Why no neighbour is lost
//!
//! Rows and queries are shifted to the rows' centre and scaled by a power of two that brings the
//! largest element below 1. With `u = 2⁻²⁴`, `A = ‖a‖` of the query and `B ≥ ‖b‖` of every row in a
//! tile, the computed `c − h` (dot product minus half the squared norm) differs from `a·b − ½‖b‖²` by
//!
//! - `(2u + u²) A B` for rounding both rows to `f32`,
//! - `γ_d (1 + u)² A B`, `γ_d = d u / (1 − d u)`, for the product in any order, fused or not,
//! - `u B²/2` for rounding `h`, and `u (1 + u) (A B (1 + γ_d)(1 + u)² + B²/2)` for the subtraction,
//! - `d · 2⁻¹⁴⁸ (A + B + 1)` where numbers below the normal range of `f32` are rounded,
//!
//! together at most `1.01 u (d + 4) (A B + B²/2) + d · 2⁻¹⁴⁸ (A + B + 1)` while `d u ≤ 2⁻⁸`. In `f64` the
//! shift moves a squared distance by at most `4 · 2⁻⁵³ (A + B)²`, and a distance computed in `d`
//! operations is off by a factor of `1 ± (d + 8) 2⁻⁵³`, and by `d · 2⁻¹⁰²²` where squares underflow. `E` below is the sum of all of these with
//! room to spare. A row whose computed distance is at most `w` has `½ ‖a − b‖² ≤ ½ w² + E`, that is
//! `c − h ≥ ½ ‖a‖² − ½ w² − E`; rows below that are left out and no others.
//!
//! With `w` the `k`-th best distance so far, about `k (1 + ln(n/k))` rows of a shuffled training set
//! survive a query. Many duplicates of the `k`-th neighbour all survive: then the scan costs what a
//! direct one costs.

use ndarray::ArrayView2;
use xai_core::{Distance, Metric, parallel};

use crate::Nearest;
use crate::k_nearest::KNearest;
use crate::matrix_product::a_times_b_transposed;
use crate::training_rows::TrainingRows;

/// Queries and rows of one matrix product. Its result (1 MB) stays in the second-level cache, and the
/// packing of the rows is shared by many queries: 256 × 1 024, 256 × 512, 512 × 512 and 512 × 1 024 cost
/// 497, 490, 462 and 471 µs a query at 60 000 × 784 on two cores, where the multiplications alone take
/// at least 450.
const QUERIES: usize = 512;
const ROWS: usize = 512;

/// The most features for which the bound above holds.
const MAX_FEATURES: usize = 1 << 16;

/// Norms beyond this, in units of the largest training element, could leave the range of `f32`.
const LARGEST_NORM: f64 = 1e12;

/// The unit roundoff of `f32`.
const U32: f64 = 1.0 / (1u64 << 24) as f64;

#[derive(Debug, Clone)]
pub(crate) struct FilteredScan {
    rows: TrainingRows,
    metric: Metric,
    /// What is compared: differences, or directions.
    cosine: bool,
    center: Vec<f64>,
    /// A power of two.
    scale: f64,
    /// `(n, d)`, shifted and scaled, or unit vectors.
    single: Vec<f32>,
    /// `½ ‖b‖²` of every row, 0 for unit vectors.
    half_squares: Vec<f32>,
    /// The largest norm in every tile of rows.
    norms: Vec<f64>,
}

impl FilteredScan {
    /// Whether an inner product decides this metric, for so many features.
    pub(crate) fn supports(metric: &Metric, n_features: usize) -> bool {
        n_features <= MAX_FEATURES
            && matches!(
                metric,
                Metric::Euclidean
                    | Metric::SquaredEuclidean
                    | Metric::Mahalanobis(_)
                    | Metric::Cosine
            )
    }

    /// `rows` are whitened where the metric is Mahalanobis.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    pub(crate) fn new(rows: TrainingRows, metric: Metric) -> Self {
        let (n, d) = (rows.n_rows(), rows.n_features());
        let cosine = matches!(metric, Metric::Cosine);
        let mut center = vec![0.0; d];
        let mut largest = 0.0f64;
        if !cosine {
            // Where the centre lies decides what the filter costs, never what it lets through.
            let sums = parallel::map_blocks(n, ROWS, |block| {
                let (mut sums, mut row) = (vec![0.0; d], vec![0.0; d]);
                for i in block {
                    rows.write(i, &mut row);
                    sums.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
                }
                sums
            });
            for sums in &sums {
                for (center, sum) in center.iter_mut().zip(sums) {
                    *center += sum / n as f64;
                }
            }
            for x in &mut center {
                *x = if x.is_finite() { *x } else { 0.0 };
            }
            largest = parallel::map_blocks(n, ROWS, |block| {
                let (mut most, mut row) = (0.0f64, vec![0.0; d]);
                for i in block {
                    rows.write(i, &mut row);
                    for (x, center) in row.iter().zip(&center) {
                        most = most.max((x - center).abs());
                    }
                }
                most
            })
            .into_iter()
            .fold(0.0, f64::max);
        }
        let mut scan = Self {
            metric,
            cosine,
            center,
            scale: power_of_two_below(1.0 / largest),
            single: vec![0.0; n * d],
            half_squares: vec![0.0; n],
            norms: vec![0.0; n.div_ceil(ROWS)],
            rows,
        };
        let mut single = std::mem::take(&mut scan.single);
        let mut half_squares = std::mem::take(&mut scan.half_squares);
        let tiles: Vec<_> = single
            .chunks_mut(ROWS * d)
            .zip(half_squares.chunks_mut(ROWS))
            .collect();
        scan.norms = parallel::map_owned(tiles, |tile, (single, half_squares)| {
            let (mut most, mut row) = (0.0f64, vec![0.0; d]);
            let to = single.chunks_exact_mut(d).zip(half_squares);
            for (i, (single, half_square)) in to.enumerate() {
                scan.rows.write(tile * ROWS + i, &mut row);
                let norm = scan.normalize(&mut row);
                most = most.max(norm);
                single
                    .iter_mut()
                    .zip(&row)
                    .for_each(|(to, &x)| *to = x as f32);
                if !cosine {
                    *half_square = (0.5 * norm * norm) as f32;
                }
            }
            most * (1.0 + 1e-9)
        });
        scan.single = single;
        scan.half_squares = half_squares;
        scan
    }

    /// Brings a row into the units of the matrix product and returns its norm there.
    fn normalize(&self, row: &mut [f64]) -> f64 {
        if self.cosine {
            let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            row.iter_mut().for_each(|x| *x /= largest);
            let norm = squared_norm(row).sqrt();
            row.iter_mut().for_each(|x| *x /= norm);
            1.0
        } else {
            for (x, center) in row.iter_mut().zip(&self.center) {
                *x = (*x - center) * self.scale;
            }
            squared_norm(row).sqrt()
        }
    }

    pub(crate) fn n_rows(&self) -> usize {
        self.rows.n_rows()
    }

    pub(crate) fn n_features(&self) -> usize {
        self.rows.n_features()
    }

    pub(crate) fn search(&self, queries: ArrayView2<'_, f64>, k: usize) -> Vec<Vec<Nearest>> {
        let m = queries.nrows();
        // Few queries still share the threads.
        let block = m.div_ceil(parallel::threads()).clamp(1, QUERIES);
        let blocks = parallel::map_blocks(m, block, |range| {
            let queries: Vec<&[f64]> = range
                .map(|i| queries.row(i).to_slice().unwrap_or_default())
                .collect();
            self.search_block(&queries, k)
        });
        blocks.into_iter().flatten().collect()
    }

    fn search_block(&self, queries: &[&[f64]], k: usize) -> Vec<Vec<Nearest>> {
        let (n, d) = (self.n_rows(), self.n_features());
        let mut single = Vec::with_capacity(queries.len() * d);
        let mut buffer = vec![0.0; d];
        let mut searches: Vec<Search<'_>> = queries
            .iter()
            .map(|&query| {
                buffer.copy_from_slice(query);
                let norm = self.normalize(&mut buffer);
                // In range or not, the product is taken; one out of range is not looked at.
                #[allow(clippy::cast_possible_truncation)] // the filter's rounding, accounted for
                single.extend(buffer.iter().map(|&x| x as f32));
                Search {
                    query,
                    norm,
                    best: KNearest::new(k.min(n)),
                }
            })
            .collect();
        let mut product = vec![0.0; queries.len() * ROWS.min(n)];
        if k > 0 {
            for (tile, &largest) in self.norms.iter().enumerate() {
                let first = tile * ROWS;
                let size = ROWS.min(n - first);
                let product = &mut product[..queries.len() * size];
                a_times_b_transposed(
                    &single,
                    &self.single[first * d..(first + size) * d],
                    d,
                    product,
                );
                let half_squares = &self.half_squares[first..first + size];
                for (search, products) in searches.iter_mut().zip(product.chunks_exact(size)) {
                    self.look_at(search, first, products, half_squares, largest, &mut buffer);
                }
            }
        }
        searches.into_iter().map(|s| s.best.into_vec()).collect()
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
        let mut threshold = self.threshold(search, largest);
        // Sixteen at a time: nearly all groups have nobody above the threshold.
        for (group, (p, h)) in products.chunks(16).zip(half_squares.chunks(16)).enumerate() {
            let mut above = false;
            for (p, h) in p.iter().zip(h) {
                // Whoever is not comparable is looked at.
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
                let distance = match &self.metric {
                    // Whitened rows are as far apart as the originals.
                    Metric::Mahalanobis(_) => Metric::Euclidean.distance(buffer, search.query),
                    metric => metric.distance(buffer, search.query),
                };
                search.best.offer(Nearest { index, distance });
                threshold = self.threshold(search, largest);
            }
        }
    }

    /// The least `c − h` of a row that may still have a place, rounded down.
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
    fn threshold(&self, search: &Search<'_>, largest: f64) -> f32 {
        let limit = search.best.limit();
        let (a, b, d) = (search.norm, largest, self.n_features() as f64);
        if !limit.is_finite() || !b.is_finite() || a.is_nan() || a > LARGEST_NORM {
            return f32::NEG_INFINITY;
        }
        let single = 1.01 * U32 * (d + 8.0) * (a * b + 0.5 * b * b);
        let tiny = d * 1e-44 * (a + b + 1.0);
        let double = (d + 64.0) * f64::EPSILON * (a + b) * (a + b);
        let error = single + tiny + double;
        let bound = if self.cosine {
            // c ≥ 1 − w
            1.0 - limit - error
        } else {
            let square = match self.metric {
                Metric::SquaredEuclidean => limit * self.scale * self.scale,
                _ => (limit * self.scale) * (limit * self.scale),
            };
            // Squares of differences may underflow, each by less than the least normal number.
            let lost = d * f64::MIN_POSITIVE * self.scale * self.scale;
            let square = square * (1.0 + (d + 64.0) * f64::EPSILON) + lost;
            0.5 * a * a - 0.5 * square - error
        };
        let rounded = bound as f32;
        if f64::from(rounded) > bound {
            rounded.next_down()
        } else {
            rounded
        }
    }
}

/// A query on its way through the rows.
struct Search<'a> {
    query: &'a [f64],
    norm: f64,
    best: KNearest,
}

fn squared_norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum()
}

/// The largest power of two that is at most `x`, in a range whose square is finite; 1 where there
/// is none.
fn power_of_two_below(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 {
        2f64.powi(x.log2().floor().clamp(-500.0, 500.0) as i32)
    } else {
        1.0
    }
}

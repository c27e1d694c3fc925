//! A filter of rows by dot products in single precision, with a proven error bound.
//!
//! # Why no neighbour is lost
//!
//! Rows and queries are shifted by the centre of the rows and scaled by a power of two that brings the
//! largest element to at most 1. With `u = 2⁻²⁴`, `A = ‖a‖` of the query and `B ≥ ‖b‖` of every row in a
//! tile, the computed `c − h` (dot product minus half the squared norm) differs from `a·b − ½‖b‖²` by
//!
//! - `(2u + u²) A B` for rounding both rows to `f32`,
//! - `γ_d (1 + u)² A B`, `γ_d = d u / (1 − d u)`, for the product in any order, fused or not,
//! - `u B²/2` for rounding `h`, and `u (1 + u) (A B (1 + γ_d)(1 + u)² + B²/2)` for the subtraction,
//! - `d · 2⁻¹⁴⁸ (A + B + 1)` where numbers below the normal range of `f32` are rounded,
//!
//! together at most `1.01 u (d + 4) (A B + B²/2) + d · 2⁻¹⁴⁸ (A + B + 1)` while `d u ≤ 2⁻⁸`. In `f64` the
//! shift changes a squared distance by at most `4 · 2⁻⁵³ (A + B)²`. A distance computed in `d`
//! operations is off by a factor of `1 ± (d + 8) 2⁻⁵³`, and by `d · 2⁻¹⁰²²` where squares underflow. `E`
//! below is the sum of all of these, with some room. A row whose computed distance is at most `w` has
//! `½ ‖a − b‖² ≤ ½ w² + E`, that is `c − h ≥ ½ ‖a‖² − ½ w² − E`. A row is excluded only if its `c − h` is below
//! that threshold.
//!
//! With `w` the `k`-th best distance so far, about `k (1 + ln(n/k))` rows of a shuffled training set
//! pass per query. All duplicates of the `k`-th neighbour pass; with many of them, the scan costs as much
//! as a direct one.

use xai_core::{Distance, parallel};

use crate::training_rows::TrainingRows;

/// Largest number of features for which the bound above holds (`d u ≤ 2⁻⁸`).
const MAX_FEATURES: usize = 1 << 16;

/// Largest norm of a query, in units of the largest training element, whose products certainly fit into `f32`.
const LARGEST_NORM: f64 = 1e12;

/// The unit roundoff of `f32`.
pub(super) const U32: f64 = 1.0 / (1u64 << 24) as f64;

/// Rows per task of a thread.
const BLOCK: usize = 512;

/// The units of rows and queries in the matrix product, and the error bound in these units.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    space: Space,
    n_features: usize,
}

/// The quantities that rows are compared by.
#[derive(Debug, Clone)]
enum Space {
    /// Unit vectors, for cosine.
    Directions,
    /// Shifted and scaled rows, for Euclidean distances.
    Differences {
        /// Origin of the shifted rows.
        center: Vec<f64>,
        /// A power of two, so that scaling is exact.
        scale: f64,
        /// Whether the distance is the squared Euclidean one.
        squared: bool,
    },
}

impl Filter {
    /// Returns whether the distance is a function of inner products, and the bound holds for `n_features`.
    pub(crate) fn supports(distance: &Distance, n_features: usize) -> bool {
        n_features <= MAX_FEATURES
            && matches!(
                distance,
                Distance::Euclidean
                    | Distance::SquaredEuclidean
                    | Distance::Minkowski(2.0)
                    | Distance::Cosine
            )
    }

    /// Chooses the units for rows that are compared by this distance.
    pub(crate) fn fit(rows: &TrainingRows, distance: &Distance) -> Self {
        let space = match distance {
            Distance::Cosine => Space::Directions,
            _ => {
                let center = center(rows);
                let scale = power_of_two_below(1.0 / largest_difference(rows, &center));
                Space::Differences {
                    center,
                    scale,
                    squared: matches!(distance, Distance::SquaredEuclidean),
                }
            }
        };
        Self {
            space,
            n_features: rows.n_features(),
        }
    }

    /// Converts a row to the units of the matrix product, and returns its norm in them.
    pub(crate) fn normalize(&self, row: &mut [f64]) -> f64 {
        match &self.space {
            Space::Directions => {
                // Dividing by the largest element first keeps the squares in the range of `f64`.
                let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                for x in &mut *row {
                    *x /= largest;
                }
                let norm = squared_norm(row).sqrt();
                for x in row {
                    *x /= norm;
                }
                1.0
            }
            Space::Differences { center, scale, .. } => {
                for (x, center) in row.iter_mut().zip(center) {
                    *x = (*x - center) * scale;
                }
                squared_norm(row).sqrt()
            }
        }
    }

    /// `h = ½ ‖b‖²` of a row with this norm; 0 for unit vectors.
    pub(crate) fn half_square(&self, norm: f64) -> f32 {
        match self.space {
            Space::Directions => 0.0,
            Space::Differences { .. } => (0.5 * norm * norm) as f32,
        }
    }

    /// Threshold of `c − h` below which a row cannot be among the nearest, rounded down. The query has norm `a` and the
    /// `k`-th best distance `limit` so far; rows of the tile have norms up to `b`.
    ///
    /// −∞, which every row passes, if no bound holds.
    pub(crate) fn threshold(&self, limit: f64, a: f64, b: f64) -> f32 {
        if !limit.is_finite() || !b.is_finite() || a.is_nan() || a > LARGEST_NORM {
            return f32::NEG_INFINITY;
        }
        let d = self.n_features as f64;
        // The terms of the module documentation, with more room: `d + 8` for `d + 4`, and 1e-44 for 2⁻¹⁴⁸ ≈ 3e-45.
        let single = 1.01 * U32 * (d + 8.0) * (a * b + 0.5 * b * b);
        let tiny = d * 1e-44 * (a + b + 1.0);
        let own = match self.space {
            // `h` is 0 for unit vectors, so that `½ ‖a‖² + ½ ‖b‖²` is on this side of the inequality.
            Space::Directions => 1.0,
            Space::Differences { .. } => 0.5 * a * a,
        };
        round_down(own - self.max_half_square(limit, a, b) - single - tiny)
    }

    /// Upper bound of the distance, in the units of the matrix product, of a row whose computed distance is at most
    /// `limit`. The arguments are those of [`threshold`](Self::threshold). Not finite if there is no bound.
    pub(crate) fn max_distance(&self, limit: f64, a: f64, b: f64) -> f64 {
        (2.0 * self.max_half_square(limit, a, b)).sqrt()
    }

    /// Half the square of [`max_distance`](Self::max_distance).
    fn max_half_square(&self, limit: f64, a: f64, b: f64) -> f64 {
        let d = self.n_features as f64;
        // Rounding in `f64` by the shift, absolute in terms of the norms; that of the distance itself is relative.
        let double = (d + 64.0) * f64::EPSILON * (a + b) * (a + b);
        let half_square = match self.space {
            // c ≥ 1 − w
            Space::Directions => limit,
            Space::Differences { scale, squared, .. } => {
                let square = if squared {
                    limit * scale * scale
                } else {
                    (limit * scale) * (limit * scale)
                };
                // Squares of differences may underflow, each by less than the smallest normal number.
                let lost = d * f64::MIN_POSITIVE * scale * scale;
                0.5 * (square * (1.0 + (d + 64.0) * f64::EPSILON) + lost)
            }
        };
        half_square + double
    }
}

/// The largest `f32` that is not above `x`.
pub(super) fn round_down(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x {
        rounded.next_down()
    } else {
        rounded
    }
}

/// Approximate mean of all rows. Its accuracy affects how many rows pass the filter, but not the neighbours found.
fn center(rows: &TrainingRows) -> Vec<f64> {
    let (n, d) = (rows.n_rows(), rows.n_features());
    if rows.is_centered() {
        return vec![0.0; d];
    }
    let sums = parallel::map_blocks(n, BLOCK, |block| {
        let (mut sums, mut row) = (vec![0.0; d], vec![0.0; d]);
        for i in block {
            rows.write(i, &mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, x)| *sum += x);
        }
        sums
    });
    let mut center = vec![0.0; d];
    for sums in &sums {
        for (center, sum) in center.iter_mut().zip(sums) {
            *center += sum / n as f64;
        }
    }
    // A sum may overflow; any finite centre will do.
    for x in &mut center {
        *x = if x.is_finite() { *x } else { 0.0 };
    }
    center
}

/// Largest absolute difference between a feature of a row and the centre.
fn largest_difference(rows: &TrainingRows, center: &[f64]) -> f64 {
    let largest = parallel::map_blocks(rows.n_rows(), BLOCK, |block| {
        let (mut most, mut row) = (0.0f64, vec![0.0; center.len()]);
        for i in block {
            rows.write(i, &mut row);
            for (x, center) in row.iter().zip(center) {
                most = most.max((x - center).abs());
            }
        }
        most
    });
    largest.into_iter().fold(0.0, f64::max)
}

fn squared_norm(row: &[f64]) -> f64 {
    row.iter().map(|x| x * x).sum()
}

/// The largest power of two that is at most `x`, limited to 2^±500 so that its square is finite and not 0. 1 if `x`
/// is not a positive normal number.
fn power_of_two_below(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 {
        2f64.powi(x.log2().floor().clamp(-500.0, 500.0) as i32)
    } else {
        1.0
    }
}

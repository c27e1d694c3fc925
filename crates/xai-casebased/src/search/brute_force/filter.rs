//! Which rows may be near, by single precision.
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

use xai_core::{Distance, parallel};

use crate::training::rows::TrainingRows;

/// The most features for which the bound above holds.
const MAX_FEATURES: usize = 1 << 16;

/// Norms beyond this, in units of the largest training element, could leave the range of `f32`.
const LARGEST_NORM: f64 = 1e12;

/// The unit roundoff of `f32`.
pub(super) const U32: f64 = 1.0 / (1u64 << 24) as f64;

/// Rows that one thread looks at, at a time.
const BLOCK: usize = 512;

/// The units that rows and queries are brought into, and the bound that decides in them.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    compared: Compared,
    n_features: usize,
}

/// What is compared.
#[derive(Debug, Clone)]
enum Compared {
    /// Directions.
    Directions,
    /// Differences.
    Differences {
        /// Of all rows, where shifted rows begin.
        center: Vec<f64>,
        /// A power of two.
        scale: f64,
        /// Whether the distance is the square of a difference.
        squared: bool,
    },
}

impl Filter {
    /// Whether an inner product decides this distance, for so many features.
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

    /// For rows that are compared by this distance.
    pub(crate) fn fit(rows: &TrainingRows, distance: &Distance) -> Self {
        let compared = match distance {
            Distance::Cosine => Compared::Directions,
            _ => {
                let center = center(rows);
                let scale = power_of_two_below(1.0 / largest_difference(rows, &center));
                Compared::Differences {
                    center,
                    scale,
                    squared: matches!(distance, Distance::SquaredEuclidean),
                }
            }
        };
        Self {
            compared,
            n_features: rows.n_features(),
        }
    }

    /// Brings a row into the units of the matrix product and returns its norm there.
    pub(crate) fn normalize(&self, row: &mut [f64]) -> f64 {
        match &self.compared {
            Compared::Directions => {
                let largest = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                row.iter_mut().for_each(|x| *x /= largest);
                let norm = squared_norm(row).sqrt();
                row.iter_mut().for_each(|x| *x /= norm);
                1.0
            }
            Compared::Differences { center, scale, .. } => {
                for (x, center) in row.iter_mut().zip(center) {
                    *x = (*x - center) * scale;
                }
                squared_norm(row).sqrt()
            }
        }
    }

    /// `½ ‖b‖²` of a row with this norm; 0 for unit vectors.
    pub(crate) fn half_square(&self, norm: f64) -> f32 {
        match self.compared {
            Compared::Directions => 0.0,
            Compared::Differences { .. } => (0.5 * norm * norm) as f32,
        }
    }

    /// The least `c − h` of a row that may still have a place, rounded down: of a query with norm `a`
    /// whose `k`-th best distance is `limit`, in a tile of rows with norms up to `b`.
    pub(crate) fn threshold(&self, limit: f64, a: f64, b: f64) -> f32 {
        if !limit.is_finite() || !b.is_finite() || a.is_nan() || a > LARGEST_NORM {
            return f32::NEG_INFINITY;
        }
        let d = self.n_features as f64;
        let single = 1.01 * U32 * (d + 8.0) * (a * b + 0.5 * b * b);
        let tiny = d * 1e-44 * (a + b + 1.0);
        let own = match self.compared {
            // ½ ‖b‖² is no part of `h`.
            Compared::Directions => 1.0,
            Compared::Differences { .. } => 0.5 * a * a,
        };
        rounded_down(own - self.half_square_within(limit, a, b) - single - tiny)
    }

    /// The largest distance, in the units of the matrix product, of a row whose computed distance is at most `limit`; not
    /// finite where no bound is known.
    pub(crate) fn within(&self, limit: f64, a: f64, b: f64) -> f64 {
        (2.0 * self.half_square_within(limit, a, b)).sqrt()
    }

    /// Half its square.
    fn half_square_within(&self, limit: f64, a: f64, b: f64) -> f64 {
        let d = self.n_features as f64;
        let double = (d + 64.0) * f64::EPSILON * (a + b) * (a + b);
        let half_square = match self.compared {
            // c ≥ 1 − w
            Compared::Directions => limit,
            Compared::Differences { scale, squared, .. } => {
                let square = match squared {
                    true => limit * scale * scale,
                    false => (limit * scale) * (limit * scale),
                };
                // Squares of differences may underflow, each by less than the least normal number.
                let lost = d * f64::MIN_POSITIVE * scale * scale;
                0.5 * (square * (1.0 + (d + 64.0) * f64::EPSILON) + lost)
            }
        };
        half_square + double
    }
}

/// The largest single that is no more; the largest of all for what is beyond.
pub(super) fn rounded_down(x: f64) -> f32 {
    let rounded = x as f32;
    if f64::from(rounded) > x {
        rounded.next_down()
    } else {
        rounded
    }
}

/// The mean of all rows. Where it lies decides what the filter costs, never what it lets through.
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
    for x in &mut center {
        *x = if x.is_finite() { *x } else { 0.0 };
    }
    center
}

/// The largest difference of a feature from the centre.
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

/// The largest power of two that is at most `x`, in a range whose square is finite; 1 where there
/// is none.
fn power_of_two_below(x: f64) -> f64 {
    if x.is_normal() && x > 0.0 {
        2f64.powi(x.log2().floor().clamp(-500.0, 500.0) as i32)
    } else {
        1.0
    }
}

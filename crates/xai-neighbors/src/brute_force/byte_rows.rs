//! A filter of rows by dot products of 8-bit integers, with a quarter of the memory and of the instructions of
//! single precision.
//!
//! # Why no neighbour is lost
//!
//! In the units of the filter, every number is rounded to a multiple of a step `s`, at most 127 of them: the query
//! `a` to `s q` and a row `b` to `s r`, with rounding errors `s α = ‖a − s q‖` and `s ε = ‖b − s r‖`. A row at a
//! distance of at most `W` has `‖q − r‖ ≤ W/s + α + ε` by the triangle inequality. With the reach `g = W/s + α`
//! this is
//!
//! `q·r − ½ (‖r‖² − ε²) + g ε ≥ ½ (‖q‖² − g²)`.
//!
//! `q·r` is an exact sum of integers, below 2³¹. The left side is computed in `f32`: rounding the product, the half
//! and the two sums changes it by at most `4u (‖q‖ ‖r‖ + ½ ‖r‖² + ½ ε² + g ε)`, `u = 2⁻²⁴`. The right side is
//! lowered by this bound, and `g` and `ε` are rounded up. A row is excluded only if its left side is below that
//! threshold.
//!
//! Numbers beyond 127 steps are clamped, which increases `α` and `ε`: a row with an outlier passes more often, and
//! is then compared in full.

use xai_core::parallel;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::brute_force::byte_product::{
    ByteProduct, Criterion, PANEL, Panel, QueryStep, REGISTERS, RowStep, STRIP,
};
use crate::brute_force::filter::{U32, round_down};

/// Range of the integers in standard deviations of all numbers. One in 16 000 normal numbers is beyond it. A
/// smaller range would lose as much by clamping as its finer step saves.
const DEVIATIONS: f64 = 4.0;

/// Largest mean number of candidates per query in a tile. Above it, products in single precision are cheaper:
/// comparing a candidate in full costs as much as forty of them.
const MAX_CANDIDATES: usize = 4;

/// Smallest step; with a smaller one, values in steps could overflow single precision.
const MIN_STEP: f64 = 1e-15;

/// Largest magnitude of the integers.
const MAX_BYTE: f64 = 127.0;

/// Training rows rounded to integers, in panels.
#[derive(Debug, Clone)]
pub(super) struct ByteRows {
    product: ByteProduct,
    /// The unit of the integers.
    step: f64,
    n_rows: usize,
    /// Number of panels in a tile.
    panels: usize,
    /// Number of groups of four features in a row.
    n_steps: usize,
    steps: Vec<RowStep>,
    /// `½ (‖r‖² − ε²)` of every row.
    halves: Vec<[f32; PANEL]>,
    /// `ε` of every row.
    errors: Vec<[f32; PANEL]>,
    /// Bounds of every tile.
    bounds: Vec<Bounds>,
}

/// Largest norm `‖r‖` and rounding error `ε` in a tile of rows, in steps.
#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    norm: f64,
    error: f64,
}

/// A query and a row that may be near it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) query: usize,
    pub(super) row: usize,
}

/// Queries rounded to integers, in strips.
#[derive(Debug)]
pub(super) struct ByteQueries {
    steps: Vec<QueryStep>,
    queries: Vec<ByteQuery>,
    criteria: Vec<[Criterion; STRIP]>,
}

#[derive(Debug, Clone, Copy)]
struct ByteQuery {
    /// Sum of the integers.
    sum: i32,
    /// Norm of the integers, `‖q‖`.
    norm: f64,
    /// Rounding error `α`, rounded up.
    error: f64,
}

/// Buffer for one rounded row.
struct RoundedRow {
    bytes: Vec<i8>,
    /// Squared norm of the integers.
    square: f64,
    /// Distance between the row and its integers in steps, rounded up.
    error: f64,
}

impl RoundedRow {
    fn new(n_features: usize) -> Self {
        Self {
            bytes: vec![0; n_features],
            square: 0.0,
            error: 0.0,
        }
    }

    /// Rounds a row whose norm was at most `norm` before it was converted to single precision.
    fn write(&mut self, row: &[f32], norm: f64, step: f64) {
        let bytes = &mut self.bytes;
        let (square, moved) = InstructionSet::fastest().run(RoundRow { row, step, bytes });
        self.square = f64::from(square);
        // The conversion changed each number by at most a factor of `1 ± u`, or by less than the smallest normal
        // number.
        let single = U32 * norm + row.len() as f64 * f64::from(f32::MIN_POSITIVE);
        self.error = (moved.sqrt() + single) / step * (1.0 + 1e-9);
    }
}

/// Kernel that rounds a row to integers, and returns their squared norm and the squared rounding error in the units
/// of `row`.
struct RoundRow<'a> {
    row: &'a [f32],
    step: f64,
    bytes: &'a mut [i8],
}

impl SimdKernel for RoundRow<'_> {
    type Output = (i32, f64);

    #[inline(always)]
    fn run<S: Simd>(self) -> (i32, f64) {
        /// Adding 1.5 · 2²³ to a number of magnitude below 2²² puts the nearest integer into the low bits, in two's
        /// complement. Unlike `f32::round`, this vectorises on every instruction set.
        const SHIFT: f32 = (3 << 22) as f32;
        let Self { row, step, bytes } = self;
        let (per_step, largest) = ((1.0 / step) as f32, MAX_BYTE as f32);
        for (byte, x) in bytes.iter_mut().zip(row) {
            let steps = (x * per_step).clamp(-largest, largest);
            *byte = ((steps + SHIFT).to_bits() as u8).cast_signed();
        }
        // No overflow: at most 127² · 65 536 with the largest number of features.
        let square = bytes.iter().map(|&byte| i32::from(byte).pow(2)).sum();
        let squared_error = |x: f32, byte: i8| (f64::from(x) - step * f64::from(byte)).powi(2);
        // Eight independent sums vectorise; one sum would be a chain of dependent additions.
        let mut lanes = [0.0; 8];
        let ((rows, row_rest), (bytes, byte_rest)) = (row.as_chunks::<8>(), bytes.as_chunks::<8>());
        for (row, bytes) in rows.iter().zip(bytes) {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                *sum += squared_error(row[lane], bytes[lane]);
            }
        }
        let remainder = row_rest.iter().zip(byte_rest);
        let remainder_sum: f64 = remainder.map(|(&x, &byte)| squared_error(x, byte)).sum();
        (square, lanes.iter().sum::<f64>() + remainder_sum)
    }
}

impl ByteRows {
    /// Rounds `(n, d)` rows in single precision. `norms` has the largest norm of every tile of `tile` rows.
    ///
    /// `None` if the numbers are too small for a [`step`], for instance because all rows are equal.
    pub(super) fn new(
        values: &[f32],
        d: usize,
        tile: usize,
        norms: &[f64],
        product: ByteProduct,
    ) -> Option<Self> {
        assert_eq!(tile % PANEL, 0, "whole panels");
        let step = step(values)?;
        let (n_rows, n_steps) = (values.len() / d, d.div_ceil(4));
        let (n_panels, panels) = (n_rows.div_ceil(PANEL), tile / PANEL);
        let mut rows = Self {
            product,
            step,
            n_rows,
            panels,
            n_steps,
            steps: vec![[[0; 64]; REGISTERS]; n_panels * n_steps],
            halves: vec![[0.0; PANEL]; n_panels],
            errors: vec![[0.0; PANEL]; n_panels],
            bounds: Vec::new(),
        };
        // One task per tile, each with its own parts of the arrays.
        let parts = rows.steps.chunks_mut(panels * n_steps);
        let row_terms = rows
            .halves
            .chunks_mut(panels)
            .zip(rows.errors.chunks_mut(panels));
        let tiles: Vec<_> = parts.zip(row_terms).zip(values.chunks(tile * d)).collect();
        rows.bounds = parallel::map_owned(tiles, |tile, ((steps, (halves, errors)), values)| {
            let (mut rounded, mut bounds) = (RoundedRow::new(d), Bounds::default());
            for (row, values) in values.chunks_exact(d).enumerate() {
                rounded.write(values, norms[tile], step);
                let (panel, lane) = (row / PANEL, row % PANEL);
                let steps = &mut steps[panel * n_steps..][..n_steps];
                for (step, four) in steps.iter_mut().zip(rounded.bytes.chunks(4)) {
                    let to = &mut step[lane / 16][lane % 16 * 4..];
                    for (to, byte) in to.iter_mut().zip(four) {
                        // Flipping the sign bit adds 128 to the signed integer.
                        *to = byte.cast_unsigned() ^ 0x80;
                    }
                }
                // The error as it is stored, so that both terms use the same number.
                let (square, error) = (rounded.square, f64::from(round_up(rounded.error)));
                halves[panel][lane] = (0.5 * (square - error * error)) as f32;
                errors[panel][lane] = error as f32;
                bounds.norm = bounds.norm.max(square.sqrt());
                bounds.error = bounds.error.max(error);
            }
            bounds
        });
        Some(rows)
    }

    /// Rounds `(m, d)` queries in single precision. `norms` are their norms in double precision.
    pub(super) fn queries(
        &self,
        values: &[f32],
        d: usize,
        norms: impl Iterator<Item = f64>,
    ) -> ByteQueries {
        let n_strips = (values.len() / d).div_ceil(STRIP);
        let mut steps = vec![[[0; 4]; STRIP]; n_strips * self.n_steps];
        let mut rounded = RoundedRow::new(d);
        let round = |((query, row), norm): ((usize, &[f32]), f64)| {
            rounded.write(row, norm, self.step);
            let steps = &mut steps[query / STRIP * self.n_steps..][..self.n_steps];
            for (step, four) in steps.iter_mut().zip(rounded.bytes.chunks(4)) {
                for (to, byte) in step[query % STRIP].iter_mut().zip(four) {
                    *to = byte.cast_unsigned();
                }
            }
            ByteQuery {
                sum: rounded.bytes.iter().map(|&byte| i32::from(byte)).sum(),
                norm: rounded.square.sqrt(),
                error: rounded.error,
            }
        };
        let queries = values
            .chunks_exact(d)
            .enumerate()
            .zip(norms)
            .map(round)
            .collect();
        ByteQueries {
            criteria: vec![[Criterion::default(); STRIP]; n_strips],
            steps,
            queries,
        }
    }

    /// The criterion for rows of a tile that are at most `max_distance` away from a query.
    fn criterion(&self, query: &ByteQuery, max_distance: f64, tile: Bounds) -> Criterion {
        // The notation is that of the module documentation: `reach` is `g`, `query.error` is `α`, and `tile` bounds
        // `‖r‖` and `ε` of all rows, so that one threshold serves the tile. 1e-9 is far above the rounding in
        // `f64`.
        let reach = round_up((max_distance / self.step + query.error) * (1.0 + 1e-9));
        let g = f64::from(reach);
        let rounding = query.norm * tile.norm
            + 0.5 * (tile.norm * tile.norm + tile.error * tile.error)
            + g * tile.error;
        let (square, reached) = (query.norm * query.norm, g * g);
        // Room for the rounding of this computation in `f64`.
        let double = 1e-12 * (square + reached) + 1e-30;
        let threshold = 0.5 * (square - reached) - 4.0 * U32 * rounding - double;
        Criterion {
            initial_sum: -128 * query.sum,
            reach,
            threshold: round_down(threshold),
        }
    }

    /// Collects the pairs of a query and a row of a tile that may be near each other in `candidates`, which is cleared
    /// first.
    /// `max_distance(query)` is the distance up to which rows matter to a query.
    ///
    /// Returns `false`, with an incomplete list, if there are more than [`MAX_CANDIDATES`] per query.
    pub(super) fn find_candidates(
        &self,
        tile: usize,
        queries: &mut ByteQueries,
        max_distance: impl Fn(usize) -> f64,
        candidates: &mut Vec<Pair>,
    ) -> bool {
        candidates.clear();
        // Criteria are computed for every tile, because the distances of the neighbours fall from tile to tile, and the
        // bounds of the rows differ.
        let bounds = self.bounds[tile];
        let ByteQueries {
            steps,
            queries,
            criteria,
        } = queries;
        for (criteria, (first, queries)) in criteria
            .iter_mut()
            .zip((0..).step_by(STRIP).zip(queries.chunks(STRIP)))
        {
            for (criterion, (query_index, query)) in criteria.iter_mut().zip((first..).zip(queries))
            {
                *criterion = self.criterion(query, max_distance(query_index), bounds);
            }
        }
        let panels = tile * self.panels..((tile + 1) * self.panels).min(self.halves.len());
        for panel in panels {
            let first = panel * PANEL;
            // The last panel may be filled up with zeros, which are not rows.
            let is_row = u64::MAX >> (PANEL - PANEL.min(self.n_rows - first));
            let rows = Panel {
                steps: &self.steps[panel * self.n_steps..][..self.n_steps],
                halves: &self.halves[panel],
                errors: &self.errors[panel],
            };
            for (strip, (steps, criteria)) in
                steps.chunks(self.n_steps).zip(criteria.iter()).enumerate()
            {
                let passing = self.product.rows_above(rows, steps, criteria);
                for (query, passing) in (strip * STRIP..queries.len()).zip(passing) {
                    let mut left = passing & is_row;
                    while left != 0 {
                        let row = first + left.trailing_zeros() as usize;
                        candidates.push(Pair { query, row });
                        left &= left - 1;
                    }
                }
                // Checked after every strip, so that a tile with too many candidates costs little.
                if candidates.len() > MAX_CANDIDATES * queries.len() {
                    return false;
                }
            }
        }
        true
    }
}

/// The unit of the integers: 127 of them are the largest magnitude, or [`DEVIATIONS`] root mean squares if these are
/// smaller. `None` if the step is below [`MIN_STEP`], as for numbers that are all 0.
fn step(values: &[f32]) -> Option<f64> {
    const BLOCK: usize = 1 << 16;
    let parts = parallel::map_blocks(values.len(), BLOCK, |range| {
        let values = &values[range];
        let largest = values.iter().fold(0f32, |largest, x| largest.max(x.abs()));
        let squares: f64 = values.iter().map(|&x| f64::from(x).powi(2)).sum();
        (f64::from(largest), squares)
    });
    let largest = parts.iter().fold(0.0, |most: f64, part| most.max(part.0));
    let squares: f64 = parts.iter().map(|part| part.1).sum();
    let deviation = (squares / values.len() as f64).sqrt();
    let step = largest.min(DEVIATIONS * deviation) / MAX_BYTE;
    (step >= MIN_STEP).then_some(step)
}

/// The smallest `f32` that is not below `x`.
fn round_up(x: f64) -> f32 {
    -round_down(-x)
}

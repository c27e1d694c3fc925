//! Which rows may be near, by 8-bit integers: a quarter of the memory of single precision, and a quarter of its instructions.
//!
//! # Why no neighbour is lost
//!
//! In the units of the filter, with a step `s`, every number is rounded to a multiple of `s`, at most 127 of them: the
//! query `a` to `s q`, a row `b` to `s r`, which moves them by `s α = ‖a − s q‖` and `s ε = ‖b − s r‖`. A row whose
//! distance is at most `W` has `‖q − r‖ ≤ W/s + α + ε` by the triangle inequality, and with the reach `g = W/s + α`
//!
//! `q·r − ½ (‖r‖² − ε²) + g ε ≥ ½ (‖q‖² − g²)`.
//!
//! `q·r` is a sum of integers below 2³¹, exact. The left side is computed in `f32`: rounding the product, the half and two
//! sums moves it by at most `4u (‖q‖ ‖r‖ + ½ ‖r‖² + ½ ε² + g ε)`, `u = 2⁻²⁴`, which the right side is lowered by; `g` and `ε` are
//! rounded up. Rows below that are left out and no others.
//!
//! Numbers beyond 127 steps are cut off, which `α` and `ε` know: a row with an outlier passes more often, and is then compared
//! in full.

use xai_core::parallel;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};

use crate::search::brute_force::byte_product::{
    Bar, ByteProduct, PANEL, Panel, QueryStep, REGISTERS, RowStep, STRIP,
};
use crate::search::brute_force::filter::{U32, rounded_down};

/// The range of the integers, in standard deviations of all numbers. Of normal numbers one in 16 000 is beyond, which costs as
/// much as what the finer step saves.
const DEVIATIONS: f64 = 4.0;

/// Rows of a tile per query up to which they are few: to compare one in full costs what forty products in single precision do.
const FEW: usize = 4;

/// Steps below this could leave the range of single precision.
const LEAST_STEP: f64 = 1e-15;

/// The largest integer.
const LARGEST: f64 = 127.0;

/// Training rows as integers, in panels.
#[derive(Debug, Clone)]
pub(super) struct ByteRows {
    product: ByteProduct,
    step: f64,
    n_rows: usize,
    /// Panels of a tile.
    panels: usize,
    /// Steps of four features.
    n_steps: usize,
    steps: Vec<RowStep>,
    halves: Vec<[f32; PANEL]>,
    errors: Vec<[f32; PANEL]>,
    bounds: Vec<Bounds>,
}

/// The largest of a tile of rows, in steps.
#[derive(Debug, Clone, Copy, Default)]
struct Bounds {
    norm: f64,
    error: f64,
}

/// A query and a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub(super) query: usize,
    pub(super) row: usize,
}

/// Queries as integers, in strips.
#[derive(Debug)]
pub(super) struct ByteQueries {
    steps: Vec<QueryStep>,
    queries: Vec<ByteQuery>,
    bars: Vec<[Bar; STRIP]>,
}

#[derive(Debug, Clone, Copy)]
struct ByteQuery {
    /// The sum of its integers.
    sum: i32,
    /// Its norm in steps.
    norm: f64,
    /// How far rounding moved it, in steps.
    error: f64,
}

/// A row as integers.
struct Rounded {
    bytes: Vec<i8>,
    /// Their squared norm.
    square: f64,
    /// How far rounding moved it, in steps, rounded up.
    error: f64,
}

impl Rounded {
    fn new(n_features: usize) -> Self {
        Self {
            bytes: vec![0; n_features],
            square: 0.0,
            error: 0.0,
        }
    }

    /// Of a row whose norm was at most `norm` before it was rounded to single precision.
    fn write(&mut self, row: &[f32], norm: f64, step: f64) {
        let bytes = &mut self.bytes;
        let (square, moved) = InstructionSet::fastest().run(Rounding { row, step, bytes });
        self.square = f64::from(square);
        // Single precision moved each number by `u` of itself, or by less than the least there is.
        let single = U32 * norm + row.len() as f64 * f64::from(f32::MIN_POSITIVE);
        self.error = (moved.sqrt() + single) / step * (1.0 + 1e-9);
    }
}

/// What rounds a row to integers and returns the square of their norm and the square of how far it moved.
struct Rounding<'a> {
    row: &'a [f32],
    step: f64,
    bytes: &'a mut [i8],
}

impl SimdKernel for Rounding<'_> {
    type Output = (i32, f64);

    #[inline(always)]
    fn run<S: Simd>(self) -> (i32, f64) {
        /// Added to a number below 2²², it leaves the nearest integer in the low bits.
        const SHIFT: f32 = (3 << 22) as f32;
        let Self { row, step, bytes } = self;
        let (per_step, largest) = ((1.0 / step) as f32, LARGEST as f32);
        for (byte, x) in bytes.iter_mut().zip(row) {
            let steps = (x * per_step).clamp(-largest, largest);
            *byte = ((steps + SHIFT).to_bits() as u8).cast_signed();
        }
        // At most 127² times 65 536, the most features.
        let square = bytes.iter().map(|&byte| i32::from(byte).pow(2)).sum();
        let moved = |x: f32, byte: i8| (f64::from(x) - step * f64::from(byte)).powi(2);
        let mut lanes = [0.0; 8];
        let ((rows, row_rest), (bytes, byte_rest)) = (row.as_chunks::<8>(), bytes.as_chunks::<8>());
        for (row, bytes) in rows.iter().zip(bytes) {
            for (lane, sum) in lanes.iter_mut().enumerate() {
                *sum += moved(row[lane], bytes[lane]);
            }
        }
        let rest = row_rest.iter().zip(byte_rest);
        let rest: f64 = rest.map(|(&x, &byte)| moved(x, byte)).sum();
        (square, lanes.iter().sum::<f64>() + rest)
    }
}

impl ByteRows {
    /// Of `(n, d)` rows in single precision, `tile` rows to each norm, which is that of the largest; `None` where all rows
    /// are the same.
    pub(super) fn of(
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
        let parts = rows.steps.chunks_mut(panels * n_steps);
        let beside = rows
            .halves
            .chunks_mut(panels)
            .zip(rows.errors.chunks_mut(panels));
        let tiles: Vec<_> = parts.zip(beside).zip(values.chunks(tile * d)).collect();
        rows.bounds = parallel::map_owned(tiles, |at, ((steps, (halves, errors)), values)| {
            let (mut rounded, mut bounds) = (Rounded::new(d), Bounds::default());
            for (row, values) in values.chunks_exact(d).enumerate() {
                rounded.write(values, norms[at], step);
                let (panel, lane) = (row / PANEL, row % PANEL);
                let steps = &mut steps[panel * n_steps..][..n_steps];
                for (step, four) in steps.iter_mut().zip(rounded.bytes.chunks(4)) {
                    let to = &mut step[lane / 16][lane % 16 * 4..];
                    for (to, byte) in to.iter_mut().zip(four) {
                        *to = byte.cast_unsigned() ^ 0x80;
                    }
                }
                let (square, error) = (rounded.square, f64::from(rounded_up(rounded.error)));
                halves[panel][lane] = (0.5 * (square - error * error)) as f32;
                errors[panel][lane] = error as f32;
                bounds.norm = bounds.norm.max(square.sqrt());
                bounds.error = bounds.error.max(error);
            }
            bounds
        });
        Some(rows)
    }

    /// Queries in single precision, `(m, d)`, with their norms before they were rounded to it.
    pub(super) fn queries(
        &self,
        values: &[f32],
        d: usize,
        norms: impl Iterator<Item = f64>,
    ) -> ByteQueries {
        let n_strips = (values.len() / d).div_ceil(STRIP);
        let mut steps = vec![[[0; 4]; STRIP]; n_strips * self.n_steps];
        let mut rounded = Rounded::new(d);
        let query = |((at, row), norm): ((usize, &[f32]), f64)| {
            rounded.write(row, norm, self.step);
            let steps = &mut steps[at / STRIP * self.n_steps..][..self.n_steps];
            for (step, four) in steps.iter_mut().zip(rounded.bytes.chunks(4)) {
                let to = step[at % STRIP].iter_mut();
                to.zip(four)
                    .for_each(|(to, byte)| *to = byte.cast_unsigned());
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
            .map(query)
            .collect();
        ByteQueries {
            bars: vec![[Bar::default(); STRIP]; n_strips],
            steps,
            queries,
        }
    }

    /// What a row of a tile has to pass: of a query whose neighbours are at most `within` away.
    fn bar(&self, query: &ByteQuery, within: f64, tile: Bounds) -> Bar {
        let reach = rounded_up((within / self.step + query.error) * (1.0 + 1e-9));
        let g = f64::from(reach);
        let rounding = query.norm * tile.norm
            + 0.5 * (tile.norm * tile.norm + tile.error * tile.error)
            + g * tile.error;
        let (square, reached) = (query.norm * query.norm, g * g);
        let double = 1e-12 * (square + reached) + 1e-30;
        let threshold = 0.5 * (square - reached) - 4.0 * U32 * rounding - double;
        Bar {
            start: -128 * query.sum,
            reach,
            threshold: rounded_down(threshold),
        }
    }

    /// Writes which rows may be near which queries: the place of the row, of those in this tile, and that of the query. `within`
    /// tells how near the neighbours of a query are so far. Whether they are few; else not all are written.
    pub(super) fn near(
        &self,
        tile: usize,
        queries: &mut ByteQueries,
        within: impl Fn(usize) -> f64,
        near: &mut Vec<Pair>,
    ) -> bool {
        near.clear();
        let bounds = self.bounds[tile];
        let ByteQueries {
            steps,
            queries,
            bars,
        } = queries;
        for (bars, (first, queries)) in bars
            .iter_mut()
            .zip((0..).step_by(STRIP).zip(queries.chunks(STRIP)))
        {
            for (bar, (place, query)) in bars.iter_mut().zip((first..).zip(queries)) {
                *bar = self.bar(query, within(place), bounds);
            }
        }
        let panels = tile * self.panels..((tile + 1) * self.panels).min(self.halves.len());
        for panel in panels {
            let first = panel * PANEL;
            // What fills the last panel is no row.
            let is_row = u64::MAX >> (PANEL - PANEL.min(self.n_rows - first));
            let rows = Panel {
                steps: &self.steps[panel * self.n_steps..][..self.n_steps],
                halves: &self.halves[panel],
                errors: &self.errors[panel],
            };
            for (strip, (steps, bars)) in steps.chunks(self.n_steps).zip(bars.iter()).enumerate() {
                let passing = self.product.passing(rows, steps, bars);
                for (query, passing) in (strip * STRIP..queries.len()).zip(passing) {
                    let mut left = passing & is_row;
                    while left != 0 {
                        let row = first + left.trailing_zeros() as usize;
                        near.push(Pair { query, row });
                        left &= left - 1;
                    }
                }
                if near.len() > FEW * queries.len() {
                    return false;
                }
            }
        }
        true
    }
}

/// The step of the integers; `None` where all numbers are 0.
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
    let step = largest.min(DEVIATIONS * deviation) / LARGEST;
    (step >= LEAST_STEP).then_some(step)
}

/// The least single that is no less.
fn rounded_up(x: f64) -> f32 {
    -rounded_down(-x)
}

//! Distances between all pairs of maps of a data set, block by block.

use std::ops::Range;

use xai_core::distance::{Distance, DistanceFunction};
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::tensor::{Rows, SCALE_MAPS_DOWN};
use xai_core::{Error, ExactMean, Real, Result, parallel};

use crate::batch::AllSamples;
use crate::input;

/// Bytes of maps that are held while all later maps are read beside them.
const HELD: usize = 96 << 20;
/// Bytes of the maps that are read beside them at once, in double precision.
const BESIDE: usize = 16 << 20;
/// Held maps that one task compares.
const TILE: usize = 8;
/// Elements that are compared before the next pair has its turn: those of a tile and of the maps
/// beside it stay in the nearest caches. A multiple of the eight lanes of a sum.
const STRETCH: usize = 512;

/// All pairs of maps, by the attributions of their positions.
pub(crate) struct PairDistances<'a, T> {
    all: &'a AllSamples<'a, T>,
    distance: &'a Distance,
    /// What the attributions of each position are divided by, if by anything; infinite where a position is
    /// to add nothing.
    units: Option<Vec<f64>>,
    /// How many maps are held, and how many are read beside them at once.
    n_held: usize,
    n_beside: usize,
}

impl<'a, T: Real> PairDistances<'a, T> {
    /// Distances of maps as they are.
    pub(crate) fn new(all: &'a AllSamples<'a, T>, distance: &'a Distance) -> Self {
        let (n, d) = (all.n_samples(), all.run().n_positions());
        Self {
            all,
            distance,
            units: None,
            n_held: (HELD / (d * size_of::<T>())).clamp(TILE, n.max(TILE)),
            n_beside: (BESIDE / (d * size_of::<f64>())).clamp(1, 64),
        }
    }

    /// With every position in units of its standard deviation (of `n − 1`) over the data set. A position
    /// that has one value in all maps adds nothing. Two more passes over the maps.
    pub(crate) fn standardized(mut self) -> Result<Self> {
        self.units = Some(standard_deviations(self.all)?);
        Ok(self)
    }

    /// Gives the distance of every pair `i < j`, which is finite, in an order of its own.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) -> Result<()> {
        let (n, n_held, n_beside) = (self.all.n_samples(), self.n_held, self.n_beside);
        let n_pairs = n as u64 * (n as u64).saturating_sub(1) / 2;
        let mut n_done = 0;
        for first in (0..n).step_by(n_held) {
            let held = first..(first + n_held).min(n);
            let of_held = self.all.attributions(held.clone())?;
            for start in (first..n).step_by(n_beside) {
                let beside = start..(start + n_beside).min(n);
                let of_beside = self.in_units(&self.all.attributions(beside.clone())?);
                let of_beside =
                    Rows::from_vec(of_beside, beside.len(), self.all.run().n_positions());
                let checked = self
                    .distance
                    .check_rows(input::EXPLANATIONS, of_beside.view());
                checked.map_err(|error| error.shifted(0, start))?;
                let of_beside = self.distance.prepare(of_beside).into_vec();
                let pairs = self.block(&of_held, &of_beside, &held, &beside);
                for (i, distances) in held.clone().zip(pairs.chunks_exact(beside.len())) {
                    for (j, &distance) in beside.clone().zip(distances) {
                        if j <= i {
                            continue;
                        }
                        if !distance.is_finite() {
                            let expected = "maps whose distance is a finite number";
                            let error = Error::out_of_domain(
                                input::MAP_DISTANCES,
                                &[i, j],
                                distance,
                                expected,
                            );
                            return Err(error.with_help(SCALE_MAPS_DOWN));
                        }
                        visit(i, j, distance);
                        n_done += 1;
                    }
                }
                self.all.report_pairs(n_done, n_pairs);
            }
        }
        Ok(())
    }

    fn in_units(&self, values: &[T]) -> Vec<f64> {
        let mut rows = vec![0.0; values.len()];
        match &self.units {
            None => convert(values, &mut rows),
            Some(units) => {
                let d = units.len();
                for (values, row) in values.chunks_exact(d).zip(rows.chunks_exact_mut(d)) {
                    divide(values, units, row);
                }
            }
        }
        rows
    }

    /// The distances of held maps to those beside them: rows of `beside.len()`. Those of tiles that lie
    /// behind all of `beside` are left out.
    fn block(
        &self,
        of_held: &[T],
        of_beside: &[f64],
        held: &Range<usize>,
        beside: &Range<usize>,
    ) -> Vec<f64> {
        let d = of_beside.len() / beside.len();
        let mut pairs = vec![0.0; held.len() * beside.len()];
        let compared_by = self.distance.prepared_distance();
        parallel::for_each_chunk(&mut pairs, TILE * beside.len(), |tile, pairs| {
            let first = tile * TILE;
            if held.start + first + 1 >= beside.end {
                return;
            }
            let rows = &of_held[first * d..(first + pairs.len() / beside.len()) * d];
            match self.distance {
                Distance::Euclidean => {
                    self.squares(rows, of_beside, pairs);
                    pairs.iter_mut().for_each(|x| *x = x.sqrt());
                }
                Distance::SquaredEuclidean => self.squares(rows, of_beside, pairs),
                distance => {
                    let rows = Rows::from_vec(self.in_units(rows), rows.len() / d, d);
                    let rows = distance.prepare(rows);
                    for (row, pairs) in rows.iter().zip(pairs.chunks_exact_mut(beside.len())) {
                        for (pair, other) in pairs.iter_mut().zip(of_beside.chunks_exact(d)) {
                            *pair = compared_by.distance(row, other);
                        }
                    }
                }
            }
        });
        pairs
    }

    /// Squared Euclidean distances of a tile, summed as [`Distance`] sums them: eight lanes and a fixed
    /// tree.
    fn squares(&self, tile: &[T], of_beside: &[f64], pairs: &mut [f64]) {
        let d = self.all.run().n_positions();
        let n_rows = tile.len() / d;
        let mut lanes = vec![[0.0; 8]; pairs.len()];
        let mut stretch = vec![0.0; TILE * STRETCH];
        for start in (0..d).step_by(STRETCH) {
            let elements = start..(start + STRETCH).min(d);
            for (row, values) in tile.chunks_exact(d).enumerate() {
                let to = &mut stretch[row * STRETCH..][..elements.len()];
                match &self.units {
                    None => convert(&values[elements.clone()], to),
                    Some(units) => {
                        divide(&values[elements.clone()], &units[elements.clone()], to);
                    }
                }
            }
            InstructionSet::fastest().run(Squares {
                tile: &stretch,
                n_rows,
                beside: of_beside,
                d,
                elements,
                lanes: &mut lanes,
            });
        }
        for (pair, lanes) in pairs.iter_mut().zip(lanes) {
            let [s0, s1, s2, s3, s4, s5, s6, s7] = lanes;
            *pair = ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
        }
    }
}

fn convert<T: Real>(values: &[T], to: &mut [f64]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to = (*value).into();
    }
}

fn divide<T: Real>(values: &[T], units: &[f64], to: &mut [f64]) {
    for ((to, value), unit) in to.iter_mut().zip(values).zip(units) {
        *to = Into::<f64>::into(*value) / unit;
    }
}

/// Adds the squared differences of a stretch of a tile and of all maps beside it.
struct Squares<'a> {
    /// Rows of [`STRETCH`].
    tile: &'a [f64],
    n_rows: usize,
    /// Rows of `d`.
    beside: &'a [f64],
    d: usize,
    elements: Range<usize>,
    /// `[row of the tile][map beside]`.
    lanes: &'a mut [[f64; 8]],
}

impl SimdKernel for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let n_beside = self.beside.len() / self.d;
        let length = self.elements.len();
        for (j, other) in self.beside.chunks_exact(self.d).enumerate() {
            let other = &other[self.elements.clone()];
            let mut row = 0;
            // Four rows at once: each element of the other map is loaded once for all of them.
            while row + 4 <= self.n_rows {
                let rows = [row, row + 1, row + 2, row + 3]
                    .map(|row| &self.tile[row * STRETCH..row * STRETCH + length]);
                let places = [row, row + 1, row + 2, row + 3].map(|row| row * n_beside + j);
                let sums = add_squares(rows, other, places.map(|place| self.lanes[place]));
                for (place, sums) in places.into_iter().zip(sums) {
                    self.lanes[place] = sums;
                }
                row += 4;
            }
            for row in row..self.n_rows {
                let place = row * n_beside + j;
                let rows = [&self.tile[row * STRETCH..row * STRETCH + length]];
                [self.lanes[place]] = add_squares(rows, other, [self.lanes[place]]);
            }
        }
    }
}

#[inline(always)]
fn add_squares<const N: usize>(
    rows: [&[f64]; N],
    other: &[f64],
    mut lanes: [[f64; 8]; N],
) -> [[f64; 8]; N] {
    let blocks = rows.map(|row| row.as_chunks::<8>());
    let (others, rest) = other.as_chunks::<8>();
    for (block, other) in others.iter().enumerate() {
        for n in 0..N {
            let row = &blocks[n].0[block];
            for lane in 0..8 {
                let apart = row[lane] - other[lane];
                lanes[n][lane] += apart * apart;
            }
        }
    }
    for (lane, other) in rest.iter().enumerate() {
        for n in 0..N {
            let apart = blocks[n].1[lane] - other;
            lanes[n][lane] += apart * apart;
        }
    }
    lanes
}

/// The standard deviation (of `n − 1`) of every position over all maps, whatever their order; infinite
/// where all are equal.
fn standard_deviations<T: Real>(all: &AllSamples<'_, T>) -> Result<Vec<f64>> {
    let n = all.n_samples();
    let mut largest = 0.0f64;
    let means = means(all, |x, _| {
        largest = x.iter().fold(largest, |m, x| m.max(x.to_f64_exact().abs()));
        x.iter().map(|x| x.to_f64_exact()).collect()
    })?;
    // In units in which no square leaves the range of f64; a power of two rounds nothing.
    let unit = match (1e-100..1e100).contains(&largest) || largest == 0.0 {
        true => 1.0,
        false => 2f64.powi(largest.log2().clamp(-1000.0, 1000.0) as i32),
    };
    let squares = self::means(all, |x, first| {
        let apart = x.iter().zip(&means[first..]).map(|(x, mean)| {
            let apart = x.to_f64_exact() / unit - mean / unit;
            apart * apart
        });
        apart.collect()
    })?;
    let of_sample = n as f64 / (n as f64 - 1.0);
    let deviation = |square: f64| match square > 0.0 {
        true => (square * of_sample).sqrt() * unit,
        false => f64::INFINITY,
    };
    Ok(squares.into_iter().map(deviation).collect())
}

/// The exact mean over all samples of a function of every position: of a stretch of a map, and where it begins.
fn means<T: Real>(
    all: &AllSamples<'_, T>,
    mut of: impl FnMut(&[T], usize) -> Vec<f64>,
) -> Result<Vec<f64>> {
    const PIECE: usize = 256;
    // An exact sum takes half a kilobyte: of more positions the maps are read several times.
    const AT_ONCE: usize = 1 << 17;
    let d = all.run().n_positions();
    let n_together = (BESIDE / (d * size_of::<f64>())).clamp(1, 64);
    let mut of_positions = Vec::with_capacity(d);
    for first in (0..d).step_by(AT_ONCE) {
        let positions = first..(first + AT_ONCE).min(d);
        let mut means = vec![ExactMean::new(); positions.len()];
        for start in (0..all.n_samples()).step_by(n_together) {
            let samples = start..(start + n_together).min(all.n_samples());
            let maps = all.attributions(samples)?;
            let stretches = maps.chunks_exact(d).map(|map| &map[positions.clone()]);
            let values: Vec<f64> = stretches.flat_map(|map| of(map, first)).collect();
            parallel::for_each_chunk(&mut means, PIECE, |piece, means| {
                for sample in values.chunks_exact(positions.len()) {
                    for (mean, &x) in means.iter_mut().zip(&sample[piece * PIECE..]) {
                        mean.add(x);
                    }
                }
            });
        }
        of_positions.extend(means.iter().map(|mean| mean.value().unwrap_or_default()));
    }
    Ok(of_positions)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, ArrayD};
    use xai_core::Layout;

    use super::*;
    use crate::batch::run_data::RunData;
    use crate::model::samples::Samples;
    use crate::model::samples::Targets;
    use crate::model::scoring::Scoring;

    fn maps(n: usize, d: usize) -> ArrayD<f32> {
        let value = |(i, j)| ((i * 31 + j * 17) % 23) as f32 * 0.37 - 3.0;
        Array2::from_shape_fn((n, d), value).into_dyn()
    }

    /// All distances `i < j` in blocks of some sizes.
    fn distances(
        maps: &ArrayD<f32>,
        distance: &Distance,
        standardized: bool,
        blocks: Option<(usize, usize)>,
    ) -> Array2<f64> {
        let n = maps.shape()[0];
        let scoring = Scoring {
            layout: Some(Layout::Tabular),
            ..Scoring::default()
        };
        let inputs: Box<dyn Samples<f32>> = Box::new(maps.view());
        let targets = Targets::Classes(vec![0; n]);
        let run = RunData::new(inputs, targets, scoring, 0, false, input::INPUTS).unwrap();
        let all = AllSamples::with_given_maps(&run, maps);
        let mut pairs = PairDistances::new(&all, distance);
        if standardized {
            pairs = pairs.standardized().unwrap();
        }
        if let Some((n_held, n_beside)) = blocks {
            (pairs.n_held, pairs.n_beside) = (n_held, n_beside);
        }
        let mut found = Array2::from_elem((n, n), f64::NAN);
        let mut n_pairs = 0;
        let each = |i: usize, j: usize, d: f64| {
            assert!(i < j);
            (found[[i, j]], n_pairs) = (d, n_pairs + 1);
        };
        pairs.for_each(each).unwrap();
        assert_eq!(n_pairs, n * (n - 1) / 2);
        found
    }

    #[test]
    fn blocks_give_the_bits_of_the_distance_of_whole_rows() {
        for (n, d) in [(21, 1037), (9, 3), (2, 512), (1, 4)] {
            let maps = maps(n, d);
            for name in "euclidean squared-euclidean manhattan cosine correlation".split(' ') {
                let distance: Distance = name.parse().unwrap();
                for blocks in [None, Some((8, 3)), Some((5, 1)), Some((13, 64))] {
                    let found = distances(&maps, &distance, false, blocks);
                    for ((i, j), &found) in found.indexed_iter().filter(|((i, j), _)| i < j) {
                        let row = |i: usize| -> Vec<f64> {
                            let row = maps.as_slice().unwrap()[i * d..(i + 1) * d].iter();
                            row.map(|&x| f64::from(x)).collect()
                        };
                        assert_eq!(found, distance.distance(&row(i), &row(j)), "{name} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn standardized_positions_have_unit_variance_whatever_their_scale() {
        for scale in [1.0, 1e-30, 1e30] {
            let mut maps = maps(12, 5) * scale;
            maps.index_axis_mut(ndarray::Axis(1), 2).fill(7.0);
            let found = distances(&maps, &Distance::SquaredEuclidean, true, None);
            let sum: f64 = found.iter().filter(|x| !x.is_nan()).sum();
            // Squared differences of all pairs: n times (n − 1) variances of 1 for each of four positions.
            assert!((sum - 4.0 * 12.0 * 11.0).abs() < 1e-9, "{scale}: {sum}");
        }
    }
}

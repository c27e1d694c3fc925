//! Distances between all pairs of maps of a data set, block by block.
//!
//! Maps can exceed the memory. A large block of them (the held maps) stays in memory while all later maps pass by in
//! small groups, so a data set of `n` maps is read about `n / (2 n_held)` times. Pairs are visited in a fixed order by
//! one thread; only the distances of a block are computed in parallel.

use std::ops::Range;

use xai_core::Distance;
use xai_core::distance::DistanceFunction;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::tensor::{Rows, SCALE_MAPS_DOWN};
use xai_core::{Error, ExactMean, Real, Result, parallel};

use crate::batch::AllSamples;
use crate::input;

/// Bytes of the held maps.
const HELD: usize = 96 << 20;
/// Bytes of a group of later maps, in double precision.
const GROUP: usize = 16 << 20;
/// Number of held maps that one task compares with a group.
const TILE: usize = 8;
/// Number of elements of a pair that are compared before the next pair: those of a tile and of the group
/// then stay in the caches nearest to the core. A multiple of the eight lanes of a sum.
const STRETCH: usize = 512;

/// Distances of all pairs of maps, from the attributions of their positions.
pub(crate) struct PairDistances<'a, T> {
    all: &'a AllSamples<'a, T>,
    distance: &'a Distance,
    /// Divisors of the attributions of each position, if any. They are infinite for positions that add nothing.
    units: Option<Vec<f64>>,
    n_held: usize,
    /// Number of maps of a group.
    n_group: usize,
}

impl<'a, T: Real> PairDistances<'a, T> {
    /// Creates the distances of maps without scaling.
    pub(crate) fn new(all: &'a AllSamples<'a, T>, distance: &'a Distance) -> Self {
        let (n, d) = (all.n_samples(), all.dataset().n_positions());
        Self {
            all,
            distance,
            units: None,
            n_held: (HELD / (d * size_of::<T>())).clamp(TILE, n.max(TILE)),
            n_group: (GROUP / (d * size_of::<f64>())).clamp(1, 64),
        }
    }

    /// Divides every position by its standard deviation (with divisor `n − 1`) over the data set, which takes two more
    /// passes over the maps. A position with the same value in all maps adds nothing.
    pub(crate) fn standardized(mut self) -> Result<Self> {
        self.units = Some(standard_deviations(self.all)?);
        Ok(self)
    }

    /// Calls `visit` with the distance of every pair `i < j`, block by block.
    ///
    /// # Errors
    /// Unreadable maps, maps for which the distance is undefined, and distances that are not finite.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize, usize, f64)) -> Result<()> {
        let (n, n_held, n_group) = (self.all.n_samples(), self.n_held, self.n_group);
        let n_pairs = n as u64 * (n as u64).saturating_sub(1) / 2;
        let mut n_done = 0;
        for first in (0..n).step_by(n_held) {
            let held = first..(first + n_held).min(n);
            let held_maps = self.all.attributions(held.clone())?;
            // Groups start at the first held map: pairs within the held maps are among those of the first groups.
            for start in (first..n).step_by(n_group) {
                let group = start..(start + n_group).min(n);
                let scaled = self.in_units(&self.all.attributions(group.clone())?);
                let rows = Rows::from_vec(scaled, group.len(), self.all.dataset().n_positions());
                // Each map is in a group of the first round, so that the held maps need no check of their own.
                let checked = self.distance.check_rows(input::EXPLANATIONS, rows.view());
                checked.map_err(|error| error.shifted(0, start))?;
                let group_maps = self.distance.prepare(rows).into_vec();
                let pairs = self.block(&held_maps, &group_maps, &held, &group);
                for (i, distances) in held.clone().zip(pairs.chunks_exact(group.len())) {
                    for (j, &distance) in group.clone().zip(distances) {
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

    /// Distances of the held maps to those of a group, as rows of `group.len()`.
    ///
    /// Tiles without a pair `i < j` are skipped and keep the value 0.
    fn block(
        &self,
        held_maps: &[T],
        group_maps: &[f64],
        held: &Range<usize>,
        group: &Range<usize>,
    ) -> Vec<f64> {
        let d = group_maps.len() / group.len();
        let mut pairs = vec![0.0; held.len() * group.len()];
        let prepared_distance = self.distance.prepared_distance();
        parallel::for_each_chunk(&mut pairs, TILE * group.len(), |tile, pairs| {
            let first = tile * TILE;
            if held.start + first + 1 >= group.end {
                return;
            }
            let tile_maps = &held_maps[first * d..(first + pairs.len() / group.len()) * d];
            match self.distance {
                Distance::Euclidean => {
                    self.squares(tile_maps, group_maps, pairs);
                    for pair in pairs {
                        *pair = pair.sqrt();
                    }
                }
                Distance::SquaredEuclidean => self.squares(tile_maps, group_maps, pairs),
                distance => {
                    let scaled = Rows::from_vec(self.in_units(tile_maps), tile_maps.len() / d, d);
                    let rows = distance.prepare(scaled);
                    for (row, pairs) in rows.iter().zip(pairs.chunks_exact_mut(group.len())) {
                        for (pair, other) in pairs.iter_mut().zip(group_maps.chunks_exact(d)) {
                            *pair = prepared_distance.distance(row, other);
                        }
                    }
                }
            }
        });
        pairs
    }

    /// Squared Euclidean distances of a tile to a group.
    ///
    /// The sums have the bits of [`Distance`], which adds in eight lanes and a fixed tree: the lanes are kept from
    /// stretch to stretch, so that cutting the rows into stretches does not change the order of additions.
    fn squares(&self, tile: &[T], group_maps: &[f64], pairs: &mut [f64]) {
        let d = self.all.dataset().n_positions();
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
                group: group_maps,
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

/// Kernel that adds the squared differences of a stretch between the maps of a tile and those of a group.
struct Squares<'a> {
    /// Elements of the stretch, in rows of [`STRETCH`].
    tile: &'a [f64],
    n_rows: usize,
    /// All elements of the group, in rows of `d`.
    group: &'a [f64],
    d: usize,
    elements: Range<usize>,
    /// Partial sums by `[row of the tile][map of the group]`.
    lanes: &'a mut [[f64; 8]],
}

impl SimdKernel for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self) {
        let n_group = self.group.len() / self.d;
        let length = self.elements.len();
        for (j, other) in self.group.chunks_exact(self.d).enumerate() {
            let other = &other[self.elements.clone()];
            let mut row = 0;
            // Four rows at once: each element of the other map is loaded once for all of them.
            while row + 4 <= self.n_rows {
                let rows = [row, row + 1, row + 2, row + 3]
                    .map(|row| &self.tile[row * STRETCH..row * STRETCH + length]);
                let pairs = [row, row + 1, row + 2, row + 3].map(|row| row * n_group + j);
                let sums = add_squares(rows, other, pairs.map(|pair| self.lanes[pair]));
                for (pair, sums) in pairs.into_iter().zip(sums) {
                    self.lanes[pair] = sums;
                }
                row += 4;
            }
            for row in row..self.n_rows {
                let pair = row * n_group + j;
                let rows = [&self.tile[row * STRETCH..row * STRETCH + length]];
                [self.lanes[pair]] = add_squares(rows, other, [self.lanes[pair]]);
            }
        }
    }
}

/// Adds the squared differences of `N` rows and another one to the lanes of each row: element `i` goes to lane `i mod
/// 8`.
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
                let difference = row[lane] - other[lane];
                lanes[n][lane] += difference * difference;
            }
        }
    }
    for (lane, other) in rest.iter().enumerate() {
        for n in 0..N {
            let difference = blocks[n].1[lane] - other;
            lanes[n][lane] += difference * difference;
        }
    }
    lanes
}

/// Standard deviation (with divisor `n − 1`) of every position over all maps; infinite for positions that do not vary.
///
/// Exact sums make it independent of the order of the maps. A division by infinity gives 0 for all maps, so that a
/// position that does not vary adds nothing to a distance.
fn standard_deviations<T: Real>(all: &AllSamples<'_, T>) -> Result<Vec<f64>> {
    let n = all.n_samples();
    let mut largest = 0.0f64;
    let means = means(all, |x, _| {
        largest = x.iter().fold(largest, |m, x| m.max(x.to_f64_exact().abs()));
        x.iter().map(|x| x.to_f64_exact()).collect()
    })?;
    // In this unit, squares of very large or very small maps stay within the range of f64. Dividing by a power of two
    // is exact.
    let unit = if (1e-100..1e100).contains(&largest) || largest == 0.0 {
        1.0
    } else {
        2f64.powi(largest.log2().clamp(-1000.0, 1000.0) as i32)
    };
    // A second pass with the means known: the mean of squares minus the square of the mean would cancel.
    let squares = self::means(all, |x, first| {
        let squares = x.iter().zip(&means[first..]).map(|(x, mean)| {
            let difference = x.to_f64_exact() / unit - mean / unit;
            difference * difference
        });
        squares.collect()
    })?;
    let correction = n as f64 / (n as f64 - 1.0);
    let deviation = |square: f64| {
        if square > 0.0 {
            (square * correction).sqrt() * unit
        } else {
            f64::INFINITY
        }
    };
    Ok(squares.into_iter().map(deviation).collect())
}

/// Returns the exact mean of `terms` over all samples, for every position. The arguments of `terms` are a stretch of a
/// map and the index of its first position.
fn means<T: Real>(
    all: &AllSamples<'_, T>,
    mut terms: impl FnMut(&[T], usize) -> Vec<f64>,
) -> Result<Vec<f64>> {
    const PIECE: usize = 256;
    // An exact sum takes half a kilobyte. For more positions than this, maps are read several times.
    const AT_ONCE: usize = 1 << 17;
    let d = all.dataset().n_positions();
    let n_together = (GROUP / (d * size_of::<f64>())).clamp(1, 64);
    let mut all_means = Vec::with_capacity(d);
    for first in (0..d).step_by(AT_ONCE) {
        let positions = first..(first + AT_ONCE).min(d);
        let mut means = vec![ExactMean::new(); positions.len()];
        for start in (0..all.n_samples()).step_by(n_together) {
            let samples = start..(start + n_together).min(all.n_samples());
            let maps = all.attributions(samples)?;
            let stretches = maps.chunks_exact(d).map(|map| &map[positions.clone()]);
            let values: Vec<f64> = stretches.flat_map(|map| terms(map, first)).collect();
            parallel::for_each_chunk(&mut means, PIECE, |piece, means| {
                for sample in values.chunks_exact(positions.len()) {
                    for (mean, &x) in means.iter_mut().zip(&sample[piece * PIECE..]) {
                        mean.add(x);
                    }
                }
            });
        }
        all_means.extend(means.iter().map(|mean| mean.value().unwrap_or_default()));
    }
    Ok(all_means)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, ArrayD};
    use xai_core::InputLayout;

    use super::*;
    use crate::batch::run_data::Dataset;
    use crate::model::samples::Samples;
    use crate::model::samples::Targets;
    use crate::model::scoring::Scoring;

    fn maps(n: usize, d: usize) -> ArrayD<f32> {
        let value = |(i, j)| ((i * 31 + j * 17) % 23) as f32 * 0.37 - 3.0;
        Array2::from_shape_fn((n, d), value).into_dyn()
    }

    /// Distances of all pairs `i < j`, computed with the given sizes of the held maps and of a group.
    fn distances(
        maps: &ArrayD<f32>,
        distance: &Distance,
        standardized: bool,
        blocks: Option<(usize, usize)>,
    ) -> Array2<f64> {
        let n = maps.shape()[0];
        let scoring = Scoring {
            layout: Some(InputLayout::Tabular),
            ..Scoring::default()
        };
        let inputs: Box<dyn Samples<f32>> = Box::new(maps.view());
        let targets = Targets::Classes(vec![0; n]);
        let dataset = Dataset::new(inputs, targets, scoring, 0, false, input::INPUTS).unwrap();
        let all = AllSamples::with_given_maps(&dataset, maps);
        let mut pairs = PairDistances::new(&all, distance);
        if standardized {
            pairs = pairs.standardized().unwrap();
        }
        if let Some((n_held, n_group)) = blocks {
            (pairs.n_held, pairs.n_group) = (n_held, n_group);
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
    fn standardized_positions_have_unit_variance_at_any_scale() {
        for scale in [1.0, 1e-30, 1e30] {
            let mut maps = maps(12, 5) * scale;
            maps.index_axis_mut(ndarray::Axis(1), 2).fill(7.0);
            let found = distances(&maps, &Distance::SquaredEuclidean, true, None);
            let sum: f64 = found.iter().filter(|x| !x.is_nan()).sum();
            // The squared differences of all pairs sum to n (n − 1) times the variance, 1, for each of four positions.
            assert!((sum - 4.0 * 12.0 * 11.0).abs() < 1e-9, "{scale}: {sum}");
        }
    }
}

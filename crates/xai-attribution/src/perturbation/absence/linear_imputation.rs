//! Imputation of missing pixels from their neighbours.

use xai_core::Real;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::tensor::Positions;

/// Neighbours of a pixel in row-major order as `(row, column, weight)`, with weights in units of 1/12.
const NEIGHBORS: [(isize, isize, f64); 8] = [
    (-1, -1, 1.0),
    (-1, 0, 2.0),
    (-1, 1, 1.0),
    (0, -1, 2.0),
    (0, 1, 2.0),
    (1, -1, 1.0),
    (1, 0, 2.0),
    (1, 1, 1.0),
];

/// Number of neighbours that precede the pixel in row-major order.
const N_BEFORE: usize = 4;

/// Relaxation of the modified incomplete Cholesky factorisation: share of the dropped fill-in that is moved to the
/// diagonal. With all of it, a pivot could become 0.
const RELAXATION: f64 = 0.995;

/// Norm of the residual, relative to that of the right-hand side, at which the iteration stops.
const TOLERANCE: f64 = 1e-12;

/// Limit on iterations that no image reaches: a disk of 99 % of 224 × 224 pixels needs 112.
const MAX_STEPS: usize = 10_000;

/// Largest number of channels that are solved together. The triangular solves are bound by latency, because each
/// pixel waits for the one before, so a vector of 8 numbers (the widest registers) takes hardly longer than one.
pub(crate) const MAX_LANES: usize = 8;

/// Marks a known pixel among the indices of unknowns.
const KNOWN: u32 = u32::MAX - 1;

/// Marks a place outside of the image among the indices of unknowns.
const OUTSIDE: u32 = u32::MAX;

/// Shape of an image in pixels, and the layout of its channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) layout: Positions,
}

/// One channel of one image: its elements are `first + pixel · step`.
#[derive(Debug, Clone, Copy)]
struct Channel {
    image: usize,
    first: usize,
    step: usize,
}

impl Channel {
    fn element(self, pixel: u32) -> usize {
        self.first + pixel as usize * self.step
    }
}

impl Image {
    /// Sets the missing pixels of several images to the weighted mean of their neighbours inside of the image, known
    /// or missing: 1/6 for direct and 1/12 for diagonal ones, normalised at the border. `missing` lists the pixels of
    /// each image in any order, and never all of them.
    ///
    /// The images are stored one after another in `values`. The result for an image does not depend on the others, to
    /// the last bit.
    pub(crate) fn impute<T: Real>(self, values: &mut [T], missing: &[Vec<u32>]) {
        let size = self.layout.size();
        let element = |pixel| self.layout.elements(pixel);
        // Distance of neighbouring pixels of a channel: the number of channels if they come last, otherwise 1.
        let step = element(1).next().unwrap_or_default();
        let image_channels = |image: usize| {
            element(0).map(move |first| Channel {
                image,
                first: image * size + first,
                step,
            })
        };
        let with_missing = (0..missing.len()).filter(|&image| !missing[image].is_empty());
        let channels: Vec<Channel> = with_missing.flat_map(image_channels).collect();
        // Lanes can be filled with channels of several images, which pays if about the same pixels are missing in
        // them: all lanes iterate over the union. Otherwise each image is solved by itself.
        let by_image = || {
            channels
                .chunk_by(|a, b| a.image == b.image)
                .flat_map(|channels| channels.chunks(MAX_LANES))
        };
        let cost = |parts: &mut dyn Iterator<Item = &[Channel]>| -> usize {
            parts.map(|part| self.cost(missing, part)).sum()
        };
        let cost_together = cost(&mut channels.chunks(MAX_LANES));
        let parts: Vec<&[Channel]> = if cost_together < cost(&mut by_image()) {
            channels.chunks(MAX_LANES).collect()
        } else {
            by_image().collect()
        };
        for part in parts {
            // Compiled for few widths; unused lanes are idle.
            match part.len() {
                1 => System::<1>::new(self, missing, part, values).impute(part, values),
                2..=4 => System::<4>::new(self, missing, part, values).impute(part, values),
                _ => System::<MAX_LANES>::new(self, missing, part, values).impute(part, values),
            }
        }
    }

    /// Estimated cost of solving for these channels together, in units of half the time per missing pixel of a single
    /// channel.
    fn cost(self, missing: &[Vec<u32>], channels: &[Channel]) -> usize {
        let mut is_missing = vec![false; self.layout.positions];
        for image_channels in channels.chunk_by(|a, b| a.image == b.image) {
            for &pixel in &missing[image_channels[0].image] {
                is_missing[pixel as usize] = true;
            }
        }
        let n_missing = is_missing
            .into_iter()
            .filter(|is_missing| *is_missing)
            .count();
        // Wider vectors cost more per pixel, but less per channel.
        let cost_per_pixel = match channels.len() {
            1 => 2,
            2..=4 => 3,
            _ => 5,
        };
        n_missing * cost_per_pixel
    }
}

/// Linear system for the missing pixels of several channels, one channel per lane.
///
/// The unknowns are the pixels that are missing in any lane. A lane in which such a pixel is known keeps it at 0 in
/// all vectors, as if it was not part of the system. Therefore every lane has the same bits as if it was solved
/// alone.
///
/// The matrix is symmetric, and positive definite if any pixel is known. It is solved by conjugate gradients,
/// preconditioned by a modified incomplete Cholesky factor. Milliseconds for three channels on one thread, with
/// pixels missing at random and missing in a disk, compared with a Cholesky factorisation of the band matrix: 64 × 64
/// with 90 % missing 2 and 4 (band: 5 and 5); 224 × 224 with 50 % missing 18 and 60 (124 and 184), with 90 % missing
/// 49 and 150 (444 and 475). This was measured before channels of several images were solved together.
struct System<const L: usize> {
    /// Pixels that are missing in any lane, ascending. Their indices number the unknowns.
    missing: Vec<u32>,
    /// Diagonal of the matrix: for each unknown, the sum of the weights of its neighbours inside of the image.
    diagonal: Vec<f64>,
    /// For each unknown, the indices of its neighbours among the unknowns. Other neighbours have the index of an
    /// additional last element of all vectors, which is always 0, so that the loops need no branches.
    around: Vec<[u32; 8]>,
    /// Inverse pivots of the factor, 0 where a pixel is known. Before `factor`, 1 where it is missing.
    pivots: Vec<[f64; L]>,
    /// Known pixels of the image, 0 where one is missing, with a border of zeros.
    known: Vec<[f64; L]>,
    /// Index of each unknown in `known`.
    known_indices: Vec<usize>,
    /// Offsets of the eight neighbours in `known`.
    offsets: [isize; 8],
}

impl<const L: usize> System<L> {
    fn new<T: Real>(
        image: Image,
        missing_of: &[Vec<u32>],
        channels: &[Channel],
        values: &[T],
    ) -> Self {
        let Image { rows, columns, .. } = image;
        let width = columns + 2;
        // With a border of one pixel, all eight neighbours exist and need no bounds checks.
        let offsets = NEIGHBORS.map(|(down, right, _)| down * width as isize + right);
        let known_index = |pixel: u32| {
            let pixel = pixel as usize;
            (pixel / columns + 1) * width + pixel % columns + 1
        };
        // One bit per lane, of which there are at most `MAX_LANES` = 8.
        let mut lanes_missing = vec![0u8; rows * columns];
        for (lane, channel) in channels.iter().enumerate() {
            for &pixel in &missing_of[channel.image] {
                lanes_missing[pixel as usize] |= 1 << lane;
            }
        }
        let mut unknown_indices = vec![OUTSIDE; (rows + 2) * width];
        let mut known = vec![[0.0; L]; (rows + 2) * width];
        let (mut missing, mut pivots) = (Vec::new(), Vec::new());
        for (pixel, &lanes) in (0u32..).zip(&lanes_missing) {
            let is_missing = |lane: usize| lanes >> lane & 1 != 0;
            for (lane, channel) in channels.iter().enumerate() {
                let value = values[channel.element(pixel)].to_f64_exact();
                known[known_index(pixel)][lane] = if is_missing(lane) { 0.0 } else { value };
            }
            unknown_indices[known_index(pixel)] = KNOWN;
            if lanes != 0 {
                unknown_indices[known_index(pixel)] = missing.len() as u32;
                missing.push(pixel);
                pivots.push(std::array::from_fn(|lane| {
                    f64::from(u8::from(is_missing(lane)))
                }));
            }
        }
        let n = missing.len();
        // The additional last element that neighbours outside of the unknowns refer to.
        pivots.push([0.0; L]);
        let mut system = Self {
            diagonal: Vec::with_capacity(n),
            around: Vec::with_capacity(n),
            known_indices: missing.iter().map(|&pixel| known_index(pixel)).collect(),
            missing,
            pivots,
            known,
            offsets,
        };
        for index in &system.known_indices {
            let unknown = |offset| unknown_indices[index.wrapping_add_signed(offset)];
            let around = offsets.map(unknown);
            let weight = |(unknown, (_, _, weight))| match unknown {
                OUTSIDE => 0.0,
                _ => weight,
            };
            system
                .diagonal
                .push(around.into_iter().zip(NEIGHBORS).map(weight).sum());
            system
                .around
                // `KNOWN` and `OUTSIDE` are larger than any index, so that both become the last element.
                .push(around.map(|unknown| unknown.min(n as u32)));
        }
        system
    }

    /// Solves the system and writes the missing pixels of the channels.
    fn impute<T: Real>(self, channels: &[Channel], values: &mut [T]) {
        let (system, solution, units) = InstructionSet::fastest().run(Solve(self));
        let pixels = system.missing.iter().zip(&system.pivots).zip(&solution);
        for ((&pixel, pivot), solution) in pixels {
            for (lane, channel) in channels.iter().enumerate() {
                // Pixels that are known in this lane are unknowns of another one, and keep their value.
                if pivot[lane] != 0.0 {
                    let value = solution[lane] * units[lane];
                    values[channel.element(pixel)] = T::from_f64_nearest(value);
                }
            }
        }
    }

    /// Weighted sums of the known neighbours of every unknown, the weighted mean of these neighbours over all
    /// unknowns, and the units of both: powers of two near the largest value, so that scaling is exact and no square
    /// overflows.
    #[inline(always)]
    fn right_hand_sides(&mut self) -> (Vec<[f64; L]>, [f64; L], [f64; L]) {
        let (mut largest, mut total) = ([0.0f64; L], [0.0; L]);
        for (i, &index) in self.known_indices.iter().enumerate() {
            let is_missing = self.pivots[i];
            for offset in self.offsets {
                let known = self.known[index.wrapping_add_signed(offset)];
                largest = std::array::from_fn(|lane| {
                    let size = known[lane].abs() * is_missing[lane];
                    if size > largest[lane] {
                        size
                    } else {
                        largest[lane]
                    }
                });
            }
            // Weights are small integers, so this sum is exact.
            let unknown = weighted(&self.pivots, &self.around[i], 0..8);
            let diagonal = self.diagonal[i];
            total = std::array::from_fn(|lane| {
                total[lane] + is_missing[lane] * (diagonal - unknown[lane])
            });
        }
        let units = largest.map(|largest| {
            // Reads the exponent off the bits. Clamped, so that the inverse is finite, too.
            let exponent = (largest.to_bits() >> 52) as i32 - 1023;
            2f64.powi(exponent.clamp(-1000, 1000))
        });
        let per_unit = units.map(|unit| 1.0 / unit);
        let (mut right, mut start) = (vec![[0.0; L]; self.pivots.len()], [0.0; L]);
        for (i, &index) in self.known_indices.iter().enumerate() {
            let is_missing = self.pivots[i];
            let mut sum = [0.0; L];
            for (offset, (_, _, weight)) in self.offsets.into_iter().zip(NEIGHBORS) {
                let known = self.known[index.wrapping_add_signed(offset)];
                let term: [f64; L] = std::array::from_fn(|lane| {
                    weight * is_missing[lane] * (known[lane] * per_unit[lane])
                });
                sum = std::array::from_fn(|lane| sum[lane] + term[lane]);
                start = std::array::from_fn(|lane| start[lane] + term[lane]);
            }
            right[i] = sum;
        }
        (
            right,
            // The total is positive, because at least one missing pixel of an image has a known neighbour. Only an
            // unused lane has 0 / 0 here, which `State::new` does not read.
            std::array::from_fn(|lane| start[lane] / total[lane]),
            units,
        )
    }

    /// Computes the inverse pivots of the modified incomplete Cholesky factor, whose product has nearly the same row
    /// sums as the matrix.
    #[inline(always)]
    fn factor(&mut self) {
        // For each unknown, the sum of the weights of the later neighbours. Eliminating it couples all of them with
        // each other; these entries are dropped from the factor, and their row sums moved to the diagonal.
        let behind: Vec<[f64; L]> = self
            .around
            .iter()
            .map(|around| weighted(&self.pivots, around, N_BEFORE..8))
            .collect();
        for (i, (around, diagonal)) in self.around.iter().zip(&self.diagonal).enumerate() {
            let mut pivot = [*diagonal; L];
            for (&other, (_, _, weight)) in around[..N_BEFORE].iter().zip(NEIGHBORS) {
                let other = other as usize;
                // The additional last element has a pivot, but no entry in `behind`.
                if other == self.missing.len() {
                    continue;
                }
                for lane in 0..L {
                    let left_out = RELAXATION * (behind[other][lane] - weight);
                    pivot[lane] -= weight * self.pivots[other][lane] * (weight + left_out);
                }
            }
            let is_missing = self.pivots[i];
            self.pivots[i] = std::array::from_fn(|lane| {
                if is_missing[lane] == 0.0 {
                    0.0
                } else {
                    1.0 / pivot[lane]
                }
            });
        }
    }

    /// Multiplies the matrix by a vector, and returns their inner product `xᵀA x`. Entries of known pixels are not
    /// meaningful.
    #[inline(always)]
    fn multiply(&self, x: &[[f64; L]], product: &mut [[f64; L]]) -> [f64; L] {
        let mut sum = [0.0; L];
        for (i, (around, diagonal)) in self.around.iter().zip(&self.diagonal).enumerate() {
            let others = weighted(x, around, 0..8);
            product[i] = std::array::from_fn(|lane| diagonal * x[i][lane] - others[lane]);
            add_product(&mut sum, &x[i], &product[i]);
        }
        sum
    }

    /// Moves along the direction, updates the residual, and solves with the lower triangle of the preconditioner.
    /// Returns the squared norm of the residual `r` and the inner product `rᵀM⁻¹r`, which equals `yᵀD y` for the
    /// intermediate solution `y` and the pivots `D`, and so is known before the upper solve.
    #[inline(always)]
    fn forward(&self, state: &mut State<L>, step: [f64; L]) -> ([f64; L], [f64; L]) {
        let (mut left, mut slope) = ([0.0; L], [0.0; L]);
        for (i, (around, pivot)) in self.around.iter().zip(&self.pivots).enumerate() {
            // Builds whole arrays, which compilers keep in registers. Updating numbers one by one goes through
            // memory.
            let before = weighted(&state.ahead, around, 0..N_BEFORE);
            let (direction, product) = (state.direction[i], state.product[i]);
            let (x, residual) = (state.x[i], state.residual[i]);
            state.x[i] = std::array::from_fn(|lane| x[lane] + step[lane] * direction[lane]);
            // The product is not meaningful for a known pixel, whose residual stays 0 and thus out of both sums.
            let residual: [f64; L] = std::array::from_fn(|lane| {
                let rest = residual[lane] - step[lane] * product[lane];
                if pivot[lane] == 0.0 { 0.0 } else { rest }
            });
            state.residual[i] = residual;
            let sum: [f64; L] = std::array::from_fn(|lane| residual[lane] + before[lane]);
            let ahead: [f64; L] = std::array::from_fn(|lane| pivot[lane] * sum[lane]);
            state.ahead[i] = ahead;
            add_product(&mut slope, &sum, &ahead);
            add_product(&mut left, &residual, &residual);
        }
        (left, slope)
    }

    /// Solves with the upper triangle and updates the direction to `M⁻¹r + keep · direction`.
    #[inline(always)]
    fn backward(&self, state: &mut State<L>, keep: [f64; L]) {
        for (i, (around, pivot)) in self.around.iter().zip(&self.pivots).enumerate().rev() {
            let behind = weighted(&state.ahead, around, N_BEFORE..8);
            let (ahead, direction) = (state.ahead[i], state.direction[i]);
            let ahead: [f64; L] =
                std::array::from_fn(|lane| ahead[lane] + pivot[lane] * behind[lane]);
            state.ahead[i] = ahead;
            state.direction[i] =
                std::array::from_fn(|lane| ahead[lane] + keep[lane] * direction[lane]);
        }
    }
}

/// Conjugate gradients, started from the mean of the known neighbours, which solves constant images before the first
/// step. Returns the system, its solution and the units.
struct Solve<const L: usize>(System<L>);

impl<const L: usize> SimdKernel for Solve<L> {
    type Output = (System<L>, Vec<[f64; L]>, [f64; L]);

    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let mut system = self.0;
        let (right, start, units) = system.right_hand_sides();
        system.factor();
        let mut limit = [0.0; L];
        for right in &right {
            add_product(&mut limit, right, right);
        }
        // Compares squared norms, which saves the square roots.
        let limit = limit.map(|square| square * (TOLERANCE * TOLERANCE));
        let mut state = State::new(right, start, &system.pivots);
        system.multiply(&state.x, &mut state.product);
        for (residual, product) in state.residual.iter_mut().zip(&state.product) {
            *residual = std::array::from_fn(|lane| residual[lane] - product[lane]);
        }
        // An infinite slope makes the first `keep` 0: the first direction is the preconditioned residual.
        let (mut step, mut slope) = ([0.0; L], [f64::INFINITY; L]);
        for _ in 0..MAX_STEPS {
            let (left, next) = system.forward(&mut state, step);
            // A lane that has converged is not updated any more, so that its result does not depend on the other
            // lanes.
            let is_active: [bool; L] = std::array::from_fn(|lane| left[lane] > limit[lane]);
            if !is_active.contains(&true) {
                break;
            }
            let quotient = |lane: usize, a: [f64; L], b: [f64; L]| {
                if is_active[lane] {
                    a[lane] / b[lane]
                } else {
                    0.0
                }
            };
            // Fletcher–Reeves: the ratio of successive `rᵀM⁻¹r` makes the new direction conjugate to the previous ones.
            let keep = std::array::from_fn(|lane| quotient(lane, next, slope));
            system.backward(&mut state, keep);
            // The product is kept: it updates the residual in the next `forward`.
            let curvature = system.multiply(&state.direction, &mut state.product);
            step = std::array::from_fn(|lane| quotient(lane, next, curvature));
            slope = next;
        }
        (system, state.x, units)
    }
}

/// Vectors of the conjugate gradient method, each with an additional last element of 0.
struct State<const L: usize> {
    x: Vec<[f64; L]>,
    residual: Vec<[f64; L]>,
    /// Preconditioned residual, or the intermediate solution between the two triangular solves.
    ahead: Vec<[f64; L]>,
    direction: Vec<[f64; L]>,
    /// Matrix times the direction.
    product: Vec<[f64; L]>,
}

impl<const L: usize> State<L> {
    /// Initial state. `residual` is the right-hand side; the caller subtracts the product of the start.
    #[inline(always)]
    fn new(right: Vec<[f64; L]>, start: [f64; L], pivots: &[[f64; L]]) -> Self {
        let zero = || vec![[0.0; L]; right.len()];
        let mut x = zero();
        for (x, pivot) in x.iter_mut().zip(pivots) {
            *x = std::array::from_fn(|lane| if pivot[lane] == 0.0 { 0.0 } else { start[lane] });
        }
        Self {
            x,
            ahead: zero(),
            direction: zero(),
            product: zero(),
            residual: right,
        }
    }
}

#[inline(always)]
fn add_product<const L: usize>(sum: &mut [f64; L], a: &[f64; L], b: &[f64; L]) {
    for lane in 0..L {
        sum[lane] += a[lane] * b[lane];
    }
}

/// Weighted sum of a range of the neighbours of a pixel.
#[inline(always)]
fn weighted<const L: usize>(
    x: &[[f64; L]],
    around: &[u32; 8],
    neighbors: std::ops::Range<usize>,
) -> [f64; L] {
    let mut sum = [0.0; L];
    for neighbor in neighbors {
        let other = x[around[neighbor] as usize];
        for lane in 0..L {
            sum[lane] += NEIGHBORS[neighbor].2 * other[lane];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xai_core::InputLayout;

    fn image(rows: usize, columns: usize, channels: usize) -> Image {
        let shape = [1, rows, columns, channels];
        let layout = Positions::from_shape(&shape, InputLayout::ChannelsLast).unwrap();
        Image {
            rows,
            columns,
            layout,
        }
    }

    /// Weights and indices of the neighbours of a pixel inside of the image.
    fn neighbors(image: Image, pixel: u32) -> impl Iterator<Item = (f64, usize)> {
        let Image { rows, columns, .. } = image;
        let (row, column) = (pixel as usize / columns, pixel as usize % columns);
        NEIGHBORS
            .into_iter()
            .filter_map(move |(down, right, weight)| {
                let row = row.wrapping_add_signed(down);
                let column = column.wrapping_add_signed(right);
                (row < rows && column < columns).then(|| (weight, row * columns + column))
            })
    }

    fn norm(terms: impl Iterator<Item = f64>) -> f64 {
        terms.map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Upper bound of the residual for `n_missing` equations, from the norms of the right-hand side and the solution.
    /// The solver stops at `TOLERANCE` times the norm of the right-hand side. The updated residual drifts from the
    /// true one by one rounding of the product per step; `n` steps suffice in exact arithmetic, and no row sum of
    /// absolute values of the matrix exceeds 24. Values are rounded once more at the end.
    fn max_residual(right: f64, solution: f64, n_missing: usize) -> f64 {
        let steps = n_missing as f64 + 8.0;
        TOLERANCE * right + steps * f64::EPSILON * 24.0 * (solution + right)
    }

    /// Images of random shapes, with some but not all pixels missing.
    fn images() -> impl Strategy<Value = (Image, Vec<u32>)> {
        (1usize..9, 1usize..9, 1usize..7).prop_flat_map(|(rows, columns, channels)| {
            prop::collection::vec(0..4u8, rows * columns).prop_map(move |draws| {
                let missing = (0u32..).zip(&draws).filter(|(_, draw)| **draw > 0);
                let mut missing: Vec<u32> = missing.map(|(pixel, _)| pixel).collect();
                if missing.len() == draws.len() {
                    missing.remove(draws.len() / 2);
                }
                (image(rows, columns, channels), missing)
            })
        })
    }

    proptest! {
        #[test]
        fn every_missing_pixel_is_the_mean_of_its_neighbours((image, missing) in images(), scale in -300i32..300) {
            let unit = 10f64.powi(scale);
            let size = image.layout.size();
            let mut values: Vec<f64> = (0..size).map(|i| ((i * 7919) % 101) as f64 * unit).collect();
            let before = values.clone();
            image.impute(&mut values, std::slice::from_ref(&missing));
            for pixel in (0..image.layout.positions).filter(|p| !missing.contains(&(*p as u32))) {
                for element in image.layout.elements(pixel) {
                    prop_assert_eq!(values[element], before[element]);
                }
            }
            let element = |pixel: usize, channel| image.layout.elements(pixel).nth(channel).unwrap();
            for channel in 0..image.layout.channels {
                let value = |pixel: usize| values[element(pixel, channel)] / unit;
                // For every missing pixel: the right-hand side of its equation, the residual of the solution, and the
                // diagonal.
                let equations: Vec<[f64; 3]> = missing.iter().map(|&pixel| {
                    let (mut known, mut sum, mut total) = (0.0, 0.0, 0.0);
                    for (weight, other) in neighbors(image, pixel) {
                        let is_known = missing.binary_search(&(other as u32)).is_err();
                        known += if is_known { weight * value(other) } else { 0.0 };
                        sum += weight * value(other);
                        total += weight;
                    }
                    [known, sum - total * value(pixel as usize), total]
                }).collect();
                let right = norm(equations.iter().map(|[known, ..]| *known));
                let solution = norm(missing.iter().map(|&pixel| value(pixel as usize)));
                let residual = norm(equations.iter().map(|[_, left, _]| *left));
                let bound = max_residual(right, solution, missing.len());
                prop_assert!(residual <= bound, "{} > {}", residual, bound);
            }
        }

        #[test]
        fn images_together_are_as_each_alone((image, missing) in images(), n in 2usize..10) {
            // Each image has other missing pixels, the last one none.
            let of_image = |i: usize| -> Vec<u32> {
                missing.iter().copied().filter(|p| (*p as usize * 7 + i * 3) % n != n - 1 && i + 1 < n).collect()
            };
            let missing: Vec<Vec<u32>> = (0..n).map(of_image).collect();
            let size = image.layout.size();
            let mut together: Vec<f32> = (0..n * size).map(|i| ((i * 7919) % 101) as f32).collect();
            let mut alone = together.clone();
            image.impute(&mut together, &missing);
            for (values, missing) in alone.chunks_exact_mut(size).zip(&missing) {
                image.impute(values, std::slice::from_ref(missing));
            }
            let bits = |values: &[f32]| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&together), bits(&alone));
        }

        #[test]
        fn constant_images_stay_constant((image, missing) in images(), value in -1e3..1e3f64) {
            let mut values = vec![value; image.layout.size()];
            image.impute(&mut values, std::slice::from_ref(&missing));
            prop_assert!(values.iter().all(|v| (v - value).abs() <= 1e-12 * value.abs()));
            let mut single = vec![value as f32; image.layout.size()];
            image.impute(&mut single, &[missing]);
            prop_assert!(single.iter().all(|v| *v == value as f32));
        }

        #[test]
        fn affine_images_are_exact_within_the_border((image, missing) in images(), (a, b, c) in (-9..9i32, -9..9i32, -9..9i32)) {
            let (rows, columns) = (image.rows, image.columns);
            let within = |&p: &u32| {
                let (row, column) = (p as usize / columns, p as usize % columns);
                row > 0 && column > 0 && row + 1 < rows && column + 1 < columns
            };
            let missing: Vec<u32> = missing.into_iter().filter(within).collect();
            let affine = |i: usize| {
                let pixel = i / image.layout.channels;
                f64::from(a) * (pixel / columns) as f64 + f64::from(b) * (pixel % columns) as f64 + f64::from(c)
            };
            let mut values: Vec<f64> = (0..image.layout.size()).map(affine).collect();
            missing.iter().for_each(|&p| image.layout.elements(p as usize).for_each(|e| values[e] = f64::NAN));
            image.impute(&mut values, std::slice::from_ref(&missing));
            // The error is the inverse of the matrix times the residual. The smallest eigenvalue is that of the
            // matrix with all pixels within the border missing, at most 6 by 6, and belongs to a sine wave: with c =
            // cos(π/7) it is 12 - 8 c - 4 c² = 1.5. It is larger if fewer pixels are missing.
            let value = |pixel: u32| affine(pixel as usize * image.layout.channels);
            let known = |&pixel: &u32| neighbors(image, pixel)
                .filter(|(_, other)| missing.binary_search(&(*other as u32)).is_err())
                .map(|(weight, other)| weight * value(other as u32))
                .sum::<f64>();
            let right = norm(missing.iter().map(known));
            let solution = norm(missing.iter().copied().map(value));
            let bound = max_residual(right, solution, missing.len()) / 1.5;
            prop_assert!(values.iter().enumerate().all(|(i, v)| (v - affine(i)).abs() <= bound));
        }
    }
}

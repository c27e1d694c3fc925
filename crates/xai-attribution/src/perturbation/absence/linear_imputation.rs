//! Missing pixels from their neighbours.

use xai_core::Real;
use xai_core::simd::{InstructionSet, Simd, SimdKernel};
use xai_core::tensor::Positions;

/// The neighbours of a pixel, `(row, column, weight)`, the weight in units of 1/12.
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

/// How many of them come before the pixel in row-major order.
const N_BEFORE: usize = 4;

/// Share of what the incomplete factor leaves out that goes to its diagonal. All of it could make a
/// pivot 0.
const RELAXATION: f64 = 0.995;

/// The residual, as a share of the right-hand side, at which a solution is taken.
const TOLERANCE: f64 = 1e-12;

/// More steps than any image needs: 112 for a disk of 99 % of 224 × 224 pixels.
const MOST_STEPS: usize = 10_000;

/// Channels of images that are solved for together: a step waits for the pixel before, and takes hardly longer for
/// as many numbers as the widest registers hold.
pub(crate) const MOST_LANES: usize = 8;

/// In the numbers of unknowns: a pixel that is known.
const KNOWN: u32 = u32::MAX - 1;

/// In the numbers of unknowns: a place around the image.
const OUTSIDE: u32 = u32::MAX;

/// The rows and columns of the pixels of an image, and where their channels are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Image {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) places: Positions,
}

/// One channel of one of some images: where its elements are.
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
    /// Sets missing pixels of some images, ascending and not all of an image, to the weighted mean of their neighbours
    /// inside of the image, known or missing: 1/6 for those in line, 1/12 for those across, as far as they are there.
    /// The images stand one after another; what comes of one does not depend on the others, to the last bit.
    pub(crate) fn impute<T: Real>(self, values: &mut [T], missing: &[Vec<u32>]) {
        let size = self.places.size();
        let element = |pixel| self.places.elements(pixel);
        let step = element(1).next().unwrap_or_default();
        let channels_of = |image: usize| {
            element(0).map(move |of_channel| Channel {
                image,
                first: image * size + of_channel,
                step,
            })
        };
        let with_missing = (0..missing.len()).filter(|&image| !missing[image].is_empty());
        let channels: Vec<Channel> = with_missing.flat_map(channels_of).collect();
        let of_images = || channels.chunk_by(|a, b| a.image == b.image);
        let alone = || of_images().flat_map(|of_image| of_image.chunks(MOST_LANES));
        let cost = |parts: &mut dyn Iterator<Item = &[Channel]>| -> usize {
            parts.map(|part| self.cost(missing, part)).sum()
        };
        let together = cost(&mut channels.chunks(MOST_LANES));
        let parts: Vec<&[Channel]> = match together < cost(&mut alone()) {
            true => channels.chunks(MOST_LANES).collect(),
            false => alone().collect(),
        };
        for part in parts {
            match part.len() {
                1 => System::<1>::new(self, missing, part, values).impute(part, values),
                2..=4 => System::<4>::new(self, missing, part, values).impute(part, values),
                _ => System::<MOST_LANES>::new(self, missing, part, values).impute(part, values),
            }
        }
    }

    /// About how long it takes to solve for channels together, in halves of the time of a missing pixel of one.
    fn cost(self, missing: &[Vec<u32>], channels: &[Channel]) -> usize {
        let mut is_missing = vec![false; self.places.positions];
        for of_image in channels.chunk_by(|a, b| a.image == b.image) {
            for &pixel in &missing[of_image[0].image] {
                is_missing[pixel as usize] = true;
            }
        }
        let n_missing = is_missing
            .into_iter()
            .filter(|is_missing| *is_missing)
            .count();
        let of_pixel = match channels.len() {
            1 => 2,
            2..=4 => 3,
            _ => 5,
        };
        n_missing * of_pixel
    }
}

/// The equations of the missing pixels of some channels, those of one channel in each lane.
///
/// A pixel that is missing in one of the channels has a place in all vectors. In a lane where it is known it stays 0 in
/// them, as an element that is not there: so every lane has the numbers that it would have alone.
///
/// The matrix is symmetric, and positive definite where a pixel is known. Solved by conjugate gradients
/// behind an incomplete Cholesky factor with modified diagonal. Milliseconds for three channels on one
/// thread, for pixels missing at random and for a disk of them, against a Cholesky factor in the band of the
/// matrix: 64 × 64 with 90 % missing 2 and 4 for 5 and 5; 224 × 224 with 50 % missing 18 and 60 for 124 and 184,
/// with 90 % 49 and 150 for 444 and 475. That was before channels of several images were solved together.
struct System<const L: usize> {
    /// The pixels that are missing in any lane, ascending.
    missing: Vec<u32>,
    /// Of every missing pixel, the sum of the weights of its neighbours.
    diagonal: Vec<f64>,
    /// Of every missing pixel, its neighbours among the missing; as many as there are for others, where vectors
    /// have one more element of 0.
    around: Vec<[u32; 8]>,
    /// The inverse pivots of the factor, 0 where a pixel is known; before, 1 where it is missing.
    pivots: Vec<[f64; L]>,
    /// The known pixels of the image, 0 where one is missing, with places around it that are 0.
    known: Vec<[f64; L]>,
    /// Of every missing pixel, its place among them.
    places: Vec<usize>,
    /// How far the neighbours of a place are.
    distances: [isize; 8],
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
        let distances = NEIGHBORS.map(|(down, right, _)| down * width as isize + right);
        let place = |pixel: u32| {
            let pixel = pixel as usize;
            (pixel / columns + 1) * width + pixel % columns + 1
        };
        let mut lanes_missing = vec![0u8; rows * columns];
        for (lane, channel) in channels.iter().enumerate() {
            for &pixel in &missing_of[channel.image] {
                lanes_missing[pixel as usize] |= 1 << lane;
            }
        }
        let mut unknown_of = vec![OUTSIDE; (rows + 2) * width];
        let mut known = vec![[0.0; L]; (rows + 2) * width];
        let (mut missing, mut pivots) = (Vec::new(), Vec::new());
        for (pixel, &lanes) in (0u32..).zip(&lanes_missing) {
            let is_missing = |lane: usize| lanes >> lane & 1 != 0;
            for (lane, channel) in channels.iter().enumerate() {
                let value = values[channel.element(pixel)].to_f64_exact();
                known[place(pixel)][lane] = if is_missing(lane) { 0.0 } else { value };
            }
            unknown_of[place(pixel)] = KNOWN;
            if lanes != 0 {
                unknown_of[place(pixel)] = missing.len() as u32;
                missing.push(pixel);
                pivots.push(std::array::from_fn(|lane| {
                    f64::from(u8::from(is_missing(lane)))
                }));
            }
        }
        let n = missing.len();
        pivots.push([0.0; L]);
        let mut system = Self {
            diagonal: Vec::with_capacity(n),
            around: Vec::with_capacity(n),
            places: missing.iter().map(|&pixel| place(pixel)).collect(),
            missing,
            pivots,
            known,
            distances,
        };
        for place in &system.places {
            let unknown = |distance| unknown_of[place.wrapping_add_signed(distance)];
            let around = distances.map(unknown);
            let weight = |(unknown, (_, _, weight))| match unknown {
                OUTSIDE => 0.0,
                _ => weight,
            };
            system
                .diagonal
                .push(around.into_iter().zip(NEIGHBORS).map(weight).sum());
            system
                .around
                .push(around.map(|unknown| unknown.min(n as u32)));
        }
        system
    }

    /// Imputes the channels.
    fn impute<T: Real>(self, channels: &[Channel], values: &mut [T]) {
        let (system, solution, units) = InstructionSet::fastest().run(Solve(self));
        let pixels = system.missing.iter().zip(&system.pivots).zip(&solution);
        for ((&pixel, pivot), solution) in pixels {
            for (lane, channel) in channels.iter().enumerate() {
                if pivot[lane] != 0.0 {
                    let value = solution[lane] * units[lane];
                    values[channel.element(pixel)] = T::from_f64_nearest(value);
                }
            }
        }
    }

    /// The weighted sums of the known neighbours of every missing pixel and their mean over all, in units
    /// in which no square overflows: powers of two near the largest of them, which round nothing.
    #[inline(always)]
    fn right_hand_sides(&mut self) -> (Vec<[f64; L]>, [f64; L], [f64; L]) {
        let (mut largest, mut total) = ([0.0f64; L], [0.0; L]);
        for (i, &place) in self.places.iter().enumerate() {
            let is_missing = self.pivots[i];
            for distance in self.distances {
                let known = self.known[place.wrapping_add_signed(distance)];
                largest = std::array::from_fn(|lane| {
                    let size = known[lane].abs() * is_missing[lane];
                    if size > largest[lane] {
                        size
                    } else {
                        largest[lane]
                    }
                });
            }
            // Whole numbers, in any order.
            let unknown = weighted(&self.pivots, &self.around[i], 0..8);
            let diagonal = self.diagonal[i];
            total = std::array::from_fn(|lane| {
                total[lane] + is_missing[lane] * (diagonal - unknown[lane])
            });
        }
        let units = largest.map(|largest| {
            let exponent = (largest.to_bits() >> 52) as i32 - 1023;
            2f64.powi(exponent.clamp(-1000, 1000))
        });
        let per_unit = units.map(|unit| 1.0 / unit);
        let (mut right, mut start) = (vec![[0.0; L]; self.pivots.len()], [0.0; L]);
        for (i, &place) in self.places.iter().enumerate() {
            let is_missing = self.pivots[i];
            let mut sum = [0.0; L];
            for (distance, (_, _, weight)) in self.distances.into_iter().zip(NEIGHBORS) {
                let known = self.known[place.wrapping_add_signed(distance)];
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
            std::array::from_fn(|lane| start[lane] / total[lane]),
            units,
        )
    }

    /// Pivots such that the product of the factors has nearly the matrix's sums of rows; before, they are 1 where a pixel
    /// is missing.
    #[inline(always)]
    fn factor(&mut self) {
        let behind = |around| weighted(&self.pivots, around, N_BEFORE..8);
        let behind: Vec<[f64; L]> = self.around.iter().map(behind).collect();
        for (i, (around, diagonal)) in self.around.iter().zip(&self.diagonal).enumerate() {
            let mut pivot = [*diagonal; L];
            for (&other, (_, _, weight)) in around[..N_BEFORE].iter().zip(NEIGHBORS) {
                let other = other as usize;
                if other == self.missing.len() {
                    continue;
                }
                for lane in 0..L {
                    let left_out = RELAXATION * (behind[other][lane] - weight);
                    pivot[lane] -= weight * self.pivots[other][lane] * (weight + left_out);
                }
            }
            let is_missing = self.pivots[i];
            self.pivots[i] = std::array::from_fn(|lane| match is_missing[lane] == 0.0 {
                true => 0.0,
                false => 1.0 / pivot[lane],
            });
        }
    }

    /// The matrix times a vector, and the sum of their products. Where a pixel is known the product is anything.
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

    /// Goes a step, and solves with the lower half of the incomplete factor for the residual that is left. The sums
    /// of its squares, and of its products with what the whole factor would make of it.
    #[inline(always)]
    fn forward(&self, state: &mut State<L>, step: [f64; L]) -> ([f64; L], [f64; L]) {
        let (mut left, mut slope) = ([0.0; L], [0.0; L]);
        for (i, (around, pivot)) in self.around.iter().zip(&self.pivots).enumerate() {
            // Whole arrays, which compilers keep in registers; numbers that are changed one by one they do not.
            let before = weighted(&state.ahead, around, 0..N_BEFORE);
            let (direction, product) = (state.direction[i], state.product[i]);
            let (x, residual) = (state.x[i], state.residual[i]);
            state.x[i] = std::array::from_fn(|lane| x[lane] + step[lane] * direction[lane]);
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

    /// Solves with the upper half, and turns the direction.
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

/// Conjugate gradients from the mean of the known neighbours: a constant image is solved before the
/// first step. The system, its solution and the units of that.
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
        let limit = limit.map(|square| square * (TOLERANCE * TOLERANCE));
        let mut state = State::new(right, start, &system.pivots);
        system.multiply(&state.x, &mut state.product);
        for (residual, product) in state.residual.iter_mut().zip(&state.product) {
            *residual = std::array::from_fn(|lane| residual[lane] - product[lane]);
        }
        let (mut step, mut slope) = ([0.0; L], [f64::INFINITY; L]);
        for _ in 0..MOST_STEPS {
            let (left, next) = system.forward(&mut state, step);
            // A channel that is solved stays as it is.
            let goes_on: [bool; L] = std::array::from_fn(|lane| left[lane] > limit[lane]);
            if !goes_on.contains(&true) {
                break;
            }
            let quotient = |lane: usize, a: [f64; L], b: [f64; L]| match goes_on[lane] {
                true => a[lane] / b[lane],
                false => 0.0,
            };
            let keep = std::array::from_fn(|lane| quotient(lane, next, slope));
            system.backward(&mut state, keep);
            let curvature = system.multiply(&state.direction, &mut state.product);
            step = std::array::from_fn(|lane| quotient(lane, next, curvature));
            slope = next;
        }
        (system, state.x, units)
    }
}

/// The vectors of conjugate gradients, each with one more element of 0.
struct State<const L: usize> {
    x: Vec<[f64; L]>,
    residual: Vec<[f64; L]>,
    /// What the incomplete factor makes of the residual.
    ahead: Vec<[f64; L]>,
    direction: Vec<[f64; L]>,
    /// The matrix times the direction.
    product: Vec<[f64; L]>,
}

impl<const L: usize> State<L> {
    /// The residual is the right-hand side, still without what the start makes of it.
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

/// The weighted sum of some of the neighbours of a pixel.
#[inline(always)]
fn weighted<const L: usize>(
    x: &[[f64; L]],
    around: &[u32; 8],
    places: std::ops::Range<usize>,
) -> [f64; L] {
    let mut sum = [0.0; L];
    for place in places {
        let other = x[around[place] as usize];
        for lane in 0..L {
            sum[lane] += NEIGHBORS[place].2 * other[lane];
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use xai_core::Layout;

    fn image(rows: usize, columns: usize, channels: usize) -> Image {
        let shape = [1, rows, columns, channels];
        let places = Positions::from_shape(&shape, Layout::ChannelsLast).unwrap();
        Image {
            rows,
            columns,
            places,
        }
    }

    /// The weights of the neighbours of a pixel inside of the image, and the neighbours.
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

    /// What the equations of so many missing pixels leave at most, of the norms of the right-hand side and the
    /// solution. The solver stops at TOLERANCE of the right-hand side. The residual that it carries along parts from
    /// the true one by a rounding of the product a step, of which n are enough in exact arithmetic; no sum of a row
    /// of the matrix is above 24. The values are rounded once more.
    fn most_residual(right: f64, solution: f64, n_missing: usize) -> f64 {
        let steps = n_missing as f64 + 8.0;
        TOLERANCE * right + steps * f64::EPSILON * 24.0 * (solution + right)
    }

    /// Rows, columns, channels, and which pixels are missing: not all.
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
            let size = image.places.size();
            let mut values: Vec<f64> = (0..size).map(|i| ((i * 7919) % 101) as f64 * unit).collect();
            let before = values.clone();
            image.impute(&mut values, std::slice::from_ref(&missing));
            for pixel in (0..image.places.positions).filter(|p| !missing.contains(&(*p as u32))) {
                for element in image.places.elements(pixel) {
                    prop_assert_eq!(values[element], before[element]);
                }
            }
            let element = |pixel: usize, channel| image.places.elements(pixel).nth(channel).unwrap();
            for channel in 0..image.places.channels {
                let value = |pixel: usize| values[element(pixel, channel)] / unit;
                // Of every missing pixel: the right-hand side of its equation, what the solution leaves of it,
                // and its diagonal.
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
                let bound = most_residual(right, solution, missing.len());
                prop_assert!(residual <= bound, "{} > {}", residual, bound);
            }
        }

        #[test]
        fn images_together_are_as_each_alone((image, missing) in images(), n in 2usize..10) {
            // Of each image others are missing, of the last none.
            let of_image = |i: usize| -> Vec<u32> {
                missing.iter().copied().filter(|p| (*p as usize * 7 + i * 3) % n != n - 1 && i + 1 < n).collect()
            };
            let missing: Vec<Vec<u32>> = (0..n).map(of_image).collect();
            let size = image.places.size();
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
            let mut values = vec![value; image.places.size()];
            image.impute(&mut values, std::slice::from_ref(&missing));
            prop_assert!(values.iter().all(|v| (v - value).abs() <= 1e-12 * value.abs()));
            let mut single = vec![value as f32; image.places.size()];
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
                let pixel = i / image.places.channels;
                f64::from(a) * (pixel / columns) as f64 + f64::from(b) * (pixel % columns) as f64 + f64::from(c)
            };
            let mut values: Vec<f64> = (0..image.places.size()).map(affine).collect();
            missing.iter().for_each(|&p| image.places.elements(p as usize).for_each(|e| values[e] = f64::NAN));
            image.impute(&mut values, std::slice::from_ref(&missing));
            // An error is the inverse of the matrix times the residual. The smallest eigenvalue of the matrix is that
            // of waves over the pixels within the border, all of them missing, at most 6 by 6: with c = cos(π/7) it
            // is 12 - 8 c - 4 c² = 1.5. Where fewer are missing it is larger.
            let value = |pixel: u32| affine(pixel as usize * image.places.channels);
            let known = |&pixel: &u32| neighbors(image, pixel)
                .filter(|(_, other)| missing.binary_search(&(*other as u32)).is_err())
                .map(|(weight, other)| weight * value(other as u32))
                .sum::<f64>();
            let right = norm(missing.iter().map(known));
            let solution = norm(missing.iter().copied().map(value));
            let bound = most_residual(right, solution, missing.len()) / 1.5;
            prop_assert!(values.iter().enumerate().all(|(i, v)| (v - affine(i)).abs() <= bound));
        }
    }
}

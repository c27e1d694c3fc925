//! Explainers whose maps are averaged over noisy copies of the input.

use ndarray::{ArrayD, ArrayViewD, IxDyn};
use xai_core::number::check_finite_slice;
use xai_core::random::{normal, random_stream};
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result};

use crate::input;
use crate::model::{BoxError, Explainer, Targets};
use crate::rows::for_each_row;

/// Wraps an explainer and averages its maps over noisy copies of every input (SmoothGrad).
///
/// ```text
/// Φ(x) = mean_j φ(x + σ ν_j)      σ = magnitude · (max x − min x)      ν_j standard normal
/// ```
///
/// With the explainers of [`ModelRandomization`](crate::metric::ModelRandomization) it gives the smooth model
/// parameter randomisation test (Smooth MPRT), in which changes between two steps are not obscured by the noise of
/// the gradients. It can be used with any other metric as well.
///
/// The noise of an input must depend neither on the batch nor on the model, and an explainer does not know the
/// indices of its rows in the data set. Therefore the random stream of an input is selected by a hash of its bits and
/// by the seed: equal inputs get equal noise in any batch, at any position, for any model, and in single and double
/// precision. (Passing sample indices to explainers would have changed the interface of all of them, and neighbours
/// of a sample have no index.) An input that differs in a single bit gets different noise, so robustness metrics of a
/// smoothed explainer include the noise that averaging leaves.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::model::{Explainer, Smoothed, Targets};
/// let squares = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| v * v))
/// };
/// let x = array![[0.0, 2.0], [3.0, 3.0]].into_dyn();
/// let noise = array![[[0.5, 1.0], [0.5, 1.0]], [[-0.5, -1.0], [-0.5, -1.0]]].into_dyn();
/// let smoothed = Smoothed::with_noise(squares, noise, 0.5)?; // σ is 1 and 0
/// let maps = smoothed.explain(x.view(), &Targets::Classes(vec![0, 0])).unwrap();
/// assert_eq!(maps, array![[0.25, 5.0], [9.0, 9.0]].into_dyn());
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The wrapped explainer is called with every input once per copy.
///
/// # Source
/// Smilkov et al., *SmoothGrad: removing noise by adding noise*, 2017; Hedström et al., *Sanity Checks
/// Revisited: An Exploration to Repair the Model Parameter Randomisation Test*, 2023. Quantus' `SmoothMPRT`
/// draws other noise for every model, so that the original differs from itself, and leaves the last copy unchanged:
/// use [`with_noise`](Self::with_noise) with zeros as the last draw to reproduce that.
#[derive(Clone)]
pub struct Smoothed<X> {
    explainer: X,
    noise: Noise,
    magnitude: f64,
}

/// Source of the noise.
#[derive(Clone)]
enum Noise {
    /// `n` random draws per input.
    Random { n: usize, seed: u64 },
    /// Given noise of shape `(draws, rows, …)`.
    Given(ArrayD<f64>),
}

impl<X> Smoothed<X> {
    /// Creates an explainer that averages over `n` noisy copies, at least 1.
    ///
    /// # Errors
    /// An invalid parameter for `n` = 0, or for a magnitude that is negative or not finite.
    pub fn new(explainer: X, n: usize, magnitude: f64, seed: u64) -> Result<Self> {
        if n == 0 {
            return Err(Error::parameter(input::N_COPIES, n, "at least 1"));
        }
        Self::with(explainer, Noise::Random { n, seed }, magnitude)
    }

    /// Creates an explainer that averages over given noise of shape `(draws, n, …)`, with the axes of one input or
    /// its elements in row-major order at the end. Row `i` of every call gets the noise of sample `i`, so all samples
    /// have to be in one batch.
    ///
    /// # Errors
    /// An invalid parameter for a magnitude that is negative or not finite; a shape mismatch for noise with fewer than
    /// two axes or without elements; NaN or infinity in the noise.
    pub fn with_noise(explainer: X, noise: ArrayD<f64>, magnitude: f64) -> Result<Self> {
        if noise.ndim() < 2 || noise.is_empty() {
            let expected = "(draws, samples, elements), at least one of each";
            return Err(Error::shape_described(
                input::NOISE,
                expected,
                noise.shape(),
            ));
        }
        xai_core::number::check_finite(input::NOISE, noise.view())?;
        let noise = noise.as_standard_layout().into_owned();
        Self::with(explainer, Noise::Given(noise), magnitude)
    }

    fn with(explainer: X, noise: Noise, magnitude: f64) -> Result<Self> {
        if !(magnitude >= 0.0 && magnitude.is_finite()) {
            let expected = "a finite number, at least 0";
            return Err(Error::parameter(input::MAGNITUDE, magnitude, expected));
        }
        Ok(Self {
            explainer,
            noise,
            magnitude,
        })
    }
}

/// Omits the explainer, because closures have no `Debug`.
impl<X> std::fmt::Debug for Smoothed<X> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("Smoothed");
        match &self.noise {
            Noise::Random { n, seed } => text.field("n", n).field("seed", seed),
            Noise::Given(noise) => text.field("noise", &noise.shape()),
        };
        text.field("magnitude", &self.magnitude)
            .finish_non_exhaustive()
    }
}

impl Noise {
    /// Number of copies of `rows` inputs of `size` elements.
    fn n_copies(&self, rows: usize, size: usize) -> Result<usize> {
        match self {
            Self::Random { n, .. } => Ok(*n),
            Self::Given(noise) => match noise.shape() {
                [draws, n, rest @ ..] if *n == rows && rest.iter().product::<usize>() == size => {
                    Ok(*draws)
                }
                shape => {
                    let expected = format!("(draws, {rows} samples in one call, {size} elements)");
                    Err(Error::shape_described(input::NOISE, expected, shape))
                }
            },
        }
    }

    /// Writes one noisy copy of a row.
    fn write_copy(
        &self,
        copy: usize,
        (row, n_rows): (usize, usize),
        buffers: CopyBuffers<'_, impl Real>,
    ) {
        let elements = buffers.to.iter_mut().zip(buffers.from);
        let moved = |from: f64, noise: f64| from + buffers.sigma * noise;
        match self {
            Self::Random { seed, .. } => {
                let item = buffers.hash.wrapping_add(copy as u64);
                let mut stream = random_stream(*seed, item);
                for (to, from) in elements {
                    *to = Real::from_f64_nearest(moved(from.to_f64_exact(), normal(&mut stream)));
                }
            }
            Self::Given(noise) => {
                let size = buffers.from.len();
                let start = (copy * n_rows + row) * size;
                // `with_noise` has made it contiguous.
                let noise = noise.as_slice().unwrap_or_default();
                for ((to, from), noise) in elements.zip(&noise[start..start + size]) {
                    *to = Real::from_f64_nearest(moved(from.to_f64_exact(), *noise));
                }
            }
        }
    }
}

/// An input and the buffer for a noisy copy of it.
struct CopyBuffers<'a, T> {
    to: &'a mut [T],
    from: &'a [T],
    sigma: f64,
    hash: u64,
}

/// Hash of the values in order, which selects the random stream. 0 and −0 have the same hash.
fn hash<T: Real>(values: &[T]) -> u64 {
    values.iter().fold(0, |hash: u64, value| {
        // Adding 0 turns −0 into 0. Widening to f64 is exact, so both precisions have the same bits.
        let bits = (value.to_f64_exact() + 0.0).to_bits();
        // The multiplier is 2^64 divided by the golden ratio, which spreads the hashes of similar inputs.
        (hash.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// Difference between the largest and the smallest value.
fn range<T: Real>(values: &[T]) -> f64 {
    let ends = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |ends, x| {
            let x = x.to_f64_exact();
            (ends.0.min(x), ends.1.max(x))
        });
    ends.1 - ends.0
}

impl<T: Real, X: Explainer<T>> Explainer<T> for Smoothed<X> {
    fn explain(&self, inputs: ArrayViewD<'_, T>, targets: &Targets) -> Result<ArrayD<T>, BoxError> {
        let shape = inputs.shape().to_vec();
        let rows = Rows::from_samples(inputs);
        let (n_rows, size) = (rows.n_rows(), rows.n_columns());
        let n_copies = self.noise.n_copies(n_rows, size)?;
        let sigma_and_hash = |row: usize| {
            let values = rows.row(row);
            (self.magnitude * range(values), hash(values))
        };
        let sigmas_and_hashes: Vec<(f64, u64)> = (0..n_rows).map(sigma_and_hash).collect();
        let (mut sums, mut map_shape) = (Vec::new(), Vec::new());
        let mut copies = vec![T::ZERO; n_rows * size];
        // One call of the explainer per copy, so that no call has more rows than the batch of the caller.
        for copy in 0..n_copies {
            for_each_row(&mut copies, size.max(1), |row, to| {
                let (from, (sigma, hash)) = (rows.row(row), sigmas_and_hashes[row]);
                let buffers = CopyBuffers {
                    to,
                    from,
                    sigma,
                    hash,
                };
                self.noise.write_copy(copy, (row, n_rows), buffers);
            });
            check_finite_slice(input::NOISE, &copies)?;
            let view = ArrayViewD::from_shape(IxDyn(&shape), &copies)?;
            let maps = self.explainer.explain(view, targets)?;
            if copy == 0 {
                map_shape = maps.shape().to_vec();
                sums = vec![0.0; maps.len()];
            } else if maps.shape() != map_shape {
                return Err(Error::shape(input::EXPLANATIONS, &map_shape, maps.shape()).into());
            }
            // Maps of the copies are added one by one in a fixed order, so that sums do not depend on the batch.
            for (sum, map) in sums.iter_mut().zip(&maps) {
                *sum += map.to_f64_exact();
            }
        }
        let mean = |sum: f64| T::from_f64_nearest(sum / n_copies as f64);
        let means = sums.into_iter().map(mean).collect();
        Ok(ArrayD::from_shape_vec(IxDyn(&map_shape), means)?)
    }
}

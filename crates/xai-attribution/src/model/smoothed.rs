//! Explainers whose maps are averaged over noisy copies of the input.

use ndarray::{ArrayD, ArrayViewD, IxDyn};
use xai_core::number::check_finite_slice;
use xai_core::random::{normal, random_stream};
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result};

use crate::input;
use crate::model::{BoxError, Explainer, Targets};
use crate::rows::for_each_row;

/// An explainer that answers the mean of another's maps over noisy copies of every input.
///
/// ```text
/// Φ(x) = mean_j φ(x + σ ν_j)      σ = magnitude · (max x − min x)      ν_j standard normal
/// ```
///
/// As the explainers of a [`ModelRandomization`](crate::metric::ModelRandomization) it makes the smooth
/// parameter randomization test (Smooth MPRT): what changes between two steps is then not the noise of
/// the gradients. It is also SmoothGrad, for any other metric.
///
/// An explainer sees batches and not where their rows stand in the data set; and the noise must depend
/// neither on the batch nor on the model. So the noise of an input is drawn from a stream that the bits of
/// the input and the seed determine: an equal input has equal noise in any batch, at any place, for
/// any model, in single or double precision. The other way, telling explainers the numbers of the
/// samples, would have changed what every explainer is given, for the sake of this one; and neighbours
/// of a sample have no numbers. An input that moves by the least bit has other noise: what a robustness
/// metric says of a smoothed explainer includes what is left of it.
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
/// The explainer sees every input as often as there are copies.
///
/// # Source
/// Smilkov et al., *SmoothGrad: removing noise by adding noise*, 2017; Hedström et al., *Sanity Checks
/// Revisited: An Exploration to Repair the Model Parameter Randomisation Test*, 2023. Quantus' `SmoothMPRT`
/// draws other noise for every model, so that the original differs from itself, and leaves the last copy
/// as it is: [`given`](Self::given) noise, zeros last.
#[derive(Clone)]
pub struct Smoothed<X> {
    explainer: X,
    noise: Noise,
    magnitude: f64,
}

/// Where noise comes from.
#[derive(Clone)]
enum Noise {
    /// So many draws of each input, from streams under a seed.
    Drawn { n: usize, seed: u64 },
    /// `(draws, rows, …)`
    Given(ArrayD<f64>),
}

impl<X> Smoothed<X> {
    /// The mean over `n` noisy copies, at least 1.
    ///
    /// # Errors
    /// An invalid parameter without copies, or for a magnitude that is negative or not finite.
    pub fn new(explainer: X, n: usize, magnitude: f64, seed: u64) -> Result<Self> {
        if n == 0 {
            return Err(Error::parameter(input::N_COPIES, n, "at least 1"));
        }
        Self::with(explainer, Noise::Drawn { n, seed }, magnitude)
    }

    /// The mean over noise that was drawn elsewhere, `(draws, n, …)` with the axes of one input, or its
    /// elements in row-major order, behind. Row `i` of every call is given the noise of sample `i`: all
    /// samples have to be one batch.
    ///
    /// # Errors
    /// As [`new`](Self::new); a shape mismatch for noise with fewer than two axes, not finite.
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

/// Of any explainer: closures cannot be shown.
impl<X> std::fmt::Debug for Smoothed<X> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("Smoothed");
        match &self.noise {
            Noise::Drawn { n, seed } => text.field("n", n).field("seed", seed),
            Noise::Given(noise) => text.field("noise", &noise.shape()),
        };
        text.field("magnitude", &self.magnitude)
            .finish_non_exhaustive()
    }
}

impl Noise {
    /// The number of copies of each of so many rows of so many elements.
    fn n_copies(&self, rows: usize, size: usize) -> Result<usize> {
        match self {
            Self::Drawn { n, .. } => Ok(*n),
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

    /// Visits the noise of one copy of a row, element by element.
    fn of_row(&self, copy: usize, (row, n_rows): (usize, usize), row_of: Row<'_, impl Real>) {
        let elements = row_of.to.iter_mut().zip(row_of.from);
        let moved = |from: f64, noise: f64| from + row_of.sigma * noise;
        match self {
            Self::Drawn { seed, .. } => {
                let item = row_of.hash.wrapping_add(copy as u64);
                let mut stream = random_stream(*seed, item);
                for (to, from) in elements {
                    *to = Real::from_f64_nearest(moved(from.to_f64_exact(), normal(&mut stream)));
                }
            }
            Self::Given(noise) => {
                let size = row_of.from.len();
                let start = (copy * n_rows + row) * size;
                let noise = noise.as_slice().unwrap_or_default();
                for ((to, from), noise) in elements.zip(&noise[start..start + size]) {
                    *to = Real::from_f64_nearest(moved(from.to_f64_exact(), *noise));
                }
            }
        }
    }
}

/// One input, and where a copy of it goes.
struct Row<'a, T> {
    to: &'a mut [T],
    from: &'a [T],
    sigma: f64,
    hash: u64,
}

/// What the noise of an input depends on: its values, in order. 0 and −0 are one.
fn hash_of<T: Real>(values: &[T]) -> u64 {
    values.iter().fold(0, |hash: u64, value| {
        let bits = (value.to_f64_exact() + 0.0).to_bits();
        (hash.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    })
}

/// The largest less the smallest value.
fn range_of<T: Real>(values: &[T]) -> f64 {
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
        let of_row = |row: usize| {
            let values = rows.row(row);
            (self.magnitude * range_of(values), hash_of(values))
        };
        let of_rows: Vec<(f64, u64)> = (0..n_rows).map(of_row).collect();
        let (mut sums, mut map_shape) = (Vec::new(), Vec::new());
        let mut copies = vec![T::zero(); n_rows * size];
        for copy in 0..n_copies {
            for_each_row(&mut copies, size.max(1), |row, to| {
                let (from, (sigma, hash)) = (rows.row(row), of_rows[row]);
                let row_of = Row {
                    to,
                    from,
                    sigma,
                    hash,
                };
                self.noise.of_row(copy, (row, n_rows), row_of);
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
            // The copies of one input are added in their order, whatever the batch.
            for (sum, map) in sums.iter_mut().zip(&maps) {
                *sum += map.to_f64_exact();
            }
        }
        let mean = |sum: f64| T::from_f64_nearest(sum / n_copies as f64);
        let means = sums.into_iter().map(mean).collect();
        Ok(ArrayD::from_shape_vec(IxDyn(&map_shape), means)?)
    }
}

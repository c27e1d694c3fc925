//! Stability of an explainer under small changes of its input.

use std::sync::Arc;

use ndarray::{ArrayD, ArrayViewD, IxDyn};
use xai_core::{Error, Real, Result, check_finite_slice, parallel, random_stream, uniform};

use crate::explainer::{Explained, checked_maps};
use crate::places::for_each_row;
use crate::samples::{checked_batch, of_sample};
use crate::{CompletedScores, EvaluationError, Explainer, IntoTargets, SampleScores, Samples};

/// How far apart two maps are, in [`Stability`]. Both come flattened in row-major order.
#[derive(Clone, Default)]
#[non_exhaustive]
pub enum MapDistance {
    /// `Σ |a − b|`.
    L1,
    /// `√Σ (a − b)²`.
    #[default]
    L2,
    /// A function of the caller's.
    Function(MapDistanceFunction),
}

/// A distance of two flattened maps.
pub type MapDistanceFunction = Arc<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

impl MapDistance {
    /// A distance of one's own.
    pub fn from_fn(distance: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self::Function(Arc::new(distance))
    }

    fn between(&self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = a.iter().zip(b);
        match self {
            Self::L1 => pairs.map(|(a, b)| (a - b).abs()).sum(),
            Self::L2 => pairs.map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt(),
            Self::Function(distance) => distance(a, b),
        }
    }
}

impl std::fmt::Debug for MapDistance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::Function(_) => "Function(..)",
        })
    }
}

/// Where the neighbours of [`Stability`] are drawn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Neighborhood {
    /// Every element grows by a uniform number in [0, radius): what the peer draws.
    #[default]
    Above,
    /// Every element moves by a uniform number in [−radius, radius): a cube around the input.
    Around,
}

/// How far an explanation moves when its input moves a little.
///
/// ```text
/// average_i = mean_j D(Φ(x_i), Φ(x_i + ν_ij))      maximum_i = max_j D(Φ(x_i), Φ(x_i + ν_ij))
/// ```
///
/// over `n_neighbors` noisy copies of every input; **lower is better**, 0 = the explanation does not
/// move. A map that never changes is perfectly stable and says nothing: read it together with a
/// faithfulness metric. Distances have the unit of the maps, so only maps of one scale compare.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::{MapDistance, Stability, Targets};
/// // The map is twice the input: a neighbour within 0.1 has a map within 0.2 an element.
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let of = Stability::new().distance(MapDistance::L1).evaluate(&twice, x.view(), &[0, 1])?;
/// assert!(of.average.value > 0.1 && of.average.value < 0.3); // expected 2 · 2 · 0.05
/// assert!(of.maximum.value > of.average.value && of.maximum.value < 0.4);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020, definition 2
/// (average), and Yeh et al., *On the (In)fidelity and Sensitivity of Explanations*, 2019
/// (maximum). Xplique's `AverageStability` adds the same noise to every input; here each has its
/// own.
#[derive(Debug, Clone)]
pub struct Stability {
    radius: f64,
    n_neighbors: usize,
    distance: MapDistance,
    neighborhood: Neighborhood,
    seed: u64,
    batch_size: usize,
}

impl Default for Stability {
    fn default() -> Self {
        Self {
            radius: 0.1,
            n_neighbors: 20,
            distance: MapDistance::default(),
            neighborhood: Neighborhood::default(),
            seed: 1,
            batch_size: 64,
        }
    }
}

/// The stability of an explainer, sample by sample.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StabilityScores {
    /// The mean distance over the neighbours; its value is the mean over samples.
    pub average: SampleScores,
    /// The largest distance over the neighbours; its value is the mean over samples.
    pub maximum: SampleScores,
}

impl Stability {
    /// 20 neighbours within 0.1, distance L2, seed 1, batches of 64.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The largest change of an element, positive, in the unit of the inputs.
    #[must_use]
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = radius;
        self
    }

    /// The number of neighbours of each input, at least 1.
    #[must_use]
    pub fn n_neighbors(mut self, n_neighbors: usize) -> Self {
        self.n_neighbors = n_neighbors;
        self
    }

    /// How far apart two maps are.
    #[must_use]
    pub fn distance(mut self, distance: MapDistance) -> Self {
        self.distance = distance;
        self
    }

    /// Where the neighbours are drawn.
    #[must_use]
    pub fn neighborhood(mut self, neighborhood: Neighborhood) -> Self {
        self.neighborhood = neighborhood;
        self
    }

    /// What the neighbours depend on.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The largest number of inputs the explainer is called with, at least 1.
    #[must_use]
    pub fn batch_size(mut self, batch_size: usize) -> Self {
        self.batch_size = batch_size;
        self
    }

    /// The stability of an explainer on some inputs, with `targets` class indices `(n,)` or rows
    /// `(n, n_outputs)`. The explainer sees `n · (1 + n_neighbors)` inputs.
    ///
    /// # Errors
    /// [`Error::InvalidParameter`] for a parameter outside its domain, [`Error::ShapeMismatch`],
    /// [`Error::Empty`], [`Error::NonFinite`] for inputs, maps or a distance that is not finite,
    /// and [`Error::Model`] with the explainer's own error; with the distances
    /// [computed until then](EvaluationError::completed).
    pub fn evaluate<T: Real>(
        &self,
        explainer: &dyn Explainer<T>,
        inputs: impl Samples<T>,
        targets: &(impl IntoTargets + ?Sized),
    ) -> Result<StabilityScores, EvaluationError> {
        if !(self.radius > 0.0 && self.radius.is_finite()) {
            let expected = "a positive, finite number";
            return Err(Error::parameter("radius", self.radius, expected).into());
        }
        if !(1..=1 << 24).contains(&self.n_neighbors) {
            let n = self.n_neighbors;
            return Err(Error::parameter("n_neighbors", n, "1 to 16 777 216").into());
        }
        let targets = targets.to_targets()?;
        let explained = Explained::new(&inputs, &targets, self.batch_size)?;
        let (mut average, mut maximum) = (Vec::new(), Vec::new());
        for samples in explained.batches() {
            let n = samples.len();
            match self.distances(explainer, &explained, samples) {
                Ok(distances) => {
                    for of_sample in distances.chunks_exact(self.n_neighbors) {
                        #[allow(clippy::cast_precision_loss)] // exact below 2^53 neighbours
                        let mean = of_sample.iter().sum::<f64>() / self.n_neighbors as f64;
                        average.push(Some(mean));
                        maximum.push(Some(of_sample.iter().copied().fold(0.0, f64::max)));
                    }
                    debug_assert_eq!(distances.len(), n * self.n_neighbors);
                }
                Err(error) => {
                    let completed = |score: &str, mut per_sample: Vec<Option<f64>>| {
                        per_sample.resize(explained.n_samples(), None);
                        CompletedScores {
                            explainer: None,
                            score: score.into(),
                            per_sample,
                        }
                    };
                    return Err(EvaluationError::new(error).with_completed(vec![
                        completed("average_stability", average),
                        completed("maximum_stability", maximum),
                    ]));
                }
            }
        }
        Ok(StabilityScores {
            average: SampleScores::of(average)?,
            maximum: SampleScores::of(maximum)?,
        })
    }

    /// The distances of a batch: sample by sample, neighbour by neighbour.
    fn distances<T: Real>(
        &self,
        explainer: &dyn Explainer<T>,
        explained: &Explained<'_, T>,
        samples: std::ops::Range<usize>,
    ) -> Result<Vec<f64>> {
        let targets = explained.targets.select(samples.clone());
        let maps = explained.explain(explainer, samples.clone(), &targets)?;
        let inputs = checked_batch("inputs", explained.inputs, samples.clone())?;
        let (inputs, maps) = (
            inputs.as_slice().unwrap_or_default(),
            maps.as_slice().unwrap_or_default(),
        );
        let (n_neighbors, n) = (self.n_neighbors, samples.len());
        let (size, map_size) = (inputs.len() / n, maps.len() / n);
        let double = |values: &[T]| {
            values
                .iter()
                .map(|x| x.to_f64_exact())
                .collect::<Vec<f64>>()
        };
        let mut distances = Vec::with_capacity(n * n_neighbors);
        let mut shape = explained.inputs.shape().to_vec();
        for first in (0..n * n_neighbors).step_by(self.batch_size) {
            let rows = self.batch_size.min(n * n_neighbors - first);
            let mut neighbors = vec![T::zero(); rows * size];
            for_each_row(&mut neighbors, size, |row, values| {
                let sample = (first + row) / n_neighbors;
                let item = samples.start * n_neighbors + first + row;
                let mut stream = random_stream(self.seed, item as u64);
                let input = &inputs[sample * size..(sample + 1) * size];
                for (to, &from) in values.iter_mut().zip(input) {
                    let noise = match self.neighborhood {
                        Neighborhood::Above => uniform(&mut stream),
                        Neighborhood::Around => 2.0 * uniform(&mut stream) - 1.0,
                    };
                    *to = from + T::from_f64_nearest(self.radius * noise);
                }
            });
            // A radius beyond the precision of the inputs.
            check_finite_slice("neighbours", &neighbors)?;
            shape[0] = rows;
            let of_rows: Vec<usize> = (first..first + rows).map(|row| row / n_neighbors).collect();
            let view = ArrayViewD::from_shape(IxDyn(&shape), &neighbors)
                .map_err(|_| Error::shape("inputs", &shape, &[neighbors.len()]))?;
            let answer = explainer.explain(view, &targets.gather(&of_rows));
            let what = format!(
                "neighbours of samples {}..{}",
                samples.start + of_rows[0],
                samples.start + of_rows[rows - 1] + 1
            );
            let answer: ArrayD<T> = checked_maps(answer, rows, &what)?;
            if answer.len() != rows * map_size {
                return Err(Error::shape(
                    format!("explanations of {what}"),
                    &[rows, map_size],
                    &[rows, answer.len() / rows],
                ));
            }
            let answer = answer.as_slice().unwrap_or_default();
            let of_call = parallel::map(rows, |row| {
                let sample = of_rows[row];
                let map = &maps[sample * map_size..(sample + 1) * map_size];
                let neighbor = &answer[row * map_size..(row + 1) * map_size];
                self.distance.between(&double(map), &double(neighbor))
            });
            if let Some(row) = of_call.iter().position(|d| !d.is_finite()) {
                let error = Error::NonFinite {
                    what: "distance of the maps of a neighbour".into(),
                    index: vec![of_rows[row]],
                };
                return Err(of_sample(error, samples.start));
            }
            distances.extend(of_call);
        }
        Ok(distances)
    }
}

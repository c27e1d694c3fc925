//! Infidelity.

use std::sync::OnceLock;

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::number::power_of_two;
use xai_core::tensor::{Positions, Rows};
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::input;
use crate::metric::{GivenDraws, Measure, Registered, SCORE_NEEDS};
use crate::perturbation::neighborhood::neighbors::AT_ONCE;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::removal::single_removal::Squares;
use crate::perturbation::{
    Baseline, Features, NeighborDrops, Neighborhood, Neighbors, SingleRemoval, SquareRemoval,
};

/// Mean squared difference between the change that the map predicts and the change of the score.
///
/// ```text
/// INFD_i = mean over I of ( β Σ I ⊙ a  −  (g(f, x_i) − g(f, x_i − I)) )²
/// ```
///
/// In [0, ∞), **lower is better**; in squared units of the score. A perturbation `I` sets one patch, or
/// one square, to the baseline and leaves all else ([`Perturbation`]), or is noise. What `Σ I ⊙ a`
/// means depends on what the values of the map stand for ([`MapKind`]): of a map of gradients they are
/// multiplied by the change of each element; of contributions (integrated gradients, Shapley values,
/// input times gradient) those that changed are summed. β is 1, or makes the error of each sample
/// least ([`Scaling`]), so that the size of a map does not count; a sample with sums of zero only then has
/// no value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{Infidelity, MapKind};
/// use xai_attribution::Evaluate;
/// let twice = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap() * 2.0)
/// };
/// let x = array![[3.0, 1.0]].into_dyn();
/// let (contributions, gradient) = (x.mapv(|v| 2.0 * v), x.mapv(|_| 2.0));
/// let metric = Infidelity::new();
/// assert_eq!(metric.evaluate(&twice, x.view(), &[0], contributions.view())?.value, 0.0);
/// // A gradient taken for contributions is off by 6 − 2 without the first, by 2 − 2 without the second.
/// assert_eq!(metric.evaluate(&twice, x.view(), &[0], gradient.view())?.value, 8.0);
/// let metric = metric.map_kind(Some(MapKind::Gradient));
/// assert_eq!(metric.evaluate(&twice, x.view(), &[0], gradient.view())?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + perturbations)` rows, the same for all explainers.
///
/// Defaults: patches of 4 × 4 positions, baseline 0, maps of contributions, as they are.
///
/// # Extremes
/// 0: the map says exactly what every change does to the score. There is no upper end: the unit is that of the score,
/// squared.
///
/// # Limits
/// A map in another unit than the score is far off though its order is right (the scaling `optimal-beta` takes the best
/// factor). Values of two models do not compare.
///
/// # Source
/// Yeh et al., *On the (In)fidelity and Sensitivity of Explanations*, 2019.
///
/// Their code has squares of 1 to 10 pixels with sums over the square, normal noise with products, and the best β; the
/// kinds of map go with the perturbations unless [`map_kind`](Infidelity::map_kind) says otherwise. Captum's numbers come
/// with [`Perturbation::Given`], its `normalize` is [`Scaling::OptimalBeta`]. Quantus' cannot be had: it leaves every
/// patch removed when it goes on to the next, and takes any map for gradients.
///
/// # Elsewhere
/// `captum.infidelity`, `quantus.Infidelity`
#[metric(
    name = "infidelity",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = SCORE_NEEDS,
    example = 0.0002,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Infidelity {
    /// How inputs are changed: one feature or square at a time, or by noise.
    #[param(default = Perturbation::Features(Features::Patches(4)))]
    perturbation: Perturbation,
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// What the values of a map stand for.
    #[param(
        none = "auto",
        none_doc = "Contributions where parts of the input are removed, gradients under noise, which removes nothing."
    )]
    map_kind: Option<MapKind>,
    /// What a map is multiplied by.
    scaling: Scaling,
    /// Number of noise draws per sample.
    #[param(at_least = 1, at_most = 1 << 24, default = 20)]
    n_draws: usize,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
}

/// How the inputs of [`Infidelity`] are changed.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[non_exhaustive]
pub enum Perturbation {
    /// Every feature by itself is set to the baseline: `Features::Patches(4)` by default.
    #[param(plain)]
    Features(Features),
    /// Every square of 1 to so many positions along a side, wherever it fits, is set to the baseline.
    #[param(value_name = "LARGEST", at_least = 1)]
    Squares(usize),
    /// Normal noise of this standard deviation on all elements, drawn as often as `n_draws` says.
    #[param(value_name = "SIGMA", above = 0)]
    Gaussian {
        /// The standard deviation, positive, in the unit of the inputs.
        sigma: f64,
    },
    /// The noise of [`GivenNeighbors`](crate::perturbation::GivenNeighbors), which is added: −I.
    #[param(skip)]
    Given,
}

/// What the values of a map stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MapKind {
    /// The change of the score for each unit of change of an element. A map of one value per position has
    /// it for each channel.
    Gradient,
    /// What an element adds to the score. A map of one value per position has that of all channels.
    Contribution,
}

/// What a map is multiplied by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Scaling {
    /// 1: the map as it is.
    #[default]
    None,
    /// `Σ s d / Σ s²` of the sums `s` and drops `d` of each sample, by which its error is least.
    OptimalBeta,
}

impl Infidelity {
    fn kind(&self) -> MapKind {
        self.map_kind.unwrap_or(match self.perturbation {
            Perturbation::Features(_) | Perturbation::Squares(_) => MapKind::Contribution,
            Perturbation::Gaussian { .. } | Perturbation::Given => MapKind::Gradient,
        })
    }

    fn work(&self) -> Work {
        let baseline = || self.baseline.clone();
        let noise = |radius, neighborhood| {
            Work::Noise(Neighbors {
                radius,
                n_neighbors: self.n_draws,
                neighborhood,
                seed: self.seed,
            })
        };
        match self.perturbation {
            Perturbation::Features(features) => Work::Features(SingleRemoval {
                features,
                baseline: baseline(),
            }),
            Perturbation::Squares(largest) => Work::Squares(SquareRemoval {
                largest,
                baseline: baseline(),
            }),
            Perturbation::Gaussian { sigma } => noise(sigma, Neighborhood::Gaussian),
            Perturbation::Given => noise(0.0, Neighborhood::Given),
        }
    }

    /// The value of a sample from sums and drops.
    fn value(&self, sums: &[f64], drops: &[f64]) -> Option<f64> {
        let pairs = || sums.iter().zip(drops);
        let beta = match self.scaling {
            Scaling::None => 1.0,
            Scaling::OptimalBeta => {
                // In a unit in which no square leaves the range of `f64`.
                let largest = sums.iter().fold(0.0f64, |largest, s| largest.max(s.abs()));
                let unit = power_of_two(largest);
                let squares: f64 = sums.iter().map(|s| (s / unit).powi(2)).sum();
                let products: f64 = pairs().map(|(s, d)| s / unit * d).sum();
                (squares > 0.0).then(|| products / squares / unit)?
            }
        };
        let errors = pairs().map(|(s, d)| (beta * s - d).powi(2));
        let value = errors.sum::<f64>() / sums.len() as f64;
        value.is_finite().then_some(value)
    }
}

/// The changed inputs, which all explainers share.
enum Work {
    Features(SingleRemoval),
    Squares(SquareRemoval),
    Noise(Neighbors),
}

/// The map of one sample, element by element.
struct MapValues<'a, T> {
    map: &'a [T],
    places: Positions,
    kind: MapKind,
}

impl<T: Real> MapValues<'_, T> {
    /// The value of an element of a position. A time series may have one value per time step.
    fn of(&self, element: usize, position: usize) -> T {
        let n = self.map.len();
        let place = match () {
            () if n == self.places.size() => element,
            () => position / (self.places.positions / n),
        };
        self.map[place]
    }

    /// How many elements share a value of the map.
    fn shared_by(&self) -> f64 {
        (self.places.size() / self.map.len()) as f64
    }

    /// `Σ I ⊙ a` over some positions, from the elements before and after their change.
    fn sum(&self, positions: impl Iterator<Item = u32>, before: &[T], after: &[T]) -> f64 {
        let of_position = |position: u32| {
            let position = position as usize;
            let of_element = |element: usize| match self.kind {
                MapKind::Gradient => {
                    let change = before[element].to_f64_exact() - after[element].to_f64_exact();
                    self.of(element, position).to_f64_exact() * change
                }
                MapKind::Contribution => {
                    self.of(element, position).to_f64_exact() / self.shared_by()
                }
            };
            self.places.elements(position).map(of_element).sum::<f64>()
        };
        positions.map(of_position).sum()
    }
}

/// The sums of one sample over sets of positions that are removed.
fn sums_of_sets<T: Real, P: Iterator<Item = u32> + Clone>(
    map: &MapValues<'_, T>,
    remover: &Remover<T>,
    sample: usize,
    input: &[T],
    sets: impl Iterator<Item = P>,
) -> Vec<f64> {
    let mut changed = input.to_vec();
    let sum = |positions: P| {
        if map.kind == MapKind::Gradient {
            remover.remove(sample, &mut changed, positions.clone());
        }
        let sum = map.sum(positions.clone(), input, &changed);
        for position in positions {
            map.places.copy(&mut changed, input, position as usize);
        }
        sum
    };
    sets.map(sum).collect()
}

/// Positions whose terms are held before they are added.
const BLOCK: usize = 64;

/// The sums of at most [`AT_ONCE`] rows of noise on one sample, over all positions that changed.
fn noise_sums<T: Real>(map: &MapValues<'_, T>, input: &[T], rows: &[&[T]]) -> Vec<f64> {
    let places = map.places;
    if map.kind == MapKind::Contribution {
        let sum = |row: &&[T]| {
            // What did not change has no contribution to lose.
            let changed = (0..places.positions as u32).filter(|&p| {
                let mut elements = places.elements(p as usize);
                elements.any(|e| row[e] != input[e])
            });
            map.sum(changed, input, row)
        };
        return rows.iter().map(sum).collect();
    }
    let mut gradient = map.map.to_vec();
    if gradient.len() < places.size() {
        gradient = vec![T::zero(); places.size()];
        for position in 0..places.positions {
            for element in places.elements(position) {
                gradient[element] = map.of(element, position);
            }
        }
    }
    let step = places.elements(1).next().unwrap_or(1);
    let mut sums = vec![0.0; rows.len()];
    let mut terms = [[0.0; BLOCK]; AT_ONCE];
    // Each sum waits for its addition before. So the terms are made first, and then added to all sums by turns.
    for start in (0..places.positions).step_by(BLOCK) {
        let n = BLOCK.min(places.positions - start);
        for (terms, row) in terms.iter_mut().zip(rows) {
            terms.fill(0.0);
            for first in places.elements(start) {
                let (gradient, input, row) = (&gradient[first..], &input[first..], &row[first..]);
                let add = |(term, ((a, x), z)): (&mut f64, ((&T, &T), &T))| {
                    *term += a.to_f64_exact() * (x.to_f64_exact() - z.to_f64_exact());
                };
                let terms = terms[..n].iter_mut();
                match step {
                    1 => terms.zip(gradient.iter().zip(input).zip(row)).for_each(add),
                    _ => {
                        let [gradient, input, row] =
                            [gradient, input, row].map(|of| of.iter().step_by(step));
                        terms.zip(gradient.zip(input).zip(row)).for_each(add);
                    }
                }
            }
        }
        for place in 0..n {
            for (sum, terms) in sums.iter_mut().zip(&terms) {
                *sum += terms[place];
            }
        }
    }
    sums
}

impl<T: Real> Measure<T> for Infidelity {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        let is_noise = matches!(self.perturbation, Perturbation::Gaussian { .. });
        if is_noise && self.map_kind == Some(MapKind::Contribution) {
            let expected = "gradient, for noise: it removes nothing that could be contributed";
            return Err(Error::parameter(input::MAP_KIND, "contribution", expected));
        }
        match self.work() {
            Work::Features(work) => work.prepare(run),
            Work::Squares(work) => work.prepare(run),
            Work::Noise(work) => work.prepare(run),
        }
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        match self.work() {
            Work::Features(work) => work.plan(plan),
            Work::Squares(work) => {
                work.plan(plan);
                Ok(())
            }
            Work::Noise(work) => NeighborDrops(work).plan(plan),
        }
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let places = batch.run().positions();
        let (size, inputs) = (places.size(), batch.values());
        let maps = Rows::from_samples(explained.maps()?);
        let input = |sample: usize| &inputs[sample * size..(sample + 1) * size];
        let map = |sample: usize| MapValues {
            map: maps.row(sample),
            places,
            kind: self.kind(),
        };
        Ok(match self.work() {
            Work::Features(work) => {
                let (drops, cells) = (batch.shared(&work)?, batch.shared(&work.features)?);
                let remover = Remover::new(batch, &work.baseline)?;
                parallel::map(batch.n_samples(), |sample| {
                    let cells = cells.for_sample(sample);
                    let sets = (0..cells.n_cells()).map(|c| cells.positions(c).iter().copied());
                    let sums = sums_of_sets(&map(sample), &remover, sample, input(sample), sets);
                    self.value(&sums, drops.for_sample(sample))
                })
            }
            Work::Squares(work) => {
                let (drops, squares) = (
                    batch.shared(&work)?,
                    Squares::new(batch.run(), work.largest),
                );
                let remover = Remover::new(batch, &work.baseline)?;
                parallel::map(batch.n_samples(), |sample| {
                    let sets = (0..squares.count()).map(|square| squares.positions(square));
                    let sums = sums_of_sets(&map(sample), &remover, sample, input(sample), sets);
                    self.value(&sums, drops.for_sample(sample))
                })
            }
            Work::Noise(work) => {
                let (source, drops) = (work.source(batch)?, NeighborDrops(work));
                let count = source.count;
                let sums: Vec<OnceLock<f64>> = vec![OnceLock::new(); batch.n_samples() * count];
                let visit = |first: usize, rows: &[T]| {
                    let mut rows = (first..).zip(rows.chunks_exact(size)).peekable();
                    while let Some(&(row, _)) = rows.peek() {
                        let sample = row / count;
                        let of_sample = |row: &(usize, &[T])| row.0 / count == sample;
                        let of_sample: Vec<&[T]> =
                            std::iter::from_fn(|| Some(rows.next_if(of_sample)?.1)).collect();
                        let input = input(sample);
                        for (row, sum) in (row..).zip(noise_sums(&map(sample), input, &of_sample)) {
                            let _ = sums[row].set(sum);
                        }
                    }
                };
                // The noise is drawn once for drops and sums; for the sums of another explainer, again.
                let drops = batch.shared_with(&drops, || drops.compute_with(batch, visit))?;
                if sums.iter().any(|sum| sum.get().is_none()) {
                    parallel::map(sums.len().div_ceil(AT_ONCE), |block| {
                        let first = block * AT_ONCE;
                        let rows = AT_ONCE.min(sums.len() - first);
                        let mut neighbors = vec![T::zero(); rows * size];
                        source.write(first, &mut neighbors);
                        visit(first, &neighbors);
                    });
                }
                let sums: Vec<f64> = sums.iter().filter_map(|sum| sum.get().copied()).collect();
                let of_samples = sums.chunks_exact(count).zip(drops.chunks_exact(count));
                of_samples
                    .map(|(sums, drops)| self.value(sums, drops))
                    .collect()
            }
        })
    }
}

registered!(Infidelity);

impl Registered for Infidelity {
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::NEIGHBORS,
        take: |metric| metric.perturbation(Perturbation::Given),
    });
}

//! Infidelity.

use std::sync::OnceLock;

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::number::power_of_two;
use xai_core::tensor::{Positions, Rows};
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::metric::{Measure, PrecomputedDraws, Registered, SCORE_NEEDS};
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
/// In [0, ∞), **lower is better**; in squared units of the score. A perturbation `I` sets one patch, or one square, to
/// the baseline ([`Perturbation`]), or is noise. The predicted change `Σ I ⊙ a` depends on the kind of map
/// ([`MapKind`]): gradients are multiplied by the change of each element; contributions (integrated gradients, Shapley
/// values, input times gradient) are summed over the changed elements. β is 1, or the factor with the least error for
/// each sample ([`Scaling`]), with which the scale of the map does not count; a sample whose sums are all 0 then has no
/// value.
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
/// // If the gradient is taken for contributions, it is off by 6 − 2 for the first feature and by 2 − 2 for the second.
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
/// 0: the map predicts every change of the score exactly. There is no upper end: the unit is that of the score,
/// squared.
///
/// # Limits
/// A map in another unit than the score has a large error even if its ranking is right (the scaling `optimal-beta` uses
/// the best factor). Values of different models are not comparable.
///
/// # Source
/// Yeh et al., *On the (In)fidelity and Sensitivity of Explanations*, 2019.
///
/// The authors' code uses squares of 1 to 10 pixels with sums over the square, or normal noise with products, and the
/// best β. The kind of map follows from the perturbation unless [`map_kind`](Infidelity::map_kind) says otherwise. For
/// the numbers of Captum, use [`Perturbation::Given`]; its `normalize` is [`Scaling::OptimalBeta`]. The numbers of
/// Quantus cannot be reproduced: it does not restore a patch before it removes the next one, and treats any map as
/// gradients.
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
    /// Perturbation of the inputs: one feature or square at a time, or noise.
    #[param(default = Perturbation::Features(Features::Patches(4)))]
    perturbation: Perturbation,
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Kind of the maps: gradients or contributions.
    #[param(
        none = "auto",
        none_doc = "Contributions if parts of the input are removed, gradients under noise, which removes nothing."
    )]
    map_kind: Option<MapKind>,
    /// Factor by which maps are multiplied.
    scaling: Scaling,
    /// Number of noise draws per sample.
    #[param(at_least = 1, at_most = 1 << 24, default = 20)]
    n_draws: usize,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
}

/// Perturbation of the inputs in [`Infidelity`].
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[non_exhaustive]
pub enum Perturbation {
    /// Each feature in turn is set to the baseline. The default is `Features::Patches(4)`.
    #[param(plain)]
    Features(Features),
    /// Each square with a side of 1 to this many positions, at every place of the image, is set to the baseline in
    /// turn.
    #[param(value_name = "LARGEST", at_least = 1)]
    Squares(usize),
    /// Normal noise of this standard deviation on all elements, with `n_draws` draws per sample.
    #[param(value_name = "SIGMA", above = 0)]
    Gaussian {
        /// Standard deviation, positive, in the unit of the inputs.
        sigma: f64,
    },
    /// Noise from [`PrecomputedNeighbors`](crate::perturbation::PrecomputedNeighbors). It is added to the input, so it
    /// is −I.
    #[param(skip)]
    Given,
}

/// Kind of a map: the meaning of its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum MapKind {
    /// Change of the score per unit of change of an element. If a map has one value per position, it is the
    /// gradient of every channel.
    Gradient,
    /// Part of the score that an element contributes. If a map has one value per position, it is the sum over channels.
    Contribution,
}

/// Factor by which a map is multiplied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Scaling {
    /// 1: the map is not scaled.
    #[default]
    None,
    /// `Σ s d / Σ s²` over the sums `s` and drops `d` of each sample, the factor with the least squared error.
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

    /// Mean squared error of a sample from its predicted changes (sums) and its drops; `None` if it is undefined.
    fn value(&self, sums: &[f64], drops: &[f64]) -> Option<f64> {
        let pairs = || sums.iter().zip(drops);
        let beta = match self.scaling {
            Scaling::None => 1.0,
            Scaling::OptimalBeta => {
                // In units of a power of two near the largest sum, no square leaves the range of `f64`, and the
                // division is exact.
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

/// Batch work that computes the drops for a kind of perturbation. It does not depend on the map, so explainers share
/// it.
enum Work {
    Features(SingleRemoval),
    Squares(SquareRemoval),
    Noise(Neighbors),
}

/// The map of one sample, read element by element.
struct MapValues<'a, T> {
    map: &'a [T],
    places: Positions,
    kind: MapKind,
}

impl<T: Real> MapValues<'_, T> {
    /// Returns the value of an element of a position. A map can have one value per element, per position (which all
    /// channels share), or per time step of a time series (which all features share).
    fn value(&self, element: usize, position: usize) -> T {
        let n = self.map.len();
        if n == self.places.size() {
            self.map[element]
        } else {
            self.map[position / (self.places.positions / n)]
        }
    }

    /// Number of elements that share a value of the map.
    fn elements_per_value(&self) -> f64 {
        (self.places.size() / self.map.len()) as f64
    }

    /// Returns `Σ I ⊙ a` over some positions, from the elements before and after their change.
    fn sum(&self, positions: impl Iterator<Item = u32>, before: &[T], after: &[T]) -> f64 {
        let position_term = |position: u32| {
            let position = position as usize;
            let element_term = |element: usize| match self.kind {
                MapKind::Gradient => {
                    let change = before[element].to_f64_exact() - after[element].to_f64_exact();
                    self.value(element, position).to_f64_exact() * change
                }
                // A contribution that several elements share is split equally between them.
                MapKind::Contribution => {
                    self.value(element, position).to_f64_exact() / self.elements_per_value()
                }
            };
            let elements = self.places.elements(position);
            elements.map(element_term).sum::<f64>()
        };
        positions.map(position_term).sum()
    }
}

/// Returns the predicted change of the score for each set of removed positions of one sample.
fn sums_of_sets<T: Real, P: Iterator<Item = u32> + Clone>(
    map: &MapValues<'_, T>,
    remover: &Remover<T>,
    sample: usize,
    input: &[T],
    sets: impl Iterator<Item = P>,
) -> Vec<f64> {
    let mut changed = input.to_vec();
    let sum = |positions: P| {
        // The sum of contributions does not depend on the new values, so the removal can be skipped.
        if map.kind == MapKind::Gradient {
            remover.remove(sample, &mut changed, positions.clone());
        }
        let sum = map.sum(positions.clone(), input, &changed);
        // Restoring the set is cheaper than copying the whole input for the next one.
        for position in positions {
            map.places.copy(&mut changed, input, position as usize);
        }
        sum
    };
    sets.map(sum).collect()
}

/// Number of positions whose terms are computed before they are added to the sums.
const BLOCK: usize = 64;

/// Returns the predicted changes for at most [`AT_ONCE`] noisy rows of one sample.
///
/// The additions of each sum are in the order of the positions, so that its bits do not depend on the number of rows
/// that are summed together.
fn noise_sums<T: Real>(map: &MapValues<'_, T>, input: &[T], rows: &[&[T]]) -> Vec<f64> {
    let places = map.places;
    if map.kind == MapKind::Contribution {
        let sum = |row: &&[T]| {
            // A position without a change keeps its contribution.
            let changed = (0..places.positions as u32).filter(|&p| {
                let mut elements = places.elements(p as usize);
                elements.any(|e| row[e] != input[e])
            });
            map.sum(changed, input, row)
        };
        return rows.iter().map(sum).collect();
    }
    // A gradient per element, so that the loop below reads three arrays side by side.
    let mut gradient = map.map.to_vec();
    if gradient.len() < places.size() {
        gradient = vec![T::ZERO; places.size()];
        for position in 0..places.positions {
            for element in places.elements(position) {
                gradient[element] = map.value(element, position);
            }
        }
    }
    // Distance between the same channel of two consecutive positions: 1 with channels first, else the number of
    // channels.
    let step = places.elements(1).next().unwrap_or(1);
    let mut sums = vec![0.0; rows.len()];
    let mut terms = [[0.0; BLOCK]; AT_ONCE];
    // The additions of a sum depend on each other and have the latency of an addition each. So the terms, which do not
    // depend on each other, are computed first; then all sums advance by one term in turn, and their latencies overlap.
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
                // Contiguous elements are read without a stride.
                match step {
                    1 => terms.zip(gradient.iter().zip(input).zip(row)).for_each(add),
                    _ => {
                        let [gradient, input, row] =
                            [gradient, input, row].map(|values| values.iter().step_by(step));
                        terms.zip(gradient.zip(input).zip(row)).for_each(add);
                    }
                }
            }
        }
        for i in 0..n {
            for (sum, terms) in sums.iter_mut().zip(&terms) {
                *sum += terms[i];
            }
        }
    }
    sums
}

impl<T: Real> Measure<T> for Infidelity {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        let is_noise = matches!(self.perturbation, Perturbation::Gaussian { .. });
        if is_noise && self.map_kind == Some(MapKind::Contribution) {
            let expected = "gradient, for noise: it removes nothing that could be contributed";
            return Err(Error::parameter(input::MAP_KIND, "contribution", expected));
        }
        match self.work() {
            Work::Features(work) => work.prepare(dataset),
            Work::Squares(work) => work.prepare(dataset),
            Work::Noise(work) => work.prepare(dataset),
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
        let places = batch.dataset().positions();
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
                    Squares::new(batch.dataset(), work.largest),
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
                    // A block of rows may end in the middle of a sample and continue with the next one.
                    let mut rows = (first..).zip(rows.chunks_exact(size)).peekable();
                    while let Some(&(row, _)) = rows.peek() {
                        let sample = row / count;
                        let is_of_sample = |row: &(usize, &[T])| row.0 / count == sample;
                        let sample_rows: Vec<&[T]> =
                            std::iter::from_fn(|| Some(rows.next_if(is_of_sample)?.1)).collect();
                        let values = noise_sums(&map(sample), input(sample), &sample_rows);
                        for (row, sum) in (row..).zip(values) {
                            // Only fails if the row has a sum already, which is the same.
                            let _ = sums[row].set(sum);
                        }
                    }
                };
                // The first explainer computes its sums while the noise for the drops is in memory. The drops are then
                // shared, `visit` is not called again, and other explainers draw the same noise once more for their
                // sums: to keep it would take `n_draws` times the memory of the batch.
                let drops = batch.shared_with(&drops, || drops.compute_with(batch, visit))?;
                if sums.iter().any(|sum| sum.get().is_none()) {
                    parallel::map(sums.len().div_ceil(AT_ONCE), |block| {
                        let first = block * AT_ONCE;
                        let rows = AT_ONCE.min(sums.len() - first);
                        let mut neighbors = vec![T::ZERO; rows * size];
                        source.write(first, &mut neighbors);
                        visit(first, &neighbors);
                    });
                }
                let all_sums: Vec<f64> = sums.iter().filter_map(|sum| sum.get().copied()).collect();
                let samples = all_sums.chunks_exact(count).zip(drops.chunks_exact(count));
                samples
                    .map(|(sums, drops)| self.value(sums, drops))
                    .collect()
            }
        })
    }
}

registered!(Infidelity, options);

impl Registered for Infidelity {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::NEIGHBORS,
        take: |metric| metric.perturbation(Perturbation::Given),
    });
}

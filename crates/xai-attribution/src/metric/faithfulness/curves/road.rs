//! Remove and debias (ROAD).

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use xai_core::describe::{Described, Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::output::arg_max;
use xai_core::random::{NormalStreams, random_stream};
use xai_core::{Error, InputLayout, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::input;
use crate::metric::{IMAGES_ONLY, Measure, PrecomputedDraws, Registered, SCORE_NEEDS};
use crate::perturbation::absence::linear_imputation::MAX_LANES;
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::removed::image;
use crate::perturbation::{
    CurveScores, Features, OrderedPositions, PrecomputedNeighbors, RankBy, RemovalOrder,
    RemovalTies,
};

/// The order in which a [`RoadMetric`] removes pixels.
pub trait RoadOrder:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// Orders of removal, each with the weight of its curve in the value.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// Accuracy of the model when the most, or least, relevant pixels are removed and imputed from their neighbours (remove
/// and debias).
///
/// ```text
/// ROAD_i = mean over p of 1[ the class predicted for x_i without its first p % of pixels is the target ]
/// ```
///
/// [`RoadMostRelevantFirst`] in [0, 1], **lower is better**; [`RoadLeastRelevantFirst`] in [0, 1], **higher is
/// better**; [`Road`] combines them as `(least first − most first) / 2` in [−½, ½], **higher is better**, 0 for a
/// random order. With [`RoadOf::Score`], the mean score replaces the share of correct predictions, and the range is
/// that of the scores. Removed pixels have the values of
/// [`Baseline::LinearImputation`](crate::perturbation::Baseline::LinearImputation) with a little noise. They reveal
/// less than a constant about which pixels were removed, so that both orders rank explainers alike. Images only;
/// `⌊pixels · p / 100⌋` pixels are removed.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{ImputationNoise, Road, RoadOf};
/// use xai_attribution::{Evaluate, model::Images};
/// // The score is the first pixel.
/// let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| x[[0, 0, 0]]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[[[4.0], [0.0]], [[0.0], [0.0]]]];
/// let metric = Road::new().percentages(&[25.0]).of(RoadOf::Score).noise(ImputationNoise::Gaussian(0.0));
/// // Imputed from its neighbours, the first pixel is 0; if another one is removed, it keeps its value of 4.
/// assert_eq!(metric.evaluate(&first, Images::channels_last(x.view()), &[0], x.view())?.value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n` rows per percentage and order; the three metrics share them.
///
/// Defaults: 10, 20, …, 90 %, noise of 0.01, seed 1, shares of correct predictions.
///
/// # Source
/// Rong et al., *A Consistent and Efficient Evaluation Strategy for Attribution Methods*, 2022. The combination is that
/// of the package `grad-cam`. For the accuracies of Quantus, pass its draws as [`ImputationNoise::Given`] and evaluate
/// [`RoadMostRelevantFirst`] with one percentage at a time. Quantus fails for images with several channels and uses the
/// first batch only.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RoadMetric<K> {
    /// Percentages of pixels that are removed, each in (0, 100): without any pixel there is nothing to impute from.
    #[param(items, above = 0, below = 100, no_setter, default = tenths())]
    percentages: Arc<[f64]>,
    /// Quantity that is averaged over the percentages.
    of: RoadOf,
    /// Standard deviation of the normal noise on imputed values.
    noise: ImputationNoise,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
    /// Order of pixels with equal attributions.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
    #[param(skip)]
    order: PhantomData<K>,
}

/// 10, 20, …, 90 percent.
fn tenths() -> Arc<[f64]> {
    (1..10).map(|tenth| f64::from(10 * tenth)).collect()
}

/// Half the difference between the accuracy with the least and with the most relevant pixels imputed.
///
/// ```text
/// (ROAD, least relevant first − ROAD, most relevant first) / 2
/// ```
///
/// # Extremes
/// −0.5: the model is right without the most relevant pixels, and wrong without the least relevant ones. 0: a random
/// order. 0.5: it is right without the least relevant pixels, and wrong without the most relevant ones.
///
/// # Limits
/// It counts correct predictions, not scores, so that a prediction with a wide margin does not change. Imputed pixels
/// are smooth, and the remaining part of an object can restore the removed part.
///
/// # Source
/// Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.
///
/// # Elsewhere
/// `pytorch-grad-cam.ROADCombined`
#[metric(
    name = "road",
    title = "ROAD",
    describes = Combined,
    direction = Direction::Higher,
    range = Range::closed(-0.5, 0.5),
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.0972,
)]
pub type Road = RoadMetric<Combined>;

/// Accuracy with the most relevant pixels imputed.
///
/// ```text
/// mean over p of 1[the class predicted for x without its first p % of pixels, imputed, is the target]
/// ```
///
/// # Extremes
/// 0: the model is never right without the most relevant pixels. 1: it always is.
///
/// # Limits
/// A model whose predictions change easily has a low value for any map: compare with least relevant first.
///
/// # Source
/// Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.
///
/// # Elsewhere
/// `quantus.ROAD`, `pytorch-grad-cam.ROADMostRelevantFirst`, `pytorch-grad-cam.ROADMostRelevantFirstAverage`
#[metric(
    name = "road-most-relevant-first",
    title = "ROAD, most relevant first",
    describes = MostFirst,
    direction = Direction::Lower,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.0556,
)]
pub type RoadMostRelevantFirst = RoadMetric<MostFirst>;

/// Accuracy with the least relevant pixels imputed.
///
/// ```text
/// mean over p of 1[the class predicted for x without its last p % of pixels, imputed, is the target]
/// ```
///
/// # Extremes
/// 0: the model is never right without the least relevant pixels. 1: it always is.
///
/// # Limits
/// A model whose predictions hardly ever change has a high value for any map: compare with most relevant first.
///
/// # Source
/// Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.
///
/// # Elsewhere
/// `pytorch-grad-cam.ROADLeastRelevantFirst`, `pytorch-grad-cam.ROADLeastRelevantFirstAverage`
#[metric(
    name = "road-least-relevant-first",
    title = "ROAD, least relevant first",
    describes = LeastFirst,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.25,
)]
pub type RoadLeastRelevantFirst = RoadMetric<LeastFirst>;

/// Both orders, for [`Road`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Combined;

/// Most relevant pixels first, for [`RoadMostRelevantFirst`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostFirst;

/// Least relevant pixels first, for [`RoadLeastRelevantFirst`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastFirst;

impl RoadOrder for Combined {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[
        (RemovalOrder::LeastRelevantFirst, 0.5),
        (RemovalOrder::MostRelevantFirst, -0.5),
    ];
}

impl RoadOrder for MostFirst {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::MostRelevantFirst, 1.0)];
}

impl RoadOrder for LeastFirst {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::LeastRelevantFirst, 1.0)];
}

/// Noise on imputed values.
#[derive(Debug, Clone, Copy, PartialEq, Parameter)]
#[param(name = "noise")]
#[non_exhaustive]
pub enum ImputationNoise {
    /// Normal noise of this standard deviation, at least 0, on every removed element. Each sample has its own random
    /// stream.
    #[param(plain, at_least = 0)]
    Gaussian(f64),
    /// Noise from [`PrecomputedNeighbors`] for the removed elements, one draw per percentage.
    #[param(skip)]
    Given,
}

impl Default for ImputationNoise {
    /// Returns normal noise with a standard deviation of 0.01.
    fn default() -> Self {
        Self::Gaussian(0.01)
    }
}

/// Quantity that is averaged over the percentages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[param(name = "of")]
pub enum RoadOf {
    /// 1 if the predicted class is the target (for rows of targets, the class of the largest weight), otherwise 0.
    #[default]
    Accuracy,
    /// The score of the target.
    Score,
}

impl<K: RoadOrder> RoadMetric<K> {
    /// Sets the percentages of pixels that are removed, each in (0, 100): without any pixel there is nothing to impute
    /// from.
    #[must_use]
    pub fn percentages(mut self, percentages: &[f64]) -> Self {
        self.percentages = percentages.into();
        self
    }

    fn work(&self, order: RemovalOrder) -> ImputedCurve {
        ImputedCurve {
            order,
            percentages: Arc::clone(&self.percentages),
            noise: self.noise,
            seed: self.seed,
            ties: self.ties,
        }
    }

    /// Weighted sum of the curves of all orders: `[percentage][sample]`.
    fn combined<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let n = explained.batch().n_samples();
        let mut combined = vec![vec![0.0; n]; self.percentages.len()];
        for &(order, weight) in K::ORDERS {
            let predictions = explained.shared(&self.work(order))?;
            for (combined, predictions) in combined.iter_mut().zip(predictions.chunks_exact(n)) {
                for (value, prediction) in combined.iter_mut().zip(predictions) {
                    *value += weight
                        * match self.of {
                            RoadOf::Accuracy => f64::from(u8::from(prediction.is_correct)),
                            RoadOf::Score => prediction.score,
                        };
                }
            }
        }
        Ok(combined)
    }
}

/// Work that computes the predictions for inputs with some of their pixels imputed, in one order, as
/// `[percentage][sample]`.
///
/// Both scores and correctness are kept, so that metrics of either share the work.
#[derive(Debug, Clone, PartialEq)]
struct ImputedCurve {
    order: RemovalOrder,
    percentages: Arc<[f64]>,
    noise: ImputationNoise,
    seed: u64,
    ties: RemovalTies,
}

#[derive(Debug, Clone, Copy)]
struct Prediction {
    score: f64,
    is_correct: bool,
}

/// Number of removed pixels at each percentage.
fn counts(percentages: &[f64], positions: usize) -> Vec<usize> {
    let count = |percentage: &f64| (positions as f64 * percentage / 100.0) as usize;
    percentages.iter().map(count).collect()
}

/// Sorts distinct positions below `n_positions` in linear time.
fn ascending(n_positions: usize, positions: &[u32]) -> Vec<u32> {
    let mut is_contained = vec![false; n_positions];
    for &position in positions {
        is_contained[position as usize] = true;
    }
    // Every position is written, and overwritten by the next one unless it is contained. A branch instead would be
    // mispredicted often, because the positions of a map have no regular pattern.
    let (mut ascending, mut n) = (vec![0; n_positions], 0);
    for (position, is_contained) in is_contained.into_iter().enumerate() {
        ascending[n] = position as u32;
        n += usize::from(is_contained);
    }
    ascending.truncate(n);
    ascending
}

impl<T: Real> MapWork<T> for ImputedCurve {
    type Output = Vec<Prediction>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Prediction>> {
        let batch = explained.batch();
        let (dataset, n, image) = (batch.dataset(), batch.n_samples(), image(batch.dataset()));
        let counts = counts(&self.percentages, dataset.n_positions());
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: counts.iter().copied().max().unwrap_or_default(),
            ties: self.ties,
        })?;
        let orders: &[Vec<u32>] = &orders;
        let given_noise = match self.noise {
            ImputationNoise::Given => Some(&dataset.side::<PrecomputedNeighbors>()?.0),
            ImputationNoise::Gaussian(_) => None,
        };
        let first_sample = batch.samples().start;
        // Random streams are numbered by the index of the sample in the data set and are the same for all percentages:
        // the noise depends neither on the batches nor on which other percentages are evaluated.
        let items: Vec<u64> = (0..n).map(|sample| batch.item(sample)).collect();
        let (targets, scorer, batch_values) = (dataset.targets(), batch.scorer(), batch.values());
        let add = |to: &mut T, noise: f64| {
            *to = T::from_f64_nearest(to.to_f64_exact() + noise);
        };
        let size = image.layout.size();
        batch.call_with_rows(
            counts.len() * n,
            MAX_LANES,
            |first, rows| {
                // Row `point * n + sample` is the sample with the pixels removed that its percentage asks for.
                let copy_input = |(row, values): (usize, &mut [T])| {
                    let (sample, point) = (row % n, row / n);
                    values.copy_from_slice(&batch_values[sample * size..(sample + 1) * size]);
                    ascending(image.layout.positions, &orders[sample][..counts[point]])
                };
                let numbered = (first..).zip(rows.chunks_exact_mut(size));
                let missing: Vec<Vec<u32>> = numbered.map(copy_input).collect();
                // All rows in one call: the solver advances the channels of several images at once.
                image.impute(rows, &missing);
                let removed_elements = missing.iter().map(|missing| {
                    let elements_of = |&pixel: &u32| image.layout.elements(pixel as usize);
                    missing.iter().flat_map(elements_of)
                });
                match (given_noise, self.noise) {
                    (Some(given), _) => {
                        let rows = (first..).zip(rows.chunks_exact_mut(size));
                        for ((row, values), elements) in rows.zip(removed_elements) {
                            let draw = given.index_axis(ndarray::Axis(0), row / n);
                            let sample = first_sample + row % n;
                            let noise: Vec<f64> = draw
                                .index_axis_move(ndarray::Axis(0), sample)
                                .iter()
                                .copied()
                                .collect();
                            for element in elements {
                                add(&mut values[element], noise[element]);
                            }
                        }
                    }
                    (None, ImputationNoise::Gaussian(sigma)) if sigma > 0.0 => {
                        let stream =
                            |row: usize| random_stream(self.seed, items[(first + row) % n]);
                        let mut streams = NormalStreams::new(std::array::from_fn(stream));
                        let most = missing.iter().map(Vec::len).max().unwrap_or_default();
                        // Normal numbers are drawn 64 at a time for all rows together, a lane per row. `zip` takes the
                        // number first, so that it takes no element when the numbers are used up: the element would be
                        // lost. A row without remaining elements skips the rest of its numbers.
                        let mut numbers = [[0.0; NormalStreams::COUNT]; 64];
                        let mut elements: Vec<_> = removed_elements.collect();
                        for _ in 0..(most * image.layout.channels).div_ceil(numbers.len()) {
                            streams.fill(&mut numbers);
                            let rows = rows.chunks_exact_mut(size).zip(&mut elements);
                            for (row, (values, elements)) in rows.enumerate() {
                                for (number, e) in numbers.iter().zip(elements) {
                                    add(&mut values[e], sigma * number[row]);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            },
            |first, rows, model| {
                let sample_of = |row: usize| (first + row) % n;
                let outputs = scorer.outputs(model, rows, &sample_of, ", with imputed pixels")?;
                let scores = scorer.scores_of(&outputs, &sample_of)?.into_iter();
                let prediction = |(row, score): (usize, f64)| {
                    let predicted = arg_max(&outputs.row(row).to_vec());
                    Prediction {
                        score,
                        is_correct: predicted == targets.class(first_sample + sample_of(row)),
                    }
                };
                Ok(scores.enumerate().map(prediction).collect())
            },
        )
    }
}

impl<T: Real, K: RoadOrder> Measure<T> for RoadMetric<K> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.require_layout(
            IMAGES_ONLY,
            "images, whose pixels are imputed from those beside them",
        )?;
        if self.percentages.is_empty() {
            return Err(Error::empty(input::PERCENTAGES));
        }
        match self.noise {
            ImputationNoise::Gaussian(_) => Ok(()),
            ImputationNoise::Given => {
                let given = &dataset.side::<PrecomputedNeighbors>()?.0;
                let (expected, actual) = (self.percentages.len(), given.shape()[0]);
                if expected == actual {
                    Ok(())
                } else {
                    Err(Error::shape(input::NEIGHBORS, &[expected], &[actual])
                        .part("draws, one per percentage"))
                }
            }
        }
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let rows = plan.n_samples() * self.percentages.len() as u64;
        plan.maps();
        for &(order, _) in K::ORDERS {
            plan.per_explainer(&self.work(order), rows);
        }
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        // Ties are the same from both ends.
        let order = RemovalOrder::MostRelevantFirst;
        tied_features(explained, Features::Positions, order, RankBy::Sum)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let combined = self.combined(explained)?;
        let value = |sample: usize| {
            let sum: f64 = combined.iter().map(|values| values[sample]).sum();
            Some(sum / combined.len() as f64)
        };
        Ok((0..explained.batch().n_samples()).map(value).collect())
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        let n_positions = explained.batch().dataset().n_positions();
        let counts = counts(&self.percentages, n_positions);
        let curve = CurveScores::from_shared_points(counts, self.combined(explained)?);
        Ok(Some(Arc::new(curve)))
    }
}

registered!(RoadMetric<K: RoadOrder>, options);

impl<K: RoadOrder> Registered for RoadMetric<K> {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::NEIGHBORS,
        take: |metric| metric.noise(ImputationNoise::Given),
    });

    const TAKES: &'static [InputLayout] = IMAGES_ONLY;
}

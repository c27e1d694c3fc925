//! Remove and debias.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;

use xai_core::describe::{Described, Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::output::arg_max;
use xai_core::random::{NormalStreams, random_stream};
use xai_core::{Error, Layout, Real, Result};

use crate::batch::{ExplainedBatch, MapWork, Plan, RunData};
use crate::input;
use crate::metric::{GivenDraws, IMAGES_ONLY, Measure, Registered, SCORE_NEEDS};
use crate::perturbation::absence::linear_imputation::MOST_LANES;
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::removed::image;
use crate::perturbation::{
    CurveScores, Features, GivenNeighbors, OrderedPositions, RankBy, RemovalOrder, RemovalTies,
};

/// Which order a [`RoadMetric`] removes pixels in.
pub trait RoadOrder:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// The order, and what the curve of it counts for.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// Remove and debias: how often is the model right when the most, or least, relevant pixels are taken
/// away and filled from what is left around them?
///
/// ```text
/// ROAD_i = mean over p of 1[ the class predicted for x_i without its first p % of pixels is the target ]
/// ```
///
/// [`RoadMostRelevantFirst`] in [0, 1], **lower is better**; [`RoadLeastRelevantFirst`] in [0, 1],
/// **higher is better**; [`Road`] combines them as `(least first − most first) / 2` in [−½, ½], **higher is
/// better**, 0 as by chance. With [`RoadOf::Score`] the mean score stands for the share of right
/// predictions, and the range is the model's. Removed pixels are those of
/// [`Baseline::LinearImputation`](crate::perturbation::Baseline::LinearImputation) with a little noise, which tell the model less about where pixels were
/// removed than a constant: orders from both ends then rank explainers alike. Images only;
/// `⌊pixels · p / 100⌋` pixels are removed.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{ImputationNoise, Road, RoadOf};
/// use xai_attribution::Evaluate;
/// // The score is the first pixel.
/// let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| x[[0, 0, 0]]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[[[4.0], [0.0]], [[0.0], [0.0]]]].into_dyn();
/// let metric = Road::new().percentages(&[25.0]).of(RoadOf::Score).noise(ImputationNoise::Gaussian(0.0));
/// // The first pixel from its neighbours is 0; without another it is 4.
/// assert_eq!(metric.evaluate(&first, x.view(), &[0], x.view())?.value, (4.0 - 0.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n` rows per percentage and order; the three metrics share them.
///
/// Defaults: 10, 20, …, 90 %, noise of 0.01, seed 1, shares of right predictions.
///
/// # Source
/// Rong et al., *A Consistent and Efficient Evaluation Strategy for Attribution Methods*, 2022. The
/// combination is that of the package `grad-cam`. Quantus' accuracies come with its draws as
/// [`ImputationNoise::Given`], one percentage at a time as the mean of
/// [`RoadMostRelevantFirst`]; it fails for images of several channels and counts the first batch only.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RoadMetric<K> {
    /// How many of the pixels are removed, in percent, each in (0, 100): without any pixel there is nothing to
    /// impute from.
    #[param(items, above = 0, below = 100, no_setter, default = tenths())]
    percentages: Arc<[f64]>,
    /// Quantity that is averaged over the percentages.
    of: RoadOf,
    /// The standard deviation of the normal noise on imputed values.
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
/// −0.5: the model is right only without the pixels that the map calls irrelevant. 0: as by chance. 0.5: it is right
/// without the least relevant pixels, and wrong without the most relevant ones.
///
/// # Limits
/// It counts right answers, not scores: a prediction that is safe by a wide margin does not change. Imputed pixels are
/// smooth, and what is left of an object may be filled from it.
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
/// A model that is easily wrong has a low value for any map: compare with least relevant first.
///
/// # Source
/// Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.
///
/// # Elsewhere
/// `quantus.ROAD`, `pytorch-grad-cam.ROADMostRelevantFirst`
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
/// A model that is hardly ever wrong has a high value for any map: compare with most relevant first.
///
/// # Source
/// Rong et al., A Consistent and Efficient Evaluation Strategy (ROAD), 2022.
///
/// # Elsewhere
/// `pytorch-grad-cam.ROADLeastRelevantFirst`
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

/// The orders of [`Road`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Combined;

/// The order of [`RoadMostRelevantFirst`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostFirst;

/// The order of [`RoadLeastRelevantFirst`].
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
pub enum ImputationNoise {
    /// Normal noise of this standard deviation, at least 0, on every removed element: of a stream of its
    /// own for every sample.
    #[param(plain, at_least = 0)]
    Gaussian(f64),
    /// What [`GivenNeighbors`] has for the removed elements, one draw per percentage.
    #[param(skip)]
    Given,
}

impl Default for ImputationNoise {
    /// 0.01
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
    /// Whether the predicted class is the target, or of rows of targets the one that weighs most.
    #[default]
    Accuracy,
    /// The score.
    Score,
}

impl<K: RoadOrder> RoadMetric<K> {
    /// How many of the pixels are removed, in percent, each in (0, 100): with all of them removed there is
    /// nothing to impute from.
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

    /// `[percentage][sample]`
    fn combined<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let n = explained.batch().n_samples();
        let mut combined = vec![vec![0.0; n]; self.percentages.len()];
        for &(order, weight) in K::ORDERS {
            let answers = explained.shared(&self.work(order))?;
            for (combined, answers) in combined.iter_mut().zip(answers.chunks_exact(n)) {
                for (value, answer) in combined.iter_mut().zip(answers) {
                    *value += weight
                        * match self.of {
                            RoadOf::Accuracy => f64::from(u8::from(answer.is_right)),
                            RoadOf::Score => answer.score,
                        };
                }
            }
        }
        Ok(combined)
    }
}

/// What the model says to inputs with some of their pixels imputed, in one order: `[percentage][sample]`.
#[derive(Debug, Clone, PartialEq)]
struct ImputedCurve {
    order: RemovalOrder,
    percentages: Arc<[f64]>,
    noise: ImputationNoise,
    seed: u64,
    ties: RemovalTies,
}

#[derive(Debug, Clone, Copy)]
struct Answer {
    score: f64,
    is_right: bool,
}

/// How many pixels are removed at each percentage.
fn counts(percentages: &[f64], positions: usize) -> Vec<usize> {
    let count = |percentage: &f64| (positions as f64 * percentage / 100.0) as usize;
    percentages.iter().map(count).collect()
}

/// Some positions of so many, ascending.
fn ascending(n_positions: usize, positions: &[u32]) -> Vec<u32> {
    let mut is_in = vec![false; n_positions];
    for &position in positions {
        is_in[position as usize] = true;
    }
    // Written whether it stays or not: where positions are at random a branch is mostly foreseen wrongly.
    let (mut ascending, mut n) = (vec![0; n_positions], 0);
    for (position, is_in) in is_in.into_iter().enumerate() {
        ascending[n] = position as u32;
        n += usize::from(is_in);
    }
    ascending.truncate(n);
    ascending
}

impl<T: Real> MapWork<T> for ImputedCurve {
    type Output = Vec<Answer>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Answer>> {
        let batch = explained.batch();
        let (run, n, image) = (batch.run(), batch.n_samples(), image(batch.run()));
        let counts = counts(&self.percentages, run.n_positions());
        let orders = explained.shared(&OrderedPositions {
            order: self.order,
            n: counts.iter().copied().max().unwrap_or_default(),
            ties: self.ties,
        })?;
        let orders: &[Vec<u32>] = &orders;
        let given = match self.noise {
            ImputationNoise::Given => Some(&run.side::<GivenNeighbors>()?.0),
            ImputationNoise::Gaussian(_) => None,
        };
        let first_sample = batch.samples().start;
        let items: Vec<u64> = (0..n).map(|sample| batch.item(sample)).collect();
        let (targets, scorer, batch_values) = (run.targets(), batch.scorer(), batch.values());
        let add = |to: &mut T, noise: f64| {
            *to = T::from_f64_nearest(to.to_f64_exact() + noise);
        };
        let size = image.places.size();
        batch.call_with_rows(
            counts.len() * n,
            MOST_LANES,
            |first, rows| {
                let missing_of = |(row, values): (usize, &mut [T])| {
                    let (sample, point) = (row % n, row / n);
                    values.copy_from_slice(&batch_values[sample * size..(sample + 1) * size]);
                    ascending(image.places.positions, &orders[sample][..counts[point]])
                };
                let numbered = (first..).zip(rows.chunks_exact_mut(size));
                let missing: Vec<Vec<u32>> = numbered.map(missing_of).collect();
                image.impute(rows, &missing);
                let elements = missing.iter().map(|missing| {
                    let elements = |&pixel: &u32| image.places.elements(pixel as usize);
                    missing.iter().flat_map(elements)
                });
                match (given, self.noise) {
                    (Some(given), _) => {
                        let rows = (first..).zip(rows.chunks_exact_mut(size));
                        for ((row, values), elements) in rows.zip(elements) {
                            let noise = given.index_axis(ndarray::Axis(0), row / n);
                            let sample = first_sample + row % n;
                            let noise = noise.index_axis_move(ndarray::Axis(0), sample);
                            let noise: Vec<f64> = noise.iter().copied().collect();
                            elements.for_each(|e| add(&mut values[e], noise[e]));
                        }
                    }
                    (None, ImputationNoise::Gaussian(sigma)) if sigma > 0.0 => {
                        let stream =
                            |row: usize| random_stream(self.seed, items[(first + row) % n]);
                        let mut streams = NormalStreams::new(std::array::from_fn(stream));
                        let most = missing.iter().map(Vec::len).max().unwrap_or_default();
                        let mut numbers = [[0.0; NormalStreams::COUNT]; 64];
                        let mut elements: Vec<_> = elements.collect();
                        for _ in 0..(most * image.places.channels).div_ceil(numbers.len()) {
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
                let answer = |(row, score): (usize, f64)| {
                    let predicted = arg_max(&outputs.row(row).to_vec());
                    Answer {
                        score,
                        is_right: predicted == targets.class(first_sample + sample_of(row)),
                    }
                };
                Ok(scores.enumerate().map(answer).collect())
            },
        )
    }
}

impl<T: Real, K: RoadOrder> Measure<T> for RoadMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        run.require_layout(
            IMAGES_ONLY,
            "images, whose pixels are imputed from those beside them",
        )?;
        if self.percentages.is_empty() {
            return Err(Error::empty(input::PERCENTAGES));
        }
        match self.noise {
            ImputationNoise::Gaussian(_) => Ok(()),
            ImputationNoise::Given => {
                let given = &run.side::<GivenNeighbors>()?.0;
                let (expected, actual) = (self.percentages.len(), given.shape()[0]);
                match expected == actual {
                    true => Ok(()),
                    false => Err(Error::shape(input::NEIGHBORS, &[expected], &[actual])
                        .part("draws, one per percentage")),
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
        // From either end.
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
        let n_positions = explained.batch().run().n_positions();
        let counts = counts(&self.percentages, n_positions);
        let curve = CurveScores::from_shared_points(counts, self.combined(explained)?);
        Ok(Some(Arc::new(curve)))
    }
}

registered!(RoadMetric<K: RoadOrder>);

impl<K: RoadOrder> Registered for RoadMetric<K> {
    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::NEIGHBORS,
        take: |metric| metric.noise(ImputationNoise::Given),
    });

    const TAKES: &'static [Layout] = IMAGES_ONLY;
}

//! Comparison of the removal curve of a map with those of random orders.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::data::ExplainerData;
use crate::batch::{BatchWork, Dataset, ExplainedBatch, MapWork, Plan, SampleBatch};
use crate::metric::{Measure, SCORE_NEEDS, area};
use crate::model::CurveScore;
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{
    Baseline, CurveScores, Features, RemovalCurve, RemovalOrder, RemovalTies, Start, Steps,
};

/// Share of random removal orders whose area under the score curve is worse than that of the map.
///
/// ```text
/// share of R random orders whose area under the curve is worse than that of the map, ties by half
/// ```
///
/// The area is that under the curve of [`Deletion`](crate::metric::Deletion), most relevant features first, whose
/// scores it shares. With [`start`](Self::start) at the baseline, it is that of
/// [`Insertion`](crate::metric::Insertion), where a larger area is better, and the comparison is reversed. The share
/// is in [0, 1], **higher is better**: 0.5 = as good as a random order. [`ReferenceScale::Z`] is the difference from
/// the mean of the random orders in units of their standard deviation, undefined if they do not differ. The random
/// orders of a sample depend on the seed and its index in the data set, and are the same for all explainers. The model
/// sees `R` times the rows between the ends of the curve, once, and the rows of the curve of every map.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::RandomOrderReference};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25]];
/// let best = RandomOrderReference::new().evaluate(&sum, x.view(), &[0], x.view())?.value;
/// let worst = RandomOrderReference::new().evaluate(&sum, x.view(), &[0], (-&x).view())?.value;
/// assert!(best > 0.95 && worst < 0.05);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: 20 random orders, 10 steps over all positions, baseline 0.
///
/// # Extremes
/// 0: every random order is better. 0.5: as good as a random order. 1: better than every random order.
///
/// # Limits
/// It shows whether the order is better than chance, not by how much (the scale `z` does). With few random orders the
/// scale is coarse.
///
/// # Source
/// A permutation test: Fisher, *The Design of Experiments*, 1935.
///
/// No other library has the number.
#[metric(
    name = "random-order-reference",
    title = "Random-order reference",
    direction = Direction::Higher,
    range = Range::SHARE.when("(z: any number)"),
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 1.0,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RandomOrderReference {
    #[param(flatten)]
    steps: Steps,
    /// Start of the curves: the input, or the baseline.
    #[param(default = Start::Input)]
    start: Start,
    /// Value that replaces removed features.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Score along the curves; with `top-1`, they are curves of accuracy.
    #[param(default = CurveScore::Target)]
    score: CurveScore,
    /// Number of random orders per sample.
    #[param(at_least = 2, default = 20)]
    n_orders: usize,
    /// Scale on which the area of the map is compared with those of random orders.
    #[param(default = ReferenceScale::Share)]
    scale: ReferenceScale,
    /// Order of features with equal attributions.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
}

/// Scale on which the area of the map is compared with those of random orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "scale")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ReferenceScale {
    /// Share of the random orders that are worse than that of the map.
    #[default]
    Share,
    /// Difference between the area of the map and the mean area of the random orders, in their standard deviations;
    /// positive if the map is better.
    Z,
}

/// Relative difference below which two areas differ by rounding only.
const ROUNDING: f64 = 1e-12;

step_setters!(RandomOrderReference);

impl RandomOrderReference {
    fn work(&self) -> RemovalCurve {
        RemovalCurve {
            start: self.start,
            steps: self.steps.clone(),
            baseline: self.baseline.clone(),
            features: self.features,
            score: self.score,
            ties: self.ties,
            ..RemovalCurve::default()
        }
    }

    fn random(&self) -> RandomAreas {
        RandomAreas {
            curve: self.work(),
            n_orders: self.n_orders,
            seed: self.seed,
        }
    }

    /// Compares the area of a map with those of random orders, on the scale of the metric.
    fn compare(&self, own: f64, areas: &[f64]) -> Option<f64> {
        let n = areas.len() as f64;
        let size = areas
            .iter()
            .fold(own.abs(), |size, area| size.max(area.abs()));
        // Advantage of the map's curve over another one: a small area is good if features are removed, a large one if
        // they are restored.
        let advantage = |area: f64| match self.start {
            Start::Input => area - own,
            Start::Blank => own - area,
        };
        if self.scale == ReferenceScale::Share {
            // A tie counts one half, and areas that differ by rounding only are tied.
            let wins = areas.iter().map(|&area| match advantage(area) {
                gain if gain.abs() <= ROUNDING * size => 0.5,
                gain if gain > 0.0 => 1.0,
                _ => 0.0,
            });
            return Some(wins.sum::<f64>() / n);
        }
        let mean = areas.iter().sum::<f64>() / n;
        let squares = areas.iter().map(|area| (area - mean).powi(2));
        let deviation = (squares.sum::<f64>() / (n - 1.0)).sqrt();
        (deviation > ROUNDING * size).then(|| advantage(mean) / deviation)
    }
}

/// Batch work that computes the areas of random orders. They do not depend on the map, so explainers share them.
#[derive(Debug, Clone, PartialEq)]
struct RandomAreas {
    curve: RemovalCurve,
    n_orders: usize,
    seed: u64,
}

impl<T: Real> BatchWork<T> for RandomAreas {
    /// `[order][sample]`
    type Output = Vec<Vec<f64>>;

    fn compute(&self, batch: &SampleBatch<'_, T>) -> Result<Vec<Vec<f64>>> {
        let areas = (0..self.n_orders as u64).map(|order| {
            // Multiples of 2^64 / φ spread the seeds of the orders over all 64-bit integers. With `seed + order`, runs
            // with neighbouring seeds would have nearly the same random orders.
            let seed = self
                .seed
                .wrapping_add(order.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let curve = RemovalCurve {
                order: RemovalOrder::Random { seed },
                ..self.curve.clone()
            };
            // A random order needs no map, but the work on curves takes the batch of an explainer.
            let unnamed = ExplainerData::unnamed();
            let scores = curve.compute(&ExplainedBatch::new(batch, &unnamed)?)?;
            Ok(areas_of(&scores))
        });
        areas.collect()
    }
}

fn areas_of(curve: &CurveScores) -> Vec<f64> {
    let area_of = |sample| area(&curve.for_sample(sample).collect::<Vec<f64>>());
    (0..curve.n_samples()).map(area_of).collect()
}

impl<T: Real> Measure<T> for RandomOrderReference {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.work().prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let curve = self.work();
        curve.plan(plan)?;
        // The ends of a curve, nothing and everything removed, are the same for all orders and counted there.
        let rows = curve.rows_between(plan.dataset())? * self.n_orders as u64;
        plan.once(&self.random(), rows);
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.work().tied(explained)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let own = areas_of(&*explained.shared(&self.work())?);
        let random = explained.batch().shared(&self.random())?;
        let value = |(sample, &own): (usize, &f64)| {
            let areas: Vec<f64> = random.iter().map(|areas| areas[sample]).collect();
            self.compare(own, &areas)
        };
        Ok(own.iter().enumerate().map(value).collect())
    }
}

registered!(RandomOrderReference);

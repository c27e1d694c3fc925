//! Where a curve stands among those of random orders.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::data::ExplainerData;
use crate::batch::{BatchWork, ExplainedBatch, MapWork, Plan, RunData, SampleBatch};
use crate::metric::{Measure, Registered, SCORE_NEEDS, area};
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
/// The area is that under the curve of [`Deletion`](crate::Deletion), most relevant features first, which shares its
/// scores; from the baseline ([`start`](Self::start)) that of [`Insertion`](crate::Insertion), where a larger area is
/// the better one, and share and z count the other way round. The share is in [0, 1], **higher is better**: 0.5 = as good as a
/// random order. `z` ([`ReferenceScale::Z`]) is in units of what random orders differ by, and not defined where they do not
/// differ. The random orders of a sample are its own, drawn from its place in the data set, and the same for all
/// explainers: `R` times the rows between the ends of the curve, once, and those of the curve of every map.
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
/// It says that the order is better than chance, not by how much (the scale `z` does). Few random orders make a coarse
/// scale.
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
    /// Which end the curves start from.
    #[param(default = Start::Input)]
    start: Start,
    /// What stands for a removed value.
    #[param(into)]
    baseline: Baseline,
    /// Which positions go together, as one feature.
    features: Features,
    /// What is read off the model's outputs along the curves: with `top-1` they are curves of accuracy.
    #[param(default = CurveScore::Target)]
    score: CurveScore,
    /// The number of random orders per sample.
    #[param(at_least = 2, default = 20)]
    n_orders: usize,
    /// How the area of the map is compared with those of random orders.
    #[param(default = ReferenceScale::Share)]
    scale: ReferenceScale,
    /// Which of features with equal attributions goes first.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
    /// What random choices depend on.
    #[param(default = 1)]
    seed: u64,
}

/// How the area of the map is compared with those of random orders.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[param(name = "scale")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum ReferenceScale {
    /// The share of random orders that are worse than that of the map.
    #[default]
    Share,
    /// The distance of the area of the map from the mean of theirs, in standard deviations.
    Z,
}

/// Areas that are nearer than this share of their size differ by rounding alone.
const ROUNDING: f64 = 1e-12;

step_setters!(RandomOrderReference);

impl RandomOrderReference {
    /// The curve of the map.
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

    /// The place of an area among those of random orders.
    fn place(&self, own: f64, areas: &[f64]) -> Option<f64> {
        let n = areas.len() as f64;
        let size = areas
            .iter()
            .fold(own.abs(), |size, area| size.max(area.abs()));
        // How much better the map's curve is.
        let better = |area: f64| match self.start {
            Start::Input => area - own,
            Start::Blank => own - area,
        };
        if self.scale == ReferenceScale::Share {
            let beaten = areas.iter().map(|&area| match better(area) {
                gain if gain.abs() <= ROUNDING * size => 0.5,
                gain if gain > 0.0 => 1.0,
                _ => 0.0,
            });
            return Some(beaten.sum::<f64>() / n);
        }
        let mean = areas.iter().sum::<f64>() / n;
        let squares = areas.iter().map(|area| (area - mean).powi(2));
        let deviation = (squares.sum::<f64>() / (n - 1.0)).sqrt();
        (deviation > ROUNDING * size).then(|| better(mean) / deviation)
    }
}

/// The areas of random orders: they do not depend on the map.
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
            // A stream of its own for each order of each sample, whatever the seed of another metric.
            let seed = self
                .seed
                .wrapping_add(order.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            let curve = RemovalCurve {
                order: RemovalOrder::Random { seed },
                ..self.curve.clone()
            };
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
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.work().prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let curve = self.work();
        curve.plan(plan)?;
        let rows = curve.rows_between(plan.run())? * self.n_orders as u64;
        plan.once(&self.random(), rows);
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.work().tied(explained)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let own = areas_of(&*explained.shared(&self.work())?);
        let random = explained.batch().shared(&self.random())?;
        let place = |(sample, &own): (usize, &f64)| {
            let areas: Vec<f64> = random.iter().map(|areas| areas[sample]).collect();
            self.place(own, &areas)
        };
        Ok(own.iter().enumerate().map(place).collect())
    }
}

registered!(RandomOrderReference);

impl Registered for RandomOrderReference {}

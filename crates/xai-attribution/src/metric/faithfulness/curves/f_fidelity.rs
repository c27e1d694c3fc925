//! F-Fidelity.

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::describe::{Described, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::random::{random_stream, uniform_index};
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, MapWork, Plan, RunData};
use crate::metric::{Measure, Registered, SCORE_NEEDS};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::removal::steps::Counts;
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{
    Baseline, Features, OrderedFeatures, RankBy, RemovalOrder, RemovalTies, Steps,
};

/// Which end of the ranking an [`FFidelityMetric`] removes from.
pub trait RankedPart:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// The orders whose first features are the part, and what the mean drop of each counts for.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// How much further does the score fall without random parts of the most relevant features than of the
/// least?
///
/// ```text
/// FF±_i = mean over steps k and draws of ( g(f, x_i) − g(f, x_i without a random share β of its k first features) )
/// ```
///
/// [`FFidelityPositive`] of the most relevant features, **higher is better**; [`FFidelityNegative`] of the
/// least relevant, **lower is better**; [`FFidelity`] is their difference, **higher is better**. In units of
/// the score. Removing all of the first features, as [`Deletion`](crate::Deletion) does, shows the model
/// inputs unlike any it was trained on; a random share β of them, rounded and at least one, lacks no more than a
/// model has seen that was fine-tuned on inputs without random shares up to β of their features. The
/// fine-tuned model is the one to hand in. Sample `i` draws from streams of its own under the seed, the same
/// ranks for all explainers.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::FFidelity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// // All of the part: 4 and then 6 of the most relevant, 2 and then 6 of the least.
/// let metric = FFidelity::new().removed_share(1.0);
/// let value = metric.evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, (4.0 + 6.0) / 2.0 - (2.0 + 6.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + steps · n_draws)` rows for each end.
///
/// Defaults: 10 steps over all positions, 20 draws of a tenth of the part, baseline 0, seed 1.
///
/// # Source
/// Zheng et al., *F-Fidelity: A Robust Framework for Faithfulness Evaluation of Explainable AI*, 2025, who
/// draw a share α of the part and cap it at β of all features, and report accuracies; with scores it
/// also moves where no prediction changes. The sibling for graphs is robust fidelity.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FFidelityMetric<K> {
    #[param(flatten)]
    steps: Steps,
    /// The random share of the ranked features that is removed at a time.
    #[param(above = 0, at_most = 1, default = 0.1)]
    removed_share: f64,
    /// How many random shares are removed at each step.
    #[param(at_least = 1, at_most = 1 << 20, default = 20)]
    n_draws: usize,
    /// What stands for a removed value.
    #[param(into)]
    baseline: Baseline,
    /// Which positions go together, as one feature.
    features: Features,
    /// What random choices depend on.
    #[param(default = 1)]
    seed: u64,
    /// Which of features with equal attributions goes first.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
    #[param(skip)]
    part: PhantomData<K>,
}

/// Score drop from removing random parts of the most relevant features, minus the drop for the least relevant.
///
/// ```text
/// mean over steps k and draws of (g(x without a random share of its k last features) − g(x without a random share
/// of its k first features))
/// ```
///
/// # Extremes
/// 0: both ends of the ranking matter alike. Above 0: the first features matter more. Below 0: the last ones do.
///
/// # Limits
/// Its argument holds for a model that was fine-tuned on inputs with features missing; for any other it is a removal like
/// all others.
///
/// # Source
/// Zheng et al., F-Fidelity, 2025.
#[metric(
    name = "f-fidelity",
    title = "F-Fidelity",
    describes = BothEnds,
    direction = Direction::Higher,
    range = Range::REAL,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.023,
)]
pub type FFidelity = FFidelityMetric<BothEnds>;

/// Score drop from removing random parts of the most relevant features.
///
/// ```text
/// mean over steps k and draws of (g(x) − g(x without a random share of its k first features))
/// ```
///
/// # Extremes
/// 0: the most relevant features do not matter. High: the score falls with them.
///
/// # Limits
/// It does not compare with the other features: a model that every removal disturbs has a high value for any map.
///
/// # Source
/// Zheng et al., F-Fidelity, 2025.
#[metric(
    name = "f-fidelity-positive",
    title = "F-Fidelity, positive",
    describes = MostRelevant,
    direction = Direction::Higher,
    range = Range::REAL,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.028,
)]
pub type FFidelityPositive = FFidelityMetric<MostRelevant>;

/// Score drop from removing random parts of the least relevant features.
///
/// ```text
/// mean over steps k and draws of (g(x) − g(x without a random share of its k last features))
/// ```
///
/// # Extremes
/// 0: the least relevant features do not matter. High: the score falls with them.
///
/// # Limits
/// A model that depends on few features has a low value for nearly every map.
///
/// # Source
/// Zheng et al., F-Fidelity, 2025.
#[metric(
    name = "f-fidelity-negative",
    title = "F-Fidelity, negative",
    describes = LeastRelevant,
    direction = Direction::Lower,
    range = Range::REAL,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.0051,
)]
pub type FFidelityNegative = FFidelityMetric<LeastRelevant>;

/// The parts of [`FFidelity`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BothEnds;

/// The part of [`FFidelityPositive`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostRelevant;

/// The part of [`FFidelityNegative`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeastRelevant;

impl RankedPart for BothEnds {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[
        (RemovalOrder::MostRelevantFirst, 1.0),
        (RemovalOrder::LeastRelevantFirst, -1.0),
    ];
}

impl RankedPart for MostRelevant {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::MostRelevantFirst, 1.0)];
}

impl RankedPart for LeastRelevant {
    const ORDERS: &'static [(RemovalOrder, f64)] = &[(RemovalOrder::LeastRelevantFirst, 1.0)];
}

step_setters!(FFidelityMetric<K>);

impl<K: RankedPart> FFidelityMetric<K> {
    fn work(&self, order: RemovalOrder) -> PartlyRemoved {
        PartlyRemoved {
            order,
            counts: self.counts(),
            removed_share: self.removed_share,
            n_draws: self.n_draws,
            baseline: self.baseline.clone(),
            seed: self.seed,
            ties: self.ties,
        }
    }

    fn counts(&self) -> Counts {
        Counts {
            steps: self.steps.clone(),
            features: self.features,
        }
    }
}

/// The mean drop of every sample over all steps and draws, from one end of the ranking.
#[derive(Debug, Clone, PartialEq)]
struct PartlyRemoved {
    order: RemovalOrder,
    counts: Counts,
    removed_share: f64,
    n_draws: usize,
    baseline: Baseline,
    seed: u64,
    ties: RemovalTies,
}

impl PartlyRemoved {
    /// Draws ranks below the size of a part.
    fn draw(&self, part: usize, item: u64) -> Vec<u32> {
        let n = ((part as f64 * self.removed_share).round() as usize).clamp(1, part);
        let mut stream = random_stream(self.seed, item);
        let mut deck: Vec<u32> = (0..part as u32).collect();
        for place in 0..n {
            let other = place + uniform_index(&mut stream, part - place);
            deck.swap(place, other);
        }
        deck.truncate(n);
        deck
    }
}

impl<T: Real> MapWork<T> for PartlyRemoved {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let features = self.counts.features;
        let cells = batch.shared(&features)?;
        let orders = explained.shared(&OrderedFeatures {
            features,
            order: self.order,
            rank_by: RankBy::Sum,
            ties: self.ties,
        })?;
        let remover = Remover::new(batch, &self.baseline)?;
        let counts = batch.run().shared(&self.counts)?;
        let parts = &counts[1..];
        let per_sample = parts.len() * self.n_draws;
        let first_item = batch.item(0).wrapping_mul(per_sample as u64);
        let scores = batch.score_changed(
            batch.n_samples() * per_sample,
            |row| row / per_sample,
            |row, values| {
                let sample = row / per_sample;
                let (cells, order) = (cells.for_sample(sample), &orders[sample]);
                // Of a sample with fewer segments than another, all.
                let part = parts[row % per_sample / self.n_draws].min(order.len());
                let ranks = self.draw(part, first_item.wrapping_add(row as u64));
                let drawn = ranks.iter().map(|&rank| order[rank as usize] as usize);
                let positions = drawn.flat_map(|cell| cells.positions(cell).iter().copied());
                remover.remove(sample, values, positions);
            },
            ", without a part of some features",
        )?;
        remover.check()?;
        let drop = |(base, scores): (&f64, &[f64])| {
            let drops = scores.iter().map(|score| base - score);
            drops.sum::<f64>() / per_sample as f64
        };
        let base = batch.base_scores()?.iter();
        Ok(base
            .zip(scores.chunks_exact(per_sample))
            .map(drop)
            .collect())
    }
}

impl<T: Real, K: RankedPart> Measure<T> for FFidelityMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.features.prepare(run)?;
        run.shared(&self.counts())?;
        self.baseline.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_parts = plan.run().shared(&self.counts())?.len() - 1;
        let rows = plan.n_samples() * (n_parts * self.n_draws) as u64;
        plan.base_scores();
        plan.maps();
        for &(order, _) in K::ORDERS {
            plan.per_explainer(&self.work(order), rows);
        }
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        // From either end.
        let order = RemovalOrder::MostRelevantFirst;
        tied_features(explained, self.features, order, RankBy::Sum)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let mut values = vec![0.0; explained.batch().n_samples()];
        for &(order, weight) in K::ORDERS {
            let drops = explained.shared(&self.work(order))?;
            for (value, drop) in values.iter_mut().zip(&**drops) {
                *value += weight * drop;
            }
        }
        Ok(values.into_iter().map(Some).collect())
    }
}

registered!(FFidelityMetric<K: RankedPart>);

impl<K: RankedPart> Registered for FFidelityMetric<K> {}

//! F-Fidelity: removal of random parts of the most and the least relevant features.

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::describe::{Described, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::metric::{Measure, SCORE_NEEDS};
use crate::perturbation::removal::removal_order::{random_order, tied_features};
use crate::perturbation::removal::removed::Remover;
use crate::perturbation::removal::steps::{Counts, step_setters};
use crate::perturbation::{
    Baseline, Features, OrderedFeatures, RankBy, RemovalOrder, RemovalTies, Steps,
};

/// The end of the ranking from which an [`FFidelityMetric`] removes features.
pub trait RankedPart:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// Orders whose first features are removed, each with the weight of its mean drop in the value.
    const ORDERS: &'static [(RemovalOrder, f64)];
}

/// Score drop from removing random parts of the most, or least, relevant features.
///
/// ```text
/// FF±_i = mean over steps k and draws of ( g(f, x_i) − g(f, x_i without a random share β of F±_k) ),
/// F±_k = the k most (+) or least (−) relevant features of x_i
/// ```
///
/// [`FFidelityPositive`] removes from the most relevant features, **higher is better**; [`FFidelityNegative`] from the
/// least relevant, **lower is better**; [`FFidelity`] is their difference FF+ − FF−, **higher is better**. In units of
/// the score. Removing all of `F±_k`, as [`Deletion`](crate::metric::Deletion) does, makes inputs unlike the training
/// data. Here only a random share β of them is removed (rounded to a number of features, at least one). The model to
/// evaluate should have been fine-tuned on inputs that lack a random share of up to β of their features, so that it
/// has seen inputs with that much missing. The draws depend on the seed and the index of the sample. They are ranks
/// rather than features, so that they are the same for all explainers.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::FFidelity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// // The whole part is removed: drops of 4 and then 6 for the most relevant features, 2 and then 6 for the least relevant.
/// let metric = FFidelity::new().removed_share(1.0);
/// let value = metric.evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, (4.0 + 6.0) / 2.0 - (2.0 + 6.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + steps · n_draws)` rows for one end of the ranking, and `n · (1 + 2 · steps · n_draws)` for
/// [`FFidelity`].
///
/// Defaults: 10 steps over all positions, 20 draws per step, β = 0.1, baseline 0, seed 1.
///
/// # Source
/// Zheng et al., *F-Fidelity: A Robust Framework for Faithfulness Evaluation of Explainable AI*, 2025. They draw a
/// share α of `F±_k`, capped at β of all features, and report drops of the accuracy. Drops of the score, as here, also
/// show changes that do not alter a prediction. The counterpart for graphs is robust fidelity.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FFidelityMetric<K> {
    #[param(flatten)]
    steps: Steps,
    /// Share of the ranked features that each draw removes.
    #[param(above = 0, at_most = 1, default = 0.1)]
    removed_share: f64,
    /// Number of random shares that are removed at each step.
    #[param(at_least = 1, at_most = 1 << 20, default = 20)]
    n_draws: usize,
    /// Value that replaces removed features.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
    /// Order of features with equal attributions.
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
/// Its justification requires a model that was fine-tuned on inputs with missing features; for any other model, it has
/// the same drawback as other removals.
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
/// It is not relative to the other features: a model that every removal disturbs has a high value for any map.
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

/// Both ends of the ranking, for [`FFidelity`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BothEnds;

/// The most relevant features, for [`FFidelityPositive`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MostRelevant;

/// The least relevant features, for [`FFidelityNegative`].
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

/// Work that computes the mean drop of every sample over all steps and draws, for one end of the ranking.
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
    /// Draws a random share of the ranks `0..part`, without replacement, from the random stream of `item`.
    ///
    /// Ranks are drawn rather than features, so that all explainers have the same draws.
    fn draw(&self, part: usize, item: u64) -> Vec<u32> {
        let n = ((part as f64 * self.removed_share).round() as usize).clamp(1, part);
        random_order(self.seed, item, part, n)
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
        let counts = batch.dataset().shared(&self.counts)?;
        // The first count is 0: nothing is removed, and the drop is 0.
        let parts = &counts[1..];
        let per_sample = parts.len() * self.n_draws;
        // Every row has a random stream of its own. Its number depends on the index of the sample in the data set, not
        // on the batch or, for masked models, on the samples that have as many features.
        let items: Vec<u64> = (0..batch.n_samples())
            .map(|sample| batch.item(sample).wrapping_mul(per_sample as u64))
            .collect();
        let item = |row: usize| items[row / per_sample].wrapping_add((row % per_sample) as u64);
        let scores = batch.score_changed(
            batch.n_samples() * per_sample,
            |row| row / per_sample,
            |row, values| {
                let sample = row / per_sample;
                let (cells, order) = (cells.for_sample(sample), &orders[sample]);
                // `parts` fits the sample with most segments; others may have fewer features than that.
                let part = parts[row % per_sample / self.n_draws].min(order.len());
                let ranks = self.draw(part, item(row));
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
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.features.prepare(dataset)?;
        dataset.shared(&self.counts())?;
        self.baseline.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let n_parts = plan.dataset().shared(&self.counts())?.len() - 1;
        let rows = plan.n_samples() * (n_parts * self.n_draws) as u64;
        plan.base_scores();
        plan.maps();
        // The removed features depend on the map, so that every explainer needs its own rows.
        for &(order, _) in K::ORDERS {
            plan.per_explainer(&self.work(order), rows);
        }
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        // Ties are the same from both ends.
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

//! Prediction gaps under noise on important or unimportant positions (PGI, PGU).

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::describe::{Described, Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::metric::kinds::top_k::TopK;
use crate::metric::{Measure, PrecomputedDraws, Registered, SCORE_NEEDS};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::{
    Features, Neighbors, OrderedPositions, RankBy, RemovalOrder, RemovalTies,
};

/// The positions that get noise in a [`PredictionGap`].
pub trait NoisyPart:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// `true` if the top positions get the noise, `false` if all others do.
    const IS_TOP: bool;
}

/// Score change under noise on the positions with the largest attributions, or on all others.
///
/// ```text
/// PG_i = mean over draws of | g(f, x_i) − g(f, x_i with noise on a part) |
/// ```
///
/// In [0, ∞), in units of the score. With noise on the top positions by magnitude
/// ([`PredictionGapImportant`], PGI) **higher is better**, with noise on all others
/// ([`PredictionGapUnimportant`], PGU) **lower is better**. Noise is normal with a standard deviation of
/// 0.1 unless [`neighbors`](PredictionGap::neighbors) says otherwise.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{PredictionGapImportant, PredictionGapUnimportant, TopK};
/// use xai_attribution::Evaluate;
/// let first = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| x[0]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let (x, map) = (array![[4.0, 2.0]].into_dyn(), array![[-1.0, 0.5]].into_dyn());
/// let important = PredictionGapImportant::new().k(TopK::Count(1));
/// assert!(important.evaluate(&first, x.view(), &[0], map.view())?.value > 0.0);
/// let unimportant = PredictionGapUnimportant::new().k(TopK::Count(1));
/// assert_eq!(unimportant.evaluate(&first, x.view(), &[0], map.view())?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + n_neighbors)` rows for each of the two.
///
/// Defaults: a tenth of the positions, 20 draws of normal noise of 0.1, seed 1.
///
/// # Source
/// Agarwal et al., *OpenXAI: Towards a Transparent Evaluation of Model Explanations*, 2022; after Petsiuk et al.,
/// *RISE*, 2018. OpenXAI reads the first output for any prediction. For its numbers, use targets of 0 and its noise as
/// [`Neighborhood::Given`](crate::perturbation::Neighborhood::Given).
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PredictionGap<K> {
    /// Number of positions in the top, or a share of them. Default: a tenth of them.
    k: TopK,
    /// Noise: one draw per neighbour, with the radius as standard deviation.
    #[param(flatten, setter, default = Neighbors::gaussian(0.1))]
    neighbors: Neighbors,
    /// Treatment of positions with equal attributions at the cut.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
    #[param(skip)]
    part: PhantomData<K>,
}

/// Score change under noise on the positions with the largest attributions.
///
/// ```text
/// mean over draws of |g(x) − g(x with noise on the positions with the largest attributions)|
/// ```
///
/// # Extremes
/// 0: the score does not move. High: the score depends on the top positions.
///
/// # Limits
/// It depends on the noise, which has the unit of the inputs (scale tables first), and on the model. A model that is
/// sensitive to every feature has a high value for any map: read it with the unimportant gap.
///
/// # Source
/// Agarwal et al., OpenXAI, 2022.
///
/// # Elsewhere
/// `openxai.PGI`
#[metric(
    name = "prediction-gap-important",
    title = "Prediction gap, important (PGI)",
    describes = Important,
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.0163,
)]
pub type PredictionGapImportant = PredictionGap<Important>;

/// Score change under noise on all but the positions with the largest attributions.
///
/// ```text
/// mean over draws of |g(x) − g(x with noise on all other positions)|
/// ```
///
/// # Extremes
/// 0: the score does not depend on the positions outside the top. High: it does.
///
/// # Limits
/// If the score hardly changes under the noise, which has the unit of the inputs, the value is low for any map: read it
/// with the important gap.
///
/// # Source
/// Agarwal et al., OpenXAI, 2022.
///
/// # Elsewhere
/// `openxai.PGU`
#[metric(
    name = "prediction-gap-unimportant",
    title = "Prediction gap, unimportant (PGU)",
    describes = Unimportant,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.0141,
)]
pub type PredictionGapUnimportant = PredictionGap<Unimportant>;

/// The top positions, for [`PredictionGapImportant`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Important;

/// All positions outside the top, for [`PredictionGapUnimportant`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Unimportant;

impl NoisyPart for Important {
    const IS_TOP: bool = true;
}

impl NoisyPart for Unimportant {
    const IS_TOP: bool = false;
}

impl<K: NoisyPart> PredictionGap<K> {
    fn work(&self) -> PartlyNoisy {
        PartlyNoisy {
            k: self.k,
            neighbors: self.neighbors,
            is_top: K::IS_TOP,
            ties: self.ties,
        }
    }
}

/// Work that computes the scores under noise on a part of the positions, one score per sample and neighbour.
#[derive(Debug, Clone, PartialEq)]
struct PartlyNoisy {
    k: TopK,
    neighbors: Neighbors,
    is_top: bool,
    ties: RemovalTies,
}

impl<T: Real> MapWork<T> for PartlyNoisy {
    type Output = Vec<f64>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let places = batch.dataset().positions();
        let tops = explained.shared(&OrderedPositions {
            order: RemovalOrder::LargestFirst,
            n: self.k.resolve(places.positions)?,
            ties: self.ties,
        })?;
        // PGI adds noise to the top and keeps the rest, PGU the other way round.
        let is_kept = |top: &Vec<u32>| {
            let mut kept = vec![self.is_top; places.positions];
            for &position in top {
                kept[position as usize] = !self.is_top;
            }
            kept
        };
        let kept: Vec<Vec<bool>> = tops.iter().map(is_kept).collect();
        let source = self.neighbors.source(batch)?;
        let (count, size, inputs) = (source.count, places.size(), batch.values());
        let scores = batch.score_changed(
            batch.n_samples() * count,
            |row| row / count,
            |row, values| {
                // Noise is drawn for all positions and the kept ones are restored, so that a position has the same
                // noise in PGI and PGU, and for every map.
                let sample = row / count;
                source.write(row, values);
                let input = &inputs[sample * size..(sample + 1) * size];
                for position in (0..places.positions).filter(|&p| kept[sample][p]) {
                    places.copy(values, input, position);
                }
            },
            ", with noise on some positions",
        );
        // First, because noise that is not finite may be the reason why the model failed.
        source.check()?;
        scores
    }
}

impl<T: Real, K: NoisyPart> Measure<T> for PredictionGap<K> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.k.resolve(dataset.n_positions())?;
        self.neighbors.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        let count = self.neighbors.count(plan.dataset())?;
        plan.base_scores();
        plan.maps();
        // The noisy positions depend on the map, so that every explainer needs its own rows.
        plan.per_explainer(&self.work(), plan.n_samples() * count as u64);
        Ok(())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        let order = RemovalOrder::LargestFirst;
        tied_features(explained, Features::Positions, order, RankBy::Sum)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let base = explained.batch().base_scores()?;
        let scores = explained.shared(&self.work())?;
        let count = scores.len() / base.len();
        let value = |(base, scores): (&f64, &[f64])| {
            let gaps = scores.iter().map(|score| (base - score).abs());
            Some(gaps.sum::<f64>() / count as f64)
        };
        Ok(base
            .iter()
            .zip(scores.chunks_exact(count))
            .map(value)
            .collect())
    }
}

registered!(PredictionGap<K: NoisyPart>, options);

impl<K: NoisyPart> Registered for PredictionGap<K> {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = given_neighbors!();
}

//! Symmetric relevance gain.

use std::sync::Arc;

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::{Measure, SCORE_NEEDS, area};
use crate::model::CurveScore;
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{
    Baseline, CurveScores, Features, RemovalCurve, RemovalOrder, RemovalTies, Steps,
};

/// Area between the score curves of removal with the least and with the most relevant features first.
///
/// ```text
/// area of the curve with the least relevant features removed first − area with the most relevant ones first
/// ```
///
/// In units of the score, **higher is better**; 0 = an order as good as a random one, for which both
/// areas have the same expectation. A baseline that the model takes for evidence moves both areas alike, so
/// the ranking of explainers depends less on the baseline. This makes it a good first metric for comparing
/// explainers. The second area is that of [`Deletion`](crate::metric::Deletion), which shares its scores.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::SymmetricRelevanceGain};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0]].into_dyn();
/// // 6, 4, 0 against 6, 2, 0.
/// let gain = SymmetricRelevanceGain::new().evaluate(&sum, x.view(), &[0], x.view())?;
/// assert_eq!(gain.value, 3.5 - 2.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: 10 steps over all positions, baseline 0.
///
/// # Extremes
/// 0: an order as good as a random one. Above 0: the map orders features as the model uses them. Below 0: it orders
/// them the wrong way round.
///
/// # Limits
/// It evaluates the order of the features only, not the magnitudes of the attributions. Its largest possible value
/// depends on the model.
///
/// # Source
/// Blücher, Vielhaben, Strodthoff, *Decoupling Pixel Flipping and Occlusion Strategy for Consistent XAI Benchmarks*,
/// 2024.
#[metric(
    name = "symmetric-relevance-gain",
    direction = Direction::Higher,
    range = Range::REAL,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.1237,
)]
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct SymmetricRelevanceGain {
    #[param(flatten)]
    steps: Steps,
    /// Value that replaces removed features.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Score along the curves; with `top-1`, they are curves of accuracy.
    score: CurveScore,
    /// Order of features with equal attributions.
    ties: RemovalTies,
}

step_setters!(SymmetricRelevanceGain);

impl SymmetricRelevanceGain {
    fn work(&self, order: RemovalOrder) -> RemovalCurve {
        RemovalCurve {
            order,
            steps: self.steps.clone(),
            baseline: self.baseline.clone(),
            features: self.features,
            score: self.score,
            ties: self.ties,
            ..RemovalCurve::default()
        }
    }
}

impl<T: Real> Measure<T> for SymmetricRelevanceGain {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.work(RemovalOrder::MostRelevantFirst).prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work(RemovalOrder::MostRelevantFirst).plan(plan)?;
        self.work(RemovalOrder::LeastRelevantFirst).plan(plan)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        // Features that are tied in one order are tied in the reverse order.
        self.work(RemovalOrder::MostRelevantFirst).tied(explained)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let curve = |order| explained.shared(&self.work(order));
        let most: Arc<CurveScores> = curve(RemovalOrder::MostRelevantFirst)?;
        let least = curve(RemovalOrder::LeastRelevantFirst)?;
        let area_of =
            |curve: &CurveScores, sample| area(&curve.for_sample(sample).collect::<Vec<f64>>());
        let gain = |sample| Some(area_of(&least, sample) - area_of(&most, sample));
        Ok((0..most.n_samples()).map(gain).collect())
    }
}

registered!(SymmetricRelevanceGain);

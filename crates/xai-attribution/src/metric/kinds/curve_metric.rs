//! Metrics along a curve of scores.

use std::fmt::Debug;
use std::sync::Arc;
use xai_core::describe::Described;

use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::input;
use crate::metric::{GivenDraws, Measure, Parameters, Registered};
use crate::model::CurveScore;
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{
    Baseline, CurveScores, Features, RankBy, RemovalCurve, RemovalOrder, RemovalTies, Start,
    StepCount, Steps,
};

/// Which curve a [`CurveMetric`] goes along, and what it says of it.
pub trait CurveKind:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Which end the curve starts from.
    const START: Start;
    /// Which features go first, unless [`CurveMetric::order`] says otherwise.
    const ORDER: RemovalOrder = RemovalOrder::MostRelevantFirst;
    /// What ranks features of several positions.
    const RANK_BY: RankBy = RankBy::Sum;

    /// The steps, unless [`CurveMetric::steps`] says otherwise: 10 over all features.
    #[must_use]
    fn default_steps() -> Steps {
        Steps::default()
    }

    /// The features, unless [`CurveMetric::features`] says otherwise: single positions.
    #[must_use]
    fn default_features() -> Features {
        Features::default()
    }

    /// Whether features without a positive attribution are never flipped. By default they are.
    fn only_positive(&self) -> bool {
        false
    }

    /// The value of one sample from the points of its curve, by default the [`area`] under it.
    ///
    /// # Errors
    /// An undefined score, about sample 0: the caller knows which one it is.
    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        Ok(Some(area(points.scores)))
    }
}

/// The curve of one sample.
#[derive(Debug, Clone, Copy)]
pub struct CurvePoints<'a> {
    /// How many features are flipped at each point; 0 first.
    pub n_flipped: &'a [usize],
    /// The score at each point.
    pub scores: &'a [f64],
}

/// The mean of the trapezoids between points.
#[must_use]
pub fn area(scores: &[f64]) -> f64 {
    let last = scores.len() - 1;
    // Every point is a side of two trapezoids, but for the first and the last.
    let sum: f64 = scores.iter().sum();
    (sum - (0.5 * scores[0] + 0.5 * scores[last])) / last as f64
}

/// A metric along a curve of scores: of the removal of features, or of their return.
///
/// [`Deletion`](crate::Deletion), [`Insertion`](crate::Insertion) and their relatives are, and a
/// [`CurveKind`] of your own. The model sees `n` rows for every step that flips anything, and for the
/// start. Where a batch has room for several steps of all its samples they go in one call. Two
/// metrics along the same curve share it. The default baseline is 0.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct CurveMetric<K> {
    #[param(skip)]
    order: RemovalOrder,
    #[param(flatten)]
    steps: Steps,
    /// What stands for a removed value: a number, one number per channel (of tables per feature), or a word.
    #[param(into)]
    baseline: Baseline,
    /// Which positions go together, as one feature.
    features: Features,
    /// What is read off the model's outputs along the curve: with `top-1` it is a curve of accuracy.
    score: CurveScore,
    /// Which of features with equal attributions goes first.
    ties: RemovalTies,
    #[param(flatten)]
    pub(crate) kind: K,
}

impl<K: CurveKind> Default for CurveMetric<K> {
    fn default() -> Self {
        Self {
            order: K::ORDER,
            steps: K::default_steps(),
            baseline: Baseline::default(),
            features: K::default_features(),
            score: CurveScore::Target,
            ties: RemovalTies::default(),
            kind: K::default(),
        }
    }
}

step_setters!(CurveMetric<K>);

impl<K: CurveKind> CurveMetric<K> {
    /// The number of features that each step flips, at least 1, instead of a number of steps.
    #[must_use]
    pub fn step_size(mut self, features: usize) -> Self {
        self.steps.count = StepCount::Size(features);
        self
    }

    /// Which features go first. The reverse of the metric's own order reverses its
    /// [direction](crate::metric::Metric::direction).
    #[must_use]
    pub fn order(mut self, order: RemovalOrder) -> Self {
        self.order = order;
        self
    }

    /// The curve.
    #[must_use]
    pub fn work(&self) -> RemovalCurve {
        RemovalCurve {
            order: self.order,
            start: K::START,
            steps: self.steps.clone(),
            baseline: self.baseline.clone(),
            features: self.features,
            rank_by: K::RANK_BY,
            score: self.score,
            ties: self.ties,
            only_positive: self.kind.only_positive(),
        }
    }
}

impl<T: Real, K: CurveKind> Measure<T> for CurveMetric<K> {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.work().prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let curve = explained.shared(&self.work())?;
        let first = explained.batch().samples().start;
        let value = |sample| {
            let scores: Vec<f64> = curve.for_sample(sample).collect();
            let n_flipped = &curve.n_flipped[..scores.len()];
            let points = CurvePoints {
                n_flipped,
                scores: &scores,
            };
            let value = self.kind.value(&points);
            value.map_err(|error| error.shifted(0, first + sample))
        };
        (0..curve.n_samples()).map(value).collect()
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.work().tied(explained)
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        explained.shared(&self.work()).map(Some)
    }
}

registered!(CurveMetric<K: CurveKind>);

impl<K: CurveKind> Registered for CurveMetric<K> {
    /// The least relevant features first, where the most relevant would go first, or the other way round.
    fn reverses_direction(&self) -> bool {
        use RemovalOrder::{LargestFirst, LeastRelevantFirst, MostRelevantFirst, SmallestFirst};
        let is_descending = |order| match order {
            MostRelevantFirst | LargestFirst => Some(true),
            LeastRelevantFirst | SmallestFirst => Some(false),
            RemovalOrder::Random { .. } | RemovalOrder::Given => None,
        };
        let orders = is_descending(self.order).zip(is_descending(K::ORDER));
        orders.is_some_and(|(order, default)| order != default)
    }

    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(GivenDraws {
        input: input::ORDERS,
        take: |metric| metric.order(RemovalOrder::Given),
    });
}

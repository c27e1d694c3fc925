//! Metrics along a curve of scores.

use std::fmt::Debug;
use std::sync::Arc;
use xai_core::describe::Described;

use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::metric::{Measure, Parameters, PrecomputedDraws, Registered};
use crate::model::CurveScore;
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{
    Baseline, CurveScores, Features, RankBy, RemovalCurve, RemovalOrder, RemovalTies, Start,
    StepCount, Steps,
};

/// The curve of a [`CurveMetric`], and the formula that reduces it to one value.
pub trait CurveKind:
    Described + Parameters + Debug + Clone + Default + PartialEq + Send + Sync + 'static
{
    /// Start of the curve: the input (features are removed) or the baseline (features are restored).
    const START: Start;
    /// Default of [`CurveMetric::order`].
    const ORDER: RemovalOrder = RemovalOrder::MostRelevantFirst;
    /// Statistic that ranks features of several positions: the sum or the mean of their attributions.
    const RANK_BY: RankBy = RankBy::Sum;

    /// Returns the default of [`CurveMetric::steps`]: 10 over all features.
    #[must_use]
    fn default_steps() -> Steps {
        Steps::default()
    }

    /// Returns the default of [`CurveMetric::features`]: single positions.
    #[must_use]
    fn default_features() -> Features {
        Features::default()
    }

    /// Returns `true` if features without a positive attribution are never flipped. The default is `false`.
    fn only_positive(&self) -> bool {
        false
    }

    /// Computes the value of one sample from the points of its curve, by default the [`area`] under it.
    ///
    /// # Errors
    /// An undefined score, with sample index 0. The caller replaces the index.
    fn value(&self, points: &CurvePoints<'_>) -> Result<Option<f64>> {
        Ok(Some(area(points.scores)))
    }
}

/// The curve of one sample.
#[derive(Debug, Clone, Copy)]
pub struct CurvePoints<'a> {
    /// Number of features that are flipped (removed or restored) at each point; the first is 0.
    pub n_flipped: &'a [usize],
    /// Score at each point.
    pub scores: &'a [f64],
}

/// Area under a curve of equally spaced points, divided by its width: the mean of the trapezoids.
///
/// There must be at least two points.
#[must_use]
pub fn area(scores: &[f64]) -> f64 {
    let last = scores.len() - 1;
    // Every point is a side of two trapezoids, except for the first and the last.
    let sum: f64 = scores.iter().sum();
    (sum - (0.5 * scores[0] + 0.5 * scores[last])) / last as f64
}

/// A metric of a curve of scores while features are removed, or restored, step by step.
///
/// [`Deletion`](crate::metric::Deletion), [`Insertion`](crate::metric::Insertion) and their relatives are curve
/// metrics, and so is a [`CurveKind`] of your own. The model sees `n` rows for the start and for every step that flips
/// a feature. If a batch has room for several steps of all its samples, they go into one call. Two metrics of the same
/// curve share its scores.
///
/// Defaults, unless the [`CurveKind`] has others: 10 steps over all positions, each position a feature, baseline 0; of
/// features with equal attributions, the one with the lowest index goes first.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct CurveMetric<K> {
    #[param(skip)]
    order: RemovalOrder,
    #[param(flatten)]
    steps: Steps,
    /// Value that replaces removed features: a number, one number per channel (per feature in tables), or a word.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Score along the curve; with `top-1`, it is a curve of accuracy.
    score: CurveScore,
    /// Order of features with equal attributions.
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
    /// Sets the number of features that each step flips, at least 1, instead of a number of steps.
    #[must_use]
    pub fn step_size(mut self, features: usize) -> Self {
        self.steps.count = StepCount::Size(features);
        self
    }

    /// Sets which features go first. An order from the other end of the ranking than the metric's default reverses its
    /// [direction](crate::metric::Metric::direction).
    #[must_use]
    pub fn order(mut self, order: RemovalOrder) -> Self {
        self.order = order;
        self
    }

    /// Returns the batch work that computes the scores of the curve.
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

// The work is the whole metric up to the formula: metrics whose curves have equal settings find the same scores in the
// batch's cache.
impl<T: Real, K: CurveKind> Measure<T> for CurveMetric<K> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.work().prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let curve = explained.shared(&self.work())?;
        let first = explained.batch().samples().start;
        let value = |sample| {
            // A sample with fewer segments than others has fewer points.
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

registered!(CurveMetric<K: CurveKind>, options);

impl<K: CurveKind> Registered for CurveMetric<K> {
    /// An order from the other end of the ranking reverses the direction. Random and given orders have no end and do
    /// not.
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

    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::ORDERS,
        take: |metric| metric.order(RemovalOrder::Given),
    });
}

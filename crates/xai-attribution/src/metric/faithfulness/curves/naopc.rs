//! Normalised area over the perturbation curve.

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::metric::kinds::order_limits::{Limits, OrderLimits};
use crate::metric::{Measure, Metric, Registered, SCORE_NEEDS};
use crate::perturbation::{
    Baseline, Features, OrderedFeatures, RankBy, RemovalCurve, RemovalOrder, RemovalTies,
    StepCount, Steps,
};

/// Mean score drop of the map's order, normalized by the model's worst and best orders.
///
/// ```text
/// (AOPC(map) − min_r AOPC(r)) / (max_r AOPC(r) − min_r AOPC(r)), AOPC(r) = mean over k = 1..F of (g(x) − g(x
/// without the first k features of order r))
/// ```
///
/// In [0, 1], **higher is better**: 1 = no order makes the score fall faster, 0 = none slower. AOPC depends on what a
/// model can lose, so that its values for two models do not compare; these do. Not defined where all orders have one
/// AOPC.
///
/// Up to [`exact_up_to`](Self::exact_up_to) features (12) the limits are exact: the model sees every subset of features
/// but none and all, `2^F − 2` rows per sample, whichever explainers are judged. Of more features two beams are
/// searched, of [`beam`](Self::beam) subsets of every size (5): at most `beam · F · (F + 1)` rows, and `F + 1` for the
/// order of every map, which counts among those searched. The features are 3 × 3 cells of an image, 3
/// stretches of a time series, and each by itself in a table.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Naopc};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]];
/// // Without the first one or two: 3 and 1 at best, 6 and 4 at worst, and 5 and 1 with the second first.
/// let map = array![[0.5, 0.9, 0.1]];
/// let value = Naopc::new().evaluate(&sum, x.view(), &[0], map.view())?.value;
/// assert!((value - (10.0 - 6.0) / (10.0 - 4.0)).abs() < 1e-12);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: cells of a grid of 3, baseline 0.
///
/// # Extremes
/// 0: no order removes the score more slowly. 1: no order removes it faster.
///
/// # Limits
/// Of more features than `exact_up_to` the best and the worst order are searched, not proven. It judges the order alone.
///
/// # Source
/// Edin et al., *Normalized AOPC: Fixing Misleading Faithfulness Metrics for Feature Attributions Explainability*, 2025.
#[metric(
    name = "naopc",
    title = "NAOPC",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.9892,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Naopc {
    /// What stands for a removed value.
    #[param(into)]
    baseline: Baseline,
    /// Which positions go together, as one feature.
    #[param(default = Features::Grid(3))]
    features: Features,
    /// Up to how many features the best and the worst order are exact.
    #[param(at_most = MOST_EXACT, default = 12)]
    exact_up_to: usize,
    /// How many subsets of one size are kept where the best and the worst order are searched.
    #[param(at_least = 1, default = 5)]
    beam: usize,
    /// Which of features with equal attributions goes first.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
}

/// Of more features the subsets are too many: 16 have 65 536.
const MOST_EXACT: usize = 16;

/// Limits that are nearer than this share of their size differ by rounding alone.
const ROUNDING: f64 = 1e-12;

impl Naopc {
    fn limits(&self) -> OrderLimits {
        OrderLimits {
            features: self.features,
            baseline: self.baseline.clone(),
            exact_up_to: self.exact_up_to,
            beam: self.beam,
        }
    }

    /// The order of the map, where not all subsets are known.
    fn curve(&self) -> RemovalCurve {
        RemovalCurve {
            steps: Steps {
                count: StepCount::All,
                ..Steps::default()
            },
            baseline: self.baseline.clone(),
            features: self.features,
            ties: self.ties,
            ..RemovalCurve::default()
        }
    }

    /// The sum of the scores along the order of every map.
    fn along_maps<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let limits = self.limits();
        if !limits.is_exact(batch.run())? {
            let curve = explained.shared(&self.curve())?;
            let sum = |sample| {
                let scores: Vec<f64> = curve.for_sample(sample).collect();
                // In the order of the search, so that no rounding makes a difference.
                scores[1..scores.len() - 1]
                    .iter()
                    .fold(0.0, |sum, x| sum + x)
            };
            return Ok((0..batch.n_samples()).map(sum).collect());
        }
        let limits = batch.shared(&limits)?;
        let orders = explained.shared(&OrderedFeatures {
            features: self.features,
            order: RemovalOrder::MostRelevantFirst,
            rank_by: RankBy::Sum,
            ties: self.ties,
        })?;
        let pairs = limits.iter().zip(&*orders);
        Ok(pairs.filter_map(|(of, order)| of.along(order)).collect())
    }
}

impl<T: Real> Measure<T> for Naopc {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.curve().prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        let limits = self.limits();
        if limits.is_exact(plan.run())? {
            let rows = limits.exact_rows(plan.run())?;
            plan.once(&limits, rows);
            return Ok(());
        }
        // How far the two beams share subsets shows on the way.
        plan.unknown(self.info().name);
        self.curve().plan(plan)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.curve().tied(explained)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let limits = explained.batch().shared(&self.limits())?;
        let sums = self.along_maps(explained)?;
        let value = |(limits, own): (&Limits, f64)| {
            // A beam may miss an order that a map has.
            let (least, largest) = (limits.least.min(own), limits.largest.max(own));
            let is_apart = largest - least > ROUNDING * least.abs().max(largest.abs());
            // A low sum of scores is a high area over the curve.
            is_apart.then(|| (largest - own) / (largest - least))
        };
        Ok(limits.iter().zip(sums).map(value).collect())
    }
}

registered!(Naopc);

impl Registered for Naopc {}

//! Normalized area over the perturbation curve (NAOPC).

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::kinds::order_limits::{Limits, OrderLimits};
use crate::metric::{Measure, Metric, SCORE_NEEDS};
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
/// In [0, 1], **higher is better**: 1 = no order makes the score fall faster, 0 = no order makes it fall more slowly.
/// The AOPC of different models is not comparable, because it depends on how much score a model can lose; the
/// normalized value is. It is undefined if all orders have the same AOPC.
///
/// Up to [`exact_up_to`](Self::exact_up_to) features (12) the limits are exact: the model sees every subset of features
/// except the empty and the full one, `2^F − 2` rows per sample for any number of explainers. For more features there
/// are two beam searches that keep [`beam`](Self::beam) subsets of every size (5): at most `beam · F · (F + 1)` rows,
/// plus `F + 1` for the order of every map, which also counts as a searched order. By default, features are the 3 × 3
/// cells of an image, 3 intervals of every variable of a time series, and the columns of a table.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::Naopc};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]];
/// // Scores without the first one and two features: 3 and 1 in the best order, 6 and 4 in the worst, 5 and 1 in that
/// // of the map.
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
/// With more features than `exact_up_to`, the best and the worst order are heuristic. It evaluates the order of the
/// features only.
///
/// # Source
/// Edin et al., *Normalized AOPC: Fixing Misleading Faithfulness Metrics for Feature Attributions Explainability*,
/// 2025.
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
    /// Value that replaces removed features.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    #[param(default = Features::Grid(3))]
    features: Features,
    /// Largest number of features for which the best and the worst order are exact.
    #[param(at_most = MOST_EXACT, default = 12)]
    exact_up_to: usize,
    /// Number of subsets per size that the search for the best and the worst order keeps.
    #[param(at_least = 1, default = 5)]
    beam: usize,
    /// Order of features with equal attributions.
    #[param(default = RemovalTies::LowestIndex)]
    ties: RemovalTies,
}

/// Upper bound of `exact_up_to`: 16 features have 65 536 subsets, each a row of the model per sample.
const MOST_EXACT: usize = 16;

/// Relative difference below which two sums differ by rounding only.
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

    /// Curve along the order of the map, which is needed if the scores of all subsets are not known.
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

    /// Returns, for every map, the sum of the scores along its order, without the two ends.
    fn along_maps<T: Real>(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<f64>> {
        let batch = explained.batch();
        let limits = self.limits();
        if !limits.is_exact(batch.dataset())? {
            let curve = explained.shared(&self.curve())?;
            let sum = |sample| {
                let scores: Vec<f64> = curve.for_sample(sample).collect();
                // Added from 0 on and in this sequence, as the search adds: an order that a beam found too has the same
                // bits, and not a difference by rounding.
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
        let sums = pairs.filter_map(|(limits, order)| limits.along(order));
        Ok(sums.collect())
    }
}

impl<T: Real> Measure<T> for Naopc {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.curve().prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        let limits = self.limits();
        if limits.is_exact(plan.dataset())? {
            let rows = limits.exact_rows(plan.dataset())?;
            plan.once(&limits, rows);
            return Ok(());
        }
        // The two beams share subsets, but how many depends on the scores.
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
            // A beam search may miss the order of the map, which can be beyond the limits it found.
            let (least, largest) = (limits.least.min(own), limits.largest.max(own));
            let is_apart = largest - least > ROUNDING * least.abs().max(largest.abs());
            // The area over the curve is high where the sum of scores is low, so the limits change sides. The number of
            // points and the score of the input cancel in the quotient.
            is_apart.then(|| (largest - own) / (largest - least))
        };
        Ok(limits.iter().zip(sums).map(value).collect())
    }
}

registered!(Naopc);

//! Monotonicity correlation of attribution magnitudes and score changes.

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::statistics::Correlation;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::metric::{Measure, PrecomputedDraws, Registered, SCORE_NEEDS};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::single_removal::check_group_size;
use crate::perturbation::value_changes::{FeatureChanges, GroupChanges, Values};
use crate::perturbation::{Features, RankBy, RemovalOrder, ValueRange};

/// Rank correlation of absolute attributions and mean squared score changes when the feature is replaced.
///
/// ```text
/// Spearman's correlation over features of (|attribution|, mean over values u of (g(x with the feature at u) −
/// g(x))²)
/// ```
///
/// In [−1, 1], **higher is better**. The values `u` are the midpoints of `m` equal parts of a range of values
/// ([`ValueRange`]); all elements of a feature are set to the same value. A sample whose attributions all have the same
/// magnitude, or whose mean squared changes are all equal, has no value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::MonotonicityCorrelation};
/// let model = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let rows = batch.outer_iter().map(|x| 3.0 * x[0] - 2.0 * x[1] + x[2]);
///     Ok(Array2::from_shape_vec((batch.shape()[0], 1), rows.collect()).unwrap())
/// };
/// let x = array![[1.0, 1.0, 0.0]].into_dyn();
/// let map = array![[3.0, -2.0, 1.0]].into_dyn();
/// let value = MonotonicityCorrelation::new().evaluate(&model, x.view(), &[0], map.view())?;
/// assert_eq!(value.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + features · m)` rows, the same for all explainers. With a
/// [`group_size`](MonotonicityCorrelation::group_size) above 1, features are groups that depend on the map, and every
/// explainer has its own rows.
///
/// Defaults: single positions, 10 values in the range of each sample.
///
/// # Extremes
/// −1: the score depends least on the features with the largest attributions. 0: there is no relation. 1: it depends on
/// features in the order of their attributions.
///
/// # Limits
/// It ignores signs, and features are changed one at a time.
///
/// # Source
/// Nguyen and Martínez, *On quantitative aspects of model interpretability*, 2020.
///
/// The paper divides by the squared score, which does not change ranks. Quantus draws `u` from [0, 1]: for the same
/// numbers, use [`ValueRange::Given`] and [`group_size`](MonotonicityCorrelation::group_size).
///
/// # Elsewhere
/// `quantus.MonotonicityCorrelation`
#[metric(
    name = "monotonicity-correlation",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.6295,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct MonotonicityCorrelation {
    /// Grouping of positions into features.
    features: Features,
    /// Number of positions, consecutive in the order of their attributions, that form one feature; 1 uses the features
    /// as they are.
    ///
    /// Groups depend on the map, so that explainers do not share the scores of the model. Of positions with
    /// attributions of equal magnitude the lower one comes first; the result has the number of such positions.
    #[param(at_least = 1, default = 1)]
    group_size: usize,
    /// Values that a feature is set to.
    value_range: ValueRange,
    /// Number of values that a feature is set to.
    #[param(at_least = 1, at_most = 1 << 20, default = 10)]
    n_values: usize,
}

impl MonotonicityCorrelation {
    fn values(&self) -> Values {
        Values {
            range: self.value_range,
            n: self.n_values,
        }
    }

    fn groups(&self) -> GroupChanges {
        GroupChanges {
            group_size: self.group_size,
            values: self.values(),
        }
    }

    fn changes(&self) -> FeatureChanges {
        FeatureChanges {
            features: self.features,
            values: self.values(),
        }
    }
}

impl<T: Real> Measure<T> for MonotonicityCorrelation {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        check_group_size(self.group_size, self.features, dataset)?;
        self.features.prepare(dataset)?;
        let n_features = self.features.max_count(dataset)?.div_ceil(self.group_size);
        self.values().prepare(dataset, n_features)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        match self.group_size {
            0 | 1 => self.changes().plan(plan),
            _ => self.groups().plan(plan),
        }
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let correlation = |(magnitudes, changes): (&Vec<f64>, &Vec<f64>)| {
            Correlation::Spearman.correlate_finite(magnitudes, changes)
        };
        if self.group_size > 1 {
            let groups = explained.shared(&self.groups())?;
            return Ok(groups.0.iter().zip(&groups.1).map(correlation).collect());
        }
        let changes = batch.shared(&self.changes())?;
        let cells = batch.shared(&self.features)?;
        let attributions = explained.attributions()?;
        let samples = attributions.chunks_exact(batch.dataset().n_positions());
        let value = |(sample, attributions): (usize, &[T])| {
            // The sum of magnitudes, not the magnitude of the sum: attributions of opposite signs must not cancel.
            let magnitudes: Vec<T> = attributions.iter().map(|a| a.abs()).collect();
            let sums = cells.for_sample(sample).sums(&magnitudes);
            correlation((&sums, &changes[sample]))
        };
        Ok(samples.enumerate().map(value).collect())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        if self.group_size > 1 {
            let order = RemovalOrder::SmallestFirst;
            tied_features(explained, self.features, order, RankBy::Sum)
        } else {
            Ok(None)
        }
    }
}

registered!(MonotonicityCorrelation, options);

impl Registered for MonotonicityCorrelation {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::GIVEN_VALUES,
        take: |metric| metric.value_range(ValueRange::Given),
    });
}

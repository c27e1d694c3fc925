//! Faithfulness estimate: correlation of attributions and single-feature drops.

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::statistics::Correlation;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::{Measure, SCORE_NEEDS};
use crate::perturbation::removal::removal_order::tied_features;
use crate::perturbation::removal::single_removal::check_group_size;
use crate::perturbation::{Baseline, Features, RankBy, RankedRemoval, RemovalOrder, SingleRemoval};

/// Correlation of attributions and score drops when features are removed one by one.
///
/// ```text
/// correlation over features of (attribution of the feature, g(x) − g(x without the feature))
/// ```
///
/// In [−1, 1], **higher is better**. The correlation is Pearson's unless
/// [`correlation`](FaithfulnessEstimate::correlation) says otherwise; with Spearman's over a
/// [grid](Features::Grid) or [patches](Features::Patches) the metric is IDSDS. A sample whose
/// attributions or drops are all equal, or that has fewer than two features, has no value.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::FaithfulnessEstimate};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]].into_dyn();
/// let metric = FaithfulnessEstimate::new();
/// assert_eq!(metric.evaluate(&sum, x.view(), &[0], x.view())?.value, 1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + features)` rows, the same for all explainers. With a
/// [`group_size`](FaithfulnessEstimate::group_size) above 1, features are groups that depend on the map, and every
/// explainer has its own rows.
///
/// Defaults: single positions, baseline 0, Pearson's correlation.
///
/// # Extremes
/// −1: the score falls most without the features of the lowest attribution. 0: there is no relation. 1: drops are
/// proportional to attributions.
///
/// # Limits
/// Features are removed one at a time: interactions of features are not measured, and a feature that another one can
/// replace seems not to matter. The map of occlusion with the same features and baseline has the value 1 by
/// construction.
///
/// # Source
/// Alvarez-Melis and Jaakkola, *Towards Robust Interpretability with Self-Explaining Neural Networks*, 2018; Hesse et
/// al., *Benchmarking the Attribution Quality of Vision Models*, 2024, for IDSDS.
///
/// Features in Quantus are groups of elements that are consecutive in descending order of attribution:
/// [`group_size`](FaithfulnessEstimate::group_size).
///
/// # Elsewhere
/// `quantus.FaithfulnessEstimate`, `ferret.TauLOO_Evaluation`
#[metric(
    name = "faithfulness-estimate",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.9589,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct FaithfulnessEstimate {
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Number of positions, consecutive in the order of their attributions, that form one feature; 1 uses the features
    /// as they are.
    ///
    /// Groups depend on the map, so that explainers do not share the scores of the model. Of positions with equal
    /// attributions the lower one comes first; the result has the number of such positions.
    #[param(at_least = 1, default = 1)]
    group_size: usize,
    /// Correlation of score drops and attributions.
    #[param(default = Correlation::Pearson)]
    correlation: Correlation,
}

impl FaithfulnessEstimate {
    fn ranked(&self) -> RankedRemoval {
        RankedRemoval {
            group_size: self.group_size,
            baseline: self.baseline.clone(),
        }
    }

    fn removal(&self) -> SingleRemoval {
        SingleRemoval {
            features: self.features,
            baseline: self.baseline.clone(),
        }
    }
}

impl<T: Real> Measure<T> for FaithfulnessEstimate {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        check_group_size(self.group_size, self.features, dataset)?;
        self.removal().prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        match self.group_size {
            0 | 1 => self.removal().plan(plan)?,
            _ => self.ranked().plan(plan),
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        if self.group_size > 1 {
            let ranked = explained.shared(&self.ranked())?;
            let correlation = |(sample, sums): (usize, &Vec<f64>)| {
                self.correlation
                    .correlate_finite(sums, ranked.drops.for_sample(sample))
            };
            return Ok(ranked.sums.iter().enumerate().map(correlation).collect());
        }
        let (drops, cells) = (
            batch.shared(&self.removal())?,
            batch.shared(&self.features)?,
        );
        let attributions = explained.attributions()?;
        let samples = attributions.chunks_exact(batch.dataset().n_positions());
        let correlation = |(sample, attributions)| {
            let sums = cells.for_sample(sample).sums(attributions);
            self.correlation
                .correlate_finite(&sums, drops.for_sample(sample))
        };
        Ok(samples.enumerate().map(correlation).collect())
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        // Without groups, every feature is removed by itself, and no order matters.
        if self.group_size > 1 {
            let order = RemovalOrder::MostRelevantFirst;
            tied_features(explained, self.features, order, RankBy::Sum)
        } else {
            Ok(None)
        }
    }
}

registered!(FaithfulnessEstimate);

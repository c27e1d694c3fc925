//! Sufficiency of a rationale (ERASER).

use xai_core::describe::{Parameters, metric};
use xai_core::evaluation::TiedFeatures;
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::faithfulness::curves::comprehensiveness::{mean_drop, shares};
use crate::metric::{Measure, SCORE_NEEDS};
use crate::perturbation::removal::steps::step_setters;
use crate::perturbation::{Baseline, Features, RemovalCurve, RemovalTies, Start, Steps};

/// Mean score drop when only the most relevant 1 to 50 % of the features are kept.
///
/// ```text
/// mean over n of (g(x) − g(x with its first n features only)),
/// where n takes the different values of max(1, round(q d)) for q = 1, 5, 10, 20, 50 % of d features
/// ```
///
/// In units of the score, **lower is better**: with a low value, the kept features are enough for the prediction. With
/// few features, several shares are one point. It is the counterpart of
/// [`Comprehensiveness`](crate::metric::Comprehensiveness).
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::RationaleSufficiency};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0, 1.0]].into_dyn();
/// let value = RationaleSufficiency::new().evaluate(&sum, x.view(), &[0], x.view())?.value;
/// assert_eq!(value, ((8.0 - 4.0) + (8.0 - 6.0)) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: the shares above, baseline 0, single positions, all attributions. The sufficiency of `time_interpret` uses
/// one share of the cells of a time series, after a softmax: [`shares`](RationaleSufficiency::shares).
///
/// # Extremes
/// 0 or below: the kept features are enough for the score. Near the score itself: they do not support the target at
/// all.
///
/// # Limits
/// Nearly all of the input is missing, which is unlike the training data. A low value does not mean that the kept
/// features are the only ones that suffice.
///
/// # Source
/// DeYoung et al., *ERASER*, 2020.
///
/// # Elsewhere
/// `ferret.AOPC_Sufficiency_Evaluation`, `ERASER.sufficiency`, `tint.sufficiency`
#[metric(
    name = "rationale-sufficiency",
    direction = Direction::Lower,
    range = Range::REAL,
    invariance = Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
    needs = SCORE_NEEDS,
    example = 0.0914,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RationaleSufficiency {
    #[param(flatten, default = shares())]
    steps: Steps,
    /// Value that replaces removed features.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Excludes features without a positive attribution from all rationales. Larger rationales that are equal for this
    /// reason count once, and a sample without any positive attribution has no value.
    positive_only: bool,
    /// Order of features with equal attributions.
    ties: RemovalTies,
}

step_setters!(RationaleSufficiency);

impl RationaleSufficiency {
    fn work(&self) -> RemovalCurve {
        RemovalCurve {
            start: Start::Blank,
            steps: self.steps.clone(),
            baseline: self.baseline.clone(),
            features: self.features,
            only_positive: self.positive_only,
            ties: self.ties,
            ..RemovalCurve::default()
        }
    }
}

impl<T: Real> Measure<T> for RationaleSufficiency {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.work().prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.base_scores();
        self.work().plan(plan)
    }

    fn tied(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<TiedFeatures>> {
        self.work().tied(explained)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let curve = explained.shared(&self.work())?;
        let base = explained.batch().base_scores()?;
        let value = |(sample, &base): (usize, &f64)| {
            // The first point is the baseline alone, without any feature of the rationale.
            let kept: Vec<f64> = curve.for_sample(sample).skip(1).collect();
            mean_drop(base, &kept)
        };
        Ok(base.iter().enumerate().map(value).collect())
    }
}

registered!(RationaleSufficiency);

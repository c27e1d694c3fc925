//! Completeness: the sum of the attributions against the score gained over the baseline.

use xai_core::describe::{Parameter, Parameters, metric};
use xai_core::{ExactSum, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::{Measure, SCORE_NEEDS};
use crate::perturbation::{Baseline, BaselineScores};

/// Relative difference between the sum of the attributions and the score gained over the baseline.
///
/// ```text
/// |Σ a − (g(x) − g(baseline))| / |g(x) − g(baseline)|
/// ```
///
/// 0 = complete, **lower is better**. By default the value is the relative gap, which is undefined
/// if both scores are equal; [`Gap::Absolute`] is the gap in units of the score. All elements of
/// a map are summed, or one per position for maps without channels: a map whose channels were averaged is not
/// complete.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{Completeness, Gap};
/// use xai_attribution::Evaluate;
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let (x, map) = (array![[4.0, 4.0]].into_dyn(), array![[4.0, 6.0]].into_dyn());
/// assert_eq!(Completeness::new().evaluate(&sum, x.view(), &[0], map.view())?.value, 0.25);
/// let absolute = Completeness::new().gap(Gap::Absolute);
/// assert_eq!(absolute.evaluate(&sum, x.view(), &[0], map.view())?.value, 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `2 n` rows.
///
/// Defaults: the relative gap to baseline 0.
///
/// # Extremes
/// 0: the attributions add up to the score gained. 1: the gap is as large as the gain. There is no upper end.
///
/// # Limits
/// A correct sum does not show whether it is distributed correctly over the features. Methods whose maps are not
/// contributions to the score (gradients, saliency) are not meant to be complete.
///
/// # Source
/// Sundararajan, Taly, Yan, *Axiomatic Attribution for Deep Networks*, 2017.
///
/// Quantus tests for equality of floating-point numbers: an absolute gap of exactly 0.
///
/// # Elsewhere
/// `quantus.Completeness`
#[metric(
    name = "completeness",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::MIRROR,
    needs = SCORE_NEEDS,
    example = 1.1966,
)]
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct Completeness {
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Unit of the gap.
    gap: Gap,
}

/// Unit of the gap in [`Completeness`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Gap {
    /// Relative to the score gained over the baseline.
    #[default]
    Relative,
    /// In units of the score.
    Absolute,
}

impl<T: Real> Measure<T> for Completeness {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.baseline.prepare_whole(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        plan.base_scores();
        BaselineScores(self.baseline.clone()).plan(plan);
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let base = batch.base_scores()?;
        let blank = batch.shared(&BaselineScores(self.baseline.clone()))?;
        let maps = explained.maps()?;
        let value = |(sample, map): (usize, ndarray::ArrayViewD<'_, T>)| {
            // All terms of the gap in one exact sum: rounding would otherwise leave a gap for a complete map.
            let gain_terms = [base[sample], -blank[sample]];
            let difference: ExactSum = map
                .iter()
                .map(|a| a.to_f64_exact())
                .chain(gain_terms.map(|term| -term))
                .collect();
            let gap = difference.value().abs();
            let gained = gain_terms.into_iter().collect::<ExactSum>().value();
            match self.gap {
                Gap::Absolute => Some(gap),
                Gap::Relative => (gained != 0.0).then(|| gap / gained.abs()),
            }
        };
        Ok(maps.outer_iter().enumerate().map(value).collect())
    }
}

registered!(Completeness);

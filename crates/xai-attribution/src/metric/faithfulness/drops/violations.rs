//! Features whose removal contradicts the sign of their attribution.

use xai_core::describe::{Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::metric::kinds::top_k::TopK;
use crate::metric::{Hits, Measure, Registered, SCORE_NEEDS, Ties};
use crate::perturbation::{Baseline, Features, SingleRemoval};

/// Share of the top features whose removal moves the score against the sign of their attribution.
///
/// ```text
/// share, of the features with the largest |attribution| other than 0, of those whose removal moves the score
/// against the sign of the attribution
/// ```
///
/// The top features are those of the largest `|attribution|`, a tenth of them by default. If some are tied at the cut, the
/// value is the mean over all orders of the tied features, unless [`ties`](Violations::ties) says otherwise. In [0, 1],
/// **lower is better**. No value where all of them have an attribution of 0, or where all features have the same
/// `|attribution|` and only a part of them is the top.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{TopK, Violations};
/// use xai_attribution::Evaluate;
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]].into_dyn();
/// let map = array![[4.0, -2.0, 0.1]].into_dyn(); // removing 2 lowers the score, too
/// let metric = Violations::new().k(TopK::Count(2));
/// assert_eq!(metric.evaluate(&sum, x.view(), &[0], map.view())?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// Defaults: a tenth of the positions, baseline 0.
///
/// # Extremes
/// 0: every sign is right. 1: every sign is wrong.
///
/// # Limits
/// It looks at signs of the top features alone. A map without negative values is wrong wherever the score rises.
///
/// # Source
/// Liu et al., *Rethinking Attention-Model Explainability through Faithfulness Violation Test*, 2022.
#[metric(
    name = "violations",
    direction = Direction::Lower,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = SCORE_NEEDS,
    example = 0.0,
)]
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct Violations {
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Grouping of positions into features.
    features: Features,
    /// Number of features in the top, or a share of them. Default: a tenth of them.
    k: TopK,
    /// Treatment of features that are tied at the cut.
    ties: Ties,
}

impl Violations {
    fn removal(&self) -> SingleRemoval {
        SingleRemoval {
            features: self.features,
            baseline: self.baseline.clone(),
        }
    }
}

impl<T: Real> Measure<T> for Violations {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.removal().prepare(run)?;
        self.k.resolve(self.features.max_count(run)?).map(drop)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        self.removal().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let (drops, cells) = (
            batch.shared(&self.removal())?,
            batch.shared(&self.features)?,
        );
        let attributions = explained.attributions()?;
        let of_samples = attributions.chunks_exact(batch.run().n_positions());
        let value = |(sample, attributions)| {
            let sums = cells.for_sample(sample).sums(attributions);
            let k = match self.k {
                // Of a sample with fewer segments than another, all.
                TopK::Count(k) => k.min(sums.len()),
                share => share.resolve(sums.len()).ok()?,
            };
            let sizes: Vec<f64> = sums.iter().map(|sum| sum.abs()).collect();
            let has_one_size = sizes.iter().all(|size| *size == sizes[0]);
            if self.ties == Ties::Expected && has_one_size && k < sizes.len() {
                return None;
            }
            let is_against = |(sum, drop): (&f64, &f64)| *sum * drop.signum() < 0.0 && *drop != 0.0;
            let against = sums.iter().zip(drops.for_sample(sample)).map(is_against);
            let against: Vec<bool> = against.collect();
            // Features tied with one of 0 are 0, too: all orders have the same number of others.
            let n = k.min(sizes.iter().filter(|size| **size != 0.0).count());
            (n > 0).then(|| Hits::new(&sizes, &against, k, self.ties).mean() / n as f64)
        };
        Ok(of_samples.enumerate().map(value).collect())
    }
}

registered!(Violations);

impl Registered for Violations {}

//! Features whose removal contradicts the sign of their attribution.

use xai_core::describe::{Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::metric::kinds::top_k::TopK;
use crate::metric::{Hits, Measure, SCORE_NEEDS, Ties};
use crate::perturbation::{Baseline, Features, SingleRemoval};

/// Share of the top features whose removal moves the score against the sign of their attribution.
///
/// ```text
/// share, of the features with the largest |attribution| other than 0, of those whose removal moves the score
/// against the sign of the attribution
/// ```
///
/// The top features are those of the largest `|attribution|`, a tenth of them by default. If some are tied at the cut,
/// the value is the mean over all orders of the tied features, unless [`ties`](Violations::ties) says otherwise. In [0,
/// 1], **lower is better**. It is undefined if all attributions are 0 and, with [`Ties::Expected`], also if all
/// features have the same `|attribution|` and only a part of them is the top.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::metric::{TopK, Violations};
/// use xai_attribution::Evaluate;
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]].into_dyn();
/// // Removing the second feature lowers the score as well, against its negative attribution.
/// let map = array![[4.0, -2.0, 0.1]].into_dyn();
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
/// It checks the signs of the top features only. A map without negative values is wrong for every feature whose removal
/// raises the score.
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
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.removal().prepare(dataset)?;
        self.k.resolve(self.features.max_count(dataset)?).map(drop)
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
        let samples = attributions.chunks_exact(batch.dataset().n_positions());
        let value = |(sample, attributions)| {
            let sums = cells.for_sample(sample).sums(attributions);
            let k = match self.k {
                // A sample may have fewer segments than `k`, which was checked against the largest number of segments.
                TopK::Count(k) => k.min(sums.len()),
                share => share.resolve(sums.len()).ok()?,
            };
            let magnitudes: Vec<f64> = sums.iter().map(|sum| sum.abs()).collect();
            let has_one_magnitude = magnitudes.iter().all(|m| *m == magnitudes[0]);
            if self.ties == Ties::Expected && has_one_magnitude && k < magnitudes.len() {
                return None;
            }
            // `signum` of a drop of 0 is ±1, so a drop of 0 needs a test of its own: it contradicts no sign.
            let contradicts =
                |(sum, drop): (&f64, &f64)| *sum * drop.signum() < 0.0 && *drop != 0.0;
            let pairs = sums.iter().zip(drops.for_sample(sample));
            let violated: Vec<bool> = pairs.map(contradicts).collect();
            // Attributions of 0 have no sign and are not counted in `n`. If they are tied at the cut, the whole block
            // is 0, so `n` is the same for all orders of the tied features.
            let n = k.min(magnitudes.iter().filter(|m| **m != 0.0).count());
            (n > 0).then(|| Hits::new(&magnitudes, &violated, k, self.ties).mean() / n as f64)
        };
        Ok(samples.enumerate().map(value).collect())
    }
}

registered!(Violations);

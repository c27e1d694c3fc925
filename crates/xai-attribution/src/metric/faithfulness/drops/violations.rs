//! Features whose removal contradicts the sign of their attribution.

use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};
use xai_core::{Real, Result};

use crate::batch::{ExplainedBatch, Plan, RunData};
use crate::metric::localization::top_k_intersection::TopK;
use crate::metric::{Measure, Registered, SCORE_NEEDS};
use crate::perturbation::{Baseline, Features, SingleRemoval};

/// How often does removing a feature move the score against the sign of its attribution?
///
/// ```text
/// V_i = |{ top features with a > 0 and a drop < 0, or a < 0 and a drop > 0 }| / |{ top features with a ≠ 0 }|
/// ```
///
/// The top features are those of the largest `|attribution|`, a tenth of them by default. In [0, 1],
/// **lower is better**. No value where all of them have an attribution of 0.
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
/// # Source
/// Liu et al., *Rethinking Attention-Model Explainability through Faithfulness Violation Test*, 2022.
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct Violations {
    /// What stands for a removed value.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Which positions go together, as one feature.
    features: Features,
    /// How many features are the top: a number, or a share of them. Default: a tenth of them.
    k: TopK,
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
        self.k.of(self.features.most(run)?).map(drop)
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
            let sums = cells.of(sample).sums(attributions);
            let k = match self.k {
                // Of a sample with fewer segments than another, all.
                TopK::Count(k) => k.min(sums.len()),
                share => share.of(sums.len()).ok()?,
            };
            let mut order: Vec<usize> = (0..sums.len()).collect();
            order.sort_by(|&i, &j| sums[j].abs().total_cmp(&sums[i].abs()));
            let signs = order[..k].iter().filter(|&&i| sums[i] != 0.0);
            let (mut against, mut n) = (0usize, 0usize);
            for &i in signs {
                n += 1;
                against += usize::from(
                    sums[i] * drops.of(sample)[i].signum() < 0.0 && drops.of(sample)[i] != 0.0,
                );
            }
            (n > 0).then(|| against as f64 / n as f64)
        };
        Ok(of_samples.enumerate().map(value).collect())
    }
}

registered!(Violations);

impl Registered for Violations {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "violations",
        title: "Violations",
        question: "How often does removing a feature move the score against the sign of its attribution?",
        direction: Direction::Lower,
        invariance: Invariance::SCALE_AND_MIRROR_WITHOUT_TIES,
        range: Range::SHARE,
        needs: SCORE_NEEDS,
        source: "Liu et al., Rethinking Attention-Model Explainability, 2022",
        reading: Reading {
            formula: "share, of the features with the largest |attribution| other than 0, of those whose removal moves the score against the sign of the attribution",
            extremes: "0: every sign is right. 1: every sign is wrong.",
            limits: "It looks at signs of the top features alone. A map without negative values is wrong wherever the score rises.",
            peers: &[],
            example: Some(0.0),
        },
    };
}

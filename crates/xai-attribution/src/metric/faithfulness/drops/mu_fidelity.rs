//! μFidelity (faithfulness correlation).

use xai_core::describe::{Parameters, metric};
use xai_core::statistics::{Correlation, centred_ranks, correlate_ranks};
use xai_core::{Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::metric::{Measure, PrecomputedDraws, Registered, SCORE_NEEDS};
use crate::perturbation::{
    Baseline, Features, RandomSubsets, SubsetDropRanks, SubsetDrops, SubsetSampling, SubsetSize,
};

/// Correlation of summed attributions and score drops over random subsets of features.
///
/// ```text
/// Spearman's correlation over random subsets S of (Σ_{p ∈ S} attribution, g(x) − g(x with S at the baseline))
/// ```
///
/// In [−1, 1], **higher is better**: 1 = drops have the same ranking as the sums of attributions, 0 = as by
/// chance. The correlation is Spearman's unless [`correlation`](MuFidelity::correlation) says
/// otherwise. The value is the mean over samples; a sample whose drops or sums are all equal
/// has no correlation and no value.
///
/// The features in subsets are the cells of a 9 × 9 [grid](Features::Grid) for images, segments of one feature over
/// time for time series, and columns for tables. The draws of a sample depend on the seed and its index in the data
/// set, and are the same for all explainers, so in a [`Benchmark`](crate::Benchmark) the drops are computed once for
/// all of them.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::MuFidelity};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0, 0.5]].into_dyn();
/// let fidelity = MuFidelity::new().n_subsets(50);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], x.view())?.value, 1.0);
/// let reversed = x.mapv(|v| -v);
/// assert_eq!(fidelity.evaluate(&sum, x.view(), &[0], reversed.view())?.value, -1.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + n_subsets)` rows.
///
/// Also known as Faithfulness Correlation. For the number of Quantus, use [`Correlation::Pearson`],
/// [`subset_size`](MuFidelity::subset_size), [`Features::Positions`], [`Baseline::SampleMin`] and
/// its draws as [`PrecomputedSubsets`](crate::perturbation::PrecomputedSubsets), with inputs flattened to rows,
/// because the features of Quantus are elements, not positions.
///
/// Defaults: 200 subsets of a fifth of a 9 × 9 grid, baseline 0, seed 1.
///
/// # Extremes
/// −1: the score falls most for the lowest sums of attributions. 0: as by chance. 1: drops have the same order as the
/// sums of attributions.
///
/// # Limits
/// A correlation does not detect a wrong scale. It is noisy with few subsets, and low for any map if features interact
/// strongly. If subsets consist of one feature, as by default with up to 7 features, the map of occlusion has the value
/// 1 by construction.
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020, definition 3.
///
/// Xplique's `MuFidelity` draws subsets like [`SubsetSampling::Independent`], although its documentation says that they
/// have a fixed size, shares them between the samples of a batch, and counts an undefined correlation as 0 (its mean is
/// `value · (n − n_undefined) / n`).
///
/// # Elsewhere
/// `quantus.FaithfulnessCorrelation`, `xplique.MuFidelity`
#[metric(
    name = "mu-fidelity",
    title = "μFidelity",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.9478,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct MuFidelity {
    /// Number of random subsets per sample.
    #[param(at_least = 2, at_most = 1 << 20, default = 200)]
    n_subsets: usize,
    /// Number of features in a subset, or their share.
    #[param(default = SubsetSize::Fraction(0.2))]
    subset_size: SubsetSize,
    /// Correlation of score drops and sums of attributions.
    ///
    /// The default is Spearman's; Quantus uses Pearson's.
    correlation: Correlation,
    /// Grouping of positions into features.
    #[param(default = Features::Grid(9))]
    features: Features,
    /// Method of drawing subsets.
    sampling: SubsetSampling,
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
}

impl MuFidelity {
    fn subsets(&self) -> RandomSubsets {
        RandomSubsets {
            features: self.features,
            size: self.subset_size,
            n_subsets: self.n_subsets,
            sampling: self.sampling,
            seed: self.seed,
        }
    }

    fn drops(&self) -> SubsetDrops {
        SubsetDrops {
            subsets: self.subsets(),
            baseline: self.baseline.clone(),
        }
    }
}

impl<T: Real> Measure<T> for MuFidelity {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.subsets().prepare(dataset)?;
        self.baseline.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        self.drops().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let subsets = batch.shared(&self.subsets())?;
        // The ranks of the drops do not depend on the map: they are computed once for all explainers.
        let by_ranks = self.correlation == Correlation::Spearman;
        let drops = if by_ranks {
            batch.shared(&SubsetDropRanks(self.drops()))?
        } else {
            batch.shared(&self.drops())?
        };
        let attributions = explained.attributions()?;
        let (positions, n_subsets) = (batch.dataset().n_positions(), subsets.n_subsets());
        Ok(parallel::map(batch.n_samples(), |sample| {
            let attributions = &attributions[sample * positions..(sample + 1) * positions];
            let sums = subsets.sums(sample, attributions);
            let drops = &drops[sample * n_subsets..(sample + 1) * n_subsets];
            if by_ranks {
                correlate_ranks(&centred_ranks(&sums), drops)
            } else {
                self.correlation.correlate_finite(&sums, drops)
            }
        }))
    }
}

registered!(MuFidelity, options);

impl Registered for MuFidelity {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = Some(PrecomputedDraws {
        input: input::SUBSETS,
        take: |metric| metric.sampling(SubsetSampling::Given),
    });
}

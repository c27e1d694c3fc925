//! Sensitivity-n.

use std::sync::Arc;

use xai_core::describe::{Parameters, metric};
use xai_core::number::elementary::{exp, ln};
use xai_core::statistics::Correlation;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{Dataset, ExplainedBatch, MapWork, Plan};
use crate::input;
use crate::metric::{Measure, SCORE_NEEDS};
use crate::perturbation::{
    Baseline, CurveScores, Features, RandomSubsets, SubsetDrops, SubsetSampling, SubsetSize,
};

/// Correlation of summed attributions and score drops over random subsets, averaged over subset sizes.
///
/// ```text
/// mean over sizes n of Pearson's correlation over subsets S of n features of (Σ_{p ∈ S} attribution, g(x) − g(x
/// without S))
/// ```
///
/// In [−1, 1], **higher is better**. The value of a sample is the mean over the sizes at which the correlation is
/// defined, that is, at which neither the drops nor the sums are all equal. The curve has the mean over samples at each
/// size: small `n` measure features individually, large `n` their joint effect. With a single size it is
/// [`MuFidelity`](crate::metric::MuFidelity) with Pearson's correlation over positions, which shares the drops.
///
/// ```
/// use ndarray::{Array2, ArrayViewD, array};
/// use xai_attribution::{Evaluate, metric::SensitivityN};
/// let sum = |batch: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(batch.sum_axis(ndarray::Axis(1)).insert_axis(ndarray::Axis(1)).into_dimensionality().unwrap())
/// };
/// let x = array![[4.0, 2.0, 1.0]].into_dyn();
/// let value = SensitivityN::new().sizes(Some(&[1, 2])).evaluate(&sum, x.view(), &[0], x.view())?;
/// assert!((value.value - 1.0).abs() < 1e-12);
/// assert_eq!(value.curve.unwrap().len(), 2);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The model sees `n · (1 + sizes · subsets)` rows, the same for all explainers.
///
/// Defaults: 12 sizes from 1 to 80 % of the positions, 100 subsets each, baseline 0, seed 1.
///
/// # Extremes
/// −1: drops are the reverse of the sums of attributions. 0: there is no relation. 1: drops are proportional to sums of
/// attributions, at every size.
///
/// # Limits
/// A correlation does not detect a wrong scale or a constant offset: Completeness and Infidelity do. Random subsets are
/// unlike the parts of real inputs.
///
/// # Source
/// Ancona et al., *Towards better understanding of gradient-based attribution methods*, 2018.
///
/// Quantus computes a different quantity: one correlation over the samples of the first batch, of the drops along a
/// deletion curve with the sums of single steps.
///
/// # Elsewhere
/// `quantus.SensitivityN`
#[metric(
    name = "sensitivity-n",
    title = "Sensitivity-n",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = SCORE_NEEDS,
    example = 0.9573,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SensitivityN {
    /// Sizes of subsets, ascending, each at least 1 and less than the number of features.
    #[param(
        none = "auto",
        none_doc = "12 sizes in geometric progression from 1 to 80 % of the features; fewer where rounding makes some equal.",
        items,
        at_least = 1,
        no_setter
    )]
    sizes: Option<Arc<[usize]>>,
    /// Grouping of positions into features.
    features: Features,
    /// Number of random subsets of each size, per sample.
    #[param(at_least = 2, at_most = 1 << 20, default = 100)]
    n_subsets: usize,
    /// Value that replaces removed features.
    ///
    /// A number, a `Vec` of one number per channel, or any [`Baseline`]. Default: 0.
    #[param(into)]
    baseline: Baseline,
    /// Seed of the random choices.
    #[param(default = 1)]
    seed: u64,
}

/// Number of sizes by default.
const N_SIZES: usize = 12;

/// Largest size by default, as a share of the features.
const LARGEST: f64 = 0.8;

impl SensitivityN {
    /// Sets the sizes, ascending, each at least 1 and less than the number of features.
    ///
    /// The default, `None`, are 12 sizes in geometric progression from 1 to 80 % of the features; fewer where rounding
    /// makes some equal.
    #[must_use]
    pub fn sizes(mut self, sizes: Option<&[usize]>) -> Self {
        self.sizes = sizes.map(Arc::from);
        self
    }

    fn sizes_for(&self, n_features: usize) -> Vec<usize> {
        if let Some(sizes) = &self.sizes {
            return sizes.to_vec();
        }
        // The set of all features is a single subset, so it has no correlation.
        let most = n_features.saturating_sub(1).max(1) as f64;
        let largest = (LARGEST * n_features as f64).clamp(1.0, most);
        let last = (N_SIZES - 1) as f64;
        // The crate's own `exp` and `ln` have the same bits on every platform; a size must not differ between them.
        let size = |index: usize| exp(ln(largest) * (index as f64 / last)).round() as usize;
        let mut sizes: Vec<usize> = (0..N_SIZES).map(size).collect();
        sizes.dedup();
        sizes
    }

    fn drops(&self, size: usize) -> SubsetDrops {
        SubsetDrops {
            subsets: RandomSubsets {
                features: self.features,
                size: SubsetSize::Count(size),
                n_subsets: self.n_subsets,
                sampling: SubsetSampling::FixedSize,
                seed: self.seed,
            },
            baseline: self.baseline.clone(),
        }
    }
}

/// Computes the correlations of all samples at each size, `[size][sample]`, which the value and the curve share.
impl<T: Real> MapWork<T> for SensitivityN {
    type Output = Vec<Vec<Option<f64>>>;

    fn compute(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Vec<Option<f64>>>> {
        let batch = explained.batch();
        let n_positions = batch.dataset().n_positions();
        let attributions = explained.attributions()?;
        let correlations = |size| {
            let work = self.drops(size);
            let (subsets, drops) = (batch.shared(&work.subsets)?, batch.shared(&work)?);
            // Subsets are not needed again: of 12 sizes and single pixels they take 500 MB for 64 images of 224 × 224.
            batch.forget(&work.subsets);
            let n_subsets = subsets.n_subsets();
            Ok(parallel::map(batch.n_samples(), |sample| {
                let map = &attributions[sample * n_positions..(sample + 1) * n_positions];
                let sums = subsets.sums(sample, map);
                let drops = &drops[sample * n_subsets..(sample + 1) * n_subsets];
                Correlation::Pearson.correlate_finite(&sums, drops)
            }))
        };
        let sizes = self.sizes_for(self.features.max_count(batch.dataset())?);
        sizes.into_iter().map(correlations).collect()
    }
}

impl<T: Real> Measure<T> for SensitivityN {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.features.prepare(dataset)?;
        let sizes = self.sizes_for(self.features.max_count(dataset)?);
        if sizes.is_empty() || !sizes.windows(2).all(|pair| pair[0] < pair[1]) {
            let actual = format!("{sizes:?}");
            return Err(Error::parameter(input::SIZES, actual, "ascending sizes"));
        }
        for size in sizes {
            let prepared = self.drops(size).subsets.prepare(dataset);
            prepared.map_err(|error| error.renamed(input::SUBSET_SIZE, input::SIZES))?;
        }
        self.baseline.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        plan.maps();
        for size in self.sizes_for(self.features.max_count(plan.dataset())?) {
            self.drops(size).plan(plan)?;
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let correlations = explained.shared(self)?;
        let value = |sample: usize| {
            let defined = correlations
                .iter()
                .filter_map(|by_sample| by_sample[sample]);
            let n = defined.clone().count();
            (n > 0).then(|| defined.sum::<f64>() / n as f64)
        };
        Ok((0..explained.batch().n_samples()).map(value).collect())
    }

    fn curve(&self, explained: &ExplainedBatch<'_, T>) -> Result<Option<Arc<CurveScores>>> {
        let correlations = explained.shared(self)?;
        // NaN stands for an undefined correlation, which the mean over samples leaves out.
        let scores_at_size = |by_sample: &Vec<Option<f64>>| {
            let values = by_sample.iter().map(|value| value.unwrap_or(f64::NAN));
            values.collect()
        };
        let sizes = self.sizes_for(self.features.max_count(explained.batch().dataset())?);
        let scores = correlations.iter().map(scores_at_size).collect();
        Ok(Some(Arc::new(CurveScores::from_shared_points(
            sizes, scores,
        ))))
    }
}

registered!(SensitivityN);

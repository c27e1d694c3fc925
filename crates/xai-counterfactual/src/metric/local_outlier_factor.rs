use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::neighborhood::{Among, Wanted};
use crate::selection::Selection;
use crate::values::Best::{Largest, Smallest};
use crate::values::CounterfactualValues;

/// The factor, or whether it is small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Parameter)]
#[param(name = "score")]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum OutlierScore {
    /// The factor.
    #[default]
    Lof,
    /// 1 if the factor is at most the threshold, otherwise 0.
    Inlier,
}

/// Local sparsity of the training data around a counterfactual relative to its neighbours.
///
/// ```text
/// reach(a, o) = max(d(a, o), d_k(o))   r(a) = mean over the k nearest o of reach(a, o)   LOF(x') = mean over o of r(x') / r(o)
/// ```
///
/// At least 0, **lower is better**; `inlier` in {0, 1}, higher is better. `d_k(o)` is the distance of the k-th nearest
/// other training row. 0/0 counts as 1; a row beside more than `k` equal training rows has no value unless `epsilon`
/// is set.
///
/// # Extremes
/// 1: as dense as its neighbours. Above: sparser, without an upper end; compare medians beside means.
///
/// # Limits
/// Dense regions of the wrong class are dense, too: read it with yNN.
///
/// # Source
/// Breunig et al., *LOF: identifying density-based local outliers*, 2000.
///
/// # Elsewhere
/// `sklearn.neighbors.LocalOutlierFactor`, `cel.LOF`
#[metric(
    name = "local-outlier-factor",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::QUERIES, input::COUNTERFACTUALS, input::TRAIN],
    example = 0.9228,
)]
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct LocalOutlierFactor {
    /// Number of neighbours, cut to the number of other training rows.
    #[param(at_least = 1, default = 20)]
    k: usize,
    /// The factor, or whether it is small.
    score: OutlierScore,
    /// Largest factor of an inlier.
    #[param(at_least = 0, default = 1.5)]
    threshold: f64,
    /// Number that is added to every mean reach; scikit-learn adds 1e-10.
    #[param(at_least = 0, default = 0.0)]
    epsilon: f64,
    /// Distance between rows.
    #[param(flatten)]
    pub(super) distance: DistanceOptions,
    /// Counterfactuals that count.
    #[param(flatten)]
    pub(super) selection: Selection,
}

impl CounterfactualMetric for LocalOutlierFactor {
    fn compute(&self, data: &CounterfactualData<'_>) -> Result<CounterfactualValues> {
        let reference = data.require_reference()?;
        // A single training row has no other one to measure a density by.
        let k = self.k.min(reference.n_rows() - 1);
        let density = if k == 0 {
            None
        } else {
            reference.searches(self.distance)?.density(k)?
        };
        let neighbors = data.row_neighbors(self.distance, Wanted::all(k))?;
        let factor = |row: usize, _: &[f64], _: &[f64]| {
            let near = neighbors.nearest(row, Among::All, k)?;
            density.as_ref()?.outlier_factor(&near, self.epsilon)
        };
        Ok(match self.score {
            OutlierScore::Lof => data.values(self.selection, Smallest, factor),
            OutlierScore::Inlier => data.values(self.selection, Largest, |row, x, c| {
                factor(row, x, c).map(|factor| f64::from(factor <= self.threshold))
            }),
        })
    }
}

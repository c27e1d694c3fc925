use xai_core::Result;
use xai_core::describe::{Parameter, Parameters, metric};

use super::CounterfactualMetric;
use crate::data::CounterfactualData;
use crate::distance::DistanceOptions;
use crate::input;
use crate::reference::{Among, NeighborLists};
use crate::search::Near;
use crate::selection::Selection;
use crate::values::{Best, CounterfactualValues, mean};

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
/// At least 0, **lower is better**; `inlier` in {0, 1}, higher is better. `d_k(o)` is the distance of the k-th nearest other training
/// row. 0/0 counts as 1; a row beside more than `k` equal training rows has no value unless `epsilon` is set.
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
        let best = match self.score {
            OutlierScore::Lof => Best::Smallest,
            OutlierScore::Inlier => Best::Largest,
        };
        // A single training row has no other one to measure a density by.
        if reference.n_rows() < 2 {
            return Ok(CounterfactualValues::per_row(
                vec![None; data.n_rows()],
                self.selection,
                best,
                data,
            ));
        }
        let k = self.k.min(reference.n_rows() - 1);
        let searches = reference.searches(self.distance)?;
        let own = searches.own_neighbors(k)?;
        let density = Density::new(&own, k, self.epsilon);
        let all = vec![Among::All; data.n_rows()];
        let found = searches.nearest(data.rows.view(), &all, k)?;
        let values = found.into_iter().map(|near| {
            let factor = density.factor(&near?)?;
            Some(match self.score {
                OutlierScore::Lof => factor,
                OutlierScore::Inlier => f64::from(factor <= self.threshold),
            })
        });
        Ok(CounterfactualValues::per_row(
            values.collect(),
            self.selection,
            best,
            data,
        ))
    }
}

/// The reach of the training rows among each other.
struct Density {
    /// Distance of the k-th nearest other row.
    last: Vec<Option<f64>>,
    /// Mean reach of the k nearest other rows.
    reach: Vec<Option<f64>>,
    epsilon: f64,
}

impl Density {
    fn new(own: &NeighborLists, k: usize, epsilon: f64) -> Self {
        // The lists may be longer: they are shared with a metric of a larger k.
        let first_k = |row: usize| own[row].as_ref().map(|near| &near[..k.min(near.len())]);
        let last: Vec<Option<f64>> = (0..own.len())
            .map(|row| Some(first_k(row)?.last()?.distance))
            .collect();
        let mut density = Self {
            last,
            reach: Vec::new(),
            epsilon,
        };
        density.reach = (0..own.len())
            .map(|row| density.mean_reach(first_k(row)?))
            .collect();
        density
    }

    fn mean_reach(&self, near: &[Near]) -> Option<f64> {
        let reach: Option<Vec<f64>> = near
            .iter()
            .map(|near| Some(near.distance.max(self.last[near.index]?)))
            .collect();
        Some(mean(reach?.into_iter().map(Some))? + self.epsilon)
    }

    fn factor(&self, near: &[Near]) -> Option<f64> {
        let own = self.mean_reach(near)?;
        let ratios: Option<Vec<f64>> = near
            .iter()
            .map(|near| {
                let other = self.reach[near.index]?;
                if own == other {
                    Some(1.0) // also 0 / 0
                } else {
                    (other > 0.0).then(|| own / other)
                }
            })
            .collect();
        mean(ratios?.into_iter().map(Some))
    }
}

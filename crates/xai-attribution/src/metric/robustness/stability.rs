//! Stability of an explainer under small changes of the input.

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::describe::{Described, Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::map::MapDistance;
use crate::metric::{Measure, PrecomputedDraws, Registered};
use crate::perturbation::{NeighborDistances, Neighbors, OutputChanges};

/// The statistic by which a [`Stability`] reduces the distances of a sample's neighbours to one value.
pub trait Statistic:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// Returns the statistic of at least one distance.
    fn reduce(distances: &[f64]) -> f64;
}

/// Mean distance over the neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Average;

/// Largest distance over the neighbours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Maximum;

impl Statistic for Average {
    fn reduce(distances: &[f64]) -> f64 {
        distances.iter().sum::<f64>() / distances.len() as f64
    }
}

impl Statistic for Maximum {
    fn reduce(distances: &[f64]) -> f64 {
        distances.iter().copied().fold(0.0, f64::max)
    }
}

/// Distance between the map of a sample and the maps of its random neighbours.
///
/// ```text
/// average_i = mean_j D(Φ(x_i), Φ(x_i + ν_ij))      maximum_i = max_j D(Φ(x_i), Φ(x_i + ν_ij))
/// ```
///
/// The neighbours are `n_neighbors` noisy copies of every input. **Lower is better**, 0 = the explanation does not
/// change. A map that never changes is perfectly stable and may carry no information: read it together with a
/// faithfulness metric. The distance of two maps of zeros is undefined, so an explainer that always returns zeros has
/// no value. Distances have the unit of the maps, so that only maps of the same scale are comparable.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::EvaluationData;
/// use xai_attribution::map::MapDistance;
/// use xai_attribution::metric::{AverageStability, MaximumStability, Measure};
/// use xai_attribution::{evaluate_together, model::Targets};
/// // The map is twice the input: a neighbour within 0.1 has a map within 0.2 per element.
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let data = EvaluationData::new(x.view(), &[0, 1]).explainer(&twice);
/// let average = AverageStability::new().distance(MapDistance::L1);
/// let maximum = MaximumStability::default().distance(MapDistance::L1);
/// let values = evaluate_together(&[&average as &dyn Measure<f64>, &maximum], data)?;
/// assert!(values[0].value > 0.1 && values[0].value < 0.3); // expected 2 · 2 · 0.05
/// assert!(values[1].value > values[0].value && values[1].value < 0.4);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// With [`MapDistance::Relative`], distances have no unit, and the metrics are Max-Sensitivity as Captum and Quantus
/// compute it and Avg-Sensitivity as Quantus does. The exception is a map of zeros, which has no value here (Captum
/// divides by 1, Quantus by 0).
///
/// The explainer sees `n · (1 + n_neighbors)` inputs, and with `same_prediction` so does the model. The average and the
/// maximum share the maps of the neighbours within a run.
///
/// # Source
/// Bhatt et al., *Evaluating and Aggregating Feature-based Model Explanations*, 2020, definition 2
/// (average), and Yeh et al., *On the (In)fidelity and Sensitivity of Explanations*, 2019
/// (maximum). Xplique's `AverageStability` adds the same noise to every input; here each input has its
/// own.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct Stability<S = Average> {
    /// Neighbours of each sample.
    #[param(flatten, setter, default = Neighbors::above(0.1))]
    neighbors: Neighbors,
    /// Distance of two maps.
    #[param(default = MapDistance::L2)]
    distance: MapDistance,
    /// Leaves out neighbours for which the model predicts another class, which needs a model.
    /// Default: all neighbours count.
    ///
    /// A sample without a remaining neighbour has no value.
    same_prediction: bool,
    #[param(skip)]
    statistic: PhantomData<S>,
}

/// Mean distance between the map of a sample and the maps of its random neighbours.
///
/// ```text
/// mean over neighbours x' of D(e(x), e(x')), D the L2 distance unless chosen otherwise
/// ```
///
/// # Extremes
/// 0: the map does not change. There is no upper end: distances have the unit of the map.
///
/// # Limits
/// A map that never changes has 0 and may carry no information. Where the model itself changes, a faithful map has to
/// change as well. Maps of different units are not comparable (except by the distance `relative`).
///
/// # Source
/// Bhatt et al., Evaluating and Aggregating Feature-based Model Explanations, 2020.
///
/// # Elsewhere
/// `quantus.AvgSensitivity`, `xplique.AverageStability`
#[metric(
    name = "average-stability",
    title = "Average Stability",
    describes = Average,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.0167,
)]
pub type AverageStability = Stability<Average>;

/// Largest distance between the map of a sample and the maps of its random neighbours.
///
/// ```text
/// max over neighbours x' of D(e(x), e(x')), D the L2 distance unless chosen otherwise
/// ```
///
/// # Extremes
/// 0: the map does not change. There is no upper end: distances have the unit of the map.
///
/// # Limits
/// The largest distance among few neighbours is only a lower bound of the largest possible one. A map that never
/// changes has 0 and may carry no information. Maps of different units are not comparable (except by the distance
/// `relative`).
///
/// # Source
/// Yeh et al., On the (In)fidelity and Sensitivity of Explanations, 2019.
///
/// # Elsewhere
/// `captum.sensitivity_max`, `quantus.MaxSensitivity`
#[metric(
    name = "maximum-stability",
    title = "Maximum Stability",
    describes = Maximum,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.0222,
)]
pub type MaximumStability = Stability<Maximum>;

impl<S: Statistic> Stability<S> {
    fn work(&self) -> NeighborDistances {
        NeighborDistances {
            neighbors: self.neighbors,
            distance: self.distance.clone(),
        }
    }
}

impl<T: Real, S: Statistic> Measure<T> for Stability<S> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.neighbors.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)?;
        if self.same_prediction {
            OutputChanges(self.neighbors).plan(plan)?;
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let distances = explained.shared(&self.work())?;
        let outputs = if self.same_prediction {
            Some(batch.shared(&OutputChanges(self.neighbors))?)
        } else {
            None
        };
        let is_kept = |row: usize| outputs.as_ref().is_none_or(|o| o.same_prediction[row]);
        let count = self.neighbors.count(batch.dataset())?;
        let value = |(sample, distances): (usize, &[f64])| {
            // NaN is an undefined distance: that of two maps of zeros, or a relative one to a map of zeros.
            let kept: Vec<f64> = distances
                .iter()
                .enumerate()
                .filter(|(j, d)| is_kept(sample * count + j) && !d.is_nan())
                .map(|(_, d)| *d)
                .collect();
            (!kept.is_empty()).then(|| S::reduce(&kept))
        };
        Ok(distances
            .chunks_exact(count)
            .enumerate()
            .map(value)
            .collect())
    }
}

registered!(Stability<S: Statistic>, options);

impl<S: Statistic> Registered for Stability<S> {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = given_neighbors!();
}

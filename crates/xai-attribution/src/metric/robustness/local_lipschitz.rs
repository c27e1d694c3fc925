//! Local Lipschitz estimate of an explainer.

use xai_core::describe::{Parameters, metric};
use xai_core::{Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::map::MapDistance;
use crate::metric::{Measure, PrecomputedDraws, Registered};
use crate::perturbation::{NeighborDistances, Neighbors};

/// Largest change of the map per change of the input among random neighbours.
///
/// ```text
/// max over neighbours x' of |e(x) − e(x')|₂ / |x − x'|₂
/// ```
///
/// The neighbours `x'` are noisy copies of an input. In [0, ∞), **lower is better**, in units of the maps per unit of
/// the inputs. A neighbour that equals the sample is skipped; a sample without another neighbour has no value.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, EvaluationData, metric::LocalLipschitz};
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let value = LocalLipschitz::new().evaluate_on(EvaluationData::new(x.view(), &[0, 1]).explainer(&twice))?;
/// assert!((value.value - 2.0).abs() < 1e-9);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `n · (1 + n_neighbors)` inputs.
///
/// Defaults: 20 neighbours within ±0.1, seed 1.
///
/// # Extremes
/// 0: the map does not move. There is no upper end: the unit is that of the maps per unit of the inputs.
///
/// # Limits
/// The largest quotient of few neighbours is only a lower bound of the Lipschitz constant. A map that never changes has
/// 0 and may carry no information.
///
/// # Source
/// Alvarez-Melis and Jaakkola, *On the Robustness of Interpretability Methods*, 2018.
///
/// Quantus adds 1e-10 to the divisor and draws normal noise:
/// [`Neighborhood::Given`](crate::perturbation::Neighborhood::Given).
///
/// # Elsewhere
/// `quantus.LocalLipschitzEstimate`, `tint.lipschitz_max`
#[metric(
    name = "local-lipschitz",
    title = "Local Lipschitz estimate",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.0853,
)]
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct LocalLipschitz {
    /// Neighbours of each sample.
    #[param(flatten, setter, default = Neighbors::around(0.1))]
    neighbors: Neighbors,
    /// Distance of two maps. Inputs are compared by their Euclidean distance.
    #[param(default = MapDistance::L2)]
    distance: MapDistance,
}

impl LocalLipschitz {
    // The distances of maps are shared with the other metrics of stability that have the same neighbours and distance.
    fn work(&self) -> NeighborDistances {
        NeighborDistances {
            neighbors: self.neighbors,
            distance: self.distance.clone(),
        }
    }
}

impl<T: Real> Measure<T> for LocalLipschitz {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.neighbors.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.work().largest_quotients(explained)
    }
}

registered!(LocalLipschitz, options);

impl Registered for LocalLipschitz {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = given_neighbors!();
}

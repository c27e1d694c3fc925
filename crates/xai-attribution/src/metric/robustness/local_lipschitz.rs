//! The local Lipschitz estimate.

use xai_core::{Direction, Error, MetricInfo, Real, Result};

use crate::batch::explained::ExplainedBatch;
use crate::batch::plan::Plan;
use crate::batch::run_data::RunData;
use crate::input;
use crate::map::distance::MapDistance;
use crate::metric::options::{GivenDraws, MetricOption, OptionInfo, Registered};
use crate::metric::parameters::{takes_neighbors, takes_seed};
use crate::metric::protocol::{Measure, Metric};
use crate::perturbation::neighborhood::neighbor_changes::NeighborDistances;
use crate::perturbation::neighborhood::neighbors::{Neighborhood, Neighbors};

/// How much faster than its input does a map move, at most?
///
/// ```text
/// L_i = max_j |Φ(x_i) − Φ(x_i + ν_ij)|₂ / |ν_ij|₂
/// ```
///
/// over noisy copies of every input. In [0, ∞), **lower is better**, in units of the maps per unit of
/// the inputs. A neighbour that is the sample itself is skipped; a sample of which all are has no value.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, batch::Data, metric::LocalLipschitz};
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [3.0, 4.0]];
/// let value = LocalLipschitz::new().evaluate_on(Data::new(x.view(), &[0, 1]).explainer(&twice))?;
/// assert!((value.value - 2.0).abs() < 1e-9);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `n · (1 + n_neighbors)` inputs.
///
/// # Source
/// Alvarez-Melis and Jaakkola, *On the Robustness of Interpretability Methods*, 2018. Quantus adds 1e-10
/// to the divisor and draws normal noise: [`Neighborhood::Given`].
#[derive(Debug, Clone, PartialEq)]
pub struct LocalLipschitz {
    neighbors: Neighbors,
    maps: MapDistance,
}

impl Default for LocalLipschitz {
    fn default() -> Self {
        Self {
            neighbors: Neighbors {
                neighborhood: Neighborhood::Around,
                ..Neighbors::default()
            },
            maps: MapDistance::L2,
        }
    }
}

impl LocalLipschitz {
    /// 20 neighbours within 0.1 both ways, seed 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How far apart two maps are. Inputs are compared by their Euclidean distance.
    #[must_use]
    pub fn distance(mut self, distance: MapDistance) -> Self {
        self.maps = distance;
        self
    }

    fn work(&self, distance: MapDistance) -> NeighborDistances {
        NeighborDistances {
            neighbors: self.neighbors,
            distance,
        }
    }
}

takes_neighbors!(LocalLipschitz, neighbors);
takes_seed!(LocalLipschitz, neighbors.seed);

impl Metric for LocalLipschitz {
    fn info(&self) -> &'static MetricInfo {
        <Self as Registered>::INFO
    }
}

impl<T: Real> Measure<T> for LocalLipschitz {
    fn prepare(&self, run: &RunData<'_, T>) -> Result<()> {
        self.neighbors.prepare(run)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work(self.maps.clone()).plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.work(self.maps.clone()).largest_quotients(explained)
    }
}

impl Registered for LocalLipschitz {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "local-lipschitz",
        title: "Local Lipschitz estimate",
        question: "How much faster than its input does a map move, at most?",
        direction: Direction::Lower,
        range: "[0, inf)",
        needs: &[input::EXPLAINER, input::INPUTS, input::TARGETS],
        source: "Alvarez-Melis and Jaakkola, On the Robustness of Interpretability Methods, 2018",
    };
    const OPTIONS: &'static [MetricOption<Self>] = &[
        Self::RADIUS,
        Self::N_NEIGHBORS,
        Self::SEED,
        MetricOption {
            info: OptionInfo {
                name: "map-distance",
                value_name: "l1|l2",
                default: "l2",
                help: "How far apart two maps are",
            },
            set: |metric, text| match text {
                "l1" => Ok(metric.distance(MapDistance::L1)),
                "l2" => Ok(metric.distance(MapDistance::L2)),
                _ => Err(Error::parameter(input::DISTANCE, text, "l1 or l2")),
            },
        },
    ];

    const GIVEN_DRAWS: Option<GivenDraws<Self>> = Some(Self::GIVEN_NEIGHBORS);

    fn with_defaults() -> Self {
        Self::new()
    }
}

//! Continuity: change of the map under small shifts of the input.

use xai_core::describe::metric;
use xai_core::{InputLayout, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan};
use crate::input;
use crate::map::MapDistance;
use crate::metric::{Measure, Parameters, Registered};
use crate::perturbation::{NeighborDistances, NeighborSet, Shifts};

/// Largest change of the map per change of the input over small shifts.
///
/// ```text
/// max over shifted inputs x' of |e(x) − e(x')|₁ / |x − x'|₂
/// ```
///
/// The copies `x'` of an input are shifted by one or two positions in either direction. In [0, ∞), **lower is better**,
/// in units of the maps per unit of the inputs. A shift that does not change the input is skipped; a sample that no
/// shift changes, such as a constant one, has no value. Tables are an error. A map that moves with its input counts as
/// changed.
///
/// ```
/// use ndarray::{Array, ArrayD, ArrayViewD};
/// use xai_attribution::model::{Images, Targets};
/// use xai_attribution::perturbation::{ShiftAxes, Shifts};
/// use xai_attribution::{Evaluate, EvaluationData, metric::Continuity};
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// // One image of 1 × 3 pixels, moved to the right: (0, 1, 0) becomes (0, 0, 1).
/// let x = Array::from_shape_vec((1, 1, 3, 1), vec![0.0, 1.0, 0.0]).unwrap();
/// let metric = Continuity::new().shifts(Shifts { axes: ShiftAxes::Width, by: vec![1] });
/// let value = metric.evaluate_on(EvaluationData::new(Images::channels_last(x.view()), &[0]).explainer(&twice))?;
/// assert!((value.value - 4.0 / 2f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// For images and time series. The explainer sees `n · (1 + shifts)` inputs, by default with 8 shifts of an image.
///
/// Defaults: shifts by one and two positions in both directions.
///
/// # Extremes
/// 0: the map does not change. There is no upper end: the unit is that of the maps per unit of the inputs.
///
/// # Limits
/// A map that moves with its input, as it should, counts as changed.
///
/// # Source
/// Montavon, Samek, Müller, *Methods for interpreting and understanding deep neural networks*, 2018.
///
/// Quantus shifts images along their width by multiples of a 28th of it, up to shifts that leave nothing of the image,
/// and adds 1e-9 to the divisor; below 14 columns, the only shifted image is empty. For its numbers, use
/// [`LocalLipschitz`](crate::metric::LocalLipschitz) with [`MapDistance::L1`] and its shifted images as [given
/// neighbours](crate::perturbation::Neighborhood::Given).
///
/// # Elsewhere
/// `quantus.Continuity`
#[metric(
    name = "continuity",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::MIRROR,
    needs = &[input::EXPLAINER, input::INPUTS, input::TARGETS],
    example = 0.2346,
)]
#[derive(Debug, Clone, Default, PartialEq, Parameters)]
pub struct Continuity {
    /// Shifts of each input. Default: by one and two positions in both directions.
    #[param(flatten, setter)]
    shifts: Shifts,
}

impl Continuity {
    fn work(&self) -> NeighborDistances<Shifts> {
        NeighborDistances {
            // The L1 distance of the paper; inputs are compared by their Euclidean distance.
            neighbors: self.shifts.clone(),
            distance: MapDistance::L1,
        }
    }
}

impl<T: Real> Measure<T> for Continuity {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.shifts.prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        self.work().largest_quotients(explained)
    }
}

registered!(Continuity, options);

impl Registered for Continuity {
    const TAKES: &'static [InputLayout] = &[
        InputLayout::TimeSeries,
        InputLayout::ChannelsLast,
        InputLayout::ChannelsFirst,
    ];
}

//! Relative stability of an explainer, with respect to inputs, outputs or a representation.

use std::fmt::Debug;
use std::marker::PhantomData;

use xai_core::describe::{Described, Parameters, metric};
use xai_core::{Input, Real, Result};

use crate::batch::{Dataset, ExplainedBatch, Plan, SampleBatch};
use crate::input;
use crate::map::MapDistance;
use crate::metric::{Measure, PrecomputedDraws, Registered};
use crate::perturbation::{
    InputChanges, NeighborDistances, Neighbors, OutputChanges, Representation,
    RepresentationChanges,
};

/// The quantity whose relative change the relative change of a map is divided by.
pub trait Reference:
    Described + Debug + Copy + Default + PartialEq + Send + Sync + 'static
{
    /// Checks that the run has the required inputs.
    ///
    /// # Errors
    /// An empty-input error that names a missing input.
    fn prepare<T: Real>(_run: &Dataset<'_, T>) -> Result<()> {
        Ok(())
    }

    /// Adds the model calls of [`changes`](Self::changes) to the plan.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    fn plan<T: Real>(_plan: &mut Plan<'_, '_, T>, _work: &NeighborDistances) -> Result<()> {
        Ok(())
    }

    /// Returns the change between every neighbour and its sample; NaN where it is undefined.
    ///
    /// # Errors
    /// Errors of the model.
    fn changes<T: Real>(batch: &SampleBatch<'_, T>, work: &NeighborDistances) -> Result<Vec<f64>>;
}

/// Largest relative change of the map per relative change of the input, the output, or a representation.
///
/// ```text
/// max_j  (|e_i − e_ij| / |e_i|) / max(|r_i − r_ij| / |r_i|, floor)
/// ```
///
/// `e` are the maps, `r` the inputs ([`RelativeInputStability`]), the model's outputs after the
/// activation ([`RelativeOutputStability`]), or a layer of it ([`RelativeRepresentationStability`], which
/// needs a [`Representation`]), of a sample and its neighbours with the same prediction. In [0, ∞),
/// **lower is better**. No value without such a neighbour, and, with norms of whole vectors, if `e` or `r` of the
/// sample is all zeros.
///
/// ```
/// use ndarray::{Array2, ArrayD, ArrayViewD, array};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, EvaluationData, metric::RelativeInputStability};
/// let model = |x: ArrayViewD<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     Ok(x.into_dimensionality().unwrap().to_owned())
/// };
/// let twice = |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(x.mapv(|v| 2.0 * v))
/// };
/// let x = array![[1.0, 2.0], [4.0, 3.0]];
/// let data = EvaluationData::new(x.view(), &[1, 0]).model(&model).explainer(&twice);
/// let value = RelativeInputStability::new().evaluate_on(data)?;
/// assert!((value.value - 1.0).abs() < 1e-9); // the map moves as the input does
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer sees `n · (1 + n_neighbors)` inputs, and so does the model.
///
/// Defaults: 20 neighbours within ±0.1 with the same prediction, norms of whole vectors, seed 1.
///
/// # Source
/// Agarwal et al., *Rethinking Stability for Attribution-based Explanations*, 2022; norms of whole
/// vectors as in OpenXAI, by the same authors. Quantus divides element by element
/// ([`elementwise`](RelativeStability::elementwise)), so that the smallest attribution dominates,
/// includes neighbours with another prediction or drops the sample because of one, and draws only positive noise.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RelativeStability<R> {
    /// Neighbours of each sample.
    #[param(flatten, setter, default = Neighbors::around(0.1))]
    neighbors: Neighbors,
    /// Divides element by element instead of by norms of whole vectors, with this number in place of a divisor of 0.
    /// Outputs are then compared by their absolute distance.
    #[param(none = "none", none_doc = "Norms of whole vectors.")]
    elementwise: Option<f64>,
    /// Lower bound of the divisor.
    #[param(above = 0, default = 1e-6)]
    floor: f64,
    /// Leaves out neighbours for which the model predicts another class.
    #[param(default = true)]
    same_prediction: bool,
    #[param(skip)]
    reference: PhantomData<R>,
}

/// Largest relative change of the map per relative change of the input.
///
/// ```text
/// max over neighbours x' of the same prediction of (|e(x) − e(x')| / |e(x)|) / max(|x − x'| / |x|, floor)
/// ```
///
/// # Extremes
/// 0: the map does not change. 1: its relative change is that of the input. There is no upper end.
///
/// # Limits
/// A map that never changes has 0 and may carry no information. The change of the model's output is not taken into
/// account.
///
/// # Source
/// Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.
///
/// # Elsewhere
/// `quantus.RelativeInputStability`, `openxai.RIS`
#[metric(
    name = "relative-input-stability",
    describes = InputChange,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE,
    needs = NEEDS,
    example = 1.2,
)]
pub type RelativeInputStability = RelativeStability<InputChange>;

/// Largest relative change of the map per relative change of the model's output.
///
/// ```text
/// max over neighbours x' of the same prediction of (|e(x) − e(x')| / |e(x)|) / max(|f(x) − f(x')| / |f(x)|, floor)
/// ```
///
/// # Extremes
/// 0: the map does not change. 1: its relative change is that of the outputs. There is no upper end.
///
/// # Limits
/// A model that is flat around the input makes the divisor small and the value large. A map that never changes has 0.
///
/// # Source
/// Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.
///
/// # Elsewhere
/// `quantus.RelativeOutputStability`, `openxai.ROS`
#[metric(
    name = "relative-output-stability",
    describes = OutputChange,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE,
    needs = NEEDS,
    example = 10.6887,
)]
pub type RelativeOutputStability = RelativeStability<OutputChange>;

/// Largest relative change of the map per relative change of a layer's representation.
///
/// ```text
/// max over neighbours x' of the same prediction of (|e(x) − e(x')| / |e(x)|) / max(|h(x) − h(x')| / |h(x)|,
/// floor), h a layer of the model
/// ```
///
/// # Extremes
/// 0: the map does not change. 1: its relative change is that of the layer. There is no upper end.
///
/// # Limits
/// It depends on the layer. A map that never changes has 0 and may carry no information.
///
/// # Source
/// Agarwal et al., Rethinking Stability for Attribution-based Explanations, 2022.
///
/// # Elsewhere
/// `quantus.RelativeRepresentationStability`, `openxai.RRS`
#[metric(
    name = "relative-representation-stability",
    describes = RepresentationChange,
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE,
    needs = &[input::MODEL, input::EXPLAINER, input::INPUTS, input::TARGETS, input::REPRESENTATION],
    example = 1.0132,
)]
pub type RelativeRepresentationStability = RelativeStability<RepresentationChange>;

/// Relative change of the input, for [`RelativeInputStability`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InputChange;

/// Relative change of the model's outputs, for [`RelativeOutputStability`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutputChange;

/// Relative change of the representation, for [`RelativeRepresentationStability`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RepresentationChange;

const NEEDS: &[Input] = &[
    input::MODEL,
    input::EXPLAINER,
    input::INPUTS,
    input::TARGETS,
];

impl Reference for InputChange {
    fn changes<T: Real>(batch: &SampleBatch<'_, T>, work: &NeighborDistances) -> Result<Vec<f64>> {
        batch
            .shared(&InputChanges(work.clone()))
            .map(|changes| changes.to_vec())
    }
}

impl Reference for OutputChange {
    fn plan<T: Real>(plan: &mut Plan<'_, '_, T>, work: &NeighborDistances) -> Result<()> {
        OutputChanges(work.neighbors).plan(plan)
    }

    fn changes<T: Real>(batch: &SampleBatch<'_, T>, work: &NeighborDistances) -> Result<Vec<f64>> {
        let outputs = batch.shared(&OutputChanges(work.neighbors))?;
        let change = |(distance, size): (&f64, &f64)| match work.distance {
            MapDistance::Relative if *size > 0.0 => distance / size,
            MapDistance::Relative => f64::NAN,
            // Element by element, as in Quantus, outputs have an absolute distance.
            _ => *distance,
        };
        Ok(outputs
            .distances
            .iter()
            .zip(&outputs.sizes)
            .map(change)
            .collect())
    }
}

impl Reference for RepresentationChange {
    fn prepare<T: Real>(dataset: &Dataset<'_, T>) -> Result<()> {
        dataset.side::<Representation>().map(drop)
    }

    fn changes<T: Real>(batch: &SampleBatch<'_, T>, work: &NeighborDistances) -> Result<Vec<f64>> {
        let changes = batch.shared(&RepresentationChanges(work.clone()))?;
        Ok(changes.to_vec())
    }
}

impl<R: Reference> RelativeStability<R> {
    fn work(&self) -> NeighborDistances {
        NeighborDistances {
            neighbors: self.neighbors,
            distance: self
                .elementwise
                .map_or(MapDistance::Relative, MapDistance::Elementwise),
        }
    }
}

impl<T: Real, R: Reference> Measure<T> for RelativeStability<R> {
    fn prepare(&self, dataset: &Dataset<'_, T>) -> Result<()> {
        self.neighbors.prepare(dataset)?;
        R::prepare(dataset)
    }

    fn plan(&self, plan: &mut Plan<'_, '_, T>) -> Result<()> {
        self.work().plan(plan)?;
        R::plan(plan, &self.work())?;
        if self.same_prediction {
            OutputChanges(self.neighbors).plan(plan)?;
        }
        Ok(())
    }

    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let batch = explained.batch();
        let maps = explained.shared(&self.work())?;
        let reference = R::changes(batch, &self.work())?;
        let outputs = if self.same_prediction {
            Some(batch.shared(&OutputChanges(self.neighbors))?)
        } else {
            None
        };
        let is_kept = |row: usize| outputs.as_ref().is_none_or(|o| o.same_prediction[row]);
        let count = self.neighbors.count(batch.dataset())?;
        let value = |sample: usize| {
            let rows = (sample * count..(sample + 1) * count).filter(|&row| is_kept(row));
            // NaN has to be filtered first: `f64::max` ignores it and would return the floor for an undefined change.
            let defined = rows.filter(|&row| !reference[row].is_nan());
            let quotients = defined.map(|row| maps[row] / reference[row].max(self.floor));
            quotients.filter(|q| q.is_finite()).reduce(f64::max)
        };
        Ok((0..batch.n_samples()).map(value).collect())
    }
}

registered!(RelativeStability<R: Reference>, options);

impl<R: Reference> Registered for RelativeStability<R> {
    const PRECOMPUTED_DRAWS: Option<PrecomputedDraws<Self>> = given_neighbors!();
}

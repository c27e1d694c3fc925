//! Input invariance: change of the map under a shift of the inputs that the model compensates.

use xai_core::describe::metric;
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::metric::{Measure, Parameters};
use crate::side::SecondMapsOfBatch;

/// Largest change of the map, relative to its largest attribution, when inputs are shifted and the model compensates.
///
/// ```text
/// max |e(f, x) − e(f', x + c)| / max |e(f, x)|, f'(x + c) = f(x)
/// ```
///
/// The model `f'` is `f` with the bias of the first layer lowered by the amount that the shift adds. In
/// [0, ∞), **lower is better**, 0 = the map depends on the function that the model computes, not on the origin
/// of its inputs. The property holds within a tolerance if the value is at most the tolerance;
/// [`maps_within`](crate::map::maps_within) tests it element by element. It is undefined for a map of zeros.
///
/// The maps of `f'` for the shifted inputs are [`SecondMaps`](crate::side::SecondMaps). If they come from an
/// explainer, it receives the original inputs and has to add the shift itself.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::{EvaluationData, side::SecondMaps};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, metric::InputInvariance};
/// // Input times gradient of 2 x₀ − x₁. The shifted model has the same gradient.
/// let terms = |x: ArrayViewD<'_, f64>| &x * &array![2.0, -1.0].into_dyn();
/// let x = array![[1.0, 1.0]];
/// let maps = terms(x.view().into_dyn());
/// let shifted = move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(terms((&x + 1.0).view()))
/// };
/// let data = EvaluationData::new(x.view(), &[0]).maps(maps.view()).with(SecondMaps::from_fn(shifted));
/// assert_eq!(InputInvariance::new().evaluate_on(data)?.value, 1.0); // (2, −1) becomes (4, −2)
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainers of the model and of the shifted model see `n` inputs each, unless their maps exist already.
///
/// # Extremes
/// 0: the map does not change. 1: it changes by as much as its largest value. There is no upper end.
///
/// # Limits
/// It tests one shift. A map that never changes has 0 and may say nothing.
///
/// # Source
/// Kindermans et al., *The (Un)reliability of Saliency Methods*, 2017.
///
/// Quantus tests whether all elements are within 1e-4 + 1e-5 |e'|, and does not shift the first element of each input:
/// [`maps_within`](crate::map::maps_within) gives the same, with an explainer that does not either.
///
/// # Elsewhere
/// `quantus.InputInvariance`
#[metric(
    name = "input-invariance",
    title = "Input Invariance",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS, input::SECOND_MAPS],
    example = 9.219,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct InputInvariance;

/// Largest change between two maps, relative to the largest magnitude of the first; `None` if the first is zero.
fn gap<T: Real>(map: &[T], shifted: &[f64]) -> Option<f64> {
    let larger_magnitude = |largest: f64, x: f64| largest.max(x.abs());
    let attributions = || map.iter().map(|x| x.to_f64_exact());
    let unit = attributions().fold(0.0, larger_magnitude);
    // Both are divided first, because the difference of two finite values can overflow.
    let changes = attributions()
        .zip(shifted)
        .map(|(a, b)| a / unit - b / unit);
    (unit > 0.0).then(|| changes.fold(0.0, larger_magnitude))
}

impl<T: Real> Measure<T> for InputInvariance {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let maps = explained.maps()?;
        let shifted = explained.batch().shared(&SecondMapsOfBatch)?;
        if shifted.shape() != maps.shape() {
            let (expected, actual) = (maps.shape(), shifted.shape());
            return Err(Error::shape(input::SECOND_MAPS, expected, actual));
        }
        let (maps, shifted) = (Rows::from_samples(maps), Rows::from_samples(shifted.view()));
        Ok(parallel::map(maps.n_rows(), |sample| {
            gap(maps.row(sample), shifted.row(sample))
        }))
    }
}

registered!(InputInvariance);

//! Input invariance.

use xai_core::describe::metric;
use xai_core::tensor::Rows;
use xai_core::{Error, Real, Result, parallel};

use crate::batch::{ExplainedBatch, SecondMapsOfBatch};
use crate::input;
use crate::metric::{Measure, Parameters};

/// Largest change of the map, relative to its largest attribution, when inputs are shifted and the model compensates.
///
/// ```text
/// max |e(f, x) − e(f', x + c)| / max |e(f, x)|, f'(x + c) = f(x)
/// ```
///
/// where `f'(x + c) = f(x)`: the first layer of `f'` has its bias lowered by what the shift adds to it. In
/// [0, ∞), **lower is better**, 0 = the map depends on what the model computes, not on where the origin
/// of its inputs is. It holds within a tolerance where the value is at most that;
/// [`maps_within`](crate::map::maps_within) tests element by element. No value for a map of zeros.
///
/// The maps of `f'` for the shifted inputs are [`SecondMaps`](crate::batch::SecondMaps): an explainer of them adds the shift itself.
///
/// ```
/// use ndarray::{ArrayD, ArrayViewD, array};
/// use xai_attribution::batch::{Data, SecondMaps};
/// use xai_attribution::model::Targets;
/// use xai_attribution::{Evaluate, metric::InputInvariance};
/// // Input times gradient of 2 x₀ − x₁: that of the shifted model has the same gradient.
/// let terms = |x: ArrayViewD<'_, f64>| &x * &array![2.0, -1.0].into_dyn();
/// let x = array![[1.0, 1.0]];
/// let maps = terms(x.view().into_dyn());
/// let shifted = move |x: ArrayViewD<'_, f64>, _: &Targets| -> Result<ArrayD<f64>, std::fmt::Error> {
///     Ok(terms((&x + 1.0).view()))
/// };
/// let data = Data::new(x.view(), &[0]).maps(maps.view()).with(SecondMaps::from_fn(shifted));
/// assert_eq!(InputInvariance::new().evaluate_on(data)?.value, 1.0); // (2, −1) becomes (4, −2)
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainer of the model and that of the shifted one see `n` inputs each, where their maps are
/// not given.
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
/// Quantus says whether all elements are within 1e-4 + 1e-5 |e'|, of inputs whose first element it does not shift:
/// [`maps_within`](crate::map::maps_within), and an explainer that does the same.
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

/// The largest change, as a share of the largest size of the first.
fn gap<T: Real>(map: &[T], shifted: &[f64]) -> Option<f64> {
    let size = |largest: f64, x: f64| largest.max(x.abs());
    let of_map = || map.iter().map(|x| x.to_f64_exact());
    let unit = of_map().fold(0.0, size);
    // In units of the largest, so that no difference of finite values overflows.
    let changes = of_map().zip(shifted).map(|(a, b)| a / unit - b / unit);
    (unit > 0.0).then(|| changes.fold(0.0, size))
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

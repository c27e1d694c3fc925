//! Efficient model-parameter randomization test (eMPRT).

use xai_core::describe::metric;
use xai_core::tensor::Rows;
use xai_core::{Real, Result, parallel};

use crate::batch::ExplainedBatch;
use crate::input;
use crate::map::Bins;
use crate::map::histogram::{entropy, histogram};
use crate::metric::{Measure, Parameters};
use crate::side::SecondMapsOfBatch;

/// Relative rise of the complexity of the map when the model is randomized.
///
/// ```text
/// (C(e(f randomized, x)) − C(e(f, x))) / C(e(f, x)), C the entropy of the histogram of a map
/// ```
///
/// The histogram has bins of equal width over the range of the map. All layers are randomized at once. In [−1, ∞),
/// **higher is better**: a model with random parameters should have more random maps; 0 = they are as complex as
/// before. Unlike the similarities of [`ModelRandomization`](crate::metric::ModelRandomization), it does not reward
/// noise for being unlike other noise. It is undefined if C of the original map is 0, that is, if all its values are in
/// one bin, as for a constant map.
///
/// The maps of the randomized model are [`SecondMaps`](crate::side::SecondMaps).
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::SecondMaps};
/// use xai_attribution::map::Bins;
/// use xai_attribution::{Evaluate, metric::EfficientRandomization};
/// let maps = array![[0.0, 0.0, 1.0, 1.0]]; // two bins of two: ln 2
/// let random = array![[0.0, 1.0, 2.0, 3.0]]; // four bins of one: ln 4
/// let data = EvaluationData::from_maps(maps.view()).with(SecondMaps::from_maps(random.into_dyn()));
/// let value = EfficientRandomization::new().bins(Bins::Count(4)).evaluate_on(data)?;
/// assert!((value.value - 1.0).abs() < 1e-15);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// The explainers of the model and of the randomized model see `n` inputs each, unless their maps exist already.
///
/// Defaults: 100 bins.
///
/// # Extremes
/// −1: the map of the randomized model is constant. 0: it is as complex as before. Above 0: it is more complex.
///
/// # Limits
/// Only the complexity is compared: two maps with equal histograms may have nothing in common. It depends on the bins.
///
/// # Source
/// Hedström et al., *Sanity Checks Revisited: An Exploration to Repair the Model Parameter Randomisation Test*, 2023.
///
/// With a fixed number of bins it equals `EfficientMPRT` of Quantus. The rules of Quantus for the number of bins use
/// the number of *axes* of a map instead of the number of its values; [`Bins::FreedmanDiaconis`] uses the values, with
/// the number of bins of the original map for both maps.
///
/// # Elsewhere
/// `quantus.EfficientMPRT`
#[metric(
    name = "efficient-randomization",
    title = "Efficient Randomization (eMPRT)",
    direction = Direction::Higher,
    range = Range::at_least(-1.0),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = &[input::EXPLANATIONS, input::SECOND_MAPS],
    example = 0.1107,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct EfficientRandomization {
    /// Number of bins of the histogram of a map. Default: 100.
    bins: Bins,
}

impl EfficientRandomization {
    fn value(self, map: &[f64], random: &[f64]) -> Result<Option<f64>> {
        // The same number of bins for both maps: the entropy grows with the number of bins.
        let n_bins = self.bins.count(map)?;
        let before = entropy(&histogram(map, n_bins));
        let after = entropy(&histogram(random, n_bins));
        Ok((before > 0.0).then(|| (after - before) / before))
    }
}

impl<T: Real> Measure<T> for EfficientRandomization {
    fn per_sample(&self, explained: &ExplainedBatch<'_, T>) -> Result<Vec<Option<f64>>> {
        let maps = Rows::from_samples(explained.maps()?);
        let second_maps = explained.batch().shared(&SecondMapsOfBatch)?;
        let random_maps = Rows::from_samples(second_maps.view());
        parallel::try_map(maps.n_rows(), |sample| {
            let map: Vec<f64> = maps.row(sample).iter().map(|x| x.to_f64_exact()).collect();
            self.value(&map, random_maps.row(sample))
        })
    }
}

registered!(EfficientRandomization);

//! How much, and how surely, a mask says of the true positions, in bits.

use xai_core::describe::{Parameters, metric};
use xai_core::{ExactMean, ExactSum};

use crate::metric::kinds::truth_metric::TINT_EPSILON;
use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// The attributions of the true positions.
fn of_truth<'a>(map: &'a MaskedMap<'_>) -> impl Iterator<Item = f64> + 'a {
    let positions = map.attributions.iter().zip(map.inside);
    positions.filter(|(_, inside)| **inside).map(|(&a, _)| a)
}

fn mean(bits: impl Iterator<Item = f64>) -> Option<f64> {
    bits.collect::<ExactMean>().value()
}

/// The sum; `None` without a true position.
fn sum(map: &MaskedMap<'_>, bits: impl Fn(f64) -> f64) -> Option<f64> {
    let bits: ExactSum = of_truth(map).map(bits).collect();
    (map.n_inside > 0).then(|| bits.value())
}

/// Information of a mask about the true positions, in bits.
///
/// ```text
/// mean over true positions of −log2(1 − a), 1 − a at least 1e-5, a the map scaled to [0, 1]
/// ```
///
/// Maps are scaled to [0, 1] by their smallest and largest attribution, unless `normalize` is off: they then have to be
/// in [0, 1]. In [0, 16.61] bits, **higher is better**: 0 = no true position is marked. No value for a sample without a true
/// position, and for a constant map that is to be scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::MaskInformation};
/// let maps = array![[0.5, 0.75, 1.0, 0.0]];
/// let data = Data::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(MaskInformation::new().evaluate_on(data)?.value, (1.0 + 2.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no true position is marked. 16.61: all of them are, fully.
///
/// # Limits
/// A map that marks everything has the largest value, and the one position that scaling brings to 1 adds 16.61 bits where
/// it is true: a single position decides. Read it with the mask entropy and the area under precision.
///
/// # Source
/// Crabbé and van der Schaar, *Explaining Time Series Predictions with Dynamic Masks*, 2021.
///
/// The paper uses natural logarithms and sums over the true positions. Its code and `time_interpret` use bits, sum over
/// all samples, and add 1e-5 under the logarithm: see [`pooled`](TruthMetric::pooled).
///
/// # Elsewhere
/// `tint.white_box.information`
#[metric(
    name = "mask-information",
    describes = InformationBits,
    direction = Direction::Higher,
    range = Range::NON_NEGATIVE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 2.8355,
)]
pub type MaskInformation = TruthMetric<InformationBits>;

/// The formula of [`MaskInformation`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct InformationBits;

impl TruthFormula for InformationBits {
    const NORMALIZED: bool = true;
    const REQUIRES_UNIT_RANGE: bool = true;

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        // Not −0 where nothing is marked.
        mean(of_truth(map).map(|a| (1.0 - a).max(1e-5).log2().abs()))
    }

    fn pooled(&self, positions: &MaskedMap<'_>) -> Option<f64> {
        sum(positions, |a| (1.0 - a + TINT_EPSILON).log2().abs())
    }
}

/// Entropy of a mask at the true positions, in bits.
///
/// ```text
/// mean over true positions of −a log2 a − (1 − a) log2(1 − a), a the map scaled to [0, 1]
/// ```
///
/// Maps are scaled as for [`MaskInformation`](crate::metric::MaskInformation). In [0, 1] bit, **lower is better**: 0 = every true
/// position is marked fully or not at all. No value for a sample without a true position, and for a constant map that is
/// to be scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::batch::{Data, Masks};
/// use xai_attribution::{Evaluate, metric::MaskEntropy};
/// let maps = array![[0.5, 1.0, 0.25, 0.0]];
/// let data = Data::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(MaskEntropy::new().evaluate_on(data)?.value, (1.0 + 0.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: every true position is marked fully or not at all. 1: all of them are marked by half.
///
/// # Limits
/// A mask that marks no true position is decided, too: read it with the mask information.
///
/// # Source
/// Crabbé and van der Schaar, Explaining Time Series Predictions with Dynamic Masks, 2021.
///
/// # Elsewhere
/// `tint.white_box.entropy`
#[metric(
    name = "mask-entropy",
    describes = EntropyBits,
    direction = Direction::Lower,
    range = Range::SHARE.when("(pooled: [0, inf))"),
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = MASK_NEEDS,
    example = 0.6362,
)]
pub type MaskEntropy = TruthMetric<EntropyBits>;

/// The formula of [`MaskEntropy`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct EntropyBits;

impl TruthFormula for EntropyBits {
    const NORMALIZED: bool = true;
    const REQUIRES_UNIT_RANGE: bool = true;

    fn value(&self, map: &MaskedMap<'_>) -> Option<f64> {
        let bits = |p: f64| if p > 0.0 { -p * p.log2() } else { 0.0 };
        mean(of_truth(map).map(|a| bits(a) + bits(1.0 - a)))
    }

    fn pooled(&self, positions: &MaskedMap<'_>) -> Option<f64> {
        let bits = |p: f64| p * (TINT_EPSILON + p).log2().abs();
        sum(positions, |a| bits(a) + bits(1.0 - a))
    }
}

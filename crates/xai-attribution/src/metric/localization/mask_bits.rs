//! Information and entropy of a map at the true positions, in bits.

use xai_core::describe::{Parameters, metric};
use xai_core::{ExactMean, ExactSum};

use crate::metric::kinds::truth_metric::TINT_EPSILON;
use crate::metric::{MASK_NEEDS, MaskedMap, TruthFormula, TruthMetric};

/// Attributions of the true positions.
fn true_attributions<'a>(map: &'a MaskedMap<'_>) -> impl Iterator<Item = f64> + 'a {
    let positions = map.attributions.iter().zip(map.inside);
    positions.filter(|(_, inside)| **inside).map(|(&a, _)| a)
}

fn mean(bits: impl Iterator<Item = f64>) -> Option<f64> {
    bits.collect::<ExactMean>().value()
}

/// Sum of `bits` over the true positions; `None` if there are none.
fn sum(map: &MaskedMap<'_>, bits: impl Fn(f64) -> f64) -> Option<f64> {
    let sum: ExactSum = true_attributions(map).map(bits).collect();
    (map.n_inside > 0).then(|| sum.value())
}

/// Information of a mask about the true positions, in bits.
///
/// ```text
/// mean over true positions of −log2(1 − a), 1 − a at least 1e-5, a the map scaled to [0, 1]
/// ```
///
/// Maps are scaled to [0, 1] by their smallest and largest attribution, unless `normalize` is off: they then have to be
/// in [0, 1]. In [0, 16.61] bits, **higher is better**: 0 = no true position is marked. It is undefined for a sample
/// without a true position, and for a constant map if maps are scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::MaskInformation};
/// let maps = array![[0.5, 0.75, 1.0, 0.0]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(MaskInformation::new().evaluate_on(data)?.value, (1.0 + 2.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no true position is marked. 16.61: all of them have the attribution 1.
///
/// # Limits
/// A map that marks everything has the largest value. The position that is scaled to 1 counts 16.61 bits if it is true,
/// so that a single position can dominate the value. Read it with the mask entropy and the area under precision.
///
/// # Source
/// Crabbé and van der Schaar, *Explaining Time Series Predictions with Dynamic Masks*, 2021.
///
/// The paper uses natural logarithms and a sum over the true positions. Its code and `time_interpret` use bits, a sum
/// over all samples, and add 1e-5 inside the logarithm: see [`pooled`](TruthMetric::pooled).
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
        // The logarithm is never positive, so `abs` negates it, and gives 0 instead of −0 for an attribution of 0.
        mean(true_attributions(map).map(|a| (1.0 - a).max(1e-5).log2().abs()))
    }

    // As `time_interpret`: a sum, and an epsilon instead of a bound. For an attribution of 0 the argument exceeds 1.
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
/// Maps are scaled as for [`MaskInformation`](crate::metric::MaskInformation). In [0, 1] bit, **lower is better**: 0 =
/// every true position has the attribution 0 or 1. It is undefined for a sample without a true position, and for a
/// constant map if maps are scaled.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::Masks};
/// use xai_attribution::{Evaluate, metric::MaskEntropy};
/// let maps = array![[0.5, 1.0, 0.25, 0.0]];
/// let data = EvaluationData::from_maps(maps.view()).with(Masks::new(array![[[true, true, false, false]]]));
/// assert_eq!(MaskEntropy::new().evaluate_on(data)?.value, (1.0 + 0.0) / 2.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: every true position has the attribution 0 or 1. 1: all of them have 1/2.
///
/// # Limits
/// A map that marks no true position has 0 as well: read it with the mask information.
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
        mean(true_attributions(map).map(|a| bits(a) + bits(1.0 - a)))
    }

    fn pooled(&self, positions: &MaskedMap<'_>) -> Option<f64> {
        let bits = |p: f64| p * (TINT_EPSILON + p).log2().abs();
        sum(positions, |a| bits(a) + bits(1.0 - a))
    }
}

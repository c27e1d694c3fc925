//! Agreement of a map and its reference on the largest attributions.

use crate::metric::map_agreement::{AgreementKind, AgreementOptions};
use crate::metric::{AgreementFormula, REFERENCE_NEEDS, ReferenceMetric};
use xai_core::describe::metric;

/// Share of the top-k features that the map and its reference have in common.
///
/// ```text
/// |top k of the map ∩ top k of the reference| / k
/// ```
///
/// In [0, 1], **higher is better** if the reference is the truth. The top are the `k` features of largest magnitude, by
/// default a tenth of all. With [`over_top`](AgreementOptions::over_top) the value is averaged over tops of 1 to `k`
/// features, as the area of the trapezoids. If features are tied, the value is the mean over all orders of the tied
/// features of both maps, and undefined if all attributions of a map have the same magnitude, unless
/// [`ties`](AgreementOptions::ties) says otherwise. The reference is [`ReferenceMaps`](crate::side::ReferenceMaps); no
/// model is needed.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::metric::{AgreementOptions, FeatureAgreement, TopK};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, -0.5, 0.1, 0.0]];
/// let reference = ReferenceMaps::new(array![[0.8, 0.3, 0.4, 0.0]]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let metric = FeatureAgreement::new().options(options);
/// // The tops are features 0 and 1 of the map, and features 0 and 2 of the reference.
/// assert_eq!(metric.evaluate_on(EvaluationData::from_maps(maps.view()).with(reference))?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: the maps have no top feature in common. 1: they have the same top features.
///
/// # Limits
/// It measures faithfulness only if the reference is the truth. Order and signs do not count.
///
/// # Source
/// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022; Agarwal et al., *OpenXAI*, 2022.
///
/// For OpenXAI's number, round `k` up, use [`Ties::LowestIndex`](crate::metric::Ties::LowestIndex), and negate the
/// reference of samples whose prediction is 0.
///
/// # Elsewhere
/// `openxai.FA`
#[metric(
    name = "feature-agreement",
    describes = CommonFeatures,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.25,
)]
pub type FeatureAgreement = ReferenceMetric<CommonFeatures>;

/// Share of the top-k features that have the same rank in the map and in its reference.
///
/// ```text
/// |{features at the same rank in both tops}| / k
/// ```
///
/// As [`FeatureAgreement`], for the features that have the same rank in both tops.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::metric::{AgreementOptions, RankAgreement, TopK};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, -0.5, 0.1]];
/// let reference = ReferenceMaps::new(array![[0.5, -0.9, 0.1]]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let metric = RankAgreement::new().options(options);
/// // The same two features, in the other order.
/// assert_eq!(metric.evaluate_on(EvaluationData::from_maps(maps.view()).with(reference))?.value, 0.0);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no top feature has the same rank. 1: both tops are the same, in the same order.
///
/// # Limits
/// One feature that is moved to the front shifts all others, and the value falls to 0. It measures faithfulness only if
/// the reference is the truth.
///
/// # Source
/// Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.
///
/// # Elsewhere
/// `openxai.RA`
#[metric(
    name = "rank-agreement",
    describes = CommonRanks,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.0,
)]
pub type RankAgreement = ReferenceMetric<CommonRanks>;

/// Share of the top-k features that the map and its reference have in common with the same sign.
///
/// ```text
/// |{features in both tops with the same sign}| / k
/// ```
///
/// As [`FeatureAgreement`], for the features whose attributions have the same sign.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::metric::{AgreementOptions, SignAgreement, TopK};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, -0.5, 0.1]];
/// let reference = ReferenceMaps::new(array![[0.5, 0.9, 0.1]]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let metric = SignAgreement::new().options(options);
/// // The same two features, one of them with the same sign.
/// assert_eq!(metric.evaluate_on(EvaluationData::from_maps(maps.view()).with(reference))?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no common top feature has the same sign. 1: both tops are the same, with the same signs.
///
/// # Limits
/// For maps without negative values it is feature agreement. It measures faithfulness only if the reference is the
/// truth.
///
/// # Source
/// Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.
///
/// # Elsewhere
/// `openxai.SA`
#[metric(
    name = "sign-agreement",
    describes = CommonSigns,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.25,
)]
pub type SignAgreement = ReferenceMetric<CommonSigns>;

/// Share of the top-k features that have the same rank and sign in the map and in its reference.
///
/// ```text
/// |{features at the same rank in both tops with the same sign}| / k
/// ```
///
/// As [`FeatureAgreement`], for the features that have the same rank and the same sign in both tops.
///
/// ```
/// use ndarray::array;
/// use xai_attribution::{EvaluationData, side::ReferenceMaps};
/// use xai_attribution::metric::{AgreementOptions, SignedRankAgreement, TopK};
/// use xai_attribution::Evaluate;
/// let maps = array![[0.9, -0.5, 0.1]];
/// let reference = ReferenceMaps::new(array![[0.9, 0.5, 0.1]]);
/// let options = AgreementOptions { k: TopK::Count(2), ..AgreementOptions::default() };
/// let metric = SignedRankAgreement::new().options(options);
/// // The same two features in the same order, one of them with the same sign.
/// assert_eq!(metric.evaluate_on(EvaluationData::from_maps(maps.view()).with(reference))?.value, 0.5);
/// # Ok::<(), xai_attribution::Error>(())
/// ```
///
/// # Extremes
/// 0: no top feature has the same rank and sign. 1: both tops are the same, in order and signs.
///
/// # Limits
/// It is the strictest of the four: small differences of nearly equal attributions make it 0. It measures faithfulness
/// only if the reference is the truth.
///
/// # Source
/// Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022.
///
/// # Elsewhere
/// `openxai.SRA`
#[metric(
    name = "signed-rank-agreement",
    describes = CommonSignedRanks,
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE_AND_MIRROR,
    needs = REFERENCE_NEEDS,
    example = 0.0,
)]
pub type SignedRankAgreement = ReferenceMetric<CommonSignedRanks>;

/// The formula of [`FeatureAgreement`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommonFeatures;

/// The formula of [`RankAgreement`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommonRanks;

/// The formula of [`SignAgreement`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommonSigns;

/// The formula of [`SignedRankAgreement`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CommonSignedRanks;

impl AgreementFormula for CommonFeatures {
    const COMPARES_RANKINGS: bool = false;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        share(AgreementKind::Features, map, reference, options)
    }
}

impl AgreementFormula for CommonRanks {
    const COMPARES_RANKINGS: bool = false;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        share(AgreementKind::Ranks, map, reference, options)
    }
}

impl AgreementFormula for CommonSigns {
    const COMPARES_RANKINGS: bool = false;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        share(AgreementKind::Signs, map, reference, options)
    }
}

impl AgreementFormula for CommonSignedRanks {
    const COMPARES_RANKINGS: bool = false;

    fn value(&self, map: &[f64], reference: &[f64], options: &AgreementOptions) -> Option<f64> {
        share(AgreementKind::SignedRanks, map, reference, options)
    }
}

/// Agreement of two maps at the `k` of the options. `None` where the agreement is undefined, and for an invalid `k`,
/// which is an error before the run.
fn share(
    kind: AgreementKind,
    map: &[f64],
    reference: &[f64],
    options: &AgreementOptions,
) -> Option<f64> {
    let k = options.k.resolve(map.len()).ok()?;
    kind.agreement(map, reference, k, options)
}

//! Agreement on the largest attributions.

use xai_core::{Direction, MetricInfo};

use crate::metric::kinds::map_agreement::{AgreementOptions, Shared};
use crate::metric::kinds::reference_metric::{AgreementFormula, REFERENCE_NEEDS, ReferenceMetric};
use crate::metric::options::MetricOption;

const SOURCE: &str =
    "Krishna et al., The Disagreement Problem in Explainable Machine Learning, 2022";

macro_rules! top_agreement {
    ($($metric:ident = $formula:ident: $shared:ident, $name:literal, $title:literal, $question:literal, $doc:literal)+) => {$(
        #[doc = $doc]
        ///
        /// In [0, 1], **higher is better** where the reference is the truth. The top are the `k` features of the
        /// largest attributions by size, ties to the lower feature; a tenth of them by default. Averaged over
        /// tops of 1 to `k` features with [`over_top`](AgreementOptions::over_top), as the area of the trapezoids. The
        /// reference is [`ReferenceMaps`](crate::batch::ReferenceMaps); no model is asked.
        ///
        /// ```
        /// use ndarray::array;
        /// use xai_attribution::batch::{Data, ReferenceMaps};
        #[doc = concat!("use xai_attribution::{Evaluate, metric::", stringify!($metric), "};")]
        /// let maps = array![[0.9, -0.5, 0.1], [0.1, 0.2, 0.3]];
        /// let same = ReferenceMaps::new(maps.clone());
        #[doc = concat!("let agreement = ", stringify!($metric), "::new().evaluate_on(Data::of_maps(maps.view()).with(same))?;")]
        /// assert_eq!(agreement.value, 1.0);
        /// # Ok::<(), xai_attribution::Error>(())
        /// ```
        ///
        /// # Source
        /// Krishna et al., *The Disagreement Problem in Explainable Machine Learning*, 2022; Agarwal et al., *OpenXAI*,
        /// 2022, whose number it is with `k` rounded up and the truth negated where the prediction is 0.
        pub type $metric = ReferenceMetric<$formula>;

        #[doc = concat!("The formula of [`", stringify!($metric), "`].")]
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct $formula;

        impl AgreementFormula for $formula {
            const INFO: &'static MetricInfo = &MetricInfo {
                name: $name,
                title: $title,
                question: $question,
                direction: Direction::Higher,
                range: "[0, 1]",
                needs: REFERENCE_NEEDS,
                source: SOURCE,
            };
            const OPTIONS: &'static [MetricOption<$metric>] =
                &[$metric::TOP_K, $metric::OVER_TOP];

            fn value(
                &self,
                map: &[f64],
                reference: &[f64],
                options: &AgreementOptions,
            ) -> Option<f64> {
                let k = options.k.of(map.len()).ok()?;
                Some(Shared::$shared.of(map, reference, k, options.over_top))
            }
        }
    )+};
}

top_agreement! {
    FeatureAgreement = CommonFeatures: Features, "feature-agreement", "Feature agreement",
        "What share of the top features do map and reference have in common?",
        "What share of the top features do a map and its reference have in common?"
    RankAgreement = CommonRanks: Ranks, "rank-agreement", "Rank agreement",
        "What share of the top features do map and reference have at the same rank?",
        "What share of the top features do a map and its reference have at the same rank?"
    SignAgreement = CommonSigns: Signs, "sign-agreement", "Sign agreement",
        "What share of the top features do map and reference have with the same sign?",
        "What share of the top features do a map and its reference have in common, with the same sign?"
    SignedRankAgreement = CommonSignedRanks: SignedRanks, "signed-rank-agreement", "Signed rank agreement",
        "What share of the top features do map and reference have at the same rank with the same sign?",
        "What share of the top features do a map and its reference have at the same rank, with the same sign?"
}

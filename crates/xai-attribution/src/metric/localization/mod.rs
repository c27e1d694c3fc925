//! Metrics of localization: are the large attributions on the object?

use crate::metric::Entry;

pub(crate) mod attribution_localization;
pub(crate) mod focus;
pub(crate) mod localization_auroc;
pub(crate) mod localization_iou;
pub(crate) mod mask_areas;
pub(crate) mod mask_bits;
pub(crate) mod mask_errors;
pub(crate) mod pointing_game;
pub(crate) mod relevance_mass_accuracy;
pub(crate) mod relevance_rank_accuracy;
pub(crate) mod top_k_intersection;

pub use crate::metric::kinds::top_k::TopK;
pub use {
    attribution_localization::*, focus::*, localization_auroc::*, localization_iou::*,
    mask_areas::*, mask_bits::*, mask_errors::*, pointing_game::*, relevance_mass_accuracy::*,
    relevance_rank_accuracy::*, top_k_intersection::*,
};

/// The metrics of this folder, in the order of the documentation.
pub(in crate::metric) const METRICS: &[Entry] = &[
    Entry::new::<PointingGame>(),
    Entry::new::<AttributionLocalization>(),
    Entry::new::<TopKIntersection>(),
    Entry::new::<RelevanceRankAccuracy>(),
    Entry::new::<RelevanceMassAccuracy>(),
    Entry::new::<LocalizationAuroc>(),
    Entry::new::<LocalizationAveragePrecision>(),
    Entry::new::<LocalizationIou>(),
    Entry::new::<Focus>(),
    Entry::new::<AreaUnderPrecision>(),
    Entry::new::<AreaUnderRecall>(),
    Entry::new::<MaskInformation>(),
    Entry::new::<MaskEntropy>(),
    Entry::new::<MaskMae>(),
    Entry::new::<MaskMse>(),
    Entry::new::<MaskRmse>(),
];

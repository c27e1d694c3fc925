//! Does the map lie on the object?

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
    Entry::of::<PointingGame>(),
    Entry::of::<AttributionLocalization>(),
    Entry::of::<TopKIntersection>(),
    Entry::of::<RelevanceRankAccuracy>(),
    Entry::of::<RelevanceMassAccuracy>(),
    Entry::of::<LocalizationAuroc>(),
    Entry::of::<LocalizationAveragePrecision>(),
    Entry::of::<LocalizationIou>(),
    Entry::of::<Focus>(),
    Entry::of::<AreaUnderPrecision>(),
    Entry::of::<AreaUnderRecall>(),
    Entry::of::<MaskInformation>(),
    Entry::of::<MaskEntropy>(),
    Entry::of::<MaskMae>(),
    Entry::of::<MaskMse>(),
    Entry::of::<MaskRmse>(),
];

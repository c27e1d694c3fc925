//! The metrics, and what makes a metric.
//!
//! A metric is one file, found in the [`registry`]: its [`MetricInfo`], its options, and how one
//! value per sample comes of a batch ([`Measure`]).

pub(crate) mod entry;
pub mod kinds;
pub(crate) mod options;
pub(crate) mod parameters;
pub(crate) mod protocol;
pub mod registry;
pub(crate) mod value;

pub use entry::{Entry, Listed, Precision};
pub use kinds::{
    AgreementFormula, AgreementOptions, BaseScorePolicy, CurveKind, CurveMetric, CurvePoints,
    MASK_NEEDS, MapAgreement, MaskFormula, MaskMetric, MaskedMap, Notes, REFERENCE_NEEDS, RankTies,
    ReferenceMetric, Relevance, SCORE_NEEDS, ScoreAccumulator, ScoreFormula, ScoreMetric, Whole,
    WholeMetric, area, map_agreement, only_whole,
};
pub use options::{
    BASELINE_OPTION, CURVE_SCORE_OPTION, DRAWS_OPTION, FEATURES_OPTION, GIVEN_DRAWS,
    GROUP_SIZE_OPTION, GivenDraws, IMAGES_ONLY, MetricOption, NEIGHBORS_OPTION, OptionInfo,
    RADIUS_OPTION, Registered, SEED_OPTION, SIMILARITY_OPTION, STEPS_OPTION, parse, parse_unless,
};
pub use protocol::{Measure, Metric, key};
pub use registry::average_drop::DropFormula;
pub use registry::average_gain::GainFormula;
pub use registry::average_increase::IncreaseFormula;
pub use registry::completeness::Gap;
pub use registry::complexity::complexity;
pub use registry::consistency::{Discretizer, KeyAndClass, KeyFunction};
pub use registry::f_fidelity::{FFidelityMetric, RankedPart};
pub use registry::infidelity::{MapKind, Perturbation, Scaling};
pub use registry::model_randomization::{
    RandomizationOrder, RandomizationStep, RandomizationValues,
};
pub use registry::mst_compactness::Collinear;
pub use registry::non_sensitivity::Mismatch;
pub use registry::pointing_game::Ties;
pub use registry::prediction_gap::{NoisyPart, PredictionGap};
pub use registry::random_logit::{GivenTargets, OtherTargets};
pub use registry::random_order_reference::ReferenceScale;
pub use registry::relative_stability::{
    OfInputs, OfOutputs, OfRepresentation, Reference, RelativeStability,
};
pub use registry::representativity::MegeReco;
pub use registry::road::{ImputationNoise, RoadMetric, RoadOf, RoadOrder};
pub use registry::sparseness::sparseness;
pub use registry::stability::{Average, Maximum, Stability, StabilityValues, Statistic};
pub use registry::sufficiency::Threshold;
pub use registry::top_k_intersection::TopK;
pub use registry::*;
pub use value::{CurvePoint, MetricValue};
pub use xai_core::{Direction, MetricInfo};

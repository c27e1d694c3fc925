//! The metrics, and what makes a metric.
//!
//! | group | question | begin with |
//! |---|---|---|
//! | faithfulness | Does the score follow what the map marks? | [`SymmetricRelevanceGain`], [`Deletion`], [`Insertion`], [`MuFidelity`] |
//! | axioms | Do attributions add up to the score? | [`Completeness`], [`NonSensitivity`] |
//! | robustness | Does the map change when the input hardly does? | [`AverageStability`], [`LocalLipschitz`] |
//! | sanity checks | Does the map depend on the model? | [`ModelRandomization`], [`RandomLogit`] |
//! | localization | Does the map mark the object? | [`RelevanceMassAccuracy`], [`PointingGame`] |
//! | plausibility | Does the map mark the tokens that people mark? | [`RationaleAuprc`], [`TokenF1`] |
//! | attribution of a context | Do the sources that the map marks matter to a generated text? | [`ContextLds`] |
//! | complexity | Is the map simple enough to read? | [`Sparseness`], [`Complexity`] |
//! | comparison with other maps | Do two explainers agree? | [`FeatureAgreement`], [`RankCorrelation`] |
//!
//! [`registry`] has a table of all metrics, and their formulas and sources. A metric has a [`MetricInfo`], parameters,
//! and a computation of one value per sample of a batch ([`Measure`]).

#[macro_use]
mod macros;

pub(crate) mod axiomatic;
pub(crate) mod comparison;
pub(crate) mod complexity;
pub(crate) mod context;
#[cfg(test)]
#[expect(unreachable_pub, reason = "its text is that of a public metric")]
mod contributing;
pub(crate) mod dataset_metric;
pub(crate) mod entry;
pub(crate) mod faithfulness;
pub(crate) mod kinds;
pub(crate) mod localization;
pub(crate) mod plausibility;
pub(crate) mod protocol;
pub mod registry;
pub(crate) mod robustness;
pub(crate) mod sanity;

pub use entry::{Entry, Precision};
pub use kinds::{
    AgreementFormula, AgreementOptions, BaseScorePolicy, CombinedValues, CurveKind, CurveMetric,
    CurvePoints, DatasetMetric, DatasetMetricDyn, Hits, MASK_NEEDS, MapAgreement, MaskFormula,
    MaskMetric, MaskedMap, ModelOutput, OutputFormula, OutputMetric, OutputPair, OutputScale,
    Outputs, REFERENCE_NEEDS, RankTies, ReferenceMetric, Relevance, SCORE_NEEDS, SampleNotes,
    ScoreAccumulator, ScoreFormula, ScoreMetric, Threshold, Ties, TruthFormula, TruthMetric, area,
    map_agreement,
};
pub use localization::*;
pub use protocol::MetricValue;
pub use protocol::{IMAGES_ONLY, PrecomputedDraws, Registered};
pub use protocol::{Measure, Metric, key};
pub use robustness::*;
pub use sanity::*;
pub use xai_core::Direction;
pub use xai_core::describe::{
    Described, Invariance, MetricInfo, Mirror, Param, Parameter, Parameters, Range, Setting,
    Settings, Value, metric,
};
pub use xai_core::statistics::Correlation;
pub use {
    axiomatic::*, comparison::*, complexity::*, context::*, faithfulness::*, plausibility::*,
};

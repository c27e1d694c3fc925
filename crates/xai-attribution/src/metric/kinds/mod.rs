//! Building blocks shared by several metrics: formulas over two scores, a curve of scores, the magnitudes of
//! attributions, a map and an object mask, or a map and a reference map; and the second stage of metrics that compare
//! samples with each other.

pub(crate) mod curve_metric;
pub(crate) mod magnitudes;
pub(crate) mod map_agreement;
pub(crate) mod mask_metric;
pub(crate) mod order_limits;
pub(crate) mod output_metric;
pub(crate) mod reference_metric;
pub(crate) mod score_metric;
pub(crate) mod spanning_tree;
pub(crate) mod threshold;
pub(crate) mod ties;
pub(crate) mod top_k;
pub(crate) mod truth_metric;

pub use crate::metric::dataset_metric::{
    CombinedValues, DatasetMetric, DatasetMetricDyn, SampleNotes,
};
pub use curve_metric::{CurveKind, CurveMetric, CurvePoints, area};
pub use map_agreement::{AgreementOptions, MapAgreement, RankTies, map_agreement};
pub use mask_metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance};
pub use output_metric::{
    ModelOutput, OutputFormula, OutputMetric, OutputPair, OutputScale, Outputs,
};
pub use reference_metric::{AgreementFormula, REFERENCE_NEEDS, ReferenceMetric};
pub use score_metric::{BaseScorePolicy, SCORE_NEEDS, ScoreAccumulator, ScoreFormula, ScoreMetric};
pub use threshold::Threshold;
pub use ties::{Hits, Ties};
pub use truth_metric::{TruthFormula, TruthMetric};

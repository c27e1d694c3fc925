//! What several metrics are made of: a formula over two scores, a function of a curve of scores, a function
//! of the sizes of attributions, a formula over a map and the mask of the object.

pub(crate) mod curve_metric;
pub(crate) mod magnitudes;
pub(crate) mod mask_metric;
pub(crate) mod score_metric;

pub use curve_metric::{CurveKind, CurveMetric, CurvePoints, area};
pub use mask_metric::{MASK_NEEDS, MaskFormula, MaskMetric, MaskedMap, Relevance};
pub use score_metric::{BaseScorePolicy, SCORE_NEEDS, ScoreAccumulator, ScoreFormula, ScoreMetric};

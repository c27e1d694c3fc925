//! What several metrics are made of: a formula over two scores, an area under a curve, a function
//! of the sizes of attributions.

pub(crate) mod area_metric;
pub(crate) mod magnitudes;
pub(crate) mod score_metric;

pub use area_metric::{AreaMetric, CurveKind};
pub use score_metric::{BaseScorePolicy, SCORE_NEEDS, ScoreAccumulator, ScoreFormula, ScoreMetric};

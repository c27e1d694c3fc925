//! A mask against the truth at every threshold.

use crate::ground_truth::precision_recall_curve::PrecisionRecallCurve;
use crate::ground_truth::roc_curve::RocCurve;
use crate::ground_truth::thresholds::Threshold;

/// A mask against the truth at every threshold, made by
/// [`GroundTruthMetric::curves`](crate::GroundTruthMetric::curves).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruthCurves {
    /// True elements found against others found; undefined when the truth has one class only.
    pub roc: Option<RocCurve>,
    /// Precision against recall; undefined without a true element.
    pub precision_recall: Option<PrecisionRecallCurve>,
}

impl GroundTruthCurves {
    pub(crate) fn new(thresholds: &[Threshold]) -> Self {
        Self {
            roc: RocCurve::new(thresholds),
            precision_recall: PrecisionRecallCurve::new(thresholds),
        }
    }
}

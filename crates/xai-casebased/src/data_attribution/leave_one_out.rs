//! Correlation with leaving training cases out.

use xai_core::Result;
use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};
use xai_core::statistics::Correlation;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::OfRows;
use crate::input;

/// Do attributions tell how far the output falls when the model is trained without a case?
///
/// ```text
/// value_t = corr_j( τ_{t, r_j} , D_jt )      D_jt = f_t(all cases) − f_t(all but r_j)
/// ```
///
/// In [−1, 1], **higher is better**: 1 = attributions are in proportion to the falls. Undefined where either is
/// constant.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, LeaveOneOutCorrelation};
/// let attributions = array![[4.0, 0.0, 2.0]];
/// let drops = array![[0.1], [0.3]]; // without case 2, without case 0
/// let data = AttributionData::new(attributions.view()).removed(&[2, 0]).drops(drops.view());
/// assert_eq!(LeaveOneOutCorrelation::new().evaluate(&data)?.value, Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Koh and Liang, *Understanding Black-box Predictions via Influence Functions*, 2017. dattri does not read which cases
/// were left out: it takes them to be all, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct LeaveOneOutCorrelation {
    /// The correlation of attributions and falls.
    #[param(default = Correlation::Pearson)]
    correlation: Correlation,
}

impl AttributionMetric for LeaveOneOutCorrelation {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "leave-one-out-correlation",
        title: "Leave-one-out correlation",
        question: "Do attributions tell how far the output falls without a training case?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE,
        range: Range::SIGNED_SHARE,
        needs: &[input::ATTRIBUTIONS, input::REMOVED, input::DROPS],
        source: "Koh and Liang, Understanding Black-box Predictions via Influence Functions, 2017",
        reading: Reading {
            formula: "Pearson_j( τ_{t, r_j} , f_t(all cases) − f_t(all but r_j) )",
            extremes: "1: attributions are in proportion to the falls. 0: they are unrelated.",
            limits: "The effect of one case is often smaller than the noise of training: average the falls over several trainings first.",
            peers: &["dattri.loo_corr"],
            example: Some(0.2937),
        },
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        let (removed, drops) = data.removed_and_drops()?;
        let correlation = self.correlation;
        Ok(OfRows::each(0, move |row| {
            let values = row.values();
            let attributed: Vec<f64> = removed.iter().map(|&case| values[case]).collect();
            correlation.of_finite(&attributed, &drops.column(row.index()).to_vec())
        }))
    }
}

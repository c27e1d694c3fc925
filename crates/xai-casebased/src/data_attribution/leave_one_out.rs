//! Correlation with the effect of leaving out training cases.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::Correlation;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Correlation of attributions and output drops when single training rows are left out.
///
/// ```text
/// Pearson_j( τ_{t, r_j} , f_t(all cases) − f_t(all but r_j) )
/// ```
///
/// `τ_{t, i}` is the attribution of test case `t` to training case `i`, `r_j` the `j`-th case that is left out, and
/// `f_t` the output for `t`. The value is the mean over test cases. In [−1, 1], **higher is better**. Undefined for a
/// test case whose attributions or drops are constant.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, LeaveOneOutCorrelation};
/// use xai_casebased::input;
/// let attributions = array![[4.0, 0.0, 2.0]];
/// let drops = array![[0.1], [0.3]]; // without case 2, without case 0
/// let data = AttributionData::new(attributions.view()).with(input::REMOVED, &[2, 0]).with(input::DROPS, drops.view());
/// assert_eq!(LeaveOneOutCorrelation::new().evaluate(&data)?.value, Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: attributions are an increasing linear function of the drops. 0: they are not correlated.
///
/// # Limits
/// The effect of one case is often smaller than the noise of training: average the drops over several trainings.
///
/// # Source
/// Koh and Liang, *Understanding Black-box Predictions via Influence Functions*, 2017.
///
/// dattri ignores which cases were left out; it assumes all cases in order.
///
/// # Elsewhere
/// `dattri.loo_corr`
#[metric(
    name = "leave-one-out-correlation",
    title = "Leave-one-out correlation",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::REMOVED, input::DROPS],
    example = 0.2937,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct LeaveOneOutCorrelation {
    /// Correlation of attributions and drops.
    #[param(default = Correlation::Pearson)]
    correlation: Correlation,
}

impl AttributionMetric for LeaveOneOutCorrelation {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        let (removed, drops) = data.removed_and_drops()?;
        let correlation = self.correlation;
        Ok(RowFunction::per_row(0, move |row| {
            let values = row.values();
            let attributed: Vec<f64> = removed.iter().map(|&case| values[case]).collect();
            correlation.correlate_finite(&attributed, &drops.column(row.index()).to_vec())
        }))
    }
}

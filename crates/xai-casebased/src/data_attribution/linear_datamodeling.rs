//! Linear datamodeling score.

use ndarray::{Array2, ArrayView1};
use xai_core::describe::{Parameters, metric};
use xai_core::number::{class_index, elementary};
use xai_core::statistics::Correlation;
use xai_core::{Error, Result};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::RowFunction;
use crate::{help, input};

/// Rank correlation of summed attributions and outputs of models trained on subsets.
///
/// ```text
/// LDS_t = corr_j( Σ_{i in S_j} τ_ti , F_jt )      margin of logits z: F = z_c − log Σ_{k≠c} exp z_k
/// ```
///
/// `F_jt` is the output for test case `t` of the model trained on subset `S_j`, averaged over its trainings. It is read
/// from [`outputs`](crate::input::OUTPUTS), or computed as the margin of [`logits`](crate::input::LOGITS) for
/// [`targets`](crate::input::TARGETS); a single logit is the margin of class 1, and its negative the margin of class 0.
///
/// In [−1, 1], **higher is better**: 1 = the sums rank the models like their outputs, 0 = no correlation. Undefined
/// for fewer than two subsets, and if all sums or all outputs are equal. Every addition of a sum is rounded, so sums
/// that are equal except for rounding may get different ranks. Attributions that are multiples of one power of two are
/// summed exactly as long as no partial sum reaches 2^53 times that power.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, LinearDatamodelingScore, Subsets};
/// use xai_casebased::input;
/// let attributions = array![[3.0, 1.0, -1.0]];
/// let subsets = Subsets::from_cases(3, [[0, 1], [0, 2], [1, 2]])?;
/// // The sums are 4, 2 and 0, with ranks 3, 2, 1. The outputs have the ranks 3, 1, 2.
/// let outputs = array![[0.9], [0.1], [0.2]];
/// let data = AttributionData::new(attributions.view()).with(input::SUBSETS, &subsets).with(input::OUTPUTS, outputs.view());
/// assert_eq!(LinearDatamodelingScore::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: the sums rank the models like their outputs. 0: no correlation. −1: the reverse order.
///
/// # Limits
/// It evaluates attributions as a linear model of retraining, for subsets of the given sizes; the noise of training
/// keeps it below 1. It does not evaluate single cases.
///
/// # Source
/// Park et al., *TRAK: Attributing Model Behavior at Scale*, 2023.
///
/// quanda uses a single logit without a sign, whatever the class.
///
/// # Elsewhere
/// `quanda.LinearDatamodelingMetric`, `dattri.lds`
#[metric(
    name = "linear-datamodeling-score",
    direction = Direction::Higher,
    range = Range::SIGNED_SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::SUBSETS, input::OUTPUTS],
    example = 0.3288,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct LinearDatamodelingScore {
    /// Correlation of sums and outputs.
    correlation: Correlation,
}

impl AttributionMetric for LinearDatamodelingScore {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        let subsets = data.checked_subsets()?;
        let outputs = match data.outputs(subsets.len())? {
            Some(outputs) => outputs.to_owned(),
            None => margins(data, subsets.len())?,
        };
        let correlation = self.correlation;
        Ok(RowFunction::per_block(move |rows| {
            let values: Vec<&[f64]> = rows.iter().map(|row| row.values()).collect();
            let sums = subsets.sums(&values);
            let correlations = rows.iter().zip(sums.rows()).map(|(row, row_sums)| {
                let (t, sums) = (row.index(), row_sums.to_vec());
                if sums.iter().any(|sum| !sum.is_finite()) {
                    return Err(Error::non_finite(input::ATTRIBUTIONS, &[t])
                        .part("sums over subsets")
                        .with_help(help::SCALE_ATTRIBUTIONS_DOWN));
                }
                Ok(correlation.correlate_finite(&sums, &outputs.column(t).to_vec()))
            });
            correlations.collect()
        }))
    }
}

/// Margins of the targets, `(n_subsets, n_test)`.
fn margins(data: &AttributionData<'_>, n_subsets: usize) -> Result<Array2<f64>> {
    let (logits, targets) = data.logits_and_targets(n_subsets)?;
    let n_classes = logits.dim().2;
    // A single logit represents two classes.
    let classes = targets
        .iter()
        .enumerate()
        .map(|(t, &target)| class_index(input::TARGETS, t, target, n_classes.max(2)))
        .collect::<Result<Vec<usize>>>()?;
    Ok(Array2::from_shape_fn(
        (n_subsets, targets.len()),
        |(j, t)| margin(logits.slice(ndarray::s![j, t, ..]), classes[t]),
    ))
}

/// `z_c − log Σ_{k≠c} exp z_k`. The largest logit is subtracted before the exponential, so that nothing overflows.
fn margin(logits: ArrayView1<'_, f64>, class: usize) -> f64 {
    if logits.len() == 1 {
        return if class == 1 { logits[0] } else { -logits[0] };
    }
    let others = || {
        logits
            .iter()
            .enumerate()
            .filter(|(k, _)| *k != class)
            .map(|(_, z)| *z)
    };
    // `elementary` functions have the same bits on every platform, unlike those of the C library.
    let largest = others().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = others().map(|z| elementary::exp(z - largest)).sum();
    logits[class] - largest - elementary::ln(sum)
}

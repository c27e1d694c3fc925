//! Detection of training cases with a shortcut or from another data set.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::average_precision;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Average precision of the attributions for finding training rows with the shortcut.
///
/// ```text
/// Σ_k (R_k − R_{k−1}) P_k over the distinct values of τ_t, of the flagged cases
/// ```
///
/// Average precision of the flagged cases, in (0, 1], **higher is better**: 1 = they are above all others. The
/// chance level is their share among the training cases. Undefined without a flagged case.
/// [`keep`](crate::input::KEEP) marks the test cases that the shortcut misleads: the class of the shortcut is
/// predicted and is not the true one.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ShortcutDetection};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.8, 0.1]];
/// let data = AttributionData::new(attributions.view()).with(input::FLAGS, &[false, true, false]);
/// assert_eq!(ShortcutDetection::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: the flagged cases are above all others. Their share among the training cases: chance level.
///
/// # Limits
/// It needs a model that uses the shortcut: keep the test cases whose prediction it changes. Values for different
/// shares of flagged cases are not comparable.
///
/// # Source
/// After Koh and Liang, *Understanding Black-box Predictions via Influence Functions*, 2017.
///
/// quanda returns 0 where this is undefined.
///
/// # Elsewhere
/// `quanda.ShortcutDetectionMetric`
#[metric(
    name = "shortcut-detection",
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::FLAGS],
    example = 0.2677,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ShortcutDetection;

/// Average precision of the attributions for finding the adversarial training rows.
///
/// ```text
/// Σ_k (R_k − R_{k−1}) P_k over the distinct values of τ_t, of the flagged cases
/// ```
///
/// The formula of [`ShortcutDetection`]. The flagged cases are those of the other data set, and
/// [`keep`](crate::input::KEEP) marks the test cases of that data set for which the class of the flagged cases is
/// predicted.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, MixedDatasets};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.8, 0.1], [0.3, 0.1, 0.2]];
/// let data = AttributionData::new(attributions.view()).with(input::FLAGS, &[true, false, false]);
/// assert_eq!(MixedDatasets::new().evaluate(&data)?.value, Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: the flagged cases are above all others. Their share among the training cases: chance level.
///
/// # Limits
/// Cases of another data set may be recognisable by their appearance, so a high value does not show that subtle
/// influence is found. Values for different shares of flagged cases are not comparable.
///
/// # Source
/// Hammoudeh and Lowd, *Identifying a Training-Set Attack's Target Using Renormalized Influence Estimation*, 2022.
///
/// # Elsewhere
/// `quanda.MixedDatasetsMetric`
#[metric(
    name = "mixed-datasets",
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::FLAGS],
    example = 0.2677,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct MixedDatasets;

impl AttributionMetric for ShortcutDetection {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        flagged_precision(data)
    }
}

impl AttributionMetric for MixedDatasets {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        flagged_precision(data)
    }
}

/// Average precision of the flagged cases.
fn flagged_precision<'d>(data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
    let flags = data.flags()?;
    Ok(RowFunction::per_row(0, move |row| {
        average_precision(row.values(), flags)
    }))
}

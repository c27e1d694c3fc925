//! Classes of the top cases.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Share of the top-k training rows with the class of the test row.
///
/// ```text
/// |{ i in top k of τ_t : y_i = c_t }| / k
/// ```
///
/// In [0, 1], **higher is better**: 1 = all top cases have the class. The chance level is the share of the class
/// among the training cases. A `k` above the number of training cases is reduced to it.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassDetection};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.4, 0.7], [0.1, 0.5, 0.5]];
/// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &[0, 0, 1]).with(input::TEST_CLASSES, &[0, 1]);
/// let value = ClassDetection::new().k(2).evaluate(&data)?;
/// assert_eq!(value.per_sample, [Some(0.5), Some(0.5)]);
/// // The top case alone; ties go to the lower index.
/// assert_eq!(ClassDetection::new().evaluate(&data)?.per_sample, [Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: all top cases have the class. The share of the class among the training cases: chance level.
///
/// # Limits
/// It measures agreement of classes, not influence: an explainer that only uses the labels reaches 1. State whether the
/// classes are true or predicted.
///
/// # Source
/// Hanawa et al., *Evaluation of Similarity-based Explanations*, 2021 (for one training row); Kwon et al., *`DataInf`*,
/// 2024.
///
/// # Elsewhere
/// `quanda.ClassDetectionMetric`
#[metric(
    name = "class-detection",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::TRAIN_LABELS, input::TEST_CLASSES],
    example = 0.25,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct ClassDetection {
    /// Number of top cases.
    #[param(at_least = 1, default = 1)]
    k: usize,
}

/// Share of the top-k training rows with the subclass of the test row.
///
/// ```text
/// |{ i in top k of τ_t : y_i = c_t }| / k
/// ```
///
/// [`ClassDetection`] with finer labels than those of the training, so that an explainer cannot find them by the labels
/// alone. [`keep`](crate::input::KEEP) marks the test cases whose class is predicted correctly.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, SubclassDetection};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.4, 0.7], [0.1, 0.5, 0.5]];
/// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &[4, 4, 5]).with(input::TEST_CLASSES, &[4, 5]);
/// let value = SubclassDetection::new().evaluate(&data.with(input::KEEP, &[true, false]))?;
/// assert_eq!((value.value, value.n_undefined), (Some(1.0), 1));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: all top cases have the subclass. The share of the subclass among the training cases: chance level.
///
/// # Limits
/// No explainer finds subclasses that the model does not distinguish. Keep only test cases whose class is predicted
/// correctly.
///
/// # Source
/// Hanawa et al., *Evaluation of Similarity-based Explanations*, 2021.
///
/// # Elsewhere
/// `quanda.SubclassDetectionMetric`
#[metric(
    name = "subclass-detection",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::TRAIN_LABELS, input::TEST_CLASSES],
    example = 0.25,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct SubclassDetection {
    /// Number of top cases.
    #[param(at_least = 1, default = 1)]
    k: usize,
}

impl AttributionMetric for ClassDetection {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        class_share(self.k, data)
    }
}

impl AttributionMetric for SubclassDetection {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        class_share(self.k, data)
    }
}

/// Share of the top cases that have the class of the test case.
fn class_share<'d>(k: usize, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
    let (labels, classes) = data.classes()?;
    Ok(RowFunction::per_row(k, move |row| {
        let (top, class) = (row.top(k), classes[row.index()]);
        let same = top.iter().filter(|&&case| labels[case as usize] == class);
        Some(same.count() as f64 / top.len() as f64)
    }))
}

//! The class of the top cases.

use xai_core::Result;
use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::walk::OfRows;
use crate::input;

/// Do the training cases with the largest attributions have the class of the test case?
///
/// ```text
/// value_t = |{ i in top k of τ_t : y_i = c_t }| / k
/// ```
///
/// In [0, 1], **higher is better**: 1 = all of them have it; by chance it is the share of the class among the training
/// cases. `k` above the number of training cases is that number.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassDetection};
/// let attributions = array![[0.9, 0.4, 0.7], [0.1, 0.5, 0.5]];
/// let data = AttributionData::new(attributions.view()).train_labels(&[0, 0, 1]).test_classes(&[0, 1]);
/// let value = ClassDetection::new().k(2).evaluate(&data)?;
/// assert_eq!(value.per_sample, [Some(0.5), Some(0.5)]);
/// // The top case alone: of two that are equal the first.
/// assert_eq!(ClassDetection::new().evaluate(&data)?.per_sample, [Some(1.0), Some(0.0)]);
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Hanawa et al., *Evaluation of Similarity-based Explanations*, 2021, for one case; Kwon et al., *`DataInf`*, 2024.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct ClassDetection {
    /// How many of the top cases are looked at.
    #[param(at_least = 1, default = 1)]
    k: usize,
}

/// Do the training cases with the largest attributions have the subclass of the test case?
///
/// [`ClassDetection`] with labels that are finer than those of the training: whoever finds them has not read the class
/// from the label. [`keep`](AttributionData::keep) is where the class is predicted rightly.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, SubclassDetection};
/// let attributions = array![[0.9, 0.4, 0.7], [0.1, 0.5, 0.5]];
/// let data = AttributionData::new(attributions.view()).train_labels(&[4, 4, 5]).test_classes(&[4, 5]);
/// let value = SubclassDetection::new().evaluate(&data.keep(&[true, false]))?;
/// assert_eq!((value.value, value.n_undefined), (Some(1.0), 1));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Hanawa et al., *Evaluation of Similarity-based Explanations*, 2021.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct SubclassDetection {
    /// How many of the top cases are looked at.
    #[param(at_least = 1, default = 1)]
    k: usize,
}

impl AttributionMetric for ClassDetection {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "class-detection",
        title: "Class detection",
        question: "Do the training cases with the largest attributions have the class of the test case?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE,
        range: Range::SHARE,
        needs: &[
            input::ATTRIBUTIONS,
            input::TRAIN_LABELS,
            input::TEST_CLASSES,
        ],
        source: "Hanawa et al., Evaluation of Similarity-based Explanations, 2021; Kwon et al., DataInf, 2024",
        reading: Reading {
            formula: "|{ i in top k of τ_t : y_i = c_t }| / k",
            extremes: "1: all top cases have the class. The share of the class among the training cases: as by chance.",
            limits: "It asks for the class, not for influence: an explainer that reads the label alone has 1. Say whether the classes are true or predicted.",
            peers: &["quanda.ClassDetectionMetric"],
            example: Some(0.25),
        },
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        share_of_class(self.k, data)
    }
}

impl AttributionMetric for SubclassDetection {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "subclass-detection",
        title: "Subclass detection",
        question: "Do the training cases with the largest attributions have the subclass of the test case?",
        source: "Hanawa et al., Evaluation of Similarity-based Explanations, 2021",
        reading: Reading {
            extremes: "1: all top cases have the subclass. The share of the subclass among the training cases: as by chance.",
            limits: "Subclasses that look alike to the model are found by nobody. Judge only test cases whose class is predicted rightly.",
            peers: &["quanda.SubclassDetectionMetric"],
            ..ClassDetection::INFO.reading
        },
        ..*ClassDetection::INFO
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        share_of_class(self.k, data)
    }
}

/// The share of the top cases that have the class of the test case.
fn share_of_class<'d>(k: usize, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
    let (labels, classes) = data.classes()?;
    Ok(OfRows::each(k, move |row| {
        let (top, class) = (row.top(k), classes[row.index()]);
        let same = top.iter().filter(|&&case| labels[case as usize] == class);
        Some(same.count() as f64 / top.len() as f64)
    }))
}

//! The place of a class in the whole ranking.

use xai_core::Result;
use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};
use xai_core::statistics::auroc;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::top::count_in_top;
use crate::data_attribution::walk::OfRows;
use crate::input;

/// Are training cases of the class of the test case attributed more than others?
///
/// ```text
/// value_t = P( τ_ti > τ_tj ) + ½ P( τ_ti = τ_tj )      y_i = c_t ≠ y_j
/// ```
///
/// The area under the ROC curve, in [0, 1], **higher is better**: 1 = every case of the class above all others, 0.5 =
/// as by chance. Undefined where nobody or everybody is of the class.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassAuroc};
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let data = AttributionData::new(attributions.view()).train_labels(&[0, 0, 1]).test_classes(&[0]);
/// assert_eq!(ClassAuroc::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Kwon et al., *`DataInf`: Efficiently Estimating Data Influence in `LoRA`-tuned LLMs and Diffusion Models*, 2024.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ClassAuroc;

impl AttributionMetric for ClassAuroc {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "class-auroc",
        title: "Class AUROC",
        question: "Are training cases of the class of the test case attributed more than others?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE,
        range: Range::SHARE,
        needs: &[
            input::ATTRIBUTIONS,
            input::TRAIN_LABELS,
            input::TEST_CLASSES,
        ],
        source: "Kwon et al., DataInf, 2024",
        reading: Reading {
            formula: "P( τ_ti > τ_tj ) + ½ P( τ_ti = τ_tj ) over cases with y_i = c_t ≠ y_j",
            extremes: "1: every case of the class is above all others. 0.5: as by chance. 0: below all others.",
            limits: "It asks for the class, not for influence, and of cases that hardly matter as much as of the top ones.",
            peers: &[],
            example: Some(0.5664),
        },
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        let (labels, classes) = data.classes()?;
        Ok(OfRows::each(0, move |row| {
            let class = classes[row.index()];
            let is_same: Vec<bool> = labels.iter().map(|&label| label == class).collect();
            auroc(row.values(), &is_same)
        }))
    }
}

/// Which share of a class is among as many top cases as there are of it?
///
/// ```text
/// value_t = |{ i in top m of τ_t : y_i = c_t }| / m      m = |{ i : y_i = c_t }|
/// ```
///
/// In [0, 1], **higher is better**: 1 = the class is all there is at the top; by chance it is the share of the class.
/// Undefined where nobody is of the class.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassRecall};
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let data = AttributionData::new(attributions.view()).train_labels(&[0, 0, 1]).test_classes(&[0]);
/// assert_eq!(ClassRecall::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Kwon et al., *`DataInf`: Efficiently Estimating Data Influence in `LoRA`-tuned LLMs and Diffusion Models*, 2024.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ClassRecall;

impl AttributionMetric for ClassRecall {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "class-recall",
        title: "Class recall",
        question: "Which share of a class is among as many top cases as there are of it?",
        reading: Reading {
            formula: "|{ i in top m of τ_t : y_i = c_t }| / m, m the number of training cases with y_i = c_t",
            extremes: "1: the class is all there is at the top. The share of the class: as by chance.",
            limits: "It asks for the class, not for influence. Between classes of different sizes it does not compare.",
            example: Some(0.375),
            ..ClassAuroc::INFO.reading
        },
        ..*ClassAuroc::INFO
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        let (labels, classes) = data.classes()?;
        Ok(OfRows::each(0, move |row| {
            let class = classes[row.index()];
            let m = labels.iter().filter(|&&label| label == class).count();
            let found = count_in_top(row.values(), m, |case| labels[case] == class);
            (m > 0).then(|| found as f64 / m as f64)
        }))
    }
}

//! Metrics of the ranking of all training rows: how high it places those of the test row's class.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};
use xai_core::statistics::auroc;

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::top::count_in_top;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Probability that a training row of the test row's class has a larger attribution than one of another class (AUROC).
///
/// ```text
/// P( τ_ti > τ_tj ) + ½ P( τ_ti = τ_tj ) over cases with y_i = c_t ≠ y_j
/// ```
///
/// Cases are training rows; `y_i` is the label of case `i`, `c_t` the class of test row `t`. The area under the ROC
/// curve, in [0, 1], **higher is better**: 1 = every case of the class is above all others, 0.5 = chance level.
/// Undefined if no or every training case has the class.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassAuroc};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &[0, 0, 1]).with(input::TEST_CLASSES, &[0]);
/// assert_eq!(ClassAuroc::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: every case of the class is above all others. 0.5: chance level. 0: below all others.
///
/// # Limits
/// It measures agreement of classes, not influence, and cases that hardly matter count as much as the top ones.
///
/// # Source
/// Kwon et al., *`DataInf`: Efficiently Estimating Data Influence in `LoRA`-tuned LLMs and Diffusion Models*, 2024.
#[metric(
    name = "class-auroc",
    title = "Class AUROC",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::TRAIN_LABELS, input::TEST_CLASSES],
    example = 0.5664,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ClassAuroc;

impl AttributionMetric for ClassAuroc {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        let (labels, classes) = data.classes()?;
        Ok(RowFunction::per_row(0, move |row| {
            let class = classes[row.index()];
            let is_same: Vec<bool> = labels.iter().map(|&label| label == class).collect();
            auroc(row.values(), &is_same)
        }))
    }
}

/// Share of the test row's class among as many top training rows as the class has.
///
/// ```text
/// |{ i in top m of τ_t : y_i = c_t }| / m, m the number of training cases with y_i = c_t
/// ```
///
/// In [0, 1], **higher is better**: 1 = all of the top `m` cases have the class. Ties go to the case with the lower
/// index. The chance level is the share of the class. Undefined if no training case has the class.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, ClassRecall};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let data = AttributionData::new(attributions.view()).with(input::TRAIN_LABELS, &[0, 0, 1]).with(input::TEST_CLASSES, &[0]);
/// assert_eq!(ClassRecall::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: all of the top m cases have the class. The share of the class: chance level.
///
/// # Limits
/// It measures agreement of classes, not influence. Values of classes of different sizes are not comparable.
///
/// # Source
/// Kwon et al., *`DataInf`: Efficiently Estimating Data Influence in `LoRA`-tuned LLMs and Diffusion Models*, 2024.
#[metric(
    name = "class-recall",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::TRAIN_LABELS, input::TEST_CLASSES],
    example = 0.375,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct ClassRecall;

impl AttributionMetric for ClassRecall {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        let (labels, classes) = data.classes()?;
        // `m` can be a large part of the training cases, so the top is counted without sorting or caching it.
        Ok(RowFunction::per_row(0, move |row| {
            let class = classes[row.index()];
            let m = labels.iter().filter(|&&label| label == class).count();
            let found = count_in_top(row.values(), m, |case| labels[case] == class);
            (m > 0).then(|| found as f64 / m as f64)
        }))
    }
}

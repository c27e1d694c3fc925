//! Ranking of training cases that are known to be relevant.

use xai_core::Result;
use xai_core::describe::{Parameters, metric};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::top::count_before_best;
use crate::data_attribution::walk::RowFunction;
use crate::input;

/// Reciprocal rank of the first relevant training row.
///
/// ```text
/// 1 / rank of the first relevant case
/// ```
///
/// In (0, 1], **higher is better**: 1 = a relevant case has the largest attribution. Undefined without a relevant
/// case. The value over the test cases is the mean reciprocal rank. Ties go to the lower index.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, MeanReciprocalRank};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, false, true]];
/// let data = AttributionData::new(attributions.view()).with(input::RELEVANT, relevant.view());
/// assert_eq!(MeanReciprocalRank::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: a relevant case has the largest attribution. Towards 0: the first one comes late.
///
/// # Limits
/// A text that entails an answer need not have influenced it. Only the first relevant case counts.
///
/// # Source
/// Chang et al., *Scalable Influence and Fact Tracing for Large Language Model Pretraining*, 2024.
///
/// quanda returns 0 where this is undefined.
///
/// # Elsewhere
/// `quanda.MRRMetric`
#[metric(
    name = "mean-reciprocal-rank",
    direction = Direction::Higher,
    range = Range::above(0.0).up_to(1.0),
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::RELEVANT],
    example = 0.186,
)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct MeanReciprocalRank;

/// Whether a relevant training row is among the k largest attributions.
///
/// ```text
/// 1 if one of the top k of τ_t is relevant, else 0
/// ```
///
/// The value of a test case is 1 or 0, and that of the data set is the share of test cases with a hit. **Higher is
/// better.** Undefined without a relevant case.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, HitAtK};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, true, true]];
/// let data = AttributionData::new(attributions.view()).with(input::RELEVANT, relevant.view());
/// assert_eq!(HitAtK::new().k(1).evaluate(&data)?.value, Some(0.0));
/// assert_eq!(HitAtK::new().k(2).evaluate(&data)?.value, Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: a relevant case is found for every test case. 0: for none.
///
/// # Limits
/// A single relevant case is enough, however many there are. A text that entails an answer need not have influenced it.
///
/// # Source
/// Chang et al., *Scalable Influence and Fact Tracing for Large Language Model Pretraining*, 2024.
///
/// quanda calls this metric recall.
///
/// # Elsewhere
/// `quanda.RecallAtKMetric`
#[metric(
    name = "hit-at-k",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::RELEVANT],
    example = 1.0,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct HitAtK {
    /// Number of top cases.
    #[param(at_least = 1, default = 10)]
    k: usize,
}

/// Share of the relevant training rows among the k largest attributions.
///
/// ```text
/// |{ i in top k of τ_t : relevant }| / |{ i : relevant }|
/// ```
///
/// In [0, 1], **higher is better**; it cannot reach 1 if more than `k` cases are relevant. Undefined without a relevant
/// case.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, RecallAtK};
/// use xai_casebased::input;
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, true, true]];
/// let data = AttributionData::new(attributions.view()).with(input::RELEVANT, relevant.view());
/// assert_eq!(RecallAtK::new().k(2).evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Extremes
/// 1: all relevant cases are found. 0: none is.
///
/// # Limits
/// It stays below 1 if more than k cases are relevant. A text that entails an answer need not have influenced it.
///
/// # Source
/// Manning, Raghavan and Schütze, *Introduction to Information Retrieval*, 2008, section 8.4.
#[metric(
    name = "recall-at-k",
    direction = Direction::Higher,
    range = Range::SHARE,
    invariance = Invariance::SCALE,
    needs = &[input::ATTRIBUTIONS, input::RELEVANT],
    example = 0.7917,
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct RecallAtK {
    /// Number of top cases.
    #[param(at_least = 1, default = 10)]
    k: usize,
}

impl AttributionMetric for MeanReciprocalRank {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        let relevance = data.relevance()?;
        Ok(RowFunction::per_row(0, move |row| {
            let relevant = relevance.row(row.index());
            let before = count_before_best(row.values(), |case| relevant[case]);
            before.map(|before| 1.0 / (before + 1) as f64)
        }))
    }
}

impl AttributionMetric for HitAtK {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        relevant_in_top(self.k, data, |found, _| f64::from(found > 0))
    }
}

impl AttributionMetric for RecallAtK {
    fn row_function<'d>(&self, data: &'d AttributionData<'_>) -> Result<RowFunction<'d>> {
        relevant_in_top(self.k, data, |found, all| found as f64 / all as f64)
    }
}

/// Computes `value(found, all)` from the number of relevant cases among the top `k` and the number of all relevant
/// cases.
fn relevant_in_top<'d>(
    k: usize,
    data: &'d AttributionData<'_>,
    value: fn(usize, usize) -> f64,
) -> Result<RowFunction<'d>> {
    let relevance = data.relevance()?;
    Ok(RowFunction::per_row(k, move |row| {
        let relevant = relevance.row(row.index());
        let all = relevant.iter().filter(|&&is_relevant| is_relevant).count();
        let top = row.top(k).iter();
        let found = top.filter(|&&case| relevant[case as usize]).count();
        (all > 0).then(|| value(found, all))
    }))
}

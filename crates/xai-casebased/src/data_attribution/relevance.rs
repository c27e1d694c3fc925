//! Training cases that are known to be relevant, at the top.

use xai_core::Result;
use xai_core::describe::{Direction, Invariance, MetricInfo, Parameters, Range, Reading};

use crate::data_attribution::data::AttributionData;
use crate::data_attribution::metric::AttributionMetric;
use crate::data_attribution::top::place_of_best;
use crate::data_attribution::walk::OfRows;
use crate::input;

/// How early does the first training case come that is relevant to the test case?
///
/// ```text
/// value_t = 1 / rank of the first relevant case
/// ```
///
/// In (0, 1], **higher is better**: 1 = a relevant case has the largest attribution. Undefined where none is relevant;
/// the value is the mean reciprocal rank. Of equal attributions the lower case comes first.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, MeanReciprocalRank};
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, false, true]];
/// let data = AttributionData::new(attributions.view()).relevant(relevant.view());
/// assert_eq!(MeanReciprocalRank::new().evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Chang et al., *Scalable Influence and Fact Tracing for Large Language Model Pretraining*, 2024. quanda says 0 where
/// this says undefined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Parameters)]
pub struct MeanReciprocalRank;

/// Is a relevant training case among the `k` with the largest attributions?
///
/// The value of a test case is 1 if one is, else 0; the value is the share of test cases. **Higher is better.**
/// Undefined where none is relevant.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, HitAtK};
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, true, true]];
/// let data = AttributionData::new(attributions.view()).relevant(relevant.view());
/// assert_eq!(HitAtK::new().k(1).evaluate(&data)?.value, Some(0.0));
/// assert_eq!(HitAtK::new().k(2).evaluate(&data)?.value, Some(1.0));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Chang et al., *Scalable Influence and Fact Tracing for Large Language Model Pretraining*, 2024. quanda calls it recall.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct HitAtK {
    /// How many of the top cases are looked at.
    #[param(at_least = 1, default = 10)]
    k: usize,
}

/// Which share of the relevant training cases is among the `k` with the largest attributions?
///
/// ```text
/// value_t = |{ i in top k of τ_t : relevant }| / |{ i : relevant }|
/// ```
///
/// In [0, 1], **higher is better**; where more than `k` cases are relevant it cannot reach 1. Undefined where none is
/// relevant.
///
/// ```
/// use ndarray::array;
/// use xai_casebased::data_attribution::{AttributionData, AttributionMetric, RecallAtK};
/// let attributions = array![[0.9, 0.1, 0.4]];
/// let relevant = array![[false, true, true]];
/// let data = AttributionData::new(attributions.view()).relevant(relevant.view());
/// assert_eq!(RecallAtK::new().k(2).evaluate(&data)?.value, Some(0.5));
/// # Ok::<(), xai_casebased::Error>(())
/// ```
///
/// # Source
/// Manning, Raghavan and Schütze, *Introduction to Information Retrieval*, 2008, section 8.4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct RecallAtK {
    /// How many of the top cases are looked at.
    #[param(at_least = 1, default = 10)]
    k: usize,
}

impl AttributionMetric for MeanReciprocalRank {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "mean-reciprocal-rank",
        title: "Mean reciprocal rank",
        question: "How early does the first training case come that is relevant to the test case?",
        direction: Direction::Higher,
        invariance: Invariance::SCALE,
        range: Range::above(0.0).up_to(1.0),
        needs: &[input::ATTRIBUTIONS, input::RELEVANT],
        source: "Chang et al., Scalable Influence and Fact Tracing for Large Language Model Pretraining, 2024",
        reading: Reading {
            formula: "1 / rank of the first relevant case",
            extremes: "1: a relevant case has the largest attribution. Towards 0: the first one comes late.",
            limits: "What entails an answer need not have influenced it. Relevant cases after the first do not count.",
            peers: &["quanda.MRRMetric"],
            example: Some(0.186),
        },
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        let relevant = data.relevance()?;
        Ok(OfRows::each(0, move |row| {
            let relevant = relevant.row(row.index());
            let before = place_of_best(row.values(), |case| relevant[case]);
            before.map(|before| 1.0 / (before + 1) as f64)
        }))
    }
}

impl AttributionMetric for HitAtK {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "hit-at-k",
        title: "Hit at k",
        question: "Is a relevant training case among those with the largest attributions?",
        range: Range::SHARE,
        reading: Reading {
            formula: "1 if one of the top k of τ_t is relevant, else 0",
            extremes: "1: one is found for every test case. 0: for none.",
            limits: "One relevant case is enough, of however many. What entails an answer need not have influenced it.",
            peers: &["quanda.RecallAtKMetric"],
            example: Some(1.0),
        },
        ..*MeanReciprocalRank::INFO
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        of_relevant(self.k, data, |found, _| f64::from(found > 0))
    }
}

impl AttributionMetric for RecallAtK {
    const INFO: &'static MetricInfo = &MetricInfo {
        name: "recall-at-k",
        title: "Recall at k",
        question: "Which share of the relevant training cases is among those with the largest attributions?",
        source: "Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008",
        reading: Reading {
            formula: "|{ i in top k of τ_t : relevant }| / |{ i : relevant }|",
            extremes: "1: all relevant cases are found. 0: none is.",
            limits: "Where more than k cases are relevant it stays below 1. What entails an answer need not have influenced it.",
            peers: &[],
            example: Some(0.7917),
        },
        ..*HitAtK::INFO
    };

    fn of_rows<'d>(&self, data: &'d AttributionData<'_>) -> Result<OfRows<'d>> {
        of_relevant(self.k, data, |found, all| found as f64 / all as f64)
    }
}

/// A value of how many relevant cases are among the top `k`, and how many there are.
fn of_relevant<'d>(
    k: usize,
    data: &'d AttributionData<'_>,
    value: fn(usize, usize) -> f64,
) -> Result<OfRows<'d>> {
    let relevant = data.relevance()?;
    Ok(OfRows::each(k, move |row| {
        let relevant = relevant.row(row.index());
        let all = relevant.iter().filter(|&&relevant| relevant).count();
        let top = row.top(k).iter();
        let found = top.filter(|&&case| relevant[case as usize]).count();
        (all > 0).then(|| value(found, all))
    }))
}

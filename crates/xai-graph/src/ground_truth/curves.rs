//! ROC and precision-recall curves of a mask.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use xai_core::number::OrderKey;
use xai_core::{ExactSum, Real};

use crate::ground_truth::ranking::Ranking;

/// Curves of a mask over all thresholds, computed by [`GroundTruthMetric::curves`](crate::GroundTruthMetric::curves).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct GroundTruthCurves {
    /// True positive rate over false positive rate. Undefined if all elements are of one class.
    pub roc: Option<RocCurve>,
    /// Precision over recall. Undefined without a true element.
    pub precision_recall: Option<PrecisionRecallCurve>,
}

impl GroundTruthCurves {
    pub(crate) fn new(thresholds: &[ThresholdCounts]) -> Self {
        Self {
            roc: RocCurve::new(thresholds),
            precision_recall: PrecisionRecallCurve::new(thresholds),
        }
    }
}

/// Point of a ROC curve: rates at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RocPoint {
    /// Elements with a score at or above it count as found. `None` at the first point, where no element does.
    pub threshold: Option<f64>,
    /// Share of the false elements that are found, in [0, 1].
    pub false_positive_rate: f64,
    /// Share of the true elements that are found, in [0, 1].
    pub true_positive_rate: f64,
}

/// Receiver operating characteristic (ROC) over all distinct scores.
///
/// Runs from (0, 0) to (1, 1) with descending thresholds; elements with equal scores enter together. The diagonal is
/// chance level, and the corner (0, 1) is perfect. The area under the polyline is the
/// [AUROC](crate::GroundTruth::auroc). The points are those of scikit-learn's `roc_curve` with
/// `drop_intermediate=False`, whose first threshold is infinite instead of `None`.
///
/// ```
/// use ndarray::array;
/// use xai_graph::GroundTruthMetric;
/// let (scores, truth) = (array![0.9, 0.6, 0.4, 0.1], array![1.0, 0.0, 1.0, 0.0]);
/// let curves = GroundTruthMetric::new().curves(scores.view(), truth.view())?;
/// let roc = curves.roc.expect("both kinds of elements");
/// // In order of descending scores, the elements are true, false, true, false.
/// let points = roc.points.iter().map(|p| (p.false_positive_rate, p.true_positive_rate));
/// assert!(points.eq([(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]));
/// assert_eq!(roc.area(), 0.75); // ½ · ½ + ½ · 1
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RocCurve {
    /// Points in order of descending thresholds.
    pub points: Vec<RocPoint>,
}

impl RocCurve {
    /// Computes the curve. `None` if all elements are of one class.
    pub(crate) fn new(thresholds: &[ThresholdCounts]) -> Option<Self> {
        let all = thresholds
            .last()
            .filter(|t| t.n_true > 0 && t.n_other > 0)?;
        let (n_true, n_other) = (all.n_true as f64, all.n_other as f64);
        let start = RocPoint {
            threshold: None,
            false_positive_rate: 0.0,
            true_positive_rate: 0.0,
        };
        let points = thresholds.iter().map(|t| RocPoint {
            threshold: Some(t.score),
            false_positive_rate: t.n_other as f64 / n_other,
            true_positive_rate: t.n_true as f64 / n_true,
        });
        Some(Self {
            points: std::iter::once(start).chain(points).collect(),
        })
    }

    /// Area under the polyline.
    #[must_use]
    pub fn area(&self) -> f64 {
        let areas = self.points.windows(2).map(|pair| {
            let width = pair[1].false_positive_rate - pair[0].false_positive_rate;
            width * (pair[0].true_positive_rate + pair[1].true_positive_rate) / 2.0
        });
        areas.collect::<ExactSum>().value()
    }

    /// Simplifies the curve to at most `n` points, but at least its two ends. Repeatedly removes the point with the
    /// smallest triangle with its neighbours, which is the change of the area (Visvalingam and Whyatt 1993). Points
    /// on a straight line are removed without any change.
    #[must_use]
    pub fn reduced(&self, n: usize) -> Self {
        let coordinates = |point: &RocPoint| [point.false_positive_rate, point.true_positive_rate];
        let points = fewer_points(&self.points, n, coordinates, triangle);
        Self { points }
    }
}

/// Twice the area of a triangle. The factor does not matter, because areas are only compared with each other.
fn triangle(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])).abs()
}

/// Point of a precision-recall curve.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PrecisionRecallPoint {
    /// Elements with a score at or above it count as found. `None` at the first point, where no element does.
    pub threshold: Option<f64>,
    /// Share of the true elements that are found, in [0, 1].
    pub recall: f64,
    /// Share of the found elements that are true, in [0, 1]; 1 if none is found.
    pub precision: f64,
}

/// Precision-recall curve over all distinct scores.
///
/// Thresholds descend, and recall ascends from 0 to 1; elements with equal scores enter together. Chance level is a
/// horizontal line at the share of true elements. The sum of the steps is the [average
/// precision](crate::GroundTruth::average_precision): between two points the precision of the later one applies,
/// because a linear interpolation would assume thresholds that do not exist. The points are those of scikit-learn's
/// `precision_recall_curve` in reverse order; its last point, with recall 0 and precision 1, is the first one here.
///
/// ```
/// use ndarray::array;
/// use xai_graph::GroundTruthMetric;
/// let (scores, truth) = (array![0.9, 0.6, 0.4, 0.1], array![1.0, 0.0, 1.0, 0.0]);
/// let curves = GroundTruthMetric::new().curves(scores.view(), truth.view())?;
/// let curve = curves.precision_recall.expect("true elements");
/// let points = curve.points.iter().map(|p| (p.recall, p.precision));
/// let third = 2.0 / 3.0;
/// assert!(points.eq([(0.0, 1.0), (0.5, 1.0), (0.5, 0.5), (1.0, third), (1.0, 0.5)]));
/// assert!((curve.average_precision() - 5.0 / 6.0).abs() < 1e-15); // ½ · 1 + ½ · ⅔
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PrecisionRecallCurve {
    /// Points in order of descending thresholds.
    pub points: Vec<PrecisionRecallPoint>,
}

impl PrecisionRecallCurve {
    /// Computes the curve. `None` without a true element.
    pub(crate) fn new(thresholds: &[ThresholdCounts]) -> Option<Self> {
        let all = thresholds.last().filter(|t| t.n_true > 0)?;
        let start = PrecisionRecallPoint {
            threshold: None,
            recall: 0.0,
            precision: 1.0,
        };
        let points = thresholds.iter().map(|t| PrecisionRecallPoint {
            threshold: Some(t.score),
            recall: t.n_true as f64 / all.n_true as f64,
            precision: t.n_true as f64 / (t.n_true + t.n_other) as f64,
        });
        Some(Self {
            points: std::iter::once(start).chain(points).collect(),
        })
    }

    /// Sum of the steps, `Σ_t (R_t − R_{t−1}) P_t`.
    #[must_use]
    pub fn average_precision(&self) -> f64 {
        let pairs = self.points.windows(2);
        let steps = pairs.map(|pair| (pair[1].recall - pair[0].recall) * pair[1].precision);
        steps.collect::<ExactSum>().value()
    }

    /// Simplifies the curve to at most `n` points, but at least its two ends. Repeatedly removes the point whose
    /// absence changes the sum of the steps least. Points that find no further true element are removed without any
    /// change.
    #[must_use]
    pub fn reduced(&self, n: usize) -> Self {
        let coordinates = |point: &PrecisionRecallPoint| [point.recall, point.precision];
        let points = fewer_points(&self.points, n, coordinates, step);
        Self { points }
    }
}

/// Change of the sum of the steps without the middle point, whose step then gets the next precision.
fn step([recall, _]: [f64; 2], point: [f64; 2], [_, next_precision]: [f64; 2]) -> f64 {
    ((point[0] - recall) * (point[1] - next_precision)).abs()
}

/// Numbers of elements at or above a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ThresholdCounts {
    pub(crate) score: f64,
    /// True elements at or above the score.
    pub(crate) n_true: usize,
    /// False elements at or above the score.
    pub(crate) n_other: usize,
}

/// Counts at each distinct score, descending. Elements with equal scores enter together.
pub(crate) fn thresholds<T: Real>(ranking: Ranking<T::Key>) -> Vec<ThresholdCounts> {
    let (positives, negatives) = ranking.into_sorted();
    let (mut positives, mut negatives) = (&positives[..], &negatives[..]);
    let (mut n_true, mut n_other) = (0, 0);
    let mut thresholds = Vec::new();
    // The last key of each side is its highest, because keys have the order of the scores. `None` is below any key, so
    // an exhausted side does not matter.
    while let Some(&score) = positives.last().max(negatives.last()) {
        n_true += drop_last(&mut positives, score);
        n_other += drop_last(&mut negatives, score);
        thresholds.push(ThresholdCounts {
            score: T::from_order_key(score).to_f64_exact(),
            n_true,
            n_other,
        });
    }
    thresholds
}

/// Removes the elements with a score from the end of an ascending list and returns their number.
fn drop_last<K: OrderKey>(keys: &mut &[K], score: K) -> usize {
    let n = keys.iter().rev().take_while(|&&key| key == score).count();
    *keys = &keys[..keys.len() - n];
    n
}

/// Selects at most `n` of the points, at least 2, including both ends. Repeatedly removes the point with the lowest
/// cost, the first one in case of ties.
///
/// `cost` is the change of the area, up to a constant positive factor, when the middle one of three neighbouring points
/// is removed. It is not negative.
///
/// # Source
/// Visvalingam and Whyatt, *Line generalisation by repeated elimination of points*, 1993, for the
/// triangle of three points as the cost.
fn fewer_points<P: Copy>(
    points: &[P],
    n: usize,
    coordinates: impl Fn(&P) -> [f64; 2],
    cost: impl Fn([f64; 2], [f64; 2], [f64; 2]) -> f64,
) -> Vec<P> {
    let coordinates: Vec<[f64; 2]> = points.iter().map(coordinates).collect();
    let last = points.len().saturating_sub(1);
    // Linked lists of the points that are left, so that a removal does not shift the others.
    let mut before: Vec<usize> = (0..points.len()).map(|i| i.saturating_sub(1)).collect();
    let mut after: Vec<usize> = (0..points.len()).map(|i| (i + 1).min(last)).collect();
    // The bits of non-negative floats have the order of the numbers, and unlike floats they implement `Ord`.
    let cost_of = |i: usize, before: &[usize], after: &[usize]| {
        cost(
            coordinates[before[i]],
            coordinates[i],
            coordinates[after[i]],
        )
        .to_bits()
    };
    let mut costs: Vec<u64> = (0..points.len())
        .map(|i| cost_of(i, &before, &after))
        .collect();
    let mut cheapest: BinaryHeap<Reverse<(u64, usize)>> =
        (1..last.max(1)).map(|i| Reverse((costs[i], i))).collect();
    let mut is_removed = vec![false; points.len()];
    let mut n_left = points.len();
    while n_left > n.max(2) {
        let Some(Reverse((cost, i))) = cheapest.pop() else {
            break;
        };
        // The heap has no update: an entry is out of date if its point is gone or its cost has changed. An older entry
        // with the current cost is as good as the newest.
        if is_removed[i] || cost != costs[i] {
            continue;
        }
        is_removed[i] = true;
        n_left -= 1;
        let (left, right) = (before[i], after[i]);
        (after[left], before[right]) = (right, left);
        // Only these two points have a new neighbour. The ends are never removed, so they have no cost.
        for neighbour in [left, right] {
            if neighbour != 0 && neighbour != last {
                costs[neighbour] = cost_of(neighbour, &before, &after);
                cheapest.push(Reverse((costs[neighbour], neighbour)));
            }
        }
    }
    let left = (0..points.len()).filter(|&i| !is_removed[i]);
    left.map(|i| points[i]).collect()
}

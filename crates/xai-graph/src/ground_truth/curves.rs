//! A mask against the truth at every threshold.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use xai_core::number::OrderKey;
use xai_core::{ExactSum, Real};

use crate::ground_truth::ranking::Ranking;

/// A mask against the truth at every threshold, made by
/// [`GroundTruthMetric::curves`](crate::GroundTruthMetric::curves).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroundTruthCurves {
    /// True elements found against others found; undefined when the truth has one class only.
    pub roc: Option<RocCurve>,
    /// Precision against recall; undefined without a true element.
    pub precision_recall: Option<PrecisionRecallCurve>,
}

impl GroundTruthCurves {
    pub(crate) fn new(thresholds: &[Threshold]) -> Self {
        Self {
            roc: RocCurve::new(thresholds),
            precision_recall: PrecisionRecallCurve::new(thresholds),
        }
    }
}

/// What a mask finds at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RocPoint {
    /// Elements that score at or above it count as found; `None` at the first point, where none does.
    pub threshold: Option<f64>,
    /// The share of the elements outside the truth that are found, in [0, 1].
    pub false_positive_rate: f64,
    /// The share of the true elements that are found, in [0, 1].
    pub true_positive_rate: f64,
}

/// How many true elements a mask finds at every price in false ones: the receiver operating
/// characteristic, over all different scores.
///
/// From (0, 0) to (1, 1), thresholds descending, elements of one score together. The diagonal is
/// chance, the corner (0, 1) perfect. The area under the straight lines between the points is the
/// [AUROC](crate::GroundTruth::auroc). These are the points of scikit-learn's `roc_curve` with
/// `drop_intermediate=False`, whose first threshold is infinite where this one is `None`.
///
/// ```
/// use ndarray::array;
/// use xai_graph::GroundTruthMetric;
/// let (scores, truth) = (array![0.9, 0.6, 0.4, 0.1], array![1.0, 0.0, 1.0, 0.0]);
/// let curves = GroundTruthMetric::new().curves(scores.view(), truth.view())?;
/// let roc = curves.roc.expect("both kinds of elements");
/// // The scores find, from above: a true one, another, a true one, another.
/// let points = roc.points.iter().map(|p| (p.false_positive_rate, p.true_positive_rate));
/// assert!(points.eq([(0.0, 0.0), (0.0, 0.5), (0.5, 0.5), (0.5, 1.0), (1.0, 1.0)]));
/// assert_eq!(roc.area(), 0.75); // ½ · ½ + ½ · 1
/// # Ok::<(), xai_graph::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RocCurve {
    /// The points, thresholds descending.
    pub points: Vec<RocPoint>,
}

impl RocCurve {
    /// The curve; `None` where the elements are of one kind.
    pub(crate) fn new(thresholds: &[Threshold]) -> Option<Self> {
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

    /// The area under the straight lines between the points.
    #[must_use]
    pub fn area(&self) -> f64 {
        let areas = self.points.windows(2).map(|pair| {
            let width = pair[1].false_positive_rate - pair[0].false_positive_rate;
            width * (pair[0].true_positive_rate + pair[1].true_positive_rate) / 2.0
        });
        areas.collect::<ExactSum>().value()
    }

    /// The curve with at most `n` of its points, at least its two ends: the point whose triangle with
    /// its neighbours is the smallest, which is what the area changes by, goes first, then the
    /// smallest among the rest, and so on (Visvalingam and Whyatt 1993). Points on a straight line go
    /// at no change.
    #[must_use]
    pub fn reduced(&self, n: usize) -> Self {
        let place = |point: &RocPoint| [point.false_positive_rate, point.true_positive_rate];
        let points = fewer_points(&self.points, n, place, triangle);
        Self { points }
    }
}

/// Twice the area of a triangle: areas are compared with each other alone.
fn triangle(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])).abs()
}

/// What a mask finds at one threshold.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PrecisionRecallPoint {
    /// Elements that score at or above it count as found; `None` at the first point, where none does.
    pub threshold: Option<f64>,
    /// The share of the true elements that are found, in [0, 1].
    pub recall: f64,
    /// The share of the found elements that are true, in [0, 1]; 1 where none is found.
    pub precision: f64,
}

/// How precise a mask is at every share of the truth that it finds, over all different scores.
///
/// Thresholds descend and recall ascends from 0 to 1, elements of one score together. A level line at
/// the share of true elements is chance. The sum of the steps is the
/// [average precision](crate::GroundTruth::average_precision): between two points the precision of
/// the later one counts, as straight lines would promise thresholds that there are not. These are
/// the points of scikit-learn's `precision_recall_curve`, which lists them the other way round; its
/// last one, of recall 0 and precision 1, is the first one here.
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
pub struct PrecisionRecallCurve {
    /// The points, thresholds descending.
    pub points: Vec<PrecisionRecallPoint>,
}

impl PrecisionRecallCurve {
    /// The curve; `None` without a true element.
    pub(crate) fn new(thresholds: &[Threshold]) -> Option<Self> {
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

    /// The sum of the steps, `Σ_t (R_t − R_{t−1}) P_t`.
    #[must_use]
    pub fn average_precision(&self) -> f64 {
        let steps = self.points.windows(2);
        let steps = steps.map(|pair| (pair[1].recall - pair[0].recall) * pair[1].precision);
        steps.collect::<ExactSum>().value()
    }

    /// The curve with at most `n` of its points, at least its two ends: the point whose absence
    /// changes the sum of the steps least goes first, then the one of the least change among the rest,
    /// and so on. Points that find no further true element go at no change.
    #[must_use]
    pub fn reduced(&self, n: usize) -> Self {
        let place = |point: &PrecisionRecallPoint| [point.recall, point.precision];
        let points = fewer_points(&self.points, n, place, step);
        Self { points }
    }
}

/// What the sum of the steps changes by without the middle point: its step gets the next precision.
fn step([recall, _]: [f64; 2], point: [f64; 2], [_, next_precision]: [f64; 2]) -> f64 {
    ((point[0] - recall) * (point[1] - next_precision)).abs()
}

/// What scores at or above a threshold find.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Threshold {
    pub(crate) score: f64,
    /// True elements at or above it.
    pub(crate) n_true: usize,
    /// Other elements at or above it.
    pub(crate) n_other: usize,
}

/// The counts at each different score, descending: elements of one score come in together.
pub(crate) fn thresholds<T: Real>(ranking: Ranking<T::Key>) -> Vec<Threshold> {
    let (positives, negatives) = ranking.into_sorted();
    let (mut positives, mut negatives) = (&positives[..], &negatives[..]);
    let (mut n_true, mut n_other) = (0, 0);
    let mut thresholds = Vec::new();
    // The last of each side is its highest; keys are in the order of the scores.
    while let Some(&score) = positives.last().max(negatives.last()) {
        n_true += drop_last(&mut positives, score);
        n_other += drop_last(&mut negatives, score);
        thresholds.push(Threshold {
            score: T::from_order_key(score).to_f64_exact(),
            n_true,
            n_other,
        });
    }
    thresholds
}

/// Takes the elements of a score off the end of an ascending list, and says how many they were.
fn drop_last<K: OrderKey>(keys: &mut &[K], score: K) -> usize {
    let n = keys.iter().rev().take_while(|&&key| key == score).count();
    *keys = &keys[..keys.len() - n];
    n
}

/// At most `n` of the points, both ends among them, at least 2: the point that costs least goes
/// first, then the one that costs least among the rest, and so on; of equal ones the first.
///
/// `cost` is what the area changes by when the middle one of three neighbouring points goes; it is not
/// negative.
///
/// # Source
/// Visvalingam and Whyatt, *Line generalisation by repeated elimination of points*, 1993, for the
/// triangle of three points as the cost.
fn fewer_points<P: Copy>(
    points: &[P],
    n: usize,
    place: impl Fn(&P) -> [f64; 2],
    cost: impl Fn([f64; 2], [f64; 2], [f64; 2]) -> f64,
) -> Vec<P> {
    let places: Vec<[f64; 2]> = points.iter().map(place).collect();
    let last = points.len().saturating_sub(1);
    let mut before: Vec<usize> = (0..points.len()).map(|i| i.saturating_sub(1)).collect();
    let mut after: Vec<usize> = (0..points.len()).map(|i| (i + 1).min(last)).collect();
    // Costs are not negative, so their bits are in their order.
    let cost_of = |i: usize, before: &[usize], after: &[usize]| {
        cost(places[before[i]], places[i], places[after[i]]).to_bits()
    };
    let mut costs: Vec<u64> = (0..points.len())
        .map(|i| cost_of(i, &before, &after))
        .collect();
    let mut cheapest: BinaryHeap<Reverse<(u64, usize)>> =
        (1..last.max(1)).map(|i| Reverse((costs[i], i))).collect();
    let mut goes = vec![false; points.len()];
    let mut n_left = points.len();
    while n_left > n.max(2) {
        let Some(Reverse((cost, i))) = cheapest.pop() else {
            break;
        };
        if goes[i] || cost != costs[i] {
            continue; // an entry from before a neighbour went
        }
        goes[i] = true;
        n_left -= 1;
        let (left, right) = (before[i], after[i]);
        (after[left], before[right]) = (right, left);
        for neighbour in [left, right] {
            if neighbour != 0 && neighbour != last {
                costs[neighbour] = cost_of(neighbour, &before, &after);
                cheapest.push(Reverse((costs[neighbour], neighbour)));
            }
        }
    }
    let left = (0..points.len()).filter(|&i| !goes[i]);
    left.map(|i| points[i]).collect()
}

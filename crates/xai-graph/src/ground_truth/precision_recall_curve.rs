//! Precision against recall.

use xai_core::ExactSum;

use crate::ground_truth::fewer_points::fewer_points;
use crate::ground_truth::thresholds::Threshold;

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
        let points: Vec<[f64; 2]> = self
            .points
            .iter()
            .map(|point| [point.recall, point.precision])
            .collect();
        let left = fewer_points(&points, n, step);
        Self {
            points: left.into_iter().map(|i| self.points[i]).collect(),
        }
    }
}

/// What the sum of the steps changes by without the middle point: its step gets the next precision.
fn step([recall, _]: [f64; 2], point: [f64; 2], [_, next_precision]: [f64; 2]) -> f64 {
    ((point[0] - recall) * (point[1] - next_precision)).abs()
}

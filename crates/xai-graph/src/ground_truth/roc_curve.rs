//! The receiver operating characteristic.

use xai_core::ExactSum;

use crate::ground_truth::fewer_points::fewer_points;
use crate::ground_truth::thresholds::Threshold;

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
        let points: Vec<[f64; 2]> = self
            .points
            .iter()
            .map(|point| [point.false_positive_rate, point.true_positive_rate])
            .collect();
        let left = fewer_points(&points, n, triangle);
        Self {
            points: left.into_iter().map(|i| self.points[i]).collect(),
        }
    }
}

/// The area of a triangle.
fn triangle(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    ((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])).abs() / 2.0
}

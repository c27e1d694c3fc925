//! The neighbours of many samples in a few arrays.

use crate::correspondence::level::Level;

/// The nearest training rows of `m` samples, and how far they agree with the predictions: what an
/// [`Explanation`](crate::Explanation) says, without an object per sample and per neighbour.
///
/// The neighbours of sample `i` are at `starts[i]..starts[i + 1]` of `indices` and `distances`,
/// nearest first.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Precedents {
    /// Where the neighbours of each sample begin, and where the last ones end: `(m + 1,)`.
    pub starts: Vec<usize>,
    /// The training rows.
    pub indices: Vec<usize>,
    /// Their distances to their sample.
    pub distances: Vec<f64>,
    /// Number of training cases that tie at rank `k`, `(m,)`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    pub ties_at_k: Vec<usize>,
    /// The predicted classes, `(m,)`; `None` where the neighbours were asked to vote and all weigh 0.
    pub predicted: Vec<Option<i64>>,
    /// Agreement of the neighbours with the prediction, `(m,)`, in [0, 1]; `None` where undefined.
    pub correspondence: Vec<Option<f64>>,
    /// The correspondence in words, `(m,)`.
    pub levels: Vec<Level>,
}

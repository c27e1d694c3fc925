//! Explanations of many samples as arrays.

use crate::correspondence::level::Level;

/// The nearest training cases of `m` samples and their agreement with the predictions, like a list of
/// [`Explanation`](crate::Explanation)s but without an object per sample and per case.
///
/// The cases of sample `i` are at `starts[i]..starts[i + 1]` of `indices` and `distances`, in the order of
/// [`Explanation::cases`](crate::Explanation::cases).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct CaseArrays {
    /// Position of the first case of each sample, followed by the total number of cases, `(m + 1,)`.
    pub starts: Vec<usize>,
    /// Indices of the training rows.
    pub indices: Vec<usize>,
    /// Distances between the training rows and their sample.
    pub distances: Vec<f64>,
    /// Number of training cases that tie at rank `k`, `(m,)`; 0 if none of them is left out. See
    /// [`Neighbors::ties_at_k`](crate::search::Neighbors::ties_at_k).
    pub ties_at_k: Vec<usize>,
    /// Predicted classes, `(m,)`; `None` if the cases voted and there are none, or all have weight 0.
    pub predicted: Vec<Option<i64>>,
    /// Agreement of the cases with the prediction, `(m,)`, in [0, 1]; `None` if undefined.
    pub correspondence: Vec<Option<f64>>,
    /// Levels of the correspondence, `(m,)`.
    pub levels: Vec<Level>,
}

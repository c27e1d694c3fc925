//! Most important features, and masks that keep only them.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2};
use xai_core::number::check_finite;
use xai_core::{Error, ExactSum, Real, Result};

use crate::input;

/// Most important features of a node mask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct TopFeatures {
    /// Indices of the features, ascending.
    pub features: Vec<usize>,
    /// Number of features that tie at rank `k`, of which those with the lowest indices are taken. 0 if all of them
    /// are taken.
    pub ties_at_k: usize,
}

/// Selects the `k` features with the largest column sums of a node mask.
///
/// `node_mask` has the shape `(n_nodes, n_features)` and finite values. Each sum is rounded to `f64` only once, at the
/// end, so it does not depend on the order of the nodes. Ties go to the lower index, and are counted.
///
/// # Errors
/// `InvalidParameter` if `k` is 0 or exceeds the number of features, `Empty` for a mask without nodes, `NonFinite` for
/// a value of the mask.
///
/// ```
/// use ndarray::array;
/// let mask = array![[0.1, 0.9, 0.5], [0.1, 0.3, 0.7]];
/// let top = xai_graph::mask::top_k_features(mask.view(), 1)?;
/// assert_eq!((top.features, top.ties_at_k), (vec![1], 2)); // 1.2 and 1.2 tie
/// let top = xai_graph::mask::top_k_features(mask.view(), 2)?;
/// assert_eq!((top.features, top.ties_at_k), (vec![1, 2], 0));
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn top_k_features<T: Real>(node_mask: ArrayView2<'_, T>, k: usize) -> Result<TopFeatures> {
    let n_features = node_mask.ncols();
    if k == 0 || k > n_features {
        return Err(Error::parameter(
            input::TOP_K,
            k,
            format!("1 to {n_features}, the number of features"),
        ));
    }
    if node_mask.nrows() == 0 {
        return Err(Error::empty(input::NODE_MASK));
    }
    check_finite(input::NODE_MASK, node_mask)?;
    let mut sums = vec![ExactSum::new(); n_features];
    for row in node_mask.rows() {
        for (sum, &x) in sums.iter_mut().zip(row) {
            sum.add(x);
        }
    }
    let importance: Vec<f64> = sums.iter().map(ExactSum::value).collect();
    Ok(TopFeatures {
        features: largest(&importance, k),
        ties_at_k: n_tied_at_cut(&importance, k),
    })
}

/// Node mask that is 1 for the [`top_k_features`] of a mask and 0 for the rest.
///
/// This is the mask that PyTorch Geometric's `unfaithfulness` passes to the model for its `top_k`.
///
/// # Errors
/// As [`top_k_features`].
///
/// ```
/// use ndarray::array;
/// let mask = array![[0.1f32, 0.9], [0.1, 0.3]];
/// assert_eq!(xai_graph::mask::top_k_feature_mask(mask.view(), 1)?, array![[0.0, 1.0], [0.0, 1.0]]);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn top_k_feature_mask<T: Real>(node_mask: ArrayView2<'_, T>, k: usize) -> Result<Array2<T>> {
    let mut kept = Array2::from_elem(node_mask.dim(), T::ZERO);
    for feature in top_k_features(node_mask, k)?.features {
        kept.column_mut(feature).fill(T::ONE);
    }
    Ok(kept)
}

/// Indices of the `k` largest values, ascending. Ties go to the lower index. Values must be finite.
pub(crate) fn largest<T: Real>(values: &[T], k: usize) -> Vec<usize> {
    if k == 0 {
        return Vec::new();
    }
    if k >= values.len() {
        return (0..values.len()).collect();
    }
    let (least, mut ties) = cut(values, k);
    // In ascending order of indices, so that the first ties are taken.
    let mut is_selected = |&i: &usize| {
        let is_tie = values[i] == least && ties > 0;
        ties -= usize::from(is_tie);
        values[i] > least || is_tie
    };
    let mut indices = Vec::with_capacity(k);
    indices.extend((0..values.len()).filter(&mut is_selected));
    indices
}

/// Number of values equal to the `k`-th largest if not all of them are among the `k` largest, so that their order
/// decides which of them are selected; otherwise 0. Values must be finite.
pub(crate) fn n_tied_at_cut<T: Real>(values: &[T], k: usize) -> usize {
    if k == 0 || k >= values.len() {
        return 0;
    }
    let (least, n_kept) = cut(values, k);
    let n_tied = values.iter().filter(|&&value| value == least).count();
    // If all copies are among the `k` largest, the order of the elements decided nothing.
    if n_tied > n_kept { n_tied } else { 0 }
}

/// The lowest of the `k` largest values, and the number of times it occurs among them. `k` is at least 1 and less
/// than the number of values, which are finite.
fn cut<T: Real>(values: &[T], k: usize) -> (T, usize) {
    // Selection is linear in the number of values; sorting would be n log n.
    let mut copy = values.to_vec();
    let descending = |a: &T, b: &T| b.partial_cmp(a).unwrap_or(Ordering::Equal);
    let (above, &mut least, _) = copy.select_nth_unstable_by(k - 1, descending);
    // `above` contains the other `k − 1` of the largest values, in any order; some may be further copies of the lowest.
    (least, k - above.iter().filter(|&&x| x > least).count())
}

//! The most important features, and masks of nothing else.

use std::cmp::Ordering;

use ndarray::{Array2, ArrayView2};
use xai_core::number::check_finite;
use xai_core::{Error, ExactSum, Real, Result};

use crate::input;

/// The most important features of a node mask.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TopFeatures {
    /// Their indices, ascending.
    pub features: Vec<usize>,
    /// Number of features that tie at rank `k`, of which those with lower indices are taken; 0 if none of them is left out.
    pub ties_at_k: usize,
}

/// The `k` features with the largest column sum of a node mask.
///
/// `node_mask` is `(n_nodes, n_features)`, finite. Sums are exact, so equal columns tie whatever
/// the order of the nodes; ties go to the lower index, and are counted.
///
/// # Errors
/// `InvalidParameter` for `k` of 0 or beyond the number of features, `Empty`
/// for a mask without nodes, `NonFinite`.
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

/// The node mask that keeps the [`top_k_features`] of a mask whole and sets the rest to 0.
///
/// This is what `top_k` of PyTorch Geometric's `unfaithfulness` gives to the model.
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
    let mut kept = Array2::zeros(node_mask.dim());
    for feature in top_k_features(node_mask, k)?.features {
        kept.column_mut(feature).fill(T::one());
    }
    Ok(kept)
}

/// The indices of the `k` largest of finite values, ascending; ties go to the lower index.
pub(crate) fn largest<T: Real>(values: &[T], k: usize) -> Vec<usize> {
    if k == 0 {
        return Vec::new();
    }
    if k >= values.len() {
        return (0..values.len()).collect();
    }
    let (least, mut ties) = cut(values, k);
    let mut chosen = |&i: &usize| {
        let tie = values[i] == least && ties > 0;
        ties -= usize::from(tie);
        values[i] > least || tie
    };
    let mut indices = Vec::with_capacity(k);
    indices.extend((0..values.len()).filter(&mut chosen));
    indices
}

/// Number of values that tie at the cut below the `k` largest, so that their order decides which of them are kept.
pub(crate) fn n_tied_at_cut<T: Real>(values: &[T], k: usize) -> usize {
    if k == 0 || k >= values.len() {
        return 0;
    }
    let (least, n_kept) = cut(values, k);
    let n_tied = values.iter().filter(|&&value| value == least).count();
    if n_tied > n_kept { n_tied } else { 0 }
}

/// The lowest of the `k` largest of more finite values, `k` at least 1, and how many of that value are among them.
fn cut<T: Real>(values: &[T], k: usize) -> (T, usize) {
    let mut copy = values.to_vec();
    let descending = |a: &T, b: &T| b.partial_cmp(a).unwrap_or(Ordering::Equal);
    let (above, &mut least, _) = copy.select_nth_unstable_by(k - 1, descending);
    (least, k - above.iter().filter(|&&x| x > least).count())
}

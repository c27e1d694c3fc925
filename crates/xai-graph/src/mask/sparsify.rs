//! Conversion of soft masks to hard ones.

use ndarray::{Array1, ArrayView1, ArrayView2};
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::edge_index::UndirectedEdges;
use crate::input;
use crate::mask::top_k::{largest, n_tied_at_cut};

/// Amount of a soft mask that is kept.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Sparsity {
    /// The `k` largest elements.
    TopK(usize),
    /// The largest elements, as many as this share in [0, 1] of all, rounded to the nearest number.
    Fraction(f64),
    /// Elements strictly above a threshold.
    Threshold(f64),
}

impl Sparsity {
    /// The level as a number: `k`, the share, or the threshold.
    #[must_use]
    pub fn level(self) -> f64 {
        match self {
            Self::TopK(k) => k as f64,
            Self::Fraction(level) | Self::Threshold(level) => level,
        }
    }
}

/// Converts a mask to a hard one: 1 for elements that are kept, 0 for the rest. Ties go to the lower index.
///
/// `mask` has the shape `(n_elements,)` and finite values. For undirected graphs whose edge index contains both
/// directions, [`sparsify_undirected`] keeps the two together.
///
/// # Errors
/// `InvalidParameter` if `k` exceeds the number of elements, the share is outside [0, 1] or the threshold is not
/// finite; `NonFinite` for the mask.
///
/// ```
/// use ndarray::array;
/// use xai_graph::mask::{Sparsity, sparsify};
/// let mask = array![0.2f32, 0.9, 0.5, 0.5];
/// assert_eq!(sparsify(mask.view(), Sparsity::TopK(2))?, array![0.0, 1.0, 1.0, 0.0]);
/// assert_eq!(sparsify(mask.view(), Sparsity::Fraction(0.25))?, array![0.0, 1.0, 0.0, 0.0]);
/// assert_eq!(sparsify(mask.view(), Sparsity::Threshold(0.5))?, array![0.0, 1.0, 0.0, 0.0]);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn sparsify<T: Real>(mask: ArrayView1<'_, T>, sparsity: Sparsity) -> Result<Array1<T>> {
    check_finite(input::MASK, mask)?;
    let mut hard = Array1::from_elem(mask.len(), T::ZERO);
    for i in selected(&mask.to_vec(), sparsity)? {
        hard[i] = T::ONE;
    }
    Ok(hard)
}

/// Like [`sparsify`], for undirected edges: both directions of an edge are kept or removed together.
///
/// `edge_index` has the shape `(2, n_edges)`. Edges between the same two nodes, in either direction, form one
/// undirected edge, whose score is their mean. `k` and the share refer to undirected edges. Ties go to the edge that
/// comes first.
///
/// # Errors
/// As [`sparsify`]; `ShapeMismatch` if mask and edges do not fit.
///
/// ```
/// use ndarray::array;
/// use xai_graph::mask::{Sparsity, sparsify_undirected};
/// let edges = array![[0, 1, 1, 2], [1, 0, 2, 1]]; // 0–1 and 1–2
/// let mask = array![0.9, 0.1, 0.6, 0.8];
/// let kept = sparsify_undirected(mask.view(), edges.view(), Sparsity::TopK(1))?;
/// assert_eq!(kept, array![0.0, 0.0, 1.0, 1.0]); // 0.5 against 0.7
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn sparsify_undirected<T: Real>(
    mask: ArrayView1<'_, T>,
    edge_index: ArrayView2<'_, i64>,
    sparsity: Sparsity,
) -> Result<Array1<T>> {
    let (pairs, scores) = undirected_scores(mask, edge_index)?;
    let mut keeps = vec![false; pairs.n_pairs];
    for pair in selected(&scores, sparsity)? {
        keeps[pair] = true;
    }
    let hard = |&pair: &usize| if keeps[pair] { T::ONE } else { T::ZERO };
    Ok(pairs.pair_of_edge.iter().map(hard).collect())
}

/// Undirected edges, and the mean score of each over its directed edges.
fn undirected_scores<T: Real>(
    mask: ArrayView1<'_, T>,
    edge_index: ArrayView2<'_, i64>,
) -> Result<(UndirectedEdges, Vec<f64>)> {
    check_finite(input::MASK, mask)?;
    check_shape(input::EDGE_INDEX, &[2, mask.len()], edge_index.shape())?;
    let pairs = UndirectedEdges::new(edge_index);
    let mut scores = vec![0.0; pairs.n_pairs];
    for (&pair, score) in pairs.pair_of_edge.iter().zip(mask) {
        scores[pair] += score.to_f64_exact();
    }
    for (score, size) in scores.iter_mut().zip(pairs.sizes()) {
        *score /= size;
    }
    Ok((pairs, scores))
}

/// Share of the elements that tie at the cut of a mask, so that their order and not their score decides which are
/// kept.
///
/// In [0, 1]; 0 means that the scores decide. With an `edge_index`, elements are undirected edges as in
/// [`sparsify_undirected`]. A threshold has no ties, because it keeps no element that is equal to it. 0 for an empty
/// mask.
///
/// # Errors
/// As [`sparsify`] and [`sparsify_undirected`].
///
/// ```
/// use ndarray::array;
/// use xai_graph::mask::{Sparsity, tied_share};
/// let mask = array![0.2, 0.9, 0.5, 0.5];
/// assert_eq!(tied_share(mask.view(), None, Sparsity::TopK(2))?, 0.5); // 0.9 and one of two
/// assert_eq!(tied_share(mask.view(), None, Sparsity::TopK(3))?, 0.0); // both of them
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn tied_share<T: Real>(
    mask: ArrayView1<'_, T>,
    edge_index: Option<ArrayView2<'_, i64>>,
    sparsity: Sparsity,
) -> Result<f64> {
    let scores = match edge_index {
        Some(edge_index) => undirected_scores(mask, edge_index)?.1,
        None => {
            check_finite(input::MASK, mask)?;
            mask.iter().map(|score| score.to_f64_exact()).collect()
        }
    };
    // Called for a threshold too, which has no ties, because it also checks the level.
    let n_kept = selected(&scores, sparsity)?.len();
    let n_tied = match sparsity {
        Sparsity::Threshold(_) => 0,
        Sparsity::TopK(_) | Sparsity::Fraction(_) => n_tied_at_cut(&scores, n_kept),
    };
    Ok(n_tied as f64 / scores.len().max(1) as f64)
}

/// Indices of the kept elements, ascending.
fn selected<T: Real>(scores: &[T], sparsity: Sparsity) -> Result<Vec<usize>> {
    let n = scores.len();
    match sparsity {
        Sparsity::TopK(k) if k <= n => Ok(largest(scores, k)),
        Sparsity::TopK(k) => {
            let expected = format!("0 to {n}, the number of elements");
            Err(Error::parameter(input::TOP_K, k, expected))
        }
        Sparsity::Fraction(share) if (0.0..=1.0).contains(&share) => {
            let k = (share * n as f64).round() as usize;
            Ok(largest(scores, k.min(n)))
        }
        Sparsity::Fraction(share) => Err(Error::parameter(
            input::FRACTION,
            share,
            "a share in [0, 1]",
        )),
        Sparsity::Threshold(threshold) if threshold.is_finite() => {
            // Compared in the precision of the scores, so that a score equal to the threshold as written is not kept.
            let threshold = T::from_f64_nearest(threshold);
            Ok((0..n).filter(|&i| scores[i] > threshold).collect())
        }
        Sparsity::Threshold(threshold) => Err(Error::parameter(
            input::THRESHOLD,
            threshold,
            "a finite number",
        )),
    }
}

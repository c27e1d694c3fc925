//! From a soft mask to a hard one.

use ndarray::{Array1, ArrayView1, ArrayView2};
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::edge_index::UndirectedEdges;
use crate::input;
use crate::mask::top_k::{largest, n_tied_at_cut};

/// How much of a soft mask to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Sparsity {
    /// The `k` largest.
    TopK(usize),
    /// This share of the elements, in [0, 1], the largest; the number is rounded to the nearest.
    Fraction(f64),
    /// Those above a threshold, strictly.
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

/// A hard mask, 1 for what is kept and 0 for the rest; ties go to the lower index.
///
/// `mask` is `(n_elements,)`, finite. For undirected graphs whose edge index holds both
/// directions, [`sparsify_undirected`] keeps the two together.
///
/// # Errors
/// `InvalidParameter` for a `k` beyond the elements or a share outside [0, 1],
/// `NonFinite`.
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
    let mut hard = Array1::zeros(mask.len());
    for i in selected(&mask.to_vec(), sparsity)? {
        hard[i] = T::one();
    }
    Ok(hard)
}

/// [`sparsify`] for undirected edges: both directions of an edge are kept or left together.
///
/// `edge_index` is `(2, n_edges)`; edges between the same two nodes, in either direction, form one
/// undirected edge, whose score is the mean of theirs. `k` and the share count undirected edges;
/// ties go to the one that comes first.
///
/// # Errors
/// As [`sparsify`]; `ShapeMismatch` when mask and edges do not fit.
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
    let hard = |&pair: &usize| if keeps[pair] { T::one() } else { T::zero() };
    Ok(pairs.of_edge.iter().map(hard).collect())
}

/// Undirected edges, and the mean score of the directed edges of each.
fn undirected_scores<T: Real>(
    mask: ArrayView1<'_, T>,
    edge_index: ArrayView2<'_, i64>,
) -> Result<(UndirectedEdges, Vec<f64>)> {
    check_finite(input::MASK, mask)?;
    check_shape(input::EDGE_INDEX, &[2, mask.len()], edge_index.shape())?;
    let pairs = UndirectedEdges::new(edge_index);
    let mut scores = vec![0.0; pairs.n_pairs];
    for (&pair, score) in pairs.of_edge.iter().zip(mask) {
        scores[pair] += score.to_f64_exact();
    }
    for (score, size) in scores.iter_mut().zip(pairs.sizes()) {
        *score /= size;
    }
    Ok((pairs, scores))
}

/// Share of the elements that tie at the cut of a mask, so that their order and not their score decides which are kept.
///
/// In [0, 1]: 0 = the scores decide. With an `edge_index` the elements are undirected edges, as in
/// [`sparsify_undirected`]. A threshold has no ties: it keeps none of the elements at it. 0 for a mask without elements.
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
    let n_kept = selected(&scores, sparsity)?.len();
    let n_tied = match sparsity {
        Sparsity::Threshold(_) => 0,
        Sparsity::TopK(_) | Sparsity::Fraction(_) => n_tied_at_cut(&scores, n_kept),
    };
    Ok(n_tied as f64 / scores.len().max(1) as f64)
}

/// The indices that are kept, ascending.
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

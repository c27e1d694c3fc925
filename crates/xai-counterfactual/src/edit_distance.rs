//! Edit distance of texts.

use xai_core::describe::{MetricInfo, metric};
use xai_core::parallel;

use crate::input;

/// Number of edits from a text to its counterfactual, relative to the longer one.
///
/// ```text
/// count: insertions + deletions + replacements   share: count / max(|before|, |after|)
/// ```
///
/// # Extremes
/// 0: the texts are the same. 1: no token stays in place.
///
/// # Limits
/// All tokens weigh alike: a negation is one edit.
///
/// # Source
/// Levenshtein, *Binary codes capable of correcting deletions, insertions, and reversals*, 1966; Prado-Romero and
/// Stilo, *GRETEL*, 2022.
///
/// # Elsewhere
/// `gretel.LevenshteinDistance`
#[metric(
    name = "edit-distance",
    direction = Direction::Lower,
    range = Range::SHARE,
    needs = &[input::SEQUENCES],
)]
pub const EDIT_DISTANCE: &MetricInfo = INFO;

/// Edits that turn one sequence of tokens into another.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EditDistance {
    /// Number of insertions, deletions and replacements.
    pub count: usize,
    /// The number relative to the length of the longer sequence; 0 for two empty ones.
    pub share: f64,
}

/// Levenshtein distance of token ids before and after, for counterfactual texts.
///
/// Memory grows with the shorter sequence, time with the product of the lengths.
///
/// ```
/// let edit = xai_counterfactual::edit_distance(&[1, 2, 3], &[1, 3, 4]);
/// assert_eq!((edit.count, edit.share), (2, 2.0 / 3.0));
/// ```
#[must_use]
pub fn edit_distance<T: PartialEq>(before: &[T], after: &[T]) -> EditDistance {
    let (short, long) = if before.len() < after.len() {
        (before, after)
    } else {
        (after, before)
    };
    // One row of the table: costs[j] turns what was read of `long` into the first j tokens of `short`.
    let mut costs: Vec<usize> = (0..=short.len()).collect();
    for (i, token) in long.iter().enumerate() {
        // A row is overwritten from left to right; `diagonal` keeps the entry above and to the left, which is already
        // gone.
        let mut diagonal = costs[0];
        costs[0] = i + 1;
        for (j, other) in short.iter().enumerate() {
            let replace = diagonal + usize::from(token != other);
            diagonal = costs[j + 1];
            costs[j + 1] = replace.min(diagonal + 1).min(costs[j] + 1);
        }
    }
    let count = costs[short.len()];
    EditDistance {
        count,
        share: count as f64 / long.len().max(1) as f64,
    }
}

/// [`edit_distance`] of many pairs, in parallel.
#[must_use]
pub fn edit_distances<T: PartialEq + Sync>(pairs: &[(&[T], &[T])]) -> Vec<EditDistance> {
    parallel::map(pairs.len(), |i| edit_distance(pairs[i].0, pairs[i].1))
}

//! An order of items in which alike ones are beside each other.

use kodama::{Method, linkage};

/// The leaves of an average-linkage clustering. `similarities` are those of the pairs (0, 1), (0, 2), …,
/// (1, 2), …; undefined ones count as the least that is defined.
///
/// Two subtrees are joined at their most similar ends, ties by the lower item; the lower one of both ends
/// of the whole comes first.
pub(crate) fn leaf_order(n: usize, similarities: &[Option<f64>]) -> Vec<usize> {
    if n < 2 || similarities.len() != n * (n - 1) / 2 {
        return (0..n).collect();
    }
    let distances = distances(similarities);
    let tree = linkage(&mut distances.clone(), n, Method::Average);
    let mut subtrees: Vec<Vec<usize>> = (0..n).map(|item| vec![item]).collect();
    for step in tree.steps() {
        let first = std::mem::take(&mut subtrees[step.cluster1]);
        let second = std::mem::take(&mut subtrees[step.cluster2]);
        subtrees.push(joined(first, second, |a, b| distances[pair_index(n, a, b)]));
    }
    let mut order = subtrees.pop().unwrap_or_default();
    if order.first() > order.last() {
        order.reverse();
    }
    order
}

/// `1 − similarity`; the largest distance where that is undefined.
fn distances(similarities: &[Option<f64>]) -> Vec<f64> {
    let distances = similarities.iter().map(|s| s.map(|s| 1.0 - s));
    let largest = distances.clone().flatten().max_by(f64::total_cmp);
    let largest = largest.unwrap_or(1.0);
    distances.map(|d| d.unwrap_or(largest)).collect()
}

/// The place of two different items of `n` among the pairs (0, 1), (0, 2), …, (1, 2), …
pub(crate) fn pair_index(n: usize, first: usize, second: usize) -> usize {
    let (low, high) = (first.min(second), first.max(second));
    low * (2 * n - low - 1) / 2 + high - low - 1
}

/// Two subtrees in a row, either of them reversed if that brings more similar ends together.
fn joined(
    mut first: Vec<usize>,
    mut second: Vec<usize>,
    distance: impl Fn(usize, usize) -> f64,
) -> Vec<usize> {
    let (Some(&a), Some(&b)) = (first.first(), first.last()) else {
        return second;
    };
    let (Some(&c), Some(&d)) = (second.first(), second.last()) else {
        return first;
    };
    // The ends that would meet: of the first subtree, of the second.
    let meetings = [(b, c), (b, d), (a, c), (a, d)];
    let nearer = |x: &(usize, usize), y: &(usize, usize)| {
        let lower = |pair: &(usize, usize)| (pair.0.min(pair.1), pair.0.max(pair.1));
        distance(x.0, x.1)
            .total_cmp(&distance(y.0, y.1))
            .then(lower(x).cmp(&lower(y)))
    };
    let (end, start) = meetings.into_iter().min_by(nearer).unwrap_or((b, c));
    if end != b {
        first.reverse();
    }
    if start != c {
        second.reverse();
    }
    first.append(&mut second);
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_counted_row_by_row() {
        let pairs = [(0, 1), (2, 0), (0, 3), (1, 2), (1, 3), (3, 2)];
        assert_eq!(pairs.map(|(a, b)| pair_index(4, a, b)), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn items_on_a_line_are_in_its_order() {
        // Places of the items on a line; similarity falls with distance.
        let line: [f64; 6] = [5.0, 0.0, 9.0, 1.0, 6.5, 10.4];
        let mut similarities = Vec::new();
        for i in 0..6 {
            for j in i + 1..6 {
                similarities.push(Some(1.0 - (line[i] - line[j]).abs()));
            }
        }
        assert_eq!(leaf_order(6, &similarities), [1, 3, 0, 4, 2, 5]);
    }

    #[test]
    fn an_undefined_pair_is_far_apart() {
        // 0 and 2 are alike, and 1 and 3; of these 2 and 1 are the nearest, 0 and 1 not known.
        let rest = [0.9, 0.1, 0.5, 0.6, 0.1].map(Some);
        let order = leaf_order(4, &[&[None], &rest[..]].concat());
        assert_eq!(order, [0, 2, 1, 3]);
        assert_eq!(leaf_order(3, &[None; 3]).len(), 3);
        assert_eq!(leaf_order(1, &[]), [0]);
    }
}

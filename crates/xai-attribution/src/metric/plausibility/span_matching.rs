//! Maximum one-to-one matching of spans that overlap enough.
//!
//! Gold and predicted spans are the vertices of a bipartite graph, whose edges are the pairs of sufficient overlap; a
//! maximum matching is found by the algorithm of Hopcroft and Karp. A text of `n` spans can have `n²` edges (if all
//! spans are equal), so the edges are never listed. Instead, the search queries a k-d tree over starts and ends of the
//! gold spans for *some* matching span that is not visited yet, and every visited span is removed from the tree. A
//! phase consists of a breadth-first and a depth-first search, each of which visits a span at most once and therefore
//! needs `O(n)` queries. There are at most `O(√n)` phases, in practice a few. In total these are `O(n^1.5)` queries,
//! where the same algorithm on a list of edges looks at up to `O(n^2.5)` edges.

use std::ops::Range as Span;

use xai_core::stop;

/// Size of the maximum matching of gold and predicted spans whose intersection over union is at least `threshold`.
pub(super) fn n_matched(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> usize {
    Matching::new(gold, predicted, &|a, b| iou(a, b) >= threshold).size()
}

/// Intersection over union of the tokens of two spans; NaN if both are empty.
///
/// A span with an end before its start has no token, and no overlap. Such spans are not valid input, but bounds of tree
/// nodes can have this form.
pub(super) fn iou(a: &Span<usize>, b: &Span<usize>) -> f64 {
    let both = a.end.min(b.end).saturating_sub(a.start.max(b.start));
    both as f64 / (a.len() + b.len() - both) as f64
}

/// Test for the match of two spans.
///
/// It must be monotone: if span `a` matches `b`, `b` also matches every span whose start lies between the starts of `a`
/// and `b`, and whose end lies between their ends. The search in [`SpanTree`] relies on this.
type Matches<'a> = dyn Fn(&Span<usize>, &Span<usize>) -> bool + 'a;

/// A matching that is augmented until it is maximum.
struct Matching<'a> {
    gold: &'a [Span<usize>],
    predicted: &'a [Span<usize>],
    matches: &'a Matches<'a>,
    /// Matched predicted span of each gold span.
    partner: Vec<Option<usize>>,
    /// `true` for each predicted span that is matched.
    is_matched: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(
        gold: &'a [Span<usize>],
        predicted: &'a [Span<usize>],
        matches: &'a Matches<'a>,
    ) -> Self {
        Self {
            gold,
            predicted,
            matches,
            partner: vec![None; gold.len()],
            is_matched: vec![false; predicted.len()],
        }
    }

    /// Number of pairs of a maximum matching.
    fn size(mut self) -> usize {
        loop {
            let layers = self.layers();
            if layers.is_empty() || !self.augment(layers) {
                return self
                    .is_matched
                    .iter()
                    .filter(|&&is_matched| is_matched)
                    .count();
            }
        }
    }

    /// Predicted spans without a partner.
    fn free(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.predicted.len()).filter(|&span| !self.is_matched[span])
    }

    /// Breadth-first search from the free predicted spans: gold spans by their distance on alternating paths, up to the
    /// first layer that contains a free gold span. Empty if no free gold span can be reached, that is, if the matching
    /// is maximum.
    fn layers(&self) -> Vec<Vec<usize>> {
        let mut unvisited = SpanTree::new(self.gold, (0..self.gold.len()).collect());
        let mut frontier: Vec<usize> = self.free().collect();
        let mut layers = Vec::new();
        while !frontier.is_empty() {
            stop::check_stopped();
            let mut layer = Vec::new();
            for &span in &frontier {
                while let Some(gold) = unvisited.take(&self.predicted[span], self.matches) {
                    layer.push(gold);
                }
            }
            let partners: Vec<Option<usize>> =
                layer.iter().map(|&gold| self.partner[gold]).collect();
            layers.push(layer);
            // Only shortest paths are augmented in a phase: the search stops at the first layer with a free gold span.
            if partners.contains(&None) {
                return layers;
            }
            frontier = partners.into_iter().flatten().collect();
        }
        Vec::new()
    }

    /// Augments the matching along vertex-disjoint shortest paths through the layers. Returns `true` if there was a
    /// path.
    fn augment(&mut self, layers: Vec<Vec<usize>>) -> bool {
        let mut trees: Vec<SpanTree<'_>> = layers
            .into_iter()
            .map(|layer| SpanTree::new(self.gold, layer))
            .collect();
        let free: Vec<usize> = self.free().collect();
        let mut has_grown = false;
        for span in free {
            stop::check_stopped();
            has_grown |= self.augment_from(span, &mut trees);
        }
        has_grown
    }

    /// Depth-first search for a path from a free predicted span to a free gold span. It is not recursive, because
    /// a path can contain all spans. Returns `false` if there is no such path.
    fn augment_from(&mut self, first: usize, layers: &mut [SpanTree<'_>]) -> bool {
        // Predicted spans of the path, each with the gold span that follows it.
        let mut path: Vec<(usize, usize)> = Vec::new();
        let mut span = first;
        loop {
            let next = match layers.get_mut(path.len()) {
                Some(layer) => layer.take(&self.predicted[span], self.matches),
                None => None,
            };
            match next {
                Some(gold) => {
                    path.push((span, gold));
                    match self.partner[gold] {
                        Some(partner) => span = partner,
                        None => break,
                    }
                }
                // A dead end. Its gold span was removed from the tree of its layer, so that no other path tries it
                // again.
                None => match path.pop() {
                    Some((before, _)) => span = before,
                    None => return false,
                },
            }
        }
        // The pairs of the path replace the pairs of the old matching on it, which are one fewer.
        for (span, gold) in path {
            self.partner[gold] = Some(span);
        }
        self.is_matched[first] = true;
        true
    }
}

/// A k-d tree over the starts and ends of spans that supports removal.
///
/// Nodes are stored like a heap: node `i` has the children `2 i + 1` and `2 i + 2`. The spans of a node are a range of
/// `order`, each half of which belongs to a child.
struct SpanTree<'a> {
    spans: &'a [Span<usize>],
    order: Vec<usize>,
    nodes: Vec<Node>,
}

/// A node: the number of spans that are not removed yet, and the bounds of the starts and ends of all its spans.
#[derive(Clone)]
struct Node {
    n_left: usize,
    starts: (usize, usize),
    ends: (usize, usize),
}

/// Largest number of spans of a node without children.
const LEAF: usize = 4;

impl<'a> SpanTree<'a> {
    /// Creates a tree of the spans with the indices in `order`.
    fn new(spans: &'a [Span<usize>], order: Vec<usize>) -> Self {
        let mut n_nodes = 1_usize;
        // A complete binary tree of 2^h − 1 nodes has 2^(h−1) leaves, among which halving distributes the spans evenly.
        while order.len().div_ceil(n_nodes.div_ceil(2)) > LEAF {
            n_nodes = 2 * n_nodes + 1;
        }
        let none = Node {
            n_left: 0,
            starts: (0, 0),
            ends: (0, 0),
        };
        let mut tree = Self {
            spans,
            nodes: vec![none; n_nodes],
            order,
        };
        tree.build(0, 0..tree.order.len(), true);
        tree
    }

    fn build(&mut self, node: usize, range: Span<usize>, by_start: bool) {
        let (spans, part) = (self.spans, &mut self.order[range.clone()]);
        let bounds = |coordinate: fn(&Span<usize>) -> usize| {
            let values = part.iter().map(|&span| coordinate(&spans[span]));
            values.fold((usize::MAX, 0), |(low, high), x| (low.min(x), high.max(x)))
        };
        self.nodes[node] = Node {
            n_left: part.len(),
            starts: bounds(|span| span.start),
            ends: bounds(|span| span.end),
        };
        if 2 * node + 2 < self.nodes.len() {
            let half = range.len() / 2;
            // An empty range has no median.
            if half < part.len() {
                // Splits alternate between starts and ends. The other coordinate decides ties.
                part.select_nth_unstable_by_key(half, |&span| {
                    let span = &spans[span];
                    if by_start {
                        (span.start, span.end)
                    } else {
                        (span.end, span.start)
                    }
                });
            }
            let middle = range.start + half;
            self.build(2 * node + 1, range.start..middle, !by_start);
            self.build(2 * node + 2, middle..range.end, !by_start);
        }
    }

    /// Removes a span that matches `other` from the tree and returns its index; `None` if none matches.
    fn take(&mut self, other: &Span<usize>, matches: &Matches<'_>) -> Option<usize> {
        self.take_below(0, 0..self.order.len(), other, matches)
    }

    fn take_below(
        &mut self,
        node: usize,
        range: Span<usize>,
        other: &Span<usize>,
        matches: &Matches<'_>,
    ) -> Option<usize> {
        let Node {
            n_left,
            starts,
            ends,
        } = self.nodes[node];
        if n_left == 0 {
            return None;
        }
        // The span within the bounds that is nearest to `other` at both ends. If it does not match, no span of the node
        // does, because matches are monotone.
        let nearest = other.start.clamp(starts.0, starts.1)..other.end.clamp(ends.0, ends.1);
        if !matches(other, &nearest) {
            return None;
        }
        let taken = if 2 * node + 2 < self.nodes.len() {
            let middle = range.start + range.len() / 2;
            self.take_below(2 * node + 1, range.start..middle, other, matches)
                .or_else(|| self.take_below(2 * node + 2, middle..range.end, other, matches))
        } else {
            // In a leaf, remaining spans are stored before removed ones.
            let left = &self.order[range.start..range.start + n_left];
            let found = left
                .iter()
                .position(|&span| matches(other, &self.spans[span]));
            found.map(|offset| {
                let (index, last) = (range.start + offset, range.start + n_left - 1);
                self.order.swap(index, last);
                self.order[last]
            })
        };
        if taken.is_some() {
            self.nodes[node].n_left -= 1;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cell::Cell;

    /// Size of the maximum matching by augmenting paths over the list of all edges.
    fn size_by_edges(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> usize {
        fn augment(
            span: usize,
            pairs: &[Vec<usize>],
            tried: &mut [bool],
            partner: &mut [Option<usize>],
        ) -> bool {
            for &gold in &pairs[span] {
                if !std::mem::replace(&mut tried[gold], true)
                    && partner[gold].is_none_or(|other| augment(other, pairs, tried, partner))
                {
                    partner[gold] = Some(span);
                    return true;
                }
            }
            false
        }
        let edges = |p: &Span<usize>| {
            let all = gold.iter().enumerate();
            all.filter(|(_, g)| iou(p, g) >= threshold)
                .map(|(g, _)| g)
                .collect()
        };
        let pairs: Vec<Vec<usize>> = predicted.iter().map(edges).collect();
        let mut partner = vec![None; gold.len()];
        let spans = 0..predicted.len();
        spans
            .filter(|&span| augment(span, &pairs, &mut vec![false; gold.len()], &mut partner))
            .count()
    }

    fn spans() -> impl Strategy<Value = Vec<Span<usize>>> {
        let span = (0usize..40, 1usize..12).prop_map(|(start, length)| start..start + length);
        prop::collection::vec(span, 0..40)
    }

    proptest! {
        #[test]
        fn the_matching_is_the_largest(
            gold in spans(), predicted in spans(), threshold in prop::sample::select(vec![0.05, 0.2, 0.5, 0.6, 1.0]),
        ) {
            let expected = size_by_edges(&gold, &predicted, threshold);
            prop_assert_eq!(n_matched(&gold, &predicted, threshold), expected);
            prop_assert_eq!(n_matched(&predicted, &gold, threshold), expected);
        }
    }

    /// Number of comparisons of two spans that the search makes.
    fn n_comparisons(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> f64 {
        let compared = Cell::new(0u64);
        let matches = |a: &Span<usize>, b: &Span<usize>| {
            compared.set(compared.get() + 1);
            iou(a, b) >= threshold
        };
        Matching::new(gold, predicted, &matches).size();
        compared.get() as f64
    }

    /// Four times as many spans take less than `4^1.5` times as many comparisons; a list of edges would take 16 times
    /// as many.
    #[test]
    fn comparisons_grow_slower_than_pairs() {
        type Spans = fn(usize) -> Vec<Span<usize>>;
        let equal: Spans = |n| vec![10..20; n];
        let nested: Spans = |n| (0..n).map(|i| n - i..n + i + 1).collect();
        let disjoint: Spans = |n| (0..n).map(|i| 10 * i..10 * i + 5).collect();
        let shifted: Spans = |n| (0..n).map(|i| i..i + n / 2 + 1).collect();
        let scattered: Spans = |n| {
            let start = |i: usize| i.wrapping_mul(7919) % (4 * n);
            (0..n).map(|i| start(i)..start(i) + 1 + i % 37).collect()
        };
        let unequal: Spans = |n| (0..n).map(|i| 7 * i + 2..7 * i + 9).collect();
        for (name, gold, predicted, threshold) in [
            ("equal", equal, equal, 0.5),
            ("nested", nested, nested, 0.3),
            ("disjoint", disjoint, disjoint, 0.5),
            ("shifted", shifted, shifted, 0.1),
            ("scattered", scattered, scattered, 0.5),
            ("different", disjoint, unequal, 0.2),
            ("hopeless", equal, disjoint, 0.5),
        ] {
            let count = |n: usize| n_comparisons(&gold(n), &predicted(n), threshold);
            let (small, large) = (count(1_000), count(4_000));
            assert!(large < 8.0 * small, "{name}: {small} then {large}");
            assert!(large < 4_000.0 * 4_000.0 / 4.0, "{name}: {large}");
        }
    }

    /// A chain in which every pair has to be replaced: a recursive search would overflow the stack.
    #[test]
    fn long_paths_need_no_stack() {
        let n = 20_000;
        let gold: Vec<Span<usize>> = (0..n).map(|i| 10 * i..10 * i + 10).collect();
        let predicted: Vec<Span<usize>> = (0..n).map(|i| 10 * i + 5..10 * i + 15).collect();
        // Each predicted span has an IoU of 1/3 with two neighbouring gold spans, except for the last one, which has
        // one.
        assert_eq!(n_matched(&gold, &predicted, 0.3), n);
    }
}

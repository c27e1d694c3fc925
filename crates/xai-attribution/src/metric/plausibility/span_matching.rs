//! The largest one-to-one matching of spans that overlap enough.
//!
//! Which spans match is a bipartite graph, and a matching of largest size in it is found by the algorithm of Hopcroft and Karp. A text
//! of `n` spans may have `n²` pairs that match (all of them where spans are equal), so the pairs are never listed: the
//! search asks a k-d tree over the ends of the gold spans for *some* span that matches and was not visited yet, and every
//! visited span leaves the tree. One phase of the search visits each span once, with a query of the tree each, and there are
//! at most `O(√n)` phases, in practice a few. That is `O(n^1.5)` queries at worst, where listing the pairs is `O(n^2.5)`.

use std::ops::Range as Span;

use xai_core::parallel;

/// The largest number of pairs of a gold and a predicted span whose overlap is at least `threshold`, each span in one pair at
/// most.
pub(super) fn n_matched(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> usize {
    Matching::new(gold, predicted, &|a, b| iou(a, b) >= threshold).size()
}

/// Intersection over union of the tokens of two spans.
///
/// A span with an end before its start has no token, and no overlap.
pub(super) fn iou(a: &Span<usize>, b: &Span<usize>) -> f64 {
    let both = a.end.min(b.end).saturating_sub(a.start.max(b.start));
    both as f64 / (a.len() + b.len() - both) as f64
}

/// Whether two spans match. It has to be monotone: if a span matches, so does one whose ends are both at least as near to those of
/// the other span, from the same sides.
type Matches<'a> = dyn Fn(&Span<usize>, &Span<usize>) -> bool + 'a;

/// A matching that grows to the largest one.
struct Matching<'a> {
    gold: &'a [Span<usize>],
    predicted: &'a [Span<usize>],
    matches: &'a Matches<'a>,
    /// By gold span: the predicted span that it is matched with.
    partner: Vec<Option<usize>>,
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

    /// The number of pairs of the largest matching.
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

    fn free(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.predicted.len()).filter(|&span| !self.is_matched[span])
    }

    /// The gold spans by their distance from the predicted spans that are free, up to the first layer that has a free gold span;
    /// empty where no free gold span can be reached.
    fn layers(&self) -> Vec<Vec<usize>> {
        let mut unvisited = SpanTree::new(self.gold, (0..self.gold.len()).collect());
        let mut frontier: Vec<usize> = self.free().collect();
        let mut layers = Vec::new();
        while !frontier.is_empty() {
            parallel::check_stopped();
            let mut layer = Vec::new();
            for &span in &frontier {
                while let Some(gold) = unvisited.take(&self.predicted[span], self.matches) {
                    layer.push(gold);
                }
            }
            let partners: Vec<Option<usize>> =
                layer.iter().map(|&gold| self.partner[gold]).collect();
            layers.push(layer);
            if partners.contains(&None) {
                return layers;
            }
            frontier = partners.into_iter().flatten().collect();
        }
        Vec::new()
    }

    /// Adds pairs along paths through the layers that have no span in common. Says whether there was one.
    fn augment(&mut self, layers: Vec<Vec<usize>>) -> bool {
        let layers = layers
            .into_iter()
            .map(|layer| SpanTree::new(self.gold, layer));
        let mut layers: Vec<SpanTree<'_>> = layers.collect();
        let free: Vec<usize> = self.free().collect();
        let mut has_grown = false;
        for span in free {
            parallel::check_stopped();
            has_grown |= self.augment_from(span, &mut layers);
        }
        has_grown
    }

    /// Searches a path from a free predicted span to a free gold one, depth first, and without recursion: a path may be as long
    /// as there are spans.
    fn augment_from(&mut self, first: usize, layers: &mut [SpanTree<'_>]) -> bool {
        // Predicted spans, each with the gold span that the path takes from it.
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
                // A dead end: its gold span has left its layer and is not tried again.
                None => match path.pop() {
                    Some((before, _)) => span = before,
                    None => return false,
                },
            }
        }
        for (span, gold) in path {
            self.partner[gold] = Some(span);
        }
        self.is_matched[first] = true;
        true
    }
}

/// A k-d tree over the starts and the ends of spans, from which spans are taken.
///
/// The nodes lie in an array, as those of a heap: node `i` has the children `2 i + 1` and `2 i + 2`. Its spans are a range of
/// `order`, half of which belongs to each child.
struct SpanTree<'a> {
    spans: &'a [Span<usize>],
    order: Vec<usize>,
    nodes: Vec<Node>,
}

/// The spans of a node that were not taken.
#[derive(Clone)]
struct Node {
    n_left: usize,
    starts: (usize, usize),
    ends: (usize, usize),
}

/// Most spans of a node that has no children.
const LEAF: usize = 4;

impl<'a> SpanTree<'a> {
    /// A tree of some of the spans.
    fn new(spans: &'a [Span<usize>], order: Vec<usize>) -> Self {
        let mut n_nodes = 1_usize;
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
        let bounds = |of: fn(&Span<usize>) -> usize| {
            let values = part.iter().map(|&span| of(&spans[span]));
            values.fold((usize::MAX, 0), |(low, high), x| (low.min(x), high.max(x)))
        };
        self.nodes[node] = Node {
            n_left: part.len(),
            starts: bounds(|span| span.start),
            ends: bounds(|span| span.end),
        };
        if 2 * node + 2 < self.nodes.len() {
            let middle = range.len() / 2;
            if middle < part.len() {
                part.select_nth_unstable_by_key(middle, |&span| {
                    let span = &spans[span];
                    if by_start {
                        (span.start, span.end)
                    } else {
                        (span.end, span.start)
                    }
                });
            }
            let middle = range.start + middle;
            self.build(2 * node + 1, range.start..middle, !by_start);
            self.build(2 * node + 2, middle..range.end, !by_start);
        }
    }

    /// Takes some span that matches another out of the tree.
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
        // The span within the bounds that is nearest to the other at both ends: if it does not match, none of the node does.
        let nearest = other.start.clamp(starts.0, starts.1)..other.end.clamp(ends.0, ends.1);
        if !matches(other, &nearest) {
            return None;
        }
        let taken = if 2 * node + 2 < self.nodes.len() {
            let middle = range.start + range.len() / 2;
            self.take_below(2 * node + 1, range.start..middle, other, matches)
                .or_else(|| self.take_below(2 * node + 2, middle..range.end, other, matches))
        } else {
            // Spans that are left stand before those that were taken.
            let left = &self.order[range.start..range.start + n_left];
            let place = left
                .iter()
                .position(|&span| matches(other, &self.spans[span]));
            place.map(|place| {
                let (place, last) = (range.start + place, range.start + n_left - 1);
                self.order.swap(place, last);
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

    /// The size of the largest matching by augmenting paths over all pairs.
    fn by_pairs(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> usize {
        fn place(
            span: usize,
            pairs: &[Vec<usize>],
            tried: &mut [bool],
            partner: &mut [Option<usize>],
        ) -> bool {
            for &gold in &pairs[span] {
                if !std::mem::replace(&mut tried[gold], true)
                    && partner[gold].is_none_or(|other| place(other, pairs, tried, partner))
                {
                    partner[gold] = Some(span);
                    return true;
                }
            }
            false
        }
        let of_span = |p: &Span<usize>| {
            let all = gold.iter().enumerate();
            all.filter(|(_, g)| iou(p, g) >= threshold)
                .map(|(g, _)| g)
                .collect()
        };
        let pairs: Vec<Vec<usize>> = predicted.iter().map(of_span).collect();
        let mut partner = vec![None; gold.len()];
        let spans = 0..predicted.len();
        spans
            .filter(|&span| place(span, &pairs, &mut vec![false; gold.len()], &mut partner))
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
            let expected = by_pairs(&gold, &predicted, threshold);
            prop_assert_eq!(n_matched(&gold, &predicted, threshold), expected);
            prop_assert_eq!(n_matched(&predicted, &gold, threshold), expected);
        }
    }

    /// The number of times that two spans are compared.
    fn n_comparisons(gold: &[Span<usize>], predicted: &[Span<usize>], threshold: f64) -> f64 {
        let compared = Cell::new(0u64);
        let matches = |a: &Span<usize>, b: &Span<usize>| {
            compared.set(compared.get() + 1);
            iou(a, b) >= threshold
        };
        Matching::new(gold, predicted, &matches).size();
        compared.get() as f64
    }

    /// Four times as many spans cost less than `4^1.5` times as many comparisons, where a list of pairs would have 16 times as many.
    #[test]
    fn comparisons_grow_slower_than_pairs() {
        type Spans = fn(usize) -> Vec<Span<usize>>;
        let equal: Spans = |n| vec![10..20; n];
        let nested: Spans = |n| (0..n).map(|i| n - i..n + i + 1).collect();
        let disjoint: Spans = |n| (0..n).map(|i| 10 * i..10 * i + 5).collect();
        let shifted: Spans = |n| (0..n).map(|i| i..i + n / 2 + 1).collect();
        let scattered: Spans = |n| {
            let place = |i: usize, by: usize| i.wrapping_mul(by) % (4 * n);
            (0..n)
                .map(|i| place(i, 7919)..place(i, 7919) + 1 + i % 37)
                .collect()
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
            let of = |n: usize| n_comparisons(&gold(n), &predicted(n), threshold);
            let (small, large) = (of(1_000), of(4_000));
            assert!(large < 8.0 * small, "{name}: {small} then {large}");
            assert!(large < 4_000.0 * 4_000.0 / 4.0, "{name}: {large}");
        }
    }

    /// A chain in which each span has to give way to the next: recursion would overflow the stack.
    #[test]
    fn long_paths_need_no_stack() {
        let n = 20_000;
        let gold: Vec<Span<usize>> = (0..n).map(|i| 10 * i..10 * i + 10).collect();
        let predicted: Vec<Span<usize>> = (0..n).map(|i| 10 * i + 5..10 * i + 15).collect();
        // Each predicted span has a third in common with the two gold spans beside it; the last one has one alone.
        assert_eq!(n_matched(&gold, &predicted, 0.3), n);
    }
}

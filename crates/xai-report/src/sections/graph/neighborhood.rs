//! The two-hop neighbourhood of an explained node, as it is drawn.

use std::collections::{BTreeMap, BTreeSet};

use ndarray::ArrayView2;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::sections::graph::layout::layout;

/// An explained node and its two-hop neighbourhood.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Neighborhood {
    /// The explained node.
    pub node: usize,
    /// Number of nodes of the neighbourhood that are not drawn.
    pub n_left_out: usize,
    /// The nodes, the explained one first.
    pub nodes: Vec<DrawnNode>,
    /// The edges between them, once for both directions.
    pub edges: Vec<DrawnEdge>,
}

/// A node and its place in the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DrawnNode {
    /// The node.
    pub node: usize,
    /// Its horizontal coordinate, in [0, 1].
    pub x: f64,
    /// Its vertical coordinate, in [0, 1].
    pub y: f64,
}

/// An edge of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DrawnEdge {
    /// The index of one end in [`Neighborhood::nodes`].
    pub from: usize,
    /// The index of the other end.
    pub to: usize,
    /// The score of the mask, the larger one of the two directions.
    pub score: f64,
    /// True if the edge belongs to the ground truth; `null` if unknown.
    pub is_true: Option<bool>,
}

/// Number of hops from the explained node that are drawn: the receptive field of a graph neural
/// network with two layers.
const HOPS: usize = 2;
/// The most nodes that are drawn.
const MAX_NODES: usize = 40;

/// `n` nodes of a list at equal steps, the first and the last among them; the first alone for `n =
/// 1`, all where the list has no more than `n`.
pub(super) fn spread(nodes: &[usize], n: usize) -> Vec<usize> {
    match (nodes.len(), n) {
        (0, _) | (_, 0) => Vec::new(),
        (_, 1) => vec![nodes[0]],
        (len, n) if n >= len => nodes.to_vec(),
        (len, n) => (0..n).map(|i| nodes[i * (len - 1) / (n - 1)]).collect(),
    }
}

/// The neighbourhood of a node. Its nodes are ordered by their hops from the node. Those of one hop
/// are ordered by the highest score among their edges from the hop before, highest first; those of
/// equal score by number, lowest first.
pub(super) fn neighborhood(network: &Network, node: usize) -> Neighborhood {
    let (nodes, n_left_out) = nodes_around(network, node);
    let edges = edges_among(network, &nodes);
    let places = places_of(&nodes, &edges);
    // Four digits are more than a picture shows.
    let round = |x: f64| (x * 1e4).round() / 1e4;
    let nodes = nodes.into_iter().zip(places);
    Neighborhood {
        node,
        n_left_out,
        nodes: nodes
            .map(|(node, [x, y])| DrawnNode {
                node,
                x: round(x),
                y: round(y),
            })
            .collect(),
        edges,
    }
}

/// Positions of nodes. They are laid out in the order of their numbers, so that the same nodes have
/// the same positions for every mask.
fn places_of(nodes: &[usize], edges: &[DrawnEdge]) -> Vec<[f64; 2]> {
    let sorted: BTreeSet<usize> = nodes.iter().copied().collect();
    let ranks: BTreeMap<usize, usize> = sorted.into_iter().zip(0..).collect();
    let ranks: Vec<usize> = nodes.iter().map(|node| ranks[node]).collect();
    let mut ends: Vec<(usize, usize)> = edges
        .iter()
        .map(|edge| (ranks[edge.from], ranks[edge.to]))
        .map(|(a, b)| (a.min(b), a.max(b)))
        .collect();
    ends.sort_unstable();
    let places = layout(nodes.len(), &ends);
    ranks.into_iter().map(|rank| places[rank]).collect()
}

/// The nodes that are drawn, and how many are not.
fn nodes_around(network: &Network, node: usize) -> (Vec<usize>, usize) {
    let mut seen = BTreeSet::from([node]);
    let mut drawn = vec![node];
    let mut outermost = vec![node];
    for _ in 0..HOPS {
        let mut reached: BTreeMap<usize, f64> = BTreeMap::new();
        for edge in outermost.iter().flat_map(|&node| network.edges_of(node)) {
            if !seen.contains(&edge.to) {
                let score = reached.entry(edge.to).or_insert(edge.score);
                *score = score.max(edge.score);
            }
        }
        let mut reached: Vec<(usize, f64)> = reached.into_iter().collect();
        // They are in the order of their numbers; the sort is stable and keeps it among equal scores.
        reached.sort_by(|a, b| b.1.total_cmp(&a.1));
        outermost = reached.into_iter().map(|(node, _)| node).collect();
        seen.extend(&outermost);
        let room = MAX_NODES - drawn.len();
        drawn.extend(outermost.iter().take(room));
    }
    let n_left_out = seen.len() - drawn.len();
    (drawn, n_left_out)
}

/// The edges between nodes that are drawn, once each.
fn edges_among(network: &Network, nodes: &[usize]) -> Vec<DrawnEdge> {
    let places: BTreeMap<usize, usize> =
        nodes.iter().zip(0..).map(|(&node, i)| (node, i)).collect();
    let mut edges = Vec::new();
    for (from, &node) in nodes.iter().enumerate() {
        for edge in network.edges_of(node) {
            if let Some(&to) = places.get(&edge.to).filter(|&&to| from < to) {
                edges.push(DrawnEdge {
                    from,
                    to,
                    score: edge.score,
                    is_true: edge.is_true,
                });
            }
        }
    }
    edges
}

/// An edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The larger score of both directions.
    pub(super) score: f64,
    /// True if one of the directions belongs to the ground truth; `None` if unknown.
    pub(super) is_true: Option<bool>,
}

/// The edges of a graph, each from both its ends, by node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    edges: Vec<Edge>,
}

impl Network {
    /// A network of the edges `(2, e)`, with the scores `(e,)` of a mask and, where it is known,
    /// the ground truth `(e,)`. Self-loops are left out: they lead to no other node.
    pub(super) fn new(
        edge_index: ArrayView2<'_, usize>,
        mask: &[f64],
        truth: Option<&[bool]>,
    ) -> Self {
        let mut edges = Vec::with_capacity(2 * mask.len());
        let ends = edge_index.row(0).into_iter().zip(edge_index.row(1));
        for (i, ((&from, &to), &score)) in ends.zip(mask).enumerate() {
            let is_true = truth.and_then(|truth| truth.get(i).copied());
            for (from, to) in [(from, to), (to, from)] {
                if from != to {
                    edges.push(Edge {
                        from,
                        to,
                        score,
                        is_true,
                    });
                }
            }
        }
        edges.sort_by_key(|edge| (edge.from, edge.to));
        edges.dedup_by(|next, edge| {
            let same = (next.from, next.to) == (edge.from, edge.to);
            if same {
                edge.score = edge.score.max(next.score);
                // `Some(true)` is above `Some(false)`.
                edge.is_true = edge.is_true.max(next.is_true);
            }
            same
        });
        Self { edges }
    }

    /// The edges of a node, by the node that they lead to.
    pub(super) fn edges_of(&self, node: usize) -> &[Edge] {
        let begin = self.edges.partition_point(|edge| edge.from < node);
        let end = self.edges.partition_point(|edge| edge.from <= node);
        &self.edges[begin..end]
    }

    /// True if an edge of the node has a positive score.
    pub(super) fn is_scored(&self, node: usize) -> bool {
        self.edges_of(node).iter().any(|edge| edge.score > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn nodes_are_spread_over_a_list_with_both_ends() {
        let nodes = [4, 8, 15, 16, 23, 42];
        assert_eq!(spread(&nodes, 3), [4, 15, 42]);
        assert_eq!(spread(&nodes, 1), [4]);
        assert_eq!(spread(&nodes, 9), nodes);
        assert!(spread(&nodes, 0).is_empty() && spread(&[], 3).is_empty());
    }

    #[test]
    fn both_directions_are_one_edge_with_the_larger_score() {
        // 7 – 3 in both directions, a loop, 3 – 5 twice, and 9 – 11 apart.
        let edges = array![[7, 3, 3, 3, 3, 9], [3, 7, 3, 5, 5, 11]];
        let mask = [0.25, 0.5, 1.0, 0.0, 0.75, 1.0];
        let truth = [true, false, true, false, false, true];
        let around = neighborhood(&Network::new(edges.view(), &mask, Some(&truth)), 7);
        let nodes: Vec<usize> = around.nodes.iter().map(|node| node.node).collect();
        assert_eq!((nodes, around.n_left_out), (vec![7, 3, 5], 0));
        let edges: Vec<_> = around
            .edges
            .iter()
            .map(|edge| (edge.from, edge.to, edge.score, edge.is_true))
            .collect();
        assert_eq!(edges, [(0, 1, 0.5, Some(true)), (1, 2, 0.75, Some(false))]);
    }

    #[test]
    fn the_nearest_and_then_the_highest_are_drawn_and_the_rest_is_counted() {
        // A hub of 30 leaves, each with two leaves of its own: 91 nodes.
        let mut ends = Vec::new();
        for leaf in 1..=30 {
            ends.extend([(0, leaf), (leaf, 29 + 2 * leaf), (leaf, 30 + 2 * leaf)]);
        }
        let mask: Vec<f64> = (0..ends.len()).map(|i| i as f64).collect();
        let edges = edge_index(&ends);
        let around = neighborhood(&Network::new(edges.view(), &mask, None), 0);
        let nodes: Vec<usize> = around.nodes.iter().map(|node| node.node).collect();
        assert_eq!((nodes.len(), around.n_left_out), (MAX_NODES, 51));
        assert_eq!(nodes[..3], [0, 30, 29]);
        assert_eq!(nodes[30..34], [1, 90, 89, 88]);
        assert_eq!(around.edges.len(), MAX_NODES - 1);
    }

    /// Pairs of nodes as an edge index.
    fn edge_index(ends: &[(usize, usize)]) -> Array2<usize> {
        Array2::from_shape_fn((2, ends.len()), |(row, edge)| match row {
            0 => ends[edge].0,
            _ => ends[edge].1,
        })
    }
}

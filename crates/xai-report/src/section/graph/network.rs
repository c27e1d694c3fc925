//! A graph with the scores of a mask, as it is drawn: without directions.

use ndarray::ArrayView2;

/// An edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    /// The larger score of both directions.
    pub(super) score: f64,
    /// Whether one of the directions belongs to the truth, where that is known.
    pub(super) is_true: Option<bool>,
}

/// The edges of a graph, each from both its ends, by node.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Network {
    edges: Vec<Edge>,
}

impl Network {
    /// A network of as many edges as there are scores and, where they are known, truths. Loops are left
    /// out: they lead nowhere.
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

    /// Whether the mask gives an edge of a node a positive score.
    pub(super) fn is_scored(&self, node: usize) -> bool {
        self.edges_of(node).iter().any(|edge| edge.score > 0.0)
    }
}

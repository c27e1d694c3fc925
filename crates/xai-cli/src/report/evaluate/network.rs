//! A graph with the scores of a mask, as it is drawn: without directions.

use std::path::Path;

use ndarray::{Array2, Ix2};
use xai_files::arrays;
use xai_files::failure::{Failure, InFile};

/// An edge, seen from one of its ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Edge {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// The larger score of both directions.
    pub(crate) score: f64,
    /// Whether one of the directions belongs to the truth, where that is known.
    pub(crate) is_true: Option<bool>,
}

/// The edges of a graph, each from both its ends, by node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Network {
    edges: Vec<Edge>,
}

/// Reads the ends of the edges, (2, e).
pub(crate) fn read_edge_index(file: &Path) -> Result<Array2<usize>, Failure> {
    let stored = arrays::read_places::<Ix2>(file)?;
    if stored.nrows() != 2 {
        let shape = stored.shape();
        let text = format!("expected two rows, sources and targets, got shape {shape:?}");
        return Err(Failure::new(text)).in_file(file);
    }
    let negative = stored.indexed_iter().find(|(_, node)| **node < 0);
    if let Some(((row, edge), node)) = negative {
        let text = format!("expected nodes, at least 0, got {node} at [{row}, {edge}]");
        return Err(Failure::new(text)).in_file(file);
    }
    Ok(stored.mapv(|node| usize::try_from(node).unwrap_or_default()))
}

impl Network {
    /// A network of as many edges as there are scores and, where they are known, truths. Loops are left
    /// out: they lead nowhere.
    pub(crate) fn new(edge_index: &Array2<usize>, mask: &[f64], truth: Option<&[bool]>) -> Self {
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
    pub(crate) fn edges_of(&self, node: usize) -> &[Edge] {
        let begin = self.edges.partition_point(|edge| edge.from < node);
        let end = self.edges.partition_point(|edge| edge.from <= node);
        &self.edges[begin..end]
    }

    /// Whether the mask gives an edge of a node a positive score.
    pub(crate) fn is_scored(&self, node: usize) -> bool {
        self.edges_of(node).iter().any(|edge| edge.score > 0.0)
    }
}

//! Edge indices: their check, and which of their edges are one undirected edge.

use ndarray::ArrayView2;
use xai_core::{Error, Result};

use crate::input;

/// Checks that an edge index is `(2, n_edges)` and names nodes in `0..n_nodes`.
pub(crate) fn check_edge_index(edge_index: ArrayView2<'_, i64>, n_nodes: usize) -> Result<()> {
    if edge_index.nrows() != 2 {
        return Err(Error::shape_described(
            input::EDGE_INDEX,
            "(2, n_edges)",
            edge_index.shape(),
        ));
    }
    let beyond = |&node: &i64| usize::try_from(node).map_or(true, |node| node >= n_nodes);
    if !edge_index.iter().any(beyond) {
        return Ok(());
    }
    // The first by edge, then by end.
    for (edge, ends) in edge_index.columns().into_iter().enumerate() {
        if let Some(end) = ends.iter().position(beyond) {
            let (at, value) = ([end, edge], ends[end] as f64);
            let expected = format!("a node of {}", xai_core::text::index_range(n_nodes));
            return Err(Error::out_of_domain(
                input::EDGE_INDEX,
                &at,
                value,
                expected,
            ));
        }
    }
    Ok(())
}

/// Which directed edges are one undirected edge.
pub(crate) struct UndirectedEdges {
    /// The undirected edge of each directed one, numbered by first appearance.
    pub(crate) of_edge: Vec<usize>,
    /// The number of undirected edges.
    pub(crate) n_pairs: usize,
}

impl UndirectedEdges {
    /// Edges between the same two nodes, in either direction, are one.
    pub(crate) fn new(edge_index: ArrayView2<'_, i64>) -> Self {
        let ends = |edge: usize| {
            let (a, b) = (edge_index[[0, edge]], edge_index[[1, edge]]);
            (a.min(b), a.max(b))
        };
        let mut order: Vec<usize> = (0..edge_index.ncols()).collect();
        order.sort_by_key(|&edge| ends(edge)); // stable: the first of equals comes first
        let mut first: Vec<usize> = (0..order.len()).collect();
        for neighbors in order.windows(2) {
            if ends(neighbors[0]) == ends(neighbors[1]) {
                first[neighbors[1]] = first[neighbors[0]];
            }
        }
        let mut n_pairs = 0;
        let mut of_edge = vec![0; first.len()];
        for (edge, &first) in first.iter().enumerate() {
            of_edge[edge] = if first == edge {
                n_pairs += 1;
                n_pairs - 1
            } else {
                of_edge[first]
            };
        }
        Self { of_edge, n_pairs }
    }

    /// Every directed edge by itself.
    pub(crate) fn directed(n_edges: usize) -> Self {
        Self {
            of_edge: (0..n_edges).collect(),
            n_pairs: n_edges,
        }
    }

    /// The number of directed edges of each undirected one.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.n_pairs];
        for &pair in &self.of_edge {
            sizes[pair] += 1.0;
        }
        sizes
    }
}

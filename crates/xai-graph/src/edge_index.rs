//! Creation and validation of edge indices, and grouping of directed edges into undirected ones.

use ndarray::{Array2, ArrayView2};
use xai_core::{Error, Result};

use crate::input;

/// Returns the edge index of a [`Graph`](crate::Graph), `(2, n_edges)`, from the source and target of each edge.
///
/// ```
/// use ndarray::array;
/// use xai_graph::model::edge_index;
/// assert_eq!(edge_index([(0, 1), (2, 1)]), array![[0, 2], [1, 1]]);
/// ```
pub fn edge_index(edges: impl IntoIterator<Item = (usize, usize)>) -> Array2<i64> {
    // A node above `i64::MAX` does not exist in any graph, which `Graph::new` reports.
    let node = |node: usize| i64::try_from(node).unwrap_or(i64::MAX);
    let edges = edges.into_iter();
    let ends: Vec<[i64; 2]> = edges
        .map(|(source, target)| [node(source), node(target)])
        .collect();
    Array2::from(ends).reversed_axes()
}

/// Checks that an edge index has the shape `(2, n_edges)` and only refers to nodes in `0..n_nodes`.
pub(crate) fn check_edge_index(edge_index: ArrayView2<'_, i64>, n_nodes: usize) -> Result<()> {
    if edge_index.nrows() != 2 {
        return Err(Error::shape_described(
            input::EDGE_INDEX,
            "(2, n_edges)",
            edge_index.shape(),
        ));
    }
    let is_missing = |&node: &i64| usize::try_from(node).map_or(true, |node| node >= n_nodes);
    // One fast pass over memory; the slower search by edge only runs for the error.
    if !edge_index.iter().any(is_missing) {
        return Ok(());
    }
    // Reports the first invalid entry by edge, then by end.
    for (edge, ends) in edge_index.columns().into_iter().enumerate() {
        if let Some(end) = ends.iter().position(is_missing) {
            let (index, value) = ([end, edge], ends[end] as f64);
            let expected = format!("a node of {}", xai_core::text::index_range(n_nodes));
            return Err(Error::out_of_domain(
                input::EDGE_INDEX,
                &index,
                value,
                expected,
            ));
        }
    }
    Ok(())
}

/// Grouping of directed edges into undirected ones.
pub(crate) struct UndirectedEdges {
    /// Undirected edge of each directed one, numbered in order of first appearance.
    pub(crate) pair_of_edge: Vec<usize>,
    /// Number of undirected edges.
    pub(crate) n_pairs: usize,
}

impl UndirectedEdges {
    /// Groups edges between the same two nodes in either direction.
    pub(crate) fn new(edge_index: ArrayView2<'_, i64>) -> Self {
        let ends = |edge: usize| {
            let (a, b) = (edge_index[[0, edge]], edge_index[[1, edge]]);
            (a.min(b), a.max(b))
        };
        // Equal ends become neighbours. The sort is stable, so the first edge of each pair comes first.
        let mut order: Vec<usize> = (0..edge_index.ncols()).collect();
        order.sort_by_key(|&edge| ends(edge));
        let mut first: Vec<usize> = (0..order.len()).collect();
        for neighbors in order.windows(2) {
            if ends(neighbors[0]) == ends(neighbors[1]) {
                first[neighbors[1]] = first[neighbors[0]];
            }
        }
        // Numbered in the order of the edges, so that ties between pairs go to the one that comes first.
        let mut n_pairs = 0;
        let mut pair_of_edge = vec![0; first.len()];
        for (edge, &first) in first.iter().enumerate() {
            pair_of_edge[edge] = if first == edge {
                n_pairs += 1;
                n_pairs - 1
            } else {
                pair_of_edge[first]
            };
        }
        Self {
            pair_of_edge,
            n_pairs,
        }
    }

    /// Keeps every directed edge by itself.
    pub(crate) fn directed(n_edges: usize) -> Self {
        Self {
            pair_of_edge: (0..n_edges).collect(),
            n_pairs: n_edges,
        }
    }

    /// Number of directed edges per undirected one.
    pub(crate) fn sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.n_pairs];
        for &pair in &self.pair_of_edge {
            sizes[pair] += 1.0;
        }
        sizes
    }
}

//! Edits from a graph to its counterfactual.

use std::collections::BTreeSet;

use xai_core::describe::{MetricInfo, metric};
use xai_core::{Error, Result};

use crate::input;

/// Number of edges and nodes that differ between a graph and its counterfactual.
///
/// ```text
/// size: |E Δ E'| + | |V| − |V'| |   share: size / (|E| + |V|)
/// ```
///
/// # Extremes
/// 0: the graphs are the same. There is no upper end: a counterfactual may have any number of new edges.
///
/// # Limits
/// Nodes are matched by their numbers: a renumbered graph has other edges. Features do not count.
///
/// # Source
/// Lucic et al., *CF-GNNExplainer*, 2022 (explanation size); Prado-Romero and Stilo, *GRETEL*, 2022 (graph edit
/// distance).
///
/// # Elsewhere
/// `gretel.GraphEditDistance`
#[metric(
    name = "edit_size",
    direction = Direction::Lower,
    range = Range::NON_NEGATIVE,
    needs = &[input::GRAPHS],
)]
pub const EDIT_SIZE: &MetricInfo = INFO;

/// Edits that turn one graph into another.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct EditSize {
    /// Number of edges and nodes that are added or removed.
    pub size: usize,
    /// The number relative to the edges and nodes of the first graph; `None` if it has neither.
    pub share: Option<f64>,
}

/// Counts the edits from a graph to its counterfactual; each graph is its number of nodes and its edges.
///
/// An undirected edge counts once, whichever way it is written and however often.
///
/// ```
/// use xai_graph::edit_size;
/// let edit = edit_size((2, &[[0, 1]]), (3, &[[1, 0], [1, 2]]), false)?;
/// assert_eq!((edit.size, edit.share), (2, Some(2.0 / 3.0))); // a node and its edge
/// # Ok::<(), xai_graph::Error>(())
/// ```
///
/// # Errors
/// `OutOfDomain` about [`input::GRAPHS`] for an edge at a node that the graph does not have.
pub fn edit_size(
    before: (usize, &[[usize; 2]]),
    after: (usize, &[[usize; 2]]),
    directed: bool,
) -> Result<EditSize> {
    let edges = edge_set(before, directed)?;
    let changed = edges
        .symmetric_difference(&edge_set(after, directed)?)
        .count();
    let size = changed + before.0.abs_diff(after.0);
    let n_elements = edges.len() + before.0;
    Ok(EditSize {
        size,
        share: (n_elements > 0).then(|| size as f64 / n_elements as f64),
    })
}

fn edge_set(
    (n_nodes, edges): (usize, &[[usize; 2]]),
    directed: bool,
) -> Result<BTreeSet<[usize; 2]>> {
    let check = |(position, &edge): (usize, &[usize; 2])| {
        if let Some(node) = edge.into_iter().find(|&node| node >= n_nodes) {
            let expected = format!("one of {n_nodes} nodes, counted from 0");
            return Err(Error::out_of_domain(
                input::GRAPHS,
                &[position],
                node as f64,
                expected,
            ));
        }
        let [from, to] = edge;
        Ok(if directed {
            edge
        } else {
            [from.min(to), from.max(to)]
        })
    };
    edges.iter().enumerate().map(check).collect()
}

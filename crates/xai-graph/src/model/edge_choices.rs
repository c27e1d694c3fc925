//! Removal of the edges of an explanation.

use ndarray::ArrayView2;
use xai_core::describe::{Parameter, Parameters};

use crate::edge_index::UndirectedEdges;

/// How edges are removed from a graph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum EdgeRemoval {
    /// Multiplies edge weights by the mask. Supports soft masks.
    ///
    /// PyTorch Geometric multiplies the messages instead, which is the same for a model that scales messages by the
    /// edge weight, but not for one that also normalises by weighted degrees.
    #[default]
    Weight,
    /// Removes edges with mask 0 from the edge index. The mask must be hard (0 or 1).
    ///
    /// See [`sparsify`](crate::mask::sparsify).
    Remove,
}

/// Treatment of edges by metrics that call the model on parts of a graph. By default edges are weighted, and the two
/// directions of an edge are independent.
///
/// ```
/// use xai_graph::SparsitySweep;
/// use xai_graph::model::{EdgeChoices, EdgeRemoval};
/// let choices = EdgeChoices::new().removal(EdgeRemoval::Remove).undirected(true);
/// let sweep = SparsitySweep::new().edges(choices);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameters)]
pub struct EdgeChoices {
    /// How edges are removed.
    pub(crate) removal: EdgeRemoval,
    /// Whether both directions of an edge are kept or removed together.
    ///
    /// See [`sparsify_undirected`](crate::mask::sparsify_undirected).
    undirected: bool,
}

impl EdgeChoices {
    /// Removal by weight, with directed edges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Groups of edges that are kept or removed together.
    pub(crate) fn pairs(self, edge_index: ArrayView2<'_, i64>) -> UndirectedEdges {
        if self.undirected {
            UndirectedEdges::new(edge_index)
        } else {
            UndirectedEdges::directed(edge_index.ncols())
        }
    }

    /// Returns whether both directions of an edge are kept or removed together.
    pub(crate) fn is_undirected(self) -> bool {
        self.undirected
    }
}

//! How the edges of an explanation are taken away.

use ndarray::ArrayView2;
use xai_core::describe::{Parameter, Parameters};

use crate::edge_index::UndirectedEdges;

/// How edges are taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameter)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EdgeRemoval {
    /// Edge weights are multiplied by the mask; takes soft masks.
    ///
    /// PyTorch Geometric multiplies the messages instead: the same for a model that scales messages by
    /// the weight, but not for one that also normalises by weighted degrees.
    #[default]
    Weight,
    /// Edges of mask 0 leave the edge index. The mask must be hard, 0 or 1.
    ///
    /// See [`sparsify`](crate::mask::sparsify).
    Remove,
}

/// What a metric that calls the model on parts of a graph does with edges: by weight and each
/// direction by itself unless said otherwise.
///
/// ```
/// use xai_graph::Sweep;
/// use xai_graph::model::{EdgeChoices, EdgeRemoval};
/// let choices = EdgeChoices::new().removal(EdgeRemoval::Remove).undirected(true);
/// let sweep = Sweep::new().edges(choices);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Parameters)]
pub struct EdgeChoices {
    /// How edges are taken away.
    pub(crate) removal: EdgeRemoval,
    /// Whether the two directions of an edge are kept or taken away together.
    ///
    /// See [`sparsify_undirected`](crate::mask::sparsify_undirected).
    undirected: bool,
}

impl EdgeChoices {
    /// Removal by weight, directed edges.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The edges that go together.
    pub(crate) fn pairs(self, edge_index: ArrayView2<'_, i64>) -> UndirectedEdges {
        if self.undirected {
            UndirectedEdges::new(edge_index)
        } else {
            UndirectedEdges::directed(edge_index.ncols())
        }
    }

    /// Whether the two directions of an edge go together.
    pub(crate) fn is_undirected(self) -> bool {
        self.undirected
    }
}

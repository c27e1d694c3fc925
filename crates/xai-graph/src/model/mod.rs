//! Models from closures, their outputs, and the subgraphs that an explanation keeps and removes.

pub(crate) mod edge_choices;
pub(crate) mod explanation;
pub(crate) mod graph;
pub(crate) mod graph_model;

pub use crate::edge_index::edge_index;
pub use edge_choices::{EdgeChoices, EdgeRemoval};
pub use graph::OwnedGraph;
pub use graph_model::{BoxError, ExplainedOutputs, graph_fn};

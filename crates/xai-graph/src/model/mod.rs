//! Graphs, models over them, explanations, and the subgraphs that an explanation keeps and removes.

pub(crate) mod edge_choices;
pub(crate) mod explanation;
pub(crate) mod graph;
pub(crate) mod graph_model;

pub use edge_choices::{EdgeChoices, EdgeRemoval};
pub use explanation::Explanation;
pub use graph::{Graph, OwnedGraph};
pub use graph_model::{ExplainedOutputs, GraphModel, explained_outputs};

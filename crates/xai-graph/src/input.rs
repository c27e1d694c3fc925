//! Inputs that errors of this crate refer to: arrays and parameters.

use xai_core::Input;
pub use xai_core::input::{MODEL, OUTPUTS, SAMPLES};

/// Predictions or outputs on the whole graph.
pub const FULL: Input = Input::new("full");
/// Predictions or outputs on the explanation alone.
pub const KEPT: Input = Input::new("kept");
/// Predictions or outputs on the graph without the explanation.
pub const COMPLEMENT: Input = Input::new("complement");
/// True labels of the samples, or the true mask.
pub const TARGET: Input = Input::new("target");
/// Indices of the samples that are compared.
pub const INDEX: Input = Input::new("index");

/// Node features.
pub const FEATURES: Input = Input::new("features");
/// Nodes of a graph.
pub const NODES: Input = Input::new("nodes");
/// Source and target nodes of the edges.
pub const EDGE_INDEX: Input = Input::new("edge_index");
/// Weight of each edge.
pub const EDGE_WEIGHT: Input = Input::new("edge_weight");
/// Graph of a batch that each node belongs to.
pub const BATCH: Input = Input::new("batch");
/// Explanation by edges.
pub const EDGE_MASK: Input = Input::new("edge_mask");
/// Explanation by nodes, features or both.
pub const NODE_MASK: Input = Input::new("node_mask");
/// How edges are removed.
pub const REMOVAL: Input = Input::new("removal");
/// Mask over any elements.
pub const MASK: Input = Input::new("mask");
/// Hard mask over edges.
pub const EXPLANATION: Input = Input::new("explanation");

/// Mask that is compared with the ground truth.
pub const PREDICTED: Input = Input::new("predicted");
/// Elements of a mask and its ground truth.
pub const ELEMENTS: Input = Input::new("elements");
/// Several valid ground truths.
pub const TRUTHS: Input = Input::new("truths");

/// fid₊ at each point of a curve.
pub const POS_FIDELITY: Input = Input::new("pos_fidelity");
/// fid₋ at each point of a curve.
pub const NEG_FIDELITY: Input = Input::new("neg_fidelity");
/// Abscissas of the points of a curve.
pub const X: Input = Input::new("x");
/// Ordinates of the points of a curve.
pub const Y: Input = Input::new("y");
/// Points of a curve.
pub const POINTS: Input = Input::new("points of the curve");
/// Explanation sizes of a sweep.
pub const LEVELS: Input = Input::new("levels");

/// Sum of the two weights of the characterization.
pub const WEIGHT_SUM: Input = Input::new("pos_weight + neg_weight");
/// Threshold of a mask.
pub const THRESHOLD: Input = Input::new("threshold");
/// Number of elements of a mask that count as predicted.
pub const SELECTION: Input = Input::new("selection");
/// Number of elements or features that are kept.
pub const TOP_K: Input = Input::new("top_k");
/// Share of the elements that is kept.
pub const FRACTION: Input = Input::new("fraction");

/// Graphs of a data set.
pub const GRAPHS: Input = Input::new("graphs");
/// State that is merged into another one.
pub const MERGED_STATE: Input = Input::new("merged state");

/// Distribution that a divergence takes as the truth.
pub const P: Input = Input::new("p");
/// Distribution that a divergence compares with the truth.
pub const Q: Input = Input::new("q");
/// Logarithms of [`P`].
pub const LOG_P: Input = Input::new("log_p");
/// Logarithms of [`Q`].
pub const LOG_Q: Input = Input::new("log_q");
/// Outcomes of a distribution.
pub const OUTCOMES: Input = Input::new("outcomes");

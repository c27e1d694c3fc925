//! The inputs that errors of this crate are about: arrays and parameters.

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
/// Positions of the samples that are compared.
pub const INDEX: Input = Input::new("index");

/// Node features.
pub const FEATURES: Input = Input::new("features");
/// The nodes of a graph.
pub const NODES: Input = Input::new("nodes");
/// Sources and targets of the edges.
pub const EDGE_INDEX: Input = Input::new("edge_index");
/// How much each edge carries.
pub const EDGE_WEIGHT: Input = Input::new("edge_weight");
/// Which graph of a batch each node belongs to.
pub const BATCH: Input = Input::new("batch");
/// An explanation by edges.
pub const EDGE_MASK: Input = Input::new("edge_mask");
/// An explanation by nodes, features or both.
pub const NODE_MASK: Input = Input::new("node_mask");
/// A mask over anything.
pub const MASK: Input = Input::new("mask");
/// A hard mask over edges.
pub const EXPLANATION: Input = Input::new("explanation");

/// The mask that is scored against the truth.
pub const PREDICTED: Input = Input::new("predicted");
/// The elements of a mask and its truth.
pub const ELEMENTS: Input = Input::new("elements");
/// Several valid truths.
pub const TRUTHS: Input = Input::new("truths");

/// fid₊ of each point of a curve.
pub const POS_FIDELITY: Input = Input::new("pos_fidelity");
/// fid₋ of each point of a curve.
pub const NEG_FIDELITY: Input = Input::new("neg_fidelity");
/// Where the points of a curve stand.
pub const X: Input = Input::new("x");
/// The values at the points of a curve.
pub const Y: Input = Input::new("y");
/// The points of a curve.
pub const POINTS: Input = Input::new("points of the curve");
/// The sizes of an explanation in a sweep.
pub const LEVELS: Input = Input::new("levels");

/// Both weights of the characterization.
pub const WEIGHT_SUM: Input = Input::new("pos_weight + neg_weight");
/// The threshold of a mask.
pub const THRESHOLD: Input = Input::new("threshold");
/// How many elements of a mask count as predicted.
pub const SELECTION: Input = Input::new("selection");
/// How many elements or features are kept.
pub const TOP_K: Input = Input::new("top_k");
/// The share of the elements that is kept.
pub const FRACTION: Input = Input::new("fraction");

/// The graphs of a data set.
pub const GRAPHS: Input = Input::new("graphs");
/// A state that is merged into another.
pub const MERGED_STATE: Input = Input::new("merged state");

/// The distribution that a divergence takes as the truth.
pub const P: Input = Input::new("p");
/// The distribution that a divergence compares with the truth.
pub const Q: Input = Input::new("q");
/// Logarithms of [`P`].
pub const LOG_P: Input = Input::new("log_p");
/// Logarithms of [`Q`].
pub const LOG_Q: Input = Input::new("log_q");
/// The outcomes of a distribution.
pub const OUTCOMES: Input = Input::new("outcomes");

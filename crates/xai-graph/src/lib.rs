//! Is an explanatory subgraph sufficient and necessary?
//!
//! An explanation of a graph model's prediction is a mask: the edges, nodes or features that are
//! said to matter. This crate scores it, from the model's answers on the whole graph, on the
//! explanation alone and on the rest, or from the truth where it is known.
//!
//! # Which metric when
//!
//! | you have | use | it tells |
//! |---|---|---|
//! | predictions on all three graphs | [`fidelity()`], [`FidelityMetric`] | fid₊: does the prediction change without the explanation (necessary)? fid₋: does it change with it alone (not sufficient)? |
//! | fid₊ and fid₋ | [`Characterization`] | both in one number |
//! | both at several explanation sizes | [`fidelity_curve_auc`] | one number for the curve |
//! | output rows on the whole and the kept graph | [`unfaithfulness()`], [`UnfaithfulnessMetric`] | how far the whole answer moves, not only its winner |
//! | output rows at several explanation sizes | [`Sweep::evaluate`] | all of the above per size, the area, the best size |
//! | the true explanation | [`ground_truth()`], [`GroundTruthMetric`] | how well the mask finds it |
//! | the same, at every threshold | [`GroundTruthMetric::curves`] | the ROC and the precision-recall curve |
//! | the model itself, as a closure over a [`Graph`] | [`explained_outputs`], [`Sweep::evaluate_model`], [`RobustFidelityMetric`] | all of the above from a mask; fidelity over explanation sizes; fidelity that takes away a little at a time, by labels and by probabilities |
//! | nothing but the mask | [`mask::MaskMetric`] | how small, how decided, how connected it is |
//! | many graphs | [`OverGraphs`], [`dataset::MacroAverages`], [`dataset::micro_intervals`] | averages over graphs with intervals, and all rows together |
//!
//! [`registry`] lists every number with its question, direction and source.
//!
//! # What the numbers do not tell
//!
//! Fidelity and unfaithfulness feed the model graphs that it never saw in training; a large change
//! may come from that alone. They speak about the model, not about the world, and an explanation of
//! everything is always sufficient: compare explanations at equal size. The ground truth is that of
//! whoever planted it; a model may rightly use something else.
//!
//! ```
//! let full = [0, 1, 2, 1];
//! let kept = [0, 1, 2, 0];
//! let complement = [1, 0, 2, 0];
//! let fidelity = xai_graph::fidelity(&full, &kept, &complement)?;
//! assert_eq!((fidelity.pos, fidelity.neg), (0.75, 0.25));
//! assert_eq!(fidelity.characterization(), 0.75);
//! # Ok::<(), xai_graph::Error>(())
//! ```
//!
//! # Errors
//!
//! An [`Error`] holds as data its [kind](ErrorKind) (the documentation of a function names the
//! kinds), the [input] that it is about, where in it, and the [way out](help).
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: results and states can be stored.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod dataset;
mod edge_index;
pub mod fidelity;
pub mod ground_truth;
pub mod help;
pub mod input;
pub mod mask;
pub mod model;
pub mod outputs;
pub mod registry;
pub mod unfaithfulness;

pub use dataset::{OverGraphs, Sweep};
pub use fidelity::{
    Characterization, Fidelity, FidelityMetric, RobustFidelityMetric, fidelity, fidelity_curve_auc,
};
pub use ground_truth::{GroundTruth, GroundTruthMetric, ground_truth};
pub use model::{Explanation, Graph, GraphModel, explained_outputs};
pub use outputs::{Predictions, ReturnType};
pub use registry::FAMILY;
pub use unfaithfulness::{KlDirection, Unfaithfulness, UnfaithfulnessMetric, unfaithfulness};
pub use xai_core::{Accumulator, Error, ErrorKind, Result};

// They may be sent to other threads, and shared among them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Fidelity>();
    crosses_threads::<FidelityMetric<'_>>();
    crosses_threads::<GroundTruth>();
    crosses_threads::<Unfaithfulness>();
};

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
//! | predictions on all three graphs | [`fidelity`], [`FidelityMetric`] | fid₊: does the prediction change without the explanation (necessary)? fid₋: does it change with it alone (not sufficient)? |
//! | fid₊ and fid₋ | [`characterization_score`] | both in one number |
//! | both at several explanation sizes | [`fidelity_curve_auc`] | one number for the curve |
//! | output rows on the whole and the kept graph | [`unfaithfulness`], [`UnfaithfulnessMetric`] | how far the whole answer moves, not only its winner |
//! | the true explanation | [`ground_truth`], [`GroundTruthMetric`] | how well the mask finds it |
//!
//! | the model itself, as a closure over a [`Graph`] | [`explained_outputs`], [`Sweep::run`], [`RobustFidelityMetric`] | all of the above from a mask; fidelity over explanation sizes; fidelity that takes away a little at a time |
//! | nothing but the mask | [`mask_properties`], [`edge_mask_properties`] | how small, how decided, how connected it is |
//! | many graphs | [`OverGraphs`], [`MacroAverages`], [`micro_intervals`] | averages over graphs with intervals, and all rows together |
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
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: results and states can be stored.
// `row_divergence` alone allows it, to choose among instruction sets.
#![deny(unsafe_code)]

mod characterization;
mod fidelity;
mod graph;
mod ground_truth;
mod index;
mod mask_properties;
mod outputs;
mod over_graphs;
mod predictions;
mod radix_sort;
mod ranking;
mod robust_fidelity;
mod row_divergence;
mod sparsify;
mod sweep;
mod top_k;
mod unfaithfulness;

pub use characterization::{characterization_score, characterization_scores, fidelity_curve_auc};
pub use fidelity::{Fidelity, FidelityAccumulator, FidelityBatch, FidelityMetric, fidelity};
pub use graph::{
    EdgeRemoval, ExplainedOutputs, Explanation, Graph, GraphModel, OwnedGraph, explained_outputs,
};
pub use ground_truth::{
    Confusion, GroundTruth, GroundTruthAccumulator, GroundTruthMetric, Selection, ZeroDivision,
    ground_truth,
};
pub use mask_properties::{MaskProperties, edge_mask_properties, mask_properties};
pub use outputs::{OutputDistribution, ReturnType};
pub use over_graphs::{
    DatasetScores, GraphStatistics, MacroAverage, MacroAverages, OverGraphs, micro_intervals,
};
pub use predictions::Predictions;
pub use robust_fidelity::{RobustFidelity, RobustFidelityMetric};
pub use sparsify::{Sparsity, sparsify, sparsify_undirected};
pub use sweep::{Sweep, SweepCurve, SweepPoint};
pub use top_k::{top_k_feature_mask, top_k_features};
pub use unfaithfulness::{
    KlDirection, Unfaithfulness, UnfaithfulnessAccumulator, UnfaithfulnessMetric, unfaithfulness,
};
pub use xai_core::{Accumulator, Error, Interval, Label, Real, Result};

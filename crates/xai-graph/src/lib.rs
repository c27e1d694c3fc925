//! Metrics of explanations of graph models.
//!
//! An explanation of a prediction of a graph model is a mask over the edges, nodes or features that are important.
//! This crate evaluates it from the outputs of the model on the whole graph, on the explanation alone (is it
//! sufficient?) and on the rest (is it necessary?), or from the ground truth if that is known.
//!
//! ```
//! // Predicted classes on the whole graph, on the explanation alone, and without it.
//! let full = [0, 1, 2, 1];
//! let kept = [0, 1, 2, 0];
//! let complement = [1, 0, 2, 0];
//! let fidelity = xai_graph::fidelity(&full, &kept, &complement)?;
//! assert_eq!((fidelity.pos, fidelity.neg), (0.75, 0.25));
//! assert_eq!(fidelity.characterization(), 0.75);
//! # Ok::<(), xai_graph::Error>(())
//! ```
//!
//! # Which metric when
//!
//! Begin with [`fidelity()`], and with [`ground_truth()`] if the true explanation is known. Fidelity is two numbers:
//! fid₊ is the share of predictions that change without the explanation (1: it is necessary), fid₋ the share that
//! change with the explanation alone (0: it is sufficient).
//!
//! | you have | use | result |
//! |---|---|---|
//! | predictions on the whole graph, on the explanation and on the rest | [`fidelity()`], [`FidelityMetric`] | fid₊ and fid₋ |
//! | fid₊ and fid₋ | [`Characterization`] | fid₊ and fid₋ in one number |
//! | fid₊ and fid₋ at several explanation sizes | [`fidelity_curve_auc`] | the area under the fidelity curve |
//! | output rows on the whole graph and on the explanation | [`unfaithfulness()`], [`UnfaithfulnessMetric`] | divergence of the whole output distribution, not only of its largest class |
//! | output rows at several explanation sizes | [`SparsitySweep::evaluate`] | fidelity and unfaithfulness at each size, the area under the fidelity curve, the best size |
//! | the true explanation | [`ground_truth()`], [`GroundTruthMetric`] | agreement of the mask with the true explanation |
//! | the true explanation, and a mask of scores | [`GroundTruthMetric::curves`] | the ROC and the precision-recall curve over all thresholds |
//! | the model, as a [`GraphModel`], and a mask | [`explained_outputs`] | the outputs that fidelity and unfaithfulness need |
//! | the model and a mask of scores | [`SparsitySweep::evaluate_model`] | fidelity and unfaithfulness over explanation sizes |
//! | the model and a hard mask | [`RobustFidelityMetric`] | fidelity that removes only a random part of the edges at a time |
//! | a counterfactual graph | [`edit_size()`] | edges and nodes that differ |
//! | nothing but the mask | [`mask::MaskMetric`] | size, entropy and connectivity |
//! | many graphs | [`OverGraphs`], [`dataset::MacroAverages`], [`dataset::micro_intervals`] | averages over graphs with intervals, and scores over all rows together |
//!
//! [`metrics`] describes them all, with formulas, ranges and sources.
//!
//! Fidelity and unfaithfulness evaluate the model on graphs unlike any that it was trained on, and a large change may
//! come from that alone. They describe the model, not the world. An explanation of everything is always sufficient,
//! so compare explanations of equal size. A ground truth is what its authors planted; a model may legitimately use
//! something else.
//!
//! # Graphs of other libraries
//!
//! [`edge_index`](model::edge_index) converts edges, and [`Graph::edges`] converts them back. By default edges are
//! removed by giving them the weight 0 ([`EdgeRemoval::Weight`](model::EdgeRemoval::Weight)), so a model must read
//! [`Graph::edge_weight`], and **a weight of 0 must have the effect of a missing edge**. A model that
//! ignores weights is refused, and needs [`EdgeRemoval::Remove`](model::EdgeRemoval::Remove). With `petgraph`:
//!
//! ```ignore
//! let ends = |edge: EdgeReference<'_, f64>| (edge.source().index(), edge.target().index());
//! let edges = edge_index(graph.edge_references().map(ends));
//! let features = Array2::from(graph.node_weights().map(|&mark| [mark]).collect::<Vec<_>>());
//! let input = Graph::new(features.view(), edges.view())?;
//! let model = graph_fn(|part| {
//!     let mut graph = DiGraph::new();
//!     for mark in part.features {
//!         graph.add_node(*mark);
//!     }
//!     let weight = |k: usize| part.edge_weight.map_or(1.0, |weights| weights[k]);
//!     let edges = part.edges().enumerate();
//!     graph.extend_with_edges(edges.map(|(k, (a, b))| (a as u32, b as u32, weight(k))));
//!     Ok(Array2::from(scores(&graph)))
//! });
//! ```
//!
//! The whole program is in
//! [`examples/adapters`](https://github.com/xai-metrics/xai-metrics/tree/main/examples/adapters).
//!
//! # Modules
//!
//! | module | contents |
//! |---|---|
//! | [`metrics`] | all metrics of the crate |
//! | [`model`](mod@model) | models from closures, and the removal of edges |
//! | [`mask`] | sparsification and properties of masks, top features |
//! | [`mod@fidelity`], [`mod@unfaithfulness`], [`mod@ground_truth`] | results and mergeable states of these metrics |
//! | [`outputs`] | how outputs are read |
//! | [`dataset`] | results over explanation sizes and over graphs |
//! | [`stop`] | stopping work from another thread |
//! | [`input`] | names of arrays and parameters in errors |
//!
//! Arrays are those of `ndarray` 0.17, re-exported as [`ndarray`].
//!
//! # Features
//!
//! - `rayon` (default): parallel loops. Results are bit-identical without it.
//! - `serde`: serialization of results and states.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod dataset;
mod edge_index;
mod edit_size;
pub mod fidelity;
pub mod ground_truth;
#[doc(hidden)]
pub mod help;
pub mod input;
pub mod mask;
pub mod metrics;
pub mod model;
pub mod outputs;
mod registry;
pub mod unfaithfulness;

#[doc(no_inline)]
pub use ndarray;

#[doc(inline)]
pub use dataset::over_graphs::OverGraphs;
#[doc(inline)]
pub use dataset::sweep::SparsitySweep;
#[doc(inline)]
pub use edit_size::{EDIT_SIZE, EditSize, edit_size};
#[doc(inline)]
pub use fidelity::characterization::{Characterization, Fidelity};
#[doc(inline)]
pub use fidelity::curve_auc::fidelity_curve_auc;
#[doc(inline)]
pub use fidelity::metric::{FidelityMetric, fidelity};
#[doc(inline)]
pub use fidelity::robust::RobustFidelityMetric;
#[doc(inline)]
pub use ground_truth::evaluate::ground_truth;
#[doc(inline)]
pub use ground_truth::metric::GroundTruthMetric;
#[doc(inline)]
pub use ground_truth::scores::GroundTruth;
#[doc(inline)]
pub use model::explanation::Explanation;
#[doc(inline)]
pub use model::graph::Graph;
#[doc(inline)]
pub use model::graph_model::{GraphModel, explained_outputs};
#[doc(inline)]
pub use outputs::output_rows::ReturnType;
#[doc(inline)]
pub use outputs::predictions::Predictions;
#[doc(hidden)]
pub use registry::FAMILY;
#[doc(inline)]
pub use unfaithfulness::metric::{
    KlDirection, Unfaithfulness, UnfaithfulnessMetric, unfaithfulness,
};
#[doc(no_inline)]
pub use xai_core::{Accumulator, Error, ErrorKind, Result};

#[doc(inline)]
pub use xai_core::stop;

// These types can be sent to other threads and shared between them.
const _: () = {
    const fn crosses_threads<T: Send + Sync>() {}
    crosses_threads::<Fidelity>();
    crosses_threads::<FidelityMetric<'_>>();
    crosses_threads::<GroundTruth>();
    crosses_threads::<Unfaithfulness>();
};

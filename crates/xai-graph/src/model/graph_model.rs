//! Models over graphs, and their outputs with and without an explanation.

use std::error::Error as StdError;
use std::fmt;

use ndarray::{Array1, Array2};
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::model::edge_choices::EdgeRemoval;
use crate::model::explanation::Explanation;
use crate::model::graph::Graph;
use crate::{help, input};

/// Error of a model.
pub type BoxError = Box<dyn StdError + Send + Sync>;

/// A model over graphs: maps node features, edges and edge weights to output rows.
///
/// Depending on the task there is one row per node, edge or graph, always the same number for the same nodes.
/// Implemented by closures `Fn(Graph<'_, T>) -> Result<Array2<T>, E>` ([`graph_fn`] spares their type annotations) and
/// by boxed models. Functions that call the model from several threads also require [`Sync`].
///
/// An edge weight scales the message along the edge: a weight of 0 must have the same effect as a missing edge.
pub trait GraphModel<T> {
    /// Output rows, `(n_rows, n_classes)`.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, BoxError>;
}

impl<T, E, F> GraphModel<T> for F
where
    F: Fn(Graph<'_, T>) -> Result<Array2<T>, E>,
    E: Into<BoxError>,
{
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, BoxError> {
        self(graph).map_err(Into::into)
    }
}

macro_rules! impl_for_box {
    ($($model:ty),+) => {$(
        impl<T> GraphModel<T> for Box<$model> {
            fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, BoxError> {
                (**self).outputs(graph)
            }
        }
    )+};
}

// A `Box` of any model would overlap with closures.
impl_for_box!(
    dyn GraphModel<T> + '_,
    dyn GraphModel<T> + Send + '_,
    dyn GraphModel<T> + Sync + '_,
    dyn GraphModel<T> + Send + Sync + '_
);

/// Returns a closure as a [`GraphModel`], whose argument then needs no type annotation.
///
/// ```
/// use ndarray::array;
/// use xai_graph::model::{EdgeRemoval, graph_fn};
/// use xai_graph::{Explanation, Graph, explained_outputs};
/// // The scores of two classes for the whole graph: the number of edges, and the sum of the features.
/// let model = graph_fn(|graph| {
///     let n_edges: f64 = graph.edge_weight.map_or(graph.n_edges() as f64, |weight| weight.sum());
///     Ok(array![[n_edges, graph.features.sum()]])
/// });
/// let (features, edges) = (array![[1.0], [2.0]], array![[0, 1], [1, 0]]);
/// let graph = Graph::new(features.view(), edges.view())?;
/// let mask = array![1.0, 0.0];
/// let outputs = explained_outputs(&model, graph, Explanation::edges(mask.view()), EdgeRemoval::Weight)?;
/// assert_eq!(outputs.kept, array![[1.0, 3.0]]);
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn graph_fn<T, F>(model: F) -> F
where
    F: Fn(Graph<'_, T>) -> Result<Array2<T>, BoxError>,
{
    model
}

/// Calls a model and checks the shape of its outputs against `expected`, if given. `part` describes the part of the
/// graph in errors.
pub(crate) fn call<T: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    part: impl fmt::Display,
    expected: Option<(usize, usize)>,
) -> Result<Array2<T>> {
    let outputs = model
        .outputs(graph)
        .map_err(|source| Error::model(part.to_string(), source))?;
    if let Some((rows, columns)) = expected {
        check_shape(input::MODEL, &[rows, columns], outputs.shape())
            .map_err(|error| error.part(format!("outputs on {part}")))?;
    }
    Ok(outputs)
}

/// Outputs from which all scores of one explanation are computed.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ExplainedOutputs<T> {
    /// Outputs on the whole graph.
    pub full: Array2<T>,
    /// Outputs on the explanation alone.
    pub kept: Array2<T>,
    /// Outputs on the graph without the explanation.
    pub complement: Array2<T>,
}

/// Calls a model on the whole graph, on the explanation alone and on the rest, one after the other.
///
/// The three arrays are the arguments of [`FidelityMetric::evaluate`](crate::FidelityMetric::evaluate) and
/// [`unfaithfulness`](crate::unfaithfulness()).
///
/// # Errors
/// As [`Explanation::kept`]; `Model` if the model fails; `ShapeMismatch` if its outputs on the three graphs differ in
/// shape; `InvalidParameter` for [`EdgeRemoval::Weight`] and a model that does not read the weights of edges.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_graph::model::{EdgeRemoval, graph_fn};
/// use xai_graph::{Explanation, Graph, explained_outputs, fidelity};
///
/// // Each node's score for class 1 is what arrives over its edges.
/// let model = graph_fn::<f64, _>(|graph| {
///     let mut scores = Array2::from_elem((graph.n_nodes(), 2), 0.5);
///     for (edge, (source, target)) in graph.edges().enumerate() {
///         let weight = graph.edge_weight.map_or(1.0, |weight| weight[edge]);
///         scores[[target, 1]] += weight * graph.features[[source, 0]] - 0.25;
///     }
///     Ok(scores)
/// });
/// let (features, edges) = (array![[1.0], [1.0], [1.0]], array![[0, 1], [1, 2]]);
/// let graph = Graph::new(features.view(), edges.view())?;
/// let mask = array![1.0, 0.0]; // the edge into node 1 explains
/// let outputs = explained_outputs(&model, graph, Explanation::edges(mask.view()), EdgeRemoval::Remove)?;
/// let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement)?;
/// assert_eq!((fidelity.pos, fidelity.neg), (1.0 / 3.0, 1.0 / 3.0)); // node 1 without it; node 2 with it alone
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn explained_outputs<T: Real, M: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    explanation: Explanation<'_, M>,
    removal: EdgeRemoval,
) -> Result<ExplainedOutputs<T>> {
    // Both graphs are built, and the mask checked, before the first call of the model.
    let kept = explanation.kept(graph, removal)?;
    let complement = explanation.complement(graph, removal)?;
    let full = call(model, graph, "the whole graph", None)?;
    let shape = Some(full.dim());
    let outputs = ExplainedOutputs {
        kept: call(model, kept.view(), "the explanation alone", shape)?,
        complement: call(
            model,
            complement.view(),
            "the graph without the explanation",
            shape,
        )?,
        full,
    };
    let is_unchanged = outputs.kept == outputs.full && outputs.complement == outputs.full;
    if is_unchanged && explanation.has_edge_mask() {
        check_removal(model, graph, &outputs.full, removal)?;
    }
    Ok(outputs)
}

/// Fails if a model does not read the weights of edges, by which they are removed: if its outputs are those on the
/// whole graph when all weights are 0, but not without edges. Called if no removal changed the outputs.
pub(crate) fn check_removal<T: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    full: &Array2<T>,
    removal: EdgeRemoval,
) -> Result<()> {
    if removal != EdgeRemoval::Weight {
        return Ok(());
    }
    let (zeros, no_edges) = (
        Array1::from_elem(graph.n_edges(), T::ZERO),
        Array2::zeros((2, 0)),
    );
    let zero_weights = Graph {
        edge_weight: Some(zeros.view()),
        ..graph
    };
    let without_edges = Graph {
        edge_index: no_edges.view(),
        edge_weight: None,
        ..graph
    };
    // A model may need edges; then nothing is known.
    let equals_full = |graph| model.outputs(graph).ok().map(|outputs| outputs == *full);
    if equals_full(zero_weights) == Some(true) && equals_full(without_edges) == Some(false) {
        let expected = "\"remove\", because the model does not read the weights of edges: its outputs change without \
                        edges, but not with weights of 0";
        return Err(
            Error::parameter(input::REMOVAL, "weight", expected).with_help(help::REMOVE_EDGES)
        );
    }
    Ok(())
}

//! Models over graphs, and their outputs with and without an explanation.

use std::error::Error as StdError;
use std::fmt;

use ndarray::Array2;
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::input;
use crate::model::edge_choices::EdgeRemoval;
use crate::model::explanation::Explanation;
use crate::model::graph::Graph;

/// A model over graphs: maps node features, edges and edge weights to output rows.
///
/// Depending on the task there is one row per node, edge or graph, always the same number for the same nodes.
/// Implemented by closures `Fn(Graph<'_, T>) -> Result<Array2<T>, E>`.
///
/// An edge weight scales the message along the edge: a weight of 0 must have the same effect as a missing edge.
pub trait GraphModel<T>: Sync {
    /// Output rows, `(n_rows, n_classes)`.
    ///
    /// # Errors
    /// Errors of the model itself.
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, Box<dyn StdError + Send + Sync>>;
}

impl<T, E, F> GraphModel<T> for F
where
    F: Fn(Graph<'_, T>) -> Result<Array2<T>, E> + Sync,
    E: Into<Box<dyn StdError + Send + Sync>>,
{
    fn outputs(&self, graph: Graph<'_, T>) -> Result<Array2<T>, Box<dyn StdError + Send + Sync>> {
        self(graph).map_err(Into::into)
    }
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
pub struct ExplainedOutputs<T> {
    /// Outputs on the whole graph.
    pub full: Array2<T>,
    /// Outputs on the explanation alone.
    pub kept: Array2<T>,
    /// Outputs on the graph without the explanation.
    pub complement: Array2<T>,
}

/// Calls a model on the whole graph, on the explanation alone and on the rest.
///
/// The three arrays are the arguments of [`FidelityMetric::evaluate`](crate::FidelityMetric::evaluate) and
/// [`unfaithfulness`](crate::unfaithfulness()).
///
/// # Errors
/// As [`Explanation::kept`]; `Model` if the model fails; `ShapeMismatch` if its outputs on the three graphs differ in
/// shape.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_graph::model::EdgeRemoval;
/// use xai_graph::{Explanation, Graph, explained_outputs, fidelity};
///
/// // Each node's score for class 1 is what arrives over its edges.
/// let model = |graph: Graph<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
///     let mut scores = Array2::from_elem((graph.n_nodes(), 2), 0.5);
///     for (e, ends) in graph.edge_index.columns().into_iter().enumerate() {
///         let weight = graph.edge_weight.map_or(1.0, |weight| weight[e]);
///         scores[[ends[1] as usize, 1]] += weight * graph.features[[ends[0] as usize, 0]] - 0.25;
///     }
///     Ok(scores)
/// };
/// let (features, edges) = (array![[1.0], [1.0], [1.0]], array![[0, 1], [1, 2]]);
/// let graph = Graph::new(features.view(), edges.view())?;
/// let mask = array![1.0, 0.0]; // the edge into node 1 explains
/// let outputs = explained_outputs(&model, graph, Explanation::edges(mask.view()), EdgeRemoval::Remove)?;
/// let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement)?;
/// assert_eq!((fidelity.pos, fidelity.neg), (1.0 / 3.0, 1.0 / 3.0)); // node 1 without it; node 2 with it alone
/// # Ok::<(), xai_graph::Error>(())
/// ```
pub fn explained_outputs<T: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    explanation: Explanation<'_, T>,
    removal: EdgeRemoval,
) -> Result<ExplainedOutputs<T>> {
    // Both graphs are built, and the mask checked, before the first call of the model.
    let kept = explanation.kept(graph, removal)?;
    let complement = explanation.complement(graph, removal)?;
    let full = call(model, graph, "the whole graph", None)?;
    let shape = Some(full.dim());
    Ok(ExplainedOutputs {
        kept: call(model, kept.view(), "the explanation alone", shape)?,
        complement: call(
            model,
            complement.view(),
            "the graph without the explanation",
            shape,
        )?,
        full,
    })
}

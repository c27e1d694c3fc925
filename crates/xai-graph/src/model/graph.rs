//! Graphs, models over them, and the graphs that an explanation keeps and leaves.

use std::error::Error as StdError;

use ndarray::{Array1, Array2, ArrayView, ArrayView1, ArrayView2, Axis, Dimension, Zip};
use xai_core::{Error, Name, Real, Result, check_finite};

/// A graph as a model takes it.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive] // made by `new`, which checks
pub struct Graph<'a, T> {
    /// `(n_nodes, n_features)`.
    pub features: ArrayView2<'a, T>,
    /// `(2, n_edges)`: sources and targets, each in `0..n_nodes`.
    pub edge_index: ArrayView2<'a, i64>,
    /// `(n_edges,)`: how much each edge carries; `None` = 1 each.
    pub edge_weight: Option<ArrayView1<'a, T>>,
    /// `(n_nodes,)`: which graph of a batch each node belongs to; `None` for a single graph.
    pub batch: Option<ArrayView1<'a, i64>>,
}

impl<'a, T: Real> Graph<'a, T> {
    /// A single graph without edge weights.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for an edge index that is not `(2, n_edges)`,
    /// [`Error::OutOfDomain`] for an edge to a node that is not there, [`Error::NonFinite`],
    /// [`Error::Empty`] without nodes.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::Graph;
    /// let graph = Graph::new(array![[1.0], [2.0]].view(), array![[0, 1], [1, 0]].view()).map(drop);
    /// assert!(graph.is_ok());
    /// let beyond = Graph::new(array![[1.0], [2.0]].view(), array![[0], [2]].view()).unwrap_err();
    /// assert_eq!(beyond.to_string(), "edge_index[1, 0] = 2: expected a node, 0..2");
    /// ```
    pub fn new(features: ArrayView2<'a, T>, edge_index: ArrayView2<'a, i64>) -> Result<Self> {
        if features.nrows() == 0 {
            return Err(Error::empty("nodes"));
        }
        check_finite("features", features)?;
        check_edge_index(edge_index, features.nrows())?;
        Ok(Self {
            features,
            edge_index,
            edge_weight: None,
            batch: None,
        })
    }

    /// Weighs the edges.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] unless there is one weight an edge, [`Error::NonFinite`].
    pub fn with_edge_weight(mut self, edge_weight: ArrayView1<'a, T>) -> Result<Self> {
        if edge_weight.len() != self.n_edges() {
            return Err(Error::shape(
                "edge_weight",
                &[self.n_edges()],
                edge_weight.shape(),
            ));
        }
        check_finite("edge_weight", edge_weight)?;
        self.edge_weight = Some(edge_weight);
        Ok(self)
    }

    /// Says which graph of a batch each node belongs to.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] unless there is one a node, [`Error::OutOfDomain`] below 0.
    pub fn with_batch(mut self, batch: ArrayView1<'a, i64>) -> Result<Self> {
        if batch.len() != self.n_nodes() {
            return Err(Error::shape("batch", &[self.n_nodes()], batch.shape()));
        }
        if let Some(i) = batch.iter().position(|&graph| graph < 0) {
            #[allow(clippy::cast_precision_loss)] // for the message
            let value = batch[i] as f64;
            return Err(Error::out_of_domain(
                "batch",
                &[i],
                value,
                "a graph, at least 0",
            ));
        }
        self.batch = Some(batch);
        Ok(self)
    }

    /// The number of nodes.
    #[must_use]
    pub fn n_nodes(&self) -> usize {
        self.features.nrows()
    }

    /// The number of edges, each direction its own.
    #[must_use]
    pub fn n_edges(&self) -> usize {
        self.edge_index.ncols()
    }
}

/// Checks that an edge index is `(2, n_edges)` and names nodes in `0..n_nodes`.
pub(crate) fn check_edge_index(edge_index: ArrayView2<'_, i64>, n_nodes: usize) -> Result<()> {
    if edge_index.nrows() != 2 {
        return Err(Error::shape_described(
            "edge_index",
            "(2, n_edges)",
            edge_index.shape(),
        ));
    }
    let beyond = |&node: &i64| usize::try_from(node).map_or(true, |node| node >= n_nodes);
    if !edge_index.iter().any(beyond) {
        return Ok(());
    }
    // The first by edge, then by end.
    for (edge, ends) in edge_index.columns().into_iter().enumerate() {
        if let Some(end) = ends.iter().position(beyond) {
            #[allow(clippy::cast_precision_loss)] // for the message
            let value = ends[end] as f64;
            let expected = format!("a node, 0..{n_nodes}");
            return Err(Error::out_of_domain(
                "edge_index",
                &[end, edge],
                value,
                expected,
            ));
        }
    }
    Ok(())
}

/// A graph of one's own; [`view`](Self::view) is what a model takes.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnedGraph<T> {
    /// As in [`Graph`].
    pub features: Array2<T>,
    /// As in [`Graph`].
    pub edge_index: Array2<i64>,
    /// As in [`Graph`]; always given.
    pub edge_weight: Array1<T>,
    /// As in [`Graph`].
    pub batch: Option<Array1<i64>>,
}

impl<T: Real> OwnedGraph<T> {
    /// The graph as a model takes it.
    #[must_use]
    pub fn view(&self) -> Graph<'_, T> {
        Graph {
            features: self.features.view(),
            edge_index: self.edge_index.view(),
            edge_weight: Some(self.edge_weight.view()),
            batch: self.batch.as_ref().map(|batch| batch.view()),
        }
    }
}

/// A model over graphs: node features, edges and their weights in, output rows out.
///
/// One row a node, an edge or a graph, as the model's task is; always the same number for the same
/// nodes. Closures `Fn(Graph<'_, T>) -> Result<Array2<T>, E>` implement it.
///
/// An edge weight scales what the edge carries: a weight of 0 must count like an edge that is not
/// there.
pub trait GraphModel<T>: Sync {
    /// The output rows, `(n_rows, n_classes)`.
    ///
    /// # Errors
    /// The model's own.
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

/// Calls a model and checks the shape of what it returns against `expected`, where that is known.
pub(crate) fn call<T: Real>(
    model: &(impl GraphModel<T> + ?Sized),
    graph: Graph<'_, T>,
    what: impl Into<Name>,
    expected: Option<(usize, usize)>,
) -> Result<Array2<T>> {
    let what = what.into();
    let outputs = model
        .outputs(graph)
        .map_err(|source| Error::model(what.clone(), source))?;
    match expected {
        Some(expected) if outputs.dim() != expected => Err(Error::shape(
            format!("the model's outputs on {what}"),
            &[expected.0, expected.1],
            outputs.shape(),
        )),
        _ => Ok(outputs),
    }
}

/// How edges are taken away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum EdgeRemoval {
    /// Edge weights are multiplied by the mask; takes soft masks. `PyTorch` Geometric multiplies the
    /// messages instead: the same for a model that scales messages by the weight, but not for one
    /// that also normalises by weighted degrees.
    #[default]
    Weight,
    /// Edges of mask 0 leave the edge index. The mask must be hard, 0 or 1; see
    /// [`sparsify`](crate::sparsify).
    Remove,
}

/// An explanation: a mask over node features, over edges, or both. 1 = part of the explanation.
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a, T> {
    node_mask: Option<ArrayView2<'a, T>>,
    edge_mask: Option<ArrayView1<'a, T>>,
}

impl<'a, T: Real> Explanation<'a, T> {
    /// An explanation by edges, `(n_edges,)` in [0, 1]; all features stay.
    #[must_use]
    pub fn edges(edge_mask: ArrayView1<'a, T>) -> Self {
        Self {
            node_mask: None,
            edge_mask: Some(edge_mask),
        }
    }

    /// An explanation by nodes `(n_nodes, 1)`, by features `(1, n_features)`, or by both
    /// `(n_nodes, n_features)`, in [0, 1]; all edges stay.
    #[must_use]
    pub fn nodes(node_mask: ArrayView2<'a, T>) -> Self {
        Self {
            node_mask: Some(node_mask),
            edge_mask: None,
        }
    }

    /// Adds a node mask, as in [`nodes`](Self::nodes).
    #[must_use]
    pub fn with_nodes(mut self, node_mask: ArrayView2<'a, T>) -> Self {
        self.node_mask = Some(node_mask);
        self
    }

    /// The graph of the explanation alone: features ⊙ mask, edges by mask.
    ///
    /// # Errors
    /// [`Error::ShapeMismatch`] for a mask that does not fit the graph, [`Error::NonFinite`] and
    /// [`Error::OutOfDomain`] for a mask outside [0, 1], or a soft edge mask where edges are removed.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::{EdgeRemoval, Explanation, Graph};
    /// let (features, edges) = (array![[1.0], [2.0]], array![[0, 1], [1, 0]]);
    /// let graph = Graph::new(features.view(), edges.view())?;
    /// let mask = array![1.0, 0.0];
    /// let explanation = Explanation::edges(mask.view());
    /// assert_eq!(explanation.kept(graph, EdgeRemoval::Weight)?.edge_weight, array![1.0, 0.0]);
    /// assert_eq!(explanation.complement(graph, EdgeRemoval::Weight)?.edge_weight, array![0.0, 1.0]);
    /// assert_eq!(explanation.complement(graph, EdgeRemoval::Remove)?.edge_index, array![[1], [0]]);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn kept(&self, graph: Graph<'_, T>, removal: EdgeRemoval) -> Result<OwnedGraph<T>> {
        self.masked(graph, removal, |mask| mask)
    }

    /// The graph without the explanation: the same with `1 − mask`.
    ///
    /// # Errors
    /// As [`kept`](Self::kept).
    pub fn complement(&self, graph: Graph<'_, T>, removal: EdgeRemoval) -> Result<OwnedGraph<T>> {
        self.masked(graph, removal, |mask| T::one() - mask)
    }

    fn masked(
        &self,
        graph: Graph<'_, T>,
        removal: EdgeRemoval,
        share: impl Fn(T) -> T,
    ) -> Result<OwnedGraph<T>> {
        let mut features = graph.features.to_owned();
        if let Some(node_mask) = self.node_mask {
            let (n, f) = features.dim();
            if ![(n, f), (n, 1), (1, f)].contains(&node_mask.dim()) {
                return Err(Error::shape_described(
                    "node_mask",
                    format!("({n}, {f}), ({n}, 1) or (1, {f})"),
                    node_mask.shape(),
                ));
            }
            check_unit("node_mask", node_mask)?;
            // The shape was checked, so it broadcasts.
            if let Some(mask) = node_mask.broadcast((n, f)) {
                Zip::from(&mut features)
                    .and(mask)
                    .for_each(|x, &m| *x *= share(m));
            }
        }
        let mut edge_index = graph.edge_index.to_owned();
        // Public fields can be changed after they were checked.
        if graph.edge_index.nrows() != 2 {
            return Err(Error::shape_described(
                "edge_index",
                "(2, n_edges)",
                graph.edge_index.shape(),
            ));
        }
        if let Some(weight) = graph.edge_weight.filter(|w| w.len() != graph.n_edges()) {
            return Err(Error::shape(
                "edge_weight",
                &[graph.n_edges()],
                weight.shape(),
            ));
        }
        let mut edge_weight = match graph.edge_weight {
            Some(weight) => weight.to_owned(),
            None => Array1::ones(graph.n_edges()),
        };
        if let Some(edge_mask) = self.edge_mask {
            if edge_mask.len() != graph.n_edges() {
                return Err(Error::shape(
                    "edge_mask",
                    &[graph.n_edges()],
                    edge_mask.shape(),
                ));
            }
            check_unit("edge_mask", edge_mask)?;
            match removal {
                EdgeRemoval::Weight => {
                    Zip::from(&mut edge_weight)
                        .and(edge_mask)
                        .for_each(|weight, &m| *weight *= share(m));
                }
                EdgeRemoval::Remove => {
                    let soft = |m: &T| *m != T::zero() && *m != T::one();
                    if let Some(i) = edge_mask.iter().position(soft) {
                        return Err(Error::out_of_domain(
                            "edge_mask",
                            &[i],
                            edge_mask[i].to_f64_exact(),
                            "0 or 1 where edges are removed; sparsify the mask first",
                        ));
                    }
                    let stays = |&edge: &usize| share(edge_mask[edge]) == T::one();
                    let edges: Vec<usize> = (0..graph.n_edges()).filter(stays).collect();
                    edge_index = edge_index.select(Axis(1), &edges);
                    edge_weight = edge_weight.select(Axis(0), &edges);
                }
            }
        }
        Ok(OwnedGraph {
            features,
            edge_index,
            edge_weight,
            batch: graph.batch.map(|batch| batch.to_owned()),
        })
    }
}

/// Checks that a mask is in [0, 1].
pub(crate) fn check_unit<T: Real, D: Dimension>(
    what: &'static str,
    mask: ArrayView<'_, T, D>,
) -> Result<()> {
    check_finite(what, mask.view())?;
    let outside = |x: &T| *x < T::zero() || *x > T::one();
    if !mask.iter().any(outside) {
        return Ok(());
    }
    let mask = mask.into_dyn();
    match mask.indexed_iter().find(|(_, x)| outside(x)) {
        Some((index, value)) => Err(Error::out_of_domain(
            what,
            index.slice(),
            value.to_f64_exact(),
            "a mask in [0, 1]",
        )),
        None => Ok(()),
    }
}

/// The answers of a model that all scores of one explanation are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedOutputs<T> {
    /// On the whole graph.
    pub full: Array2<T>,
    /// On the explanation alone.
    pub kept: Array2<T>,
    /// On the graph without the explanation.
    pub complement: Array2<T>,
}

/// Calls a model on the whole graph, on the explanation alone and on the rest.
///
/// The three arrays are what [`FidelityMetric::evaluate`](crate::FidelityMetric::evaluate) and
/// [`unfaithfulness`](crate::unfaithfulness()) take.
///
/// # Errors
/// As [`Explanation::kept`]; [`Error::Model`] when the model fails, [`Error::ShapeMismatch`] when its
/// outputs on the three graphs differ in shape.
///
/// ```
/// use ndarray::{Array2, array};
/// use xai_graph::{EdgeRemoval, Explanation, Graph, explained_outputs, fidelity};
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

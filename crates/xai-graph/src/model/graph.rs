//! Graphs as input of a model.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use xai_core::number::check_finite;
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::edge_index::check_edge_index;
use crate::input;

/// A graph as input of a model.
///
/// Edges of other libraries are converted by [`edge_index`](super::edge_index), or passed as a slice without a copy:
///
/// ```
/// use xai_graph::Graph;
/// use xai_graph::ndarray::ArrayView2;
/// let features = [0.5, 1.5, 2.5, 3.5]; // two features of node 0, then those of node 1
/// let (sources, targets) = ([0, 1, 1], [1, 0, 1]);
/// let edge_index = [sources, targets].concat();
/// let graph = Graph::new(
///     ArrayView2::from_shape((2, 2), &features)?,
///     ArrayView2::from_shape((2, 3), &edge_index)?,
/// )?;
/// assert_eq!((graph.n_nodes(), graph.n_edges()), (2, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive] // made by `new`, which checks
pub struct Graph<'a, T> {
    /// Node features, `(n_nodes, n_features)`.
    pub features: ArrayView2<'a, T>,
    /// Source and target nodes of the edges, `(2, n_edges)`, each in `0..n_nodes`.
    pub edge_index: ArrayView2<'a, i64>,
    /// Edge weights, `(n_edges,)`; `None` = 1 each.
    pub edge_weight: Option<ArrayView1<'a, T>>,
    /// Graph of a batch that each node belongs to, `(n_nodes,)`; `None` for a single graph.
    pub batch: Option<ArrayView1<'a, i64>>,
}

impl<'a, T: Real> Graph<'a, T> {
    /// Creates a single graph without edge weights.
    ///
    /// # Errors
    /// `ShapeMismatch` for an edge index with a shape other than `(2, n_edges)`, `OutOfDomain` for an edge to a node
    /// that does not exist, `NonFinite`, `Empty` without nodes.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::Graph;
    /// let graph = Graph::new(array![[1.0], [2.0]].view(), array![[0, 1], [1, 0]].view()).map(drop);
    /// assert!(graph.is_ok());
    /// let beyond = Graph::new(array![[1.0], [2.0]].view(), array![[0], [2]].view()).unwrap_err();
    /// assert_eq!((beyond.input(), beyond.index()), (xai_graph::input::EDGE_INDEX, &[1, 0][..]));
    /// ```
    pub fn new(features: ArrayView2<'a, T>, edge_index: ArrayView2<'a, i64>) -> Result<Self> {
        if features.nrows() == 0 {
            return Err(Error::empty(input::NODES));
        }
        check_finite(input::FEATURES, features)?;
        check_edge_index(edge_index, features.nrows())?;
        Ok(Self {
            features,
            edge_index,
            edge_weight: None,
            batch: None,
        })
    }

    /// Sets the edge weights.
    ///
    /// # Errors
    /// `ShapeMismatch` unless there is one weight per edge, `NonFinite`.
    pub fn with_edge_weight(mut self, edge_weight: ArrayView1<'a, T>) -> Result<Self> {
        check_shape(input::EDGE_WEIGHT, &[self.n_edges()], edge_weight.shape())?;
        check_finite(input::EDGE_WEIGHT, edge_weight)?;
        self.edge_weight = Some(edge_weight);
        Ok(self)
    }

    /// Sets the graph of a batch that each node belongs to.
    ///
    /// # Errors
    /// `ShapeMismatch` unless there is one entry per node, `OutOfDomain` for negative ones.
    pub fn with_batch(mut self, batch: ArrayView1<'a, i64>) -> Result<Self> {
        check_shape(input::BATCH, &[self.n_nodes()], batch.shape())?;
        if let Some(i) = batch.iter().position(|&graph| graph < 0) {
            let (value, expected) = (batch[i] as f64, "a graph, at least 0");
            return Err(Error::out_of_domain(input::BATCH, &[i], value, expected));
        }
        self.batch = Some(batch);
        Ok(self)
    }

    /// Number of nodes.
    #[must_use]
    pub fn n_nodes(&self) -> usize {
        self.features.nrows()
    }

    /// Number of directed edges.
    #[must_use]
    pub fn n_edges(&self) -> usize {
        self.edge_index.ncols()
    }

    /// Source and target of each edge.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::Graph;
    /// use xai_graph::model::edge_index;
    /// let (features, edges) = (array![[1.0], [2.0], [3.0]], edge_index([(0, 1), (2, 1)]));
    /// let graph = Graph::new(features.view(), edges.view())?;
    /// assert_eq!(graph.edges().collect::<Vec<_>>(), [(0, 1), (2, 1)]);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn edges(&self) -> impl Iterator<Item = (usize, usize)> + use<'a, T> {
        let edge_index = self.edge_index;
        let node = move |end: usize, edge: usize| edge_index[[end, edge]] as usize;
        (0..edge_index.ncols()).map(move |edge| (node(0, edge), node(1, edge)))
    }
}

/// A graph that owns its arrays. [`view`](Self::view) converts it to the input of a model.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
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
    /// Borrows the graph as input of a model.
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

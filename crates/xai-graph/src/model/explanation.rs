//! Explanations, and the graphs with and without them.

use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip};
use xai_core::tensor::check_shape;
use xai_core::{Error, Real, Result};

use crate::mask::properties::check_unit;
use crate::model::edge_choices::EdgeRemoval;
use crate::model::graph::{Graph, OwnedGraph};
use crate::{help, input};

/// An explanation: a mask over node features, over edges, or both. 1 means part of the explanation.
///
/// Masks and graphs may differ in precision. Masks are then rounded to that of the graph.
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a, M> {
    node_mask: Option<ArrayView2<'a, M>>,
    edge_mask: Option<ArrayView1<'a, M>>,
}

impl<'a, M: Real> Explanation<'a, M> {
    /// Creates an explanation by edges, `(n_edges,)` in [0, 1]. All features are kept.
    #[must_use]
    pub fn edges(edge_mask: ArrayView1<'a, M>) -> Self {
        Self {
            node_mask: None,
            edge_mask: Some(edge_mask),
        }
    }

    /// Creates an explanation by nodes `(n_nodes, 1)`, by features `(1, n_features)`, or by both `(n_nodes,
    /// n_features)`, in [0, 1]. All edges are kept.
    #[must_use]
    pub fn nodes(node_mask: ArrayView2<'a, M>) -> Self {
        Self {
            node_mask: Some(node_mask),
            edge_mask: None,
        }
    }

    /// Adds a node mask with a shape as in [`nodes`](Self::nodes).
    #[must_use]
    pub fn with_nodes(mut self, node_mask: ArrayView2<'a, M>) -> Self {
        self.node_mask = Some(node_mask);
        self
    }

    /// Graph of the explanation alone: features and edges multiplied by the mask.
    ///
    /// # Errors
    /// `ShapeMismatch` for a mask that does not fit the graph; `NonFinite` and `OutOfDomain` for a mask outside [0,
    /// 1], or for a soft edge mask if edges are removed.
    ///
    /// ```
    /// use ndarray::array;
    /// use xai_graph::model::EdgeRemoval;
    /// use xai_graph::{Explanation, Graph};
    /// let (features, edges) = (array![[1.0], [2.0]], array![[0, 1], [1, 0]]);
    /// let graph = Graph::new(features.view(), edges.view())?;
    /// let mask = array![1.0, 0.0];
    /// let explanation = Explanation::edges(mask.view());
    /// assert_eq!(explanation.kept(graph, EdgeRemoval::Weight)?.edge_weight, array![1.0, 0.0]);
    /// assert_eq!(explanation.complement(graph, EdgeRemoval::Weight)?.edge_weight, array![0.0, 1.0]);
    /// assert_eq!(explanation.complement(graph, EdgeRemoval::Remove)?.edge_index, array![[1], [0]]);
    /// # Ok::<(), xai_graph::Error>(())
    /// ```
    pub fn kept<T: Real>(
        &self,
        graph: Graph<'_, T>,
        removal: EdgeRemoval,
    ) -> Result<OwnedGraph<T>> {
        self.masked(graph, removal, |mask| mask)
    }

    /// Graph without the explanation: the same with `1 − mask`.
    ///
    /// # Errors
    /// As [`kept`](Self::kept).
    pub fn complement<T: Real>(
        &self,
        graph: Graph<'_, T>,
        removal: EdgeRemoval,
    ) -> Result<OwnedGraph<T>> {
        self.masked(graph, removal, |mask| T::ONE - mask)
    }

    /// Returns whether edges are explained, not only nodes.
    pub(crate) fn has_edge_mask(&self) -> bool {
        self.edge_mask.is_some()
    }

    fn masked<T: Real>(
        &self,
        graph: Graph<'_, T>,
        removal: EdgeRemoval,
        share: impl Fn(T) -> T,
    ) -> Result<OwnedGraph<T>> {
        let share_of = |mask: M| share(T::from_f64_nearest(mask.to_f64_exact()));
        let features = self.masked_features(graph, &share_of)?;
        let all_edges = Edges::from_graph(graph)?;
        let edges = match (self.edge_mask, removal) {
            // Without an edge mask every edge stays, in the complement as well: only the features are masked.
            (None, _) => all_edges,
            (Some(mask), EdgeRemoval::Weight) => all_edges.weighted(mask, share_of)?,
            (Some(mask), EdgeRemoval::Remove) => all_edges.without(mask, share_of)?,
        };
        Ok(OwnedGraph {
            features,
            edge_index: edges.index,
            edge_weight: edges.weight,
            batch: graph.batch.map(|batch| batch.to_owned()),
        })
    }

    fn masked_features<T: Real>(
        &self,
        graph: Graph<'_, T>,
        share: &impl Fn(M) -> T,
    ) -> Result<Array2<T>> {
        let mut features = graph.features.to_owned();
        let Some(node_mask) = self.node_mask else {
            return Ok(features);
        };
        let (n, f) = features.dim();
        let mismatch = || {
            let expected = format!("({n}, {f}), ({n}, 1) or (1, {f})");
            Error::shape_described(input::NODE_MASK, expected, node_mask.shape())
        };
        if ![(n, f), (n, 1), (1, f)].contains(&node_mask.dim()) {
            return Err(mismatch());
        }
        check_unit(input::NODE_MASK, node_mask)?;
        // Broadcasting covers masks by nodes and masks by features as well.
        let mask = node_mask.broadcast((n, f)).ok_or_else(mismatch)?;
        Zip::from(&mut features)
            .and(mask)
            .for_each(|x, &m| *x *= share(m));
        Ok(features)
    }
}

/// Edges and their weights, before or after masking.
struct Edges<T> {
    index: Array2<i64>,
    weight: Array1<T>,
}

impl<T: Real> Edges<T> {
    /// Copies the edges of a graph, and checks their shapes again: the fields of a graph are public and may have been
    /// changed. Node numbers are not checked.
    fn from_graph(graph: Graph<'_, T>) -> Result<Self> {
        let n_edges = graph.n_edges();
        if graph.edge_index.nrows() != 2 {
            return Err(Error::shape_described(
                input::EDGE_INDEX,
                "(2, n_edges)",
                graph.edge_index.shape(),
            ));
        }
        let weight = match graph.edge_weight {
            Some(weight) => {
                check_shape(input::EDGE_WEIGHT, &[n_edges], weight.shape())?;
                weight.to_owned()
            }
            None => Array1::from_elem(n_edges, T::ONE),
        };
        Ok(Self {
            index: graph.edge_index.to_owned(),
            weight,
        })
    }

    fn check<M: Real>(&self, mask: ArrayView1<'_, M>) -> Result<()> {
        check_shape(input::EDGE_MASK, self.weight.shape(), mask.shape())?;
        check_unit(input::EDGE_MASK, mask)
    }

    fn weighted<M: Real>(
        mut self,
        mask: ArrayView1<'_, M>,
        share: impl Fn(M) -> T,
    ) -> Result<Self> {
        self.check(mask)?;
        Zip::from(&mut self.weight)
            .and(mask)
            .for_each(|weight, &m| *weight *= share(m));
        Ok(self)
    }

    fn without<M: Real>(self, mask: ArrayView1<'_, M>, share: impl Fn(M) -> T) -> Result<Self> {
        self.check(mask)?;
        // Half an edge cannot be removed, and rounding would silently change the explanation.
        let is_soft = |m: &M| *m != M::ZERO && *m != M::ONE;
        if let Some(i) = mask.iter().position(is_soft) {
            let expected = "0 or 1 where edges are removed";
            let value = mask[i].to_f64_exact();
            let error = Error::out_of_domain(input::EDGE_MASK, &[i], value, expected);
            return Err(error.with_help(help::SPARSIFY_FIRST));
        }
        // For a hard mask, `m` and `1 − m` are exactly 0 or 1, so comparing with 1 needs no tolerance.
        let is_kept = |&edge: &usize| share(mask[edge]) == T::ONE;
        let edges: Vec<usize> = (0..mask.len()).filter(is_kept).collect();
        Ok(Self {
            index: self.index.select(Axis(1), &edges),
            weight: self.weight.select(Axis(0), &edges),
        })
    }
}

//! Models that report their calls.

use ndarray::{Array2, ArrayViewD};
use xai_attribution::Real;
use xai_attribution::model::{BoxError, Model, RowKind};
use xai_graph::{Graph, GraphModel};

/// A model that reports its progress. The function is called after every call of the model, with the number of rows, or
/// with 1 for a graph model.
pub struct WatchedModel<M, F> {
    /// The model.
    pub model: M,
    /// The function.
    pub watch: F,
}

impl<T: Real, M: Model<T>, F: Fn(u64)> Model<T> for WatchedModel<M, F> {
    fn outputs(&self, batch: ArrayViewD<'_, T>) -> Result<Array2<f64>, BoxError> {
        let rows = batch.shape()[0] as u64;
        let outputs = self.model.outputs(batch);
        (self.watch)(rows);
        outputs
    }

    fn row_kind(&self, shape: &[usize]) -> RowKind {
        self.model.row_kind(shape)
    }
}

impl<M: GraphModel<f32>, F: Fn(u64)> GraphModel<f32> for WatchedModel<M, F> {
    fn outputs(&self, graph: Graph<'_, f32>) -> Result<Array2<f32>, BoxError> {
        let outputs = self.model.outputs(graph);
        (self.watch)(1);
        outputs
    }
}

//! Models of a graph.

use ndarray::{Array1, Array2, Ix2};
use tract_onnx::prelude::*;
use xai_metrics::graph::{Graph, GraphModel};

use super::engine::Engine;
use crate::failure::Failure;

/// A graph model whose inputs are features `(n, f)`, edge index `(2, e)` and edge weights `(e,)`, in
/// this order, and whose first output is `(rows, classes)`.
pub(crate) struct OnnxGraphModel {
    engine: Engine,
    takes_weight: bool,
}

impl OnnxGraphModel {
    /// Reads a model file.
    pub(crate) fn read(file: &str) -> Result<Self, Failure> {
        let engine = Engine::read(file)?;
        let takes_weight = match engine.n_inputs() {
            2 => false,
            3 => true,
            n_inputs => {
                return Err(Failure::new(format!(
                    "expected the inputs features (n, f), edge_index (2, e) and edge_weight (e,), got {n_inputs} inputs"
                ))
                .in_file(file));
            }
        };
        Ok(Self {
            engine,
            takes_weight,
        })
    }

    /// Whether the model has an input for edge weights.
    pub(crate) fn takes_weight(&self) -> bool {
        self.takes_weight
    }
}

impl GraphModel<f32> for OnnxGraphModel {
    fn outputs(
        &self,
        graph: Graph<'_, f32>,
    ) -> Result<Array2<f32>, Box<dyn std::error::Error + Send + Sync>> {
        let mut inputs: TVec<TValue> = tvec!(
            Tensor::from(graph.features.to_owned().into_dyn()).into(),
            Tensor::from(graph.edge_index.to_owned().into_dyn()).into(),
        );
        if self.takes_weight {
            let weight = match graph.edge_weight {
                Some(weight) => weight.to_owned(),
                None => Array1::ones(graph.n_edges()),
            };
            inputs.push(Tensor::from(weight.into_dyn()).into());
        }
        let output = self.engine.run(inputs)?;
        Ok(output.into_dimensionality::<Ix2>()?)
    }
}

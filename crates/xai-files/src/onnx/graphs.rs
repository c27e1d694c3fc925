//! Graph models in ONNX files.

use ndarray::{Array1, Array2};
use xai_graph::{Graph, GraphModel};

use super::engine::Input;
use super::model::OnnxModel;

impl GraphModel<f32> for OnnxModel {
    fn outputs(
        &self,
        graph: Graph<'_, f32>,
    ) -> Result<Array2<f32>, Box<dyn std::error::Error + Send + Sync>> {
        // One call per graph, without batches, because rows of a graph are not independent samples.
        let mut values = vec![
            self.input(&graph.features.into_dyn())?,
            Input::Integer(graph.edge_index.to_owned().into_dyn()),
        ];
        if self.takes_weight() {
            let weight = match graph.edge_weight {
                Some(weight) => weight.to_owned(),
                None => Array1::ones(graph.n_edges()),
            };
            values.push(Input::Real(weight.into_dyn()));
        }
        Ok(self.scores(values)?.mapv(|output| output as f32))
    }
}

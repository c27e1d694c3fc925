//! Models of a graph.

use ndarray::{Array1, Array2};
use xai_metrics::graph::{Graph, GraphModel};

use super::model::{Numbers, OnnxModel, integers, real};

impl GraphModel<f32> for OnnxModel {
    fn outputs(
        &self,
        graph: Graph<'_, f32>,
    ) -> Result<Array2<f32>, Box<dyn std::error::Error + Send + Sync>> {
        let features = graph.features;
        let of_integers = self.inputs.first().map(|input| input.numbers) == Some(Numbers::Integer);
        // A graph is one call: its rows are not samples.
        let mut values = vec![
            match of_integers {
                true => integers(features.shape(), features.iter().map(whole))?,
                false => real(features.to_owned().into_dyn())?,
            },
            integers(
                graph.edge_index.shape(),
                graph
                    .edge_index
                    .iter()
                    .map(|&node| i32::try_from(node).ok()),
            )?,
        ];
        if self.takes_weight() {
            let weight = match graph.edge_weight {
                Some(weight) => weight.to_owned(),
                None => Array1::ones(graph.n_edges()),
            };
            values.push(real(weight.into_dyn())?);
        }
        Ok(self.run(values)?)
    }
}

/// Up to here, single precision holds every integer.
const LARGEST_EXACT: f32 = 16_777_216.0;

/// A number that is an integer.
fn whole(number: &f32) -> Option<i32> {
    let exact = number.fract() == 0.0 && number.abs() <= LARGEST_EXACT;
    exact.then_some(*number as i32)
}

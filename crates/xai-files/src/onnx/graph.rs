//! Models of a graph.

use ndarray::{Array1, Array2, ArrayView2};
use xai_graph::{Graph, GraphModel};

use super::contents::element;
use super::contents::port::Kind;
use super::engine::{Input, Reason};
use super::model::OnnxModel;

impl GraphModel<f32> for OnnxModel {
    fn outputs(
        &self,
        graph: Graph<'_, f32>,
    ) -> Result<Array2<f32>, Box<dyn std::error::Error + Send + Sync>> {
        let features = graph.features;
        let of_integers = self.inputs.first().is_some_and(|features| {
            matches!(features.kind, Kind::Array(element::INT32 | element::INT64))
        });
        // A graph is one call: its rows are not samples.
        let mut values = vec![
            match of_integers {
                true => Input::Integer(integers(features)?.into_dyn()),
                false => Input::Real(features.to_owned().into_dyn()),
            },
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

/// Up to here, single precision holds every integer.
const LARGEST_EXACT: f32 = 16_777_216.0;

/// Features that are integers.
fn integers(features: ArrayView2<'_, f32>) -> Result<Array2<i64>, Reason> {
    let exact = |x: &f32| x.fract() == 0.0 && x.abs() <= LARGEST_EXACT;
    match features.iter().all(exact) {
        true => Ok(features.mapv(|x| x as i64)),
        false => Err("it takes integers as features".to_owned()),
    }
}

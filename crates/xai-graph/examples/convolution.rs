//! Fidelity and unfaithfulness of an edge mask over explanation sizes, for a graph convolution written with `ndarray`.
//!
//! ```text
//! cargo run -p xai-graph --example convolution
//! ```

use ndarray::{Array2, array};
use xai_graph::mask::Sparsity;
use xai_graph::model::graph_fn;
use xai_graph::{Graph, Result, SparsitySweep};

fn main() -> Result<()> {
    // Messages add up: a node is in class 1 if it receives more than 0.5.
    let model = graph_fn::<f64, _>(|graph| {
        let mut scores = Array2::from_elem((graph.n_nodes(), 2), 0.5);
        scores.column_mut(1).fill(0.0);
        for (edge, (source, target)) in graph.edges().enumerate() {
            let weight = graph.edge_weight.map_or(1.0, |weight| weight[edge]);
            scores[[target, 1]] += weight * graph.features[[source, 0]];
        }
        Ok(scores)
    });

    // Node 0 sends a strong signal to nodes 1 and 2, and node 3 a weak one to both.
    let features = array![[1.0], [0.0], [0.0], [0.25]];
    let edges = array![[0, 0, 3, 3], [1, 2, 1, 2]];
    let graph = Graph::new(features.view(), edges.view())?;

    // The explainer found the strong edges.
    let mask = array![0.9, 0.8, 0.2, 0.1];
    let levels = [0.25, 0.5, 0.75].map(Sparsity::Fraction);
    let curve = SparsitySweep::new().evaluate_model(&model, graph, mask.view(), &levels)?;
    println!("{curve}");
    assert_eq!(curve.points[curve.best].level, 0.5);
    Ok(())
}

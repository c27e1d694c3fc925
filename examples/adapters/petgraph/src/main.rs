//! Fidelity of an edge mask for a model of petgraph graphs.

use petgraph::algo::has_path_connecting;
use petgraph::graph::{DiGraph, EdgeReference, NodeIndex};
use petgraph::visit::{EdgeFiltered, EdgeRef};
use xai_graph::model::{EdgeRemoval, edge_index, graph_fn};
use xai_graph::ndarray::{Array2, array};
use xai_graph::{Explanation, Graph, explained_outputs, fidelity};

/// Scores of two classes for each node: whether a path from a marked node reaches it. An edge of weight 0 is no edge.
fn scores(graph: &DiGraph<f64, f64>) -> Vec<[f64; 2]> {
    let paths = EdgeFiltered::from_fn(graph, |edge| *edge.weight() > 0.0);
    let is_reached = |node| {
        let mut marked = graph.node_indices().filter(|&source| graph[source] > 0.0);
        marked.any(|source| has_path_connecting(&paths, source, node, None))
    };
    let score = |node| {
        if is_reached(node) {
            [0.0, 1.0]
        } else {
            [1.0, 0.0]
        }
    };
    graph.node_indices().map(score).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 0 → 1 → 2 and 0 → 3, and node 4 on its own. Node 0 is marked.
    let mut graph: DiGraph<f64, f64> = DiGraph::from_edges([(0, 1, 1.0), (1, 2, 1.0), (0, 3, 1.0)]);
    graph.add_node(0.0);
    graph[NodeIndex::new(0)] = 1.0;

    // Adapter
    let ends = |edge: EdgeReference<'_, f64>| (edge.source().index(), edge.target().index());
    let edges = edge_index(graph.edge_references().map(ends));
    let features = Array2::from(graph.node_weights().map(|&mark| [mark]).collect::<Vec<_>>());
    let input = Graph::new(features.view(), edges.view())?;
    let model = graph_fn(|part| {
        let mut graph = DiGraph::new();
        for mark in part.features {
            graph.add_node(*mark);
        }
        let weight = |k: usize| part.edge_weight.map_or(1.0, |weights| weights[k]);
        let edges = part.edges().enumerate();
        graph.extend_with_edges(edges.map(|(k, (a, b))| (a as u32, b as u32, weight(k))));
        Ok(Array2::from(scores(&graph)))
    });
    // End of the adapter

    let mask = array![1.0, 1.0, 0.0];
    let explanation = Explanation::edges(mask.view());
    for removal in [EdgeRemoval::Remove, EdgeRemoval::Weight] {
        let outputs = explained_outputs(&model, input, explanation, removal)?;
        let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement)?;
        // Without the first two edges, nodes 1 and 2 of 5 are not reached. With them alone, node 3 is not.
        assert_eq!((fidelity.pos, fidelity.neg), (2.0 / 5.0, 1.0 / 5.0));
    }
    Ok(())
}

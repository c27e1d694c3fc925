//! One thread equals many, bit for bit.
#![cfg(feature = "rayon")]

use ndarray::{Array1, Array2};
use xai_graph::mask::Sparsity;
use xai_graph::{
    FidelityMetric, Graph, GroundTruthMetric, ReturnType, RobustFidelityMetric, SparsitySweep,
    UnfaithfulnessMetric, fidelity,
};

/// Runs on pools of 1, 2, 3 and 8 threads and expects one result.
fn on_any_number_of_threads<T: PartialEq + std::fmt::Debug + Send>(work: impl Fn() -> T + Sync) {
    let on = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("a pool").install(&work)
    };
    let alone = on(1);
    for threads in [2, 3, 8] {
        assert_eq!(on(threads), alone, "{threads} threads");
    }
}

fn uniform(n: usize, item: u64) -> Vec<f32> {
    let mut stream = xai_core::random::random_stream(9, item);
    (0..n)
        .map(|_| xai_core::random::uniform(&mut stream) as f32)
        .collect()
}

fn outputs(n: usize, item: u64) -> Array2<f32> {
    let scores = uniform(4 * n, item);
    Array2::from_shape_vec((n, 4), scores)
        .expect("a shape")
        .mapv(|x| 8.0 * x - 4.0)
}

#[test]
fn fidelity_and_unfaithfulness() {
    let [full, kept, complement] = [0, 1, 2].map(|item| outputs(20_000, item));
    on_any_number_of_threads(|| fidelity(&full, &kept, &complement).unwrap());
    let views = || (full.view(), kept.view(), complement.view());
    on_any_number_of_threads(|| {
        let (full, kept, complement) = views();
        FidelityMetric::model()
            .evaluate_probabilities(full, kept, complement, ReturnType::Logits)
            .unwrap()
    });
    on_any_number_of_threads(|| {
        let (full, kept, _) = views();
        UnfaithfulnessMetric::new().evaluate(full, kept).unwrap()
    });
    on_any_number_of_threads(|| {
        let (full, kept, _) = views();
        UnfaithfulnessMetric::new().per_row(full, kept).unwrap()
    });
}

#[test]
fn ground_truth() {
    let (scores, truth) = (
        Array1::from(uniform(200_000, 3)),
        Array1::from(uniform(200_000, 4)),
    );
    let metric = GroundTruthMetric::new().threshold(0.7);
    on_any_number_of_threads(|| metric.evaluate(scores.view(), truth.view()).unwrap());
    let (scores, truth) = (scores.mapv(f64::from), truth.mapv(f64::from));
    on_any_number_of_threads(|| metric.evaluate(scores.view(), truth.view()).unwrap());
}

#[test]
fn sweeps_and_random_draws() {
    let model = |graph: Graph<'_, f32>| -> Result<Array2<f32>, std::fmt::Error> {
        let mut scores = Array2::from_elem((graph.n_nodes(), 2), 1.5);
        for (e, ends) in graph.edge_index.columns().into_iter().enumerate() {
            let weight = graph.edge_weight.map_or(1.0, |weight| weight[e]);
            scores[[ends[1] as usize, 1]] += weight;
        }
        Ok(scores)
    };
    let edges = Array2::from_shape_fn((2, 90), |(end, e)| ((e * (3 + 4 * end)) % 30) as i64);
    let features = Array2::zeros((30, 1));
    let mask = Array1::from(uniform(90, 5));
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let levels = [0.2, 0.5, 0.8].map(Sparsity::Fraction);
    on_any_number_of_threads(|| {
        SparsitySweep::new()
            .evaluate_model(&model, graph, mask.view(), &levels)
            .unwrap()
    });
    let hard = mask.mapv(|x| if x > 0.5 { 1.0 } else { 0.0 });
    let robust = RobustFidelityMetric::new()
        .alpha_pos(0.4)
        .alpha_neg(0.6)
        .n_draws(40);
    on_any_number_of_threads(|| robust.evaluate(&model, graph, hard.view()).unwrap());
}

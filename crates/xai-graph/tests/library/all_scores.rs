//! What holds of every score of the registry: one that comes later is judged here, or a test says that it is not.

use ndarray::{Array1, Array2};
use proptest::prelude::*;
use xai_core::describe::{MetricInfo, Scores};
use xai_core::{Direction, parallel};
use xai_graph::dataset::Sweep;
use xai_graph::mask::{MaskMetric, Sparsity};
use xai_graph::model::EdgeRemoval;
use xai_graph::{
    Explanation, Graph, ReturnType, RobustFidelityMetric, explained_outputs, fidelity,
    ground_truth, registry, unfaithfulness,
};

const N: usize = 12;

/// Edges of a ring, one from each node to the next; every node's score for class 1 is what arrives.
fn edges() -> Array2<i64> {
    Array2::from_shape_fn((2, N), |(end, e)| ((e + end) % N) as i64)
}

fn model(graph: Graph<'_, f64>) -> Result<Array2<f64>, std::fmt::Error> {
    let mut scores = Array2::from_elem((graph.n_nodes(), 2), 0.5);
    scores.column_mut(1).fill(0.25);
    for (e, ends) in graph.edge_index.columns().into_iter().enumerate() {
        let weight = graph.edge_weight.map_or(1.0, |weight| weight[e]);
        scores[[ends[1] as usize, 1]] += weight * graph.features[[ends[0] as usize, 0]];
    }
    Ok(scores)
}

/// All scores of a mask of the edges, and of its agreement with a truth.
fn all_scores(
    features: &[f64],
    mask: &[f64],
    truth: &[f64],
) -> Vec<(&'static MetricInfo, Option<f64>)> {
    fn add<R: Scores>(all: &mut Vec<(&'static MetricInfo, Option<f64>)>, result: &R) {
        all.extend(
            R::SCORES
                .iter()
                .map(|score| (&score.info, (score.value)(result))),
        );
    }
    let features = Array2::from_shape_fn((N, 1), |(node, _)| features[node]);
    let [mask, truth] = [mask, truth].map(|values| Array1::from(values.to_vec()));
    let edges = edges();
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let explanation = Explanation::edges(mask.view());
    let outputs = explained_outputs(&model, graph, explanation, EdgeRemoval::Weight).unwrap();
    let (full, kept) = (&outputs.full, &outputs.kept);
    let robust = RobustFidelityMetric::new()
        .n_draws(5)
        .probabilities(ReturnType::Logits);
    let selected = mask.mapv(|x| f64::from(u8::from(x > 0.5)));
    let levels = [0.25, 0.5, 0.75].map(Sparsity::Fraction);
    let mut all = Vec::new();
    add(
        &mut all,
        &fidelity(full, kept, &outputs.complement).unwrap(),
    );
    add(
        &mut all,
        &robust.evaluate(&model, graph, selected.view()).unwrap(),
    );
    add(
        &mut all,
        &Sweep::new()
            .evaluate_model(&model, graph, mask.view(), &levels)
            .unwrap(),
    );
    add(&mut all, &unfaithfulness(full.view(), kept.view()).unwrap());
    add(&mut all, &ground_truth(mask.view(), truth.view()).unwrap());
    add(
        &mut all,
        &MaskMetric::new()
            .evaluate_edges(mask.view(), edges.view(), N)
            .unwrap(),
    );
    all
}

fn case() -> impl Strategy<Value = [Vec<f64>; 3]> {
    let column = |of: fn(u8) -> f64| prop::collection::vec((0u8..=8).prop_map(of), N);
    let unit = |x: u8| f64::from(x) / 8.0;
    [
        column(|x| f64::from(x) / 4.0 - 1.0),
        column(unit),
        column(|x| f64::from(x % 2)),
    ]
}

#[test]
fn the_laws_are_those_of_every_score() {
    let judged = all_scores(&[1.0; N], &[0.5; N], &[1.0; N])
        .into_iter()
        .map(|(info, _)| info);
    assert!(judged.eq(registry::metrics()));
}

proptest! {
    #[test]
    fn values_are_finite_and_in_their_range([features, mask, truth] in case()) {
        for (info, value) in all_scores(&features, &mask, &truth) {
            let within = |value: f64| value.is_finite() && info.range.contains(value);
            prop_assert!(value.is_none_or(within), "{}: {:?}", info.name, value);
        }
    }

    #[test]
    fn one_thread_gives_the_bits_of_many([features, mask, truth] in case()) {
        let alone = parallel::of_size(1, || all_scores(&features, &mask, &truth));
        prop_assert_eq!(alone, all_scores(&features, &mask, &truth));
    }
}

/// Edges from the first five nodes carry what decides: a mask of these is right, and one of all others wrong.
#[test]
fn the_right_mask_is_better_than_the_wrong_one() {
    let column = |of: fn(usize) -> bool| -> Vec<f64> {
        (0..N).map(|i| f64::from(u8::from(of(i)))).collect()
    };
    let (right, wrong) = (column(|i| i < 5), column(|i| i >= 5));
    let [of_right, of_wrong] = [&right, &wrong].map(|mask| all_scores(&right, mask, &right));
    let mut n_better = 0;
    for ((info, right), (_, wrong)) in of_right.iter().zip(&of_wrong) {
        let is_better = match info.direction {
            Direction::Higher => right > wrong,
            Direction::Lower => right < wrong,
            Direction::None => continue,
        };
        // Both masks are one piece: 1 of 6 nodes and of 8.
        assert!(
            is_better || right == wrong || info.name == "component_ratio",
            "{}: {right:?} {wrong:?}",
            info.name
        );
        n_better += usize::from(is_better);
    }
    assert!(n_better > 15, "{n_better}");
}

/// Nodes of a small graph keep their numbers, those of a part of a large one are numbered anew.
#[test]
fn components_are_the_same_among_other_nodes() {
    let mask: Array1<f64> = (0..40).map(|e| f64::from(u8::from(e % 3 > 0))).collect();
    let edges = Array2::from_shape_fn((2, 40), |(end, e)| ((e * e + 7 * end) % 61) as i64);
    let of = |n_nodes| MaskMetric::new().evaluate_edges(mask.view(), edges.view(), n_nodes);
    let small = of(61).unwrap();
    assert_eq!((small.size, small.n_components), (26, Some(14)));
    let large = of(1 << 40).unwrap();
    assert_eq!(large.n_components, small.n_components);
    assert_eq!(large.component_share, small.component_share);
    assert_eq!(large.component_ratio, small.component_ratio);
}

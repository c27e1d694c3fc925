//! What holds of every score of the registry: one that comes later is judged here, or a test says that it is not.

use ndarray::{Array1, Array2, Axis, array, aview1};
use proptest::prelude::*;
use xai_core::describe::{MetricInfo, Scores};
use xai_core::{Accumulator, Direction, parallel};
use xai_graph::dataset::Sweep;
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{MaskMetric, MaskProperties, Sparsity, tied_share};
use xai_graph::model::EdgeRemoval;
use xai_graph::{
    Explanation, Graph, GroundTruth, GroundTruthMetric, ReturnType, RobustFidelityMetric,
    explained_outputs, fidelity, ground_truth, registry, unfaithfulness,
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

/// Masks whose values lie on a grid have ties at most cuts; the shares count whom the order of the elements decided for.
#[test]
fn ties_at_a_cut_are_reported() {
    let mask = array![0.9, 0.5, 0.5, 0.5, 0.1];
    let truth = array![1.0, 1.0, 0.0, 0.0, 0.0];
    for (k, tied) in [(1, 0.0), (2, 0.6), (3, 0.6), (4, 0.0), (5, 0.0)] {
        let share = tied_share(mask.view(), None, Sparsity::TopK(k)).unwrap();
        assert_eq!(share, tied, "{k}");
        let fraction = Sparsity::Fraction(k as f64 / 5.0);
        assert_eq!(
            tied_share(mask.view(), None, fraction).unwrap(),
            tied,
            "{k}"
        );
        let metric = GroundTruthMetric::new().selection(Selection::TopK(k));
        let scores = metric.evaluate(mask.view(), truth.view()).unwrap();
        assert_eq!(scores.tied_share, Some(tied), "{k}");
        assert_eq!(scores.to_string().contains("tie at the cut"), tied > 0.0);
        // Two masks of a state: one without ties.
        let mut state = metric.accumulator().unwrap();
        state.update((mask.view(), truth.view())).unwrap();
        state.update((truth.view(), truth.view())).unwrap();
        let of_truth = if k == 2 || k == 5 {
            0.0
        } else if k == 1 {
            0.4
        } else {
            0.6
        };
        let both = (tied + of_truth) / 2.0;
        assert!(
            (state.finish().unwrap().tied_share.unwrap() - both).abs() < 1e-15,
            "{k}"
        );
    }
    let by_threshold = ground_truth(mask.view(), truth.view()).unwrap();
    assert_eq!(by_threshold.tied_share, None);
    let at = Sparsity::Threshold(0.5);
    assert_eq!(tied_share(mask.view(), None, at).unwrap(), 0.0);
    // As undirected edges 0–1 and 1–2 the scores are 0.7 and 0.5, as directed ones two tie.
    let edges = array![[0, 1, 1, 2], [1, 0, 2, 1]];
    let mask = array![0.9, 0.5, 0.5, 0.5];
    let top = Sparsity::TopK(1);
    assert_eq!(
        tied_share(mask.view(), Some(edges.view()), top).unwrap(),
        0.0
    );
    assert_eq!(
        tied_share(mask.view(), None, Sparsity::TopK(2)).unwrap(),
        0.75
    );
}

#[test]
fn a_sweep_says_how_many_edges_tie_at_each_size() {
    let features = Array2::ones((N, 1));
    let mask: Array1<f64> = (0..N).map(|e| if e < 3 { 1.0 } else { 0.5 }).collect();
    let edges = edges();
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let levels = [0.25, 0.5].map(Sparsity::Fraction);
    let curve = Sweep::new()
        .evaluate_model(&model, graph, mask.view(), &levels)
        .unwrap();
    let shares: Vec<Option<f64>> = curve.points.iter().map(|point| point.tied_share).collect();
    assert_eq!(shares, [Some(0.0), Some(0.75)]);
    assert!(
        curve
            .to_string()
            .ends_with("up to 0.7500 of the edges tie at a cut: the first of them are kept")
    );
}

proptest! {
    #[test]
    fn the_scale_of_a_mask_does_not_matter_to_what_is_scale_free(
        (mask, truth) in prop::collection::vec((0u8..=16, 0u8..2), 1..40).prop_map(|both| {
            let both = both.into_iter().map(|(x, y)| (f64::from(x) / 16.0, f64::from(y)));
            both.unzip::<f64, f64, Vec<f64>, Vec<f64>>()
        }),
        exponent in 0i32..100, decimal in 0i32..30,
    ) {
        let edges = Array2::from_shape_fn((2, mask.len()), |(end, e)| ((e + end) % mask.len()) as i64);
        let scores = |unit: f64| -> Vec<(&MetricInfo, Option<f64>)> {
            let mask: Array1<f64> = mask.iter().map(|x| x * unit).collect();
            let found = ground_truth(mask.view(), aview1(&truth)).unwrap();
            let itself = MaskMetric::new().evaluate_edges(mask.view(), edges.view(), truth.len()).unwrap();
            let found = GroundTruth::SCORES.iter().map(|score| (&score.info, (score.value)(&found)));
            let itself = MaskProperties::SCORES.iter().map(|score| (&score.info, (score.value)(&itself)));
            found.chain(itself).filter(|(info, _)| info.invariance.scale).collect()
        };
        let plain = scores(1.0);
        prop_assert_eq!(plain.len(), 8);
        prop_assert_eq!(&plain, &scores(2f64.powi(-exponent)));
        for ((info, one), (_, other)) in plain.into_iter().zip(scores(10f64.powi(-decimal))) {
            let apart = one.zip(other).map_or(0.0, |(one, other)| (one - other).abs());
            prop_assert!(one.is_some() == other.is_some() && apart <= 1e-12, "{} {:?} {:?}", info.name, one, other);
        }
    }

    #[test]
    fn the_order_of_the_elements_does_not_show(
        (mask, truth, order) in prop::collection::vec(0u8..=16, 1..40).prop_flat_map(|mask| {
            let truth = prop::collection::vec(0u8..2, mask.len());
            let order: Vec<usize> = (0..mask.len()).collect();
            (Just(mask), truth, Just(order).prop_shuffle())
        })
    ) {
        let mask: Vec<f64> = mask.into_iter().map(|x| f64::from(x) / 16.0).collect();
        let truth: Vec<f64> = truth.into_iter().map(f64::from).collect();
        let turned = |values: &[f64]| -> Array1<f64> { order.iter().map(|&i| values[i]).collect() };
        let scores = |mask: Array1<f64>, truth: Array1<f64>| ground_truth(mask.view(), truth.view()).unwrap();
        prop_assert_eq!(
            scores(turned(&mask), turned(&truth)),
            scores(Array1::from(mask.clone()), Array1::from(truth.clone()))
        );
        let edges = Array2::from_shape_fn((2, mask.len()), |(end, e)| ((e + end) % mask.len()) as i64);
        let of_turned = edges.select(Axis(1), &order);
        let metric = MaskMetric::new();
        let one = metric.evaluate_edges(aview1(&mask), edges.view(), mask.len()).unwrap();
        let other = metric.evaluate_edges(turned(&mask).view(), of_turned.view(), mask.len()).unwrap();
        let apart = one.entropy.zip(other.entropy).map_or(0.0, |(a, b)| (a - b).abs());
        prop_assert!(apart < 1e-12);
        prop_assert_eq!(MaskProperties { entropy: None, ..one }, MaskProperties { entropy: None, ..other });
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

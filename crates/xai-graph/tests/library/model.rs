//! From a graph, a mask and a closure to every score: laws, and a graph network end to end.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fails;
use ndarray::{Array1, Array2, ArrayView2, Axis, array};
use proptest::prelude::*;
use xai_core::output::arg_max_rows;
use xai_core::random::{random_stream, uniform};
use xai_core::statistics::{jackknife, wilson};
use xai_graph::dataset::{MacroAverages, micro_intervals};
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::GroundTruthAccumulator;
use xai_graph::mask::{MaskMetric, MaskProperties, Sparsity, sparsify, sparsify_undirected};
use xai_graph::model::{EdgeChoices, EdgeRemoval, graph_fn};
use xai_graph::{
    Accumulator, ErrorKind, Explanation, FidelityMetric, Graph, GraphModel, GroundTruthMetric,
    OverGraphs, ReturnType, RobustFidelityMetric, SparsitySweep, explained_outputs, fidelity,
    ground_truth, help, input, unfaithfulness,
};

type ModelResult = Result<Array2<f64>, std::fmt::Error>;

/// One graph convolution with symmetric normalisation and self-loops: `Â X W`.
fn convolve(graph: &Graph<'_, f64>, x: ArrayView2<'_, f64>, weights: &Array2<f64>) -> Array2<f64> {
    let n = graph.n_nodes();
    let weight = |e: usize| graph.edge_weight.map_or(1.0, |weight| weight[e]);
    let ends = |e: usize| {
        let edge = graph.edge_index.column(e);
        (edge[0] as usize, edge[1] as usize)
    };
    let mut degree = Array1::<f64>::ones(n);
    for e in 0..graph.n_edges() {
        degree[ends(e).1] += weight(e);
    }
    let h = x.dot(weights);
    let mut out = Array2::zeros(h.dim());
    for node in 0..n {
        out.row_mut(node)
            .scaled_add(1.0 / degree[node], &h.row(node));
    }
    for e in 0..graph.n_edges() {
        let (source, target) = ends(e);
        let scale = weight(e) / (degree[source] * degree[target]).sqrt();
        out.row_mut(target).scaled_add(scale, &h.row(source));
    }
    out
}

/// A two-layer graph convolutional network of two classes.
struct Gcn {
    first: Array2<f64>,
    second: Array2<f64>,
}

impl Gcn {
    /// Passes the one feature through and asks whether a node's surroundings carry more than 0.4.
    fn finder() -> Self {
        Self {
            first: array![[1.0, 0.0]],
            second: array![[0.0, 10.0], [0.0, 0.0]],
        }
    }
}

impl GraphModel<f64> for Gcn {
    fn outputs(
        &self,
        graph: Graph<'_, f64>,
    ) -> Result<Array2<f64>, Box<dyn std::error::Error + Send + Sync>> {
        let hidden = convolve(&graph, graph.features, &self.first).mapv(|x| x.max(0.0));
        let mut scores = convolve(&graph, hidden.view(), &self.second);
        scores.column_mut(0).fill(1.0);
        Ok(scores)
    }
}

/// A ring of `n` nodes, both directions of each edge; the first `n_lit` nodes carry a 1.
fn ring(n: usize, n_lit: usize) -> (Array2<f64>, Array2<i64>) {
    let features = Array2::from_shape_fn((n, 1), |(i, _)| if i < n_lit { 1.0 } else { 0.0 });
    let mut edges = Vec::new();
    for i in 0..n as i64 {
        let next = (i + 1) % n as i64;
        edges.extend([[i, next], [next, i]]);
    }
    (features, Array2::from(edges).reversed_axes())
}

#[test]
fn a_graph_network_is_explained_end_to_end() {
    let (features, edges) = ring(40, 10);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let model = Gcn::finder();
    let full = model.outputs(graph).unwrap();
    let classes = arg_max_rows(input::FULL, full.view()).unwrap();
    assert!(classes.contains(&0) && classes.contains(&1));

    // What lights a node comes over edges from lit nodes: these are the explanation.
    let right: Array1<f64> = edges
        .columns()
        .into_iter()
        .map(|ends| f64::from(u8::from(ends[0] < 10)))
        .collect();
    let n_right = right.sum() as usize;
    // As many edges, drawn at random from the others as well.
    let random: Array1<f64> = (0..edges.ncols())
        .map(|e| uniform(&mut random_stream(5, e as u64)))
        .collect();
    let random = sparsify(random.view(), Sparsity::TopK(n_right)).unwrap();

    for removal in [EdgeRemoval::Weight, EdgeRemoval::Remove] {
        let score = |mask: &Array1<f64>| {
            let outputs =
                explained_outputs(&model, graph, Explanation::edges(mask.view()), removal).unwrap();
            assert_eq!(outputs.full, full);
            let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement).unwrap();
            let gef = unfaithfulness(outputs.full.view(), outputs.kept.view()).unwrap();
            (fidelity, gef.value)
        };
        let (good, good_gef) = score(&right);
        let (bad, bad_gef) = score(&random);
        assert!(good.pos > bad.pos, "{good} {bad}");
        assert!(good.neg <= bad.neg, "{good} {bad}");
        assert!(good.characterization() > bad.characterization());
        assert!(good_gef < bad_gef);
        let sweep = SparsitySweep::new().edges(EdgeChoices::new().removal(removal));
        let levels = [0.1, 0.25, 0.5, 1.0].map(Sparsity::Fraction);
        let at_its_size = |mask: &Array1<f64>| {
            let curve = sweep
                .evaluate_model(&model, graph, mask.view(), &levels)
                .unwrap();
            assert_eq!(curve.points.len(), 4);
            assert_eq!(curve.points[3].neg_fidelity, 0.0);
            assert_eq!(curve.points[3].unfaithfulness, 0.0);
            curve.points[1].characterization
        };
        assert!(at_its_size(&right) > at_its_size(&random));
    }
    // Weights of zero and edges that are gone are the same to this model.
    let explanation = Explanation::edges(right.view());
    let weighted = explained_outputs(&model, graph, explanation, EdgeRemoval::Weight).unwrap();
    let removed = explained_outputs(&model, graph, explanation, EdgeRemoval::Remove).unwrap();
    for (a, b) in weighted.kept.iter().zip(&removed.kept) {
        assert!((a - b).abs() < 1e-12);
    }
    let truth = ground_truth(right.view(), right.view()).unwrap();
    assert_eq!(truth.jaccard, Some(1.0));
}

#[test]
fn sweeping_outputs_and_sweeping_the_model_are_one() {
    let (features, edges) = ring(12, 4);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask: Array1<f64> = (0..edges.ncols())
        .map(|e| (e as f64 * 0.37).fract())
        .collect();
    let levels = [0.25, 0.5, 0.75];
    let model = Gcn::finder();
    let outputs = levels.map(|level| {
        let hard = sparsify(mask.view(), Sparsity::Fraction(level)).unwrap();
        let explanation = Explanation::edges(hard.view());
        explained_outputs(&model, graph, explanation, EdgeRemoval::Weight).unwrap()
    });
    let kept: Vec<_> = outputs.iter().map(|outputs| outputs.kept.view()).collect();
    let complement: Vec<_> = outputs
        .iter()
        .map(|outputs| outputs.complement.view())
        .collect();
    let from_outputs = SparsitySweep::new()
        .evaluate(
            outputs[0].full.view(),
            ndarray::stack(Axis(0), &kept).unwrap().view(),
            ndarray::stack(Axis(0), &complement).unwrap().view(),
            &levels,
        )
        .unwrap();
    let mut from_model = SparsitySweep::new()
        .evaluate_model(&model, graph, mask.view(), &levels.map(Sparsity::Fraction))
        .unwrap();
    // Only the mask says which edges tie.
    for point in &mut from_model.points {
        assert_eq!(point.tied_share.take(), Some(0.0));
    }
    assert_eq!(from_outputs, from_model);
    let best = from_model.points[from_model.best].characterization;
    assert!(
        from_model
            .points
            .iter()
            .all(|point| point.characterization <= best)
    );
}

#[test]
fn a_sweep_compares_the_rows_of_the_fidelity_that_was_set_last() {
    let full = array![[2.0, 0.0], [0.0, 2.0]];
    let kept = ndarray::stack![Axis(0), array![[2.0, 0.0], [2.0, 0.0]]];
    let value = |sweep: SparsitySweep<'_>| {
        let curve = sweep.evaluate(full.view(), kept.view(), kept.view(), &[0.5]);
        curve.unwrap().points[0].unfaithfulness
    };
    let first = FidelityMetric::model().index(&[0]);
    assert_eq!(value(SparsitySweep::new().fidelity(first)), 0.0);
    let all = SparsitySweep::new()
        .fidelity(first)
        .fidelity(FidelityMetric::model());
    assert_eq!(value(all), value(SparsitySweep::new()));
    assert!(value(all) > 0.0);
}

/// The mask of the first `n` edges.
fn first_edges(n: usize, n_edges: usize) -> Array1<f64> {
    Array1::from_shape_fn(n_edges, |edge| f64::from(u8::from(edge < n)))
}

#[test]
fn robust_fidelity_of_certain_removal_is_fidelity() {
    let (features, edges) = ring(20, 6);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let model = Gcn::finder();
    let mask = first_edges(14, edges.ncols());
    let explanation = Explanation::edges(mask.view());
    let index = [1usize, 4, 5, 7];
    for removal in [EdgeRemoval::Weight, EdgeRemoval::Remove] {
        let outputs = explained_outputs(&model, graph, explanation, removal).unwrap();
        let metric = FidelityMetric::model().index(&index);
        let plain = metric
            .evaluate(&outputs.full, &outputs.kept, &outputs.complement)
            .unwrap();
        let robust = RobustFidelityMetric::new()
            .alpha_pos(1.0)
            .alpha_neg(0.0)
            .n_draws(3)
            .fidelity(metric)
            .edges(EdgeChoices::new().removal(removal))
            .evaluate(&model, graph, mask.view())
            .unwrap();
        assert_eq!((robust.pos, robust.neg), (plain.pos, plain.neg));
        assert_eq!(
            (robust.pos_standard_error, robust.neg_standard_error),
            (0.0, 0.0)
        );
    }
    // Nothing removed, nothing changed.
    let nothing = RobustFidelityMetric::new()
        .alpha_pos(0.0)
        .alpha_neg(1.0)
        .n_draws(3);
    let robust = nothing.evaluate(&model, graph, mask.view()).unwrap();
    assert_eq!((robust.pos, robust.neg, robust.delta), (0.0, 0.0, 0.0));
}

#[test]
fn models_that_do_not_read_weights_are_refused() {
    let (features, edges) = ring(20, 6);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = first_edges(14, edges.ncols());
    // Counts the edges of each node, whatever their weights are.
    let counting = graph_fn::<f64, _>(|graph| {
        let mut counts = Array2::zeros((graph.n_nodes(), 2));
        for (_, target) in graph.edges() {
            counts[[target, 1]] += 1.0;
        }
        Ok(counts)
    });
    let explanation = Explanation::edges(mask.view());
    let by = |removal| EdgeChoices::new().removal(removal);
    let levels = [Sparsity::TopK(4), Sparsity::TopK(8)];
    for removal in [EdgeRemoval::Weight, EdgeRemoval::Remove] {
        let robust = RobustFidelityMetric::new().n_draws(3).edges(by(removal));
        let sweep = SparsitySweep::new().edges(by(removal));
        let results = [
            explained_outputs(&counting, graph, explanation, removal).err(),
            robust.evaluate(&counting, graph, mask.view()).err(),
            sweep
                .evaluate_model(&counting, graph, mask.view(), &levels)
                .err(),
        ];
        for error in results {
            let is_refused = error.as_ref().is_some_and(|error| {
                assert_eq!(error.help(), Some(help::REMOVE_EDGES));
                error.input() == input::REMOVAL
            });
            assert_eq!(is_refused, removal == EdgeRemoval::Weight, "{error:?}");
        }
    }
    // No edge matters.
    let of_nodes = graph_fn::<f64, _>(|graph| Ok(graph.features.to_owned()));
    explained_outputs(&of_nodes, graph, explanation, EdgeRemoval::Weight).unwrap();
}

#[test]
fn robust_fidelity_by_probabilities_of_certain_removal_is_their_change() {
    let (features, edges) = ring(20, 6);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let model = Gcn::finder();
    let mask = first_edges(14, edges.ncols());
    let removal = EdgeRemoval::Weight;
    let explanation = Explanation::edges(mask.view());
    let outputs = explained_outputs(&model, graph, explanation, removal).unwrap();
    let softmax = |outputs: &Array2<f64>| {
        let powers = outputs.mapv(f64::exp);
        let sums = powers.sum_axis(Axis(1)).insert_axis(Axis(1));
        powers / sums
    };
    let [full, kept, complement] = [&outputs.full, &outputs.kept, &outputs.complement].map(softmax);
    let target: Vec<i64> = (0..20).map(|node| i64::from(node % 3 == 0)).collect();
    let predicted = arg_max_rows(input::FULL, full.view()).unwrap();
    let predicted: Vec<i64> = predicted.into_iter().map(|class| class as i64).collect();
    let index = [1usize, 4, 5, 7];
    for (metric, classes) in [
        (FidelityMetric::model(), &predicted),
        (FidelityMetric::phenomenon(&target), &target),
    ] {
        let certain = RobustFidelityMetric::new()
            .alpha_pos(1.0)
            .alpha_neg(0.0)
            .n_draws(3)
            .fidelity(metric.index(&index));
        let plain = certain.evaluate(&model, graph, mask.view()).unwrap();
        assert_eq!(plain.by_probability, None);
        let robust = certain
            .probabilities(ReturnType::Logits)
            .evaluate(&model, graph, mask.view())
            .unwrap();
        assert_eq!((robust.pos, robust.neg), (plain.pos, plain.neg));
        let by = robust.by_probability.unwrap();
        let change = |other: &Array2<f64>| {
            let change = |&row: &usize| {
                let class = classes[row] as usize;
                full[[row, class]] - other[[row, class]]
            };
            index.iter().map(change).sum::<f64>() / 4.0
        };
        assert!((by.pos - change(&complement)).abs() < 1e-12, "{by:?}");
        assert!((by.neg - change(&kept)).abs() < 1e-12, "{by:?}");
        assert_eq!(by.delta, by.pos - by.neg);
        assert!(by.pos_standard_error < 1e-15 && by.neg_standard_error < 1e-15);
    }
    // Logits that are said to be probabilities are refused.
    let wrong = RobustFidelityMetric::new().probabilities(ReturnType::Probs);
    let error = wrong.evaluate(&model, graph, mask.view()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
    assert_eq!(error.input(), input::FULL);
}

#[test]
fn robust_fidelity_finds_the_probability_and_its_error() {
    // The answer is 1 while both of the first two edges are there.
    let model = |graph: Graph<'_, f64>| -> ModelResult {
        let weight = graph.edge_weight.expect("weights");
        Ok(array![[0.5, weight[0] * weight[1]]])
    };
    let (features, edges) = (array![[0.0], [0.0]], array![[0, 1, 0, 1], [1, 0, 1, 0]]);
    let weight = Array1::<f64>::ones(4);
    let graph = Graph::new(features.view(), edges.view())
        .unwrap()
        .with_edge_weight(weight.view())
        .unwrap();
    let mask = array![1.0, 0.0, 0.0, 0.0];
    let draws = 4000;
    let metric = RobustFidelityMetric::new()
        .alpha_pos(0.3)
        .alpha_neg(0.8)
        .n_draws(draws);
    let robust = metric.evaluate(&model, graph, mask.view()).unwrap();
    for (value, expected, error) in [
        (robust.pos, 0.3, robust.pos_standard_error),
        (robust.neg, 0.2, robust.neg_standard_error),
    ] {
        let expected_error = (expected * (1.0 - expected) / f64::from(draws as u32)).sqrt();
        assert!((error - expected_error).abs() < 0.1 * expected_error);
        assert!((value - expected).abs() < 4.0 * expected_error);
    }
    assert_eq!(robust.delta, robust.pos - robust.neg);
    // The seed decides, nothing else does.
    assert_eq!(robust, metric.evaluate(&model, graph, mask.view()).unwrap());
    let other = metric.seed(2).evaluate(&model, graph, mask.view()).unwrap();
    assert_ne!(robust.pos, other.pos);
    // Both directions of 0–1 go together: the explanation must hold both or neither.
    let undirected = metric.edges(EdgeChoices::new().undirected(true));
    let half = undirected.evaluate(&model, graph, mask.view());
    fails(half, "explanation[1]: OutOfDomain 0");
}

#[test]
fn undirected_edges_are_kept_in_pairs() {
    let edges = array![[0, 1, 1, 2, 2, 2], [1, 0, 2, 1, 2, 0]];
    let mask = array![0.9, 0.2, 0.5, 0.6, 0.1, 0.7];
    let kept = |sparsity| sparsify_undirected(mask.view(), edges.view(), sparsity).unwrap();
    // Scores 0.55, 0.55, 0.1, 0.7: the first of the tie is kept.
    assert_eq!(
        kept(Sparsity::TopK(2)),
        array![1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        kept(Sparsity::Fraction(0.25)),
        array![0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    );
    assert_eq!(
        kept(Sparsity::Threshold(0.5)),
        array![1.0, 1.0, 1.0, 1.0, 0.0, 1.0]
    );
    assert_eq!(kept(Sparsity::TopK(0)).sum(), 0.0);
    let curve = SparsitySweep::new()
        .edges(EdgeChoices::new().undirected(true))
        .evaluate_model(
            &|graph: Graph<'_, f64>| -> ModelResult {
                let weight = graph.edge_weight.map_or(6.0, |weight| weight.sum());
                Ok(array![[weight, 2.5]])
            },
            Graph::new(array![[0.0], [0.0], [0.0]].view(), edges.view()).unwrap(),
            mask.view(),
            &[Sparsity::TopK(1), Sparsity::TopK(2), Sparsity::TopK(4)],
        );
    let curve = curve.unwrap();
    let neg: Vec<f64> = curve
        .points
        .iter()
        .map(|point| point.neg_fidelity)
        .collect();
    assert_eq!(neg, [1.0, 0.0, 0.0]);
    assert_eq!(curve.fidelity_auc, None);
    assert_eq!(curve.best, 2);
}

#[test]
fn node_masks_of_every_shape() {
    let (features, edges) = (array![[1.0, 2.0], [3.0, 4.0]], array![[0], [1]]);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    for (mask, kept) in [
        (array![[1.0], [0.0]], array![[1.0, 2.0], [0.0, 0.0]]),
        (array![[0.5, 0.0]], array![[0.5, 0.0], [1.5, 0.0]]),
        (
            array![[1.0, 0.0], [0.0, 0.25]],
            array![[1.0, 0.0], [0.0, 1.0]],
        ),
    ] {
        let explanation = Explanation::nodes(mask.view());
        let own = explanation.kept(graph, EdgeRemoval::Weight).unwrap();
        assert_eq!(own.features, kept);
        let rest = explanation.complement(graph, EdgeRemoval::Weight).unwrap();
        assert_eq!(&own.features + &rest.features, features);
        assert_eq!(own.edge_index, edges);
    }
}

#[test]
fn the_batch_reaches_the_model() {
    let batch = array![0, 0, 1];
    let (features, edges) = (array![[1.0], [2.0], [3.0]], array![[0, 1], [1, 0]]);
    let graph = Graph::new(features.view(), edges.view())
        .unwrap()
        .with_batch(batch.view())
        .unwrap();
    let model = |graph: Graph<'_, f64>| -> ModelResult {
        let mut sums = Array2::zeros((2, 2));
        let batch = graph.batch.expect("a batch");
        for (node, &of) in batch.iter().enumerate() {
            sums[[of as usize, 1]] += graph.features[[node, 0]] - 0.75;
        }
        Ok(sums)
    };
    let mask = array![[0.0], [0.0], [1.0]];
    let explanation = Explanation::nodes(mask.view());
    let outputs = explained_outputs(&model, graph, explanation, EdgeRemoval::Weight).unwrap();
    let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement).unwrap();
    assert_eq!((fidelity.pos, fidelity.neg), (0.5, 0.5));
}

proptest! {
    #[test]
    fn the_complement_of_everything_is_the_empty_graph(n in 2usize..20, lit in 0usize..20) {
        let (features, edges) = ring(n, lit);
        let graph = Graph::new(features.view(), edges.view()).unwrap();
        let (all_edges, all_nodes) = (Array1::<f64>::ones(edges.ncols()), Array2::ones((n, 1)));
        let everything = Explanation::edges(all_edges.view()).with_nodes(all_nodes.view());
        let rest = everything.complement(graph, EdgeRemoval::Remove).unwrap();
        prop_assert_eq!(rest.edge_index.dim(), (2, 0));
        prop_assert_eq!(rest.features, Array2::<f64>::zeros((n, 1)));
        let rest = everything.complement(graph, EdgeRemoval::Weight).unwrap();
        prop_assert_eq!(rest.edge_weight.sum(), 0.0);
        let kept = everything.kept(graph, EdgeRemoval::Remove).unwrap();
        prop_assert_eq!((kept.features, kept.edge_index), (features, edges));
    }

    #[test]
    fn everything_is_sufficient(n in 3usize..20, lit in 0usize..20) {
        let (features, edges) = ring(n, lit);
        let graph = Graph::new(features.view(), edges.view()).unwrap();
        let all = Array1::<f64>::ones(edges.ncols());
        for removal in [EdgeRemoval::Weight, EdgeRemoval::Remove] {
            let explanation = Explanation::edges(all.view());
            let outputs = explained_outputs(&Gcn::finder(), graph, explanation, removal).unwrap();
            let fidelity = fidelity(&outputs.full, &outputs.kept, &outputs.complement).unwrap();
            prop_assert_eq!(fidelity.neg, 0.0);
        }
    }

    #[test]
    fn a_model_that_ignores_edges_does_not_miss_them(
        mask in prop::collection::vec(0.0..=1.0f64, 16), level in 0.0..=1.0f64,
    ) {
        let (features, edges) = ring(8, 3);
        let graph = Graph::new(features.view(), edges.view()).unwrap();
        let mask = Array1::from(mask);
        let model = |graph: Graph<'_, f64>| -> ModelResult {
            Ok(ndarray::concatenate![Axis(1), graph.features, 1.0 - &graph.features])
        };
        let outputs =
            explained_outputs(&model, graph, Explanation::edges(mask.view()), EdgeRemoval::Weight);
        let outputs = outputs.unwrap();
        let plain = fidelity(&outputs.full, &outputs.kept, &outputs.complement).unwrap();
        prop_assert_eq!((plain.pos, plain.neg), (0.0, 0.0));
        let hard = sparsify(mask.view(), Sparsity::Fraction(level)).unwrap();
        let robust = RobustFidelityMetric::new().alpha_pos(0.5).alpha_neg(0.5).n_draws(4);
        let removal = EdgeChoices::new().removal(EdgeRemoval::Remove);
        let robust = robust.edges(removal).evaluate(&model, graph, hard.view());
        prop_assert_eq!(robust.unwrap().delta, 0.0);
    }

    #[test]
    fn sparsified_masks_are_binary_and_have_the_requested_size(
        mask in prop::collection::vec((0u32..6).prop_map(|x| f64::from(x) / 5.0), 1..40), k in 0usize..40,
    ) {
        let mask = Array1::from(mask);
        let k = k.min(mask.len());
        let hard = sparsify(mask.view(), Sparsity::TopK(k)).unwrap();
        prop_assert_eq!(hard.sum(), k as f64);
        let kept = |wanted: f64| mask.iter().zip(&hard).filter(move |(_, h)| **h == wanted).map(|(m, _)| *m);
        let least = kept(1.0).fold(f64::INFINITY, f64::min);
        prop_assert!(kept(0.0).all(|left| left <= least));
        let all = sparsify(mask.view(), Sparsity::Fraction(1.0)).unwrap();
        prop_assert_eq!(all.sum(), mask.len() as f64);
    }

    #[test]
    fn mask_properties_are_within_their_bounds(
        mask in prop::collection::vec(0.0..=1.0f64, 16), threshold in 0.0..=1.0f64,
    ) {
        let (_, edges) = ring(8, 0);
        let mask = Array1::from(mask);
        let properties = MaskMetric::new().threshold(threshold).evaluate_edges(mask.view(), edges.view(), 8).unwrap();
        let without_edges = MaskMetric::new().threshold(threshold).evaluate(mask.view()).unwrap();
        prop_assert_eq!(properties.size, without_edges.size);
        prop_assert!((properties.sparsity - (1.0 - properties.size as f64 / 16.0)).abs() < 1e-15);
        prop_assert!(properties.entropy.is_none_or(|h| (0.0..=16f64.ln() + 1e-12).contains(&h)));
        prop_assert!(properties.component_share.is_none_or(|share| share > 0.0 && share <= 1.0));
        prop_assert!(properties.component_ratio.is_none_or(|ratio| ratio > 0.0 && ratio <= 1.0));
        prop_assert_eq!(properties.n_components == Some(0), properties.size == 0);
    }

    #[test]
    fn averages_over_graphs_merge_to_the_last_bit(
        values in prop::collection::vec((0.0..=1.0f64, 0.0..=1.0f64), 2..30), split in 1usize..30,
    ) {
        let split = split.min(values.len() - 1);
        let result = |&(a, b): &(f64, f64)| ground_truth(
            array![a, b].view(), array![1.0, 0.0].view(),
        ).unwrap();
        let mut whole = MacroAverages::new();
        let mut parts = [MacroAverages::new(), MacroAverages::new()];
        for (i, value) in values.iter().enumerate() {
            whole.update(&result(value)).unwrap();
            parts[usize::from(i >= split)].update(&result(value)).unwrap();
        }
        let [left, mut right] = parts;
        right.merge(left).unwrap();
        prop_assert_eq!(right.finish().unwrap(), whole.finish().unwrap());
        prop_assert_eq!(whole.n_graphs(), values.len() as u64);
    }
}

#[test]
fn components_are_counted_per_node_touched_and_per_node_of_the_graph() {
    let edges = array![[0, 1, 3, 6], [1, 2, 4, 7]]; // 0–1–2 and 3–4; 6–7 is not selected
    let mask = array![0.9, 0.8, 0.7, 0.1];
    let properties = MaskMetric::new()
        .threshold(0.5)
        .evaluate_edges(mask.view(), edges.view(), 10)
        .unwrap();
    assert_eq!(properties.component_share, Some(3.0 / 5.0));
    assert_eq!(properties.component_ratio, Some(2.0 / 5.0));
    assert_eq!(properties.components_per_node, Some(2.0 / 10.0));
    let nothing = MaskMetric::new()
        .threshold(0.9)
        .evaluate_edges(mask.view(), edges.view(), 10)
        .unwrap();
    assert_eq!(nothing.component_ratio, None);
    assert_eq!(nothing.components_per_node, Some(0.0));
    let without_edges = MaskMetric::new()
        .threshold(0.5)
        .evaluate(mask.view())
        .unwrap();
    assert_eq!(without_edges.components_per_node, None);
}

#[test]
fn intervals_of_averages_of_large_values_do_not_cancel() {
    let mut averages = MacroAverages::new();
    for size in [100_000_001, 100_000_002, 100_000_003] {
        let metric = MaskMetric::new().threshold(0.5);
        let mut properties = metric.evaluate(array![1.0].view()).unwrap();
        properties.size = size;
        averages.update(&properties).unwrap();
    }
    let averages = averages.finish().unwrap();
    assert_eq!(
        (averages[0].name, averages[0].mean),
        ("size", Some(100_000_002.0))
    );
    let interval = averages[0].interval.unwrap();
    // The 0.975 quantile of Student's t with 2 degrees of freedom, times s/√n = 1/√3.
    let half = 4.302_652_729_9 / 3f64.sqrt();
    assert!(
        ((interval.high - interval.low) / 2.0 - half).abs() < 1e-6,
        "{interval:?}"
    );
}

#[test]
fn averages_of_zeros_and_ones_have_wilsons_interval() {
    let mut dataset = OverGraphs::new(FidelityAccumulator::new());
    let metric = FidelityMetric::model();
    // One prediction a graph; one of ten changes without the explanation, none with it.
    for graph in 0..10 {
        let complement = [i64::from(graph == 0)];
        dataset
            .update(metric.batch(&[0], &[0], &complement))
            .unwrap();
    }
    let averages = dataset.finish().unwrap().macro_average;
    assert_eq!(averages[0].interval, Some(wilson(1, 10, 0.95).unwrap()));
    assert_eq!(averages[1].interval, Some(wilson(0, 10, 0.95).unwrap()));
    // Numbers of elements are no shares, all of them 1 though they are.
    let mut averages = MacroAverages::new();
    for _ in 0..3 {
        let properties = MaskMetric::new()
            .threshold(0.5)
            .evaluate(array![1.0].view())
            .unwrap();
        averages.update(&properties).unwrap();
    }
    let size = averages.finish().unwrap()[0].interval.unwrap();
    assert_eq!((size.low, size.high), (1.0, 1.0));
}

#[test]
fn averages_of_shares_over_graphs_have_intervals_in_their_range() {
    let mut dataset = OverGraphs::new(GroundTruthMetric::new().accumulator().unwrap());
    // Accuracies 1, ½ and 0; the last graph has no true element, so no recall.
    for (mask, truth) in [
        (array![0.9, 0.1], array![1.0, 0.0]),
        (array![0.9, 0.9], array![1.0, 0.0]),
        (array![0.9, 0.9], array![0.0, 0.0]),
    ] {
        dataset.update((mask.view(), truth.view())).unwrap();
    }
    let scores = dataset.finish().unwrap();
    let accuracy = &scores.macro_average[0];
    assert_eq!((accuracy.mean, accuracy.n_defined), (Some(0.5), 3));
    // On the logit scale: t(0.975; 2) = 4.302653 times 0.5 / (√3 · 0.5 · 0.5) on either side of 0.
    let half = 4.302_652_729_911_275 * 2.0 / 3f64.sqrt();
    let interval = accuracy.interval.unwrap();
    assert!((interval.low - 1.0 / (1.0 + half.exp())).abs() < 1e-9);
    assert!((interval.high - 1.0 / (1.0 + (-half).exp())).abs() < 1e-9);
    let recall = &scores.macro_average[1];
    assert_eq!(
        (recall.mean, recall.n_defined, recall.n_undefined),
        (Some(1.0), 2, 1)
    );
    // Every value is 0 or 1.
    assert_eq!(recall.interval, Some(wilson(2, 2, 0.95).unwrap()));
    // All six elements together.
    assert_eq!(scores.micro.accuracy, 0.5);
    assert_eq!(scores.n_graphs, 3);
}

#[test]
fn a_dataset_in_two_parts_is_the_dataset() {
    let graphs: Vec<[Vec<u8>; 3]> = (0..7u8)
        .map(|g| {
            [
                vec![g % 2; 4],
                vec![0, 1, g % 3, 1],
                vec![1, 0, g % 2, g % 4],
            ]
        })
        .collect();
    let batch = |graph: &[Vec<u8>; 3], state: &mut OverGraphs<FidelityAccumulator>| {
        state
            .update(FidelityMetric::model().batch(&graph[0], &graph[1], &graph[2]))
            .unwrap();
    };
    let empty = || OverGraphs::new(FidelityAccumulator::new());
    let (mut whole, mut left, mut right) = (empty(), empty(), empty());
    for (i, graph) in graphs.iter().enumerate() {
        batch(graph, &mut whole);
        batch(graph, if i < 3 { &mut left } else { &mut right });
    }
    right.merge(left).unwrap();
    assert_eq!(right.finish().unwrap(), whole.finish().unwrap());
    assert!(matches!(
        empty().finish().unwrap_err().kind(),
        ErrorKind::Empty
    ));
}

#[test]
fn micro_intervals_leave_one_graph_out_at_a_time() {
    let graphs = [
        (array![0.9, 0.1, 0.8], array![1.0, 0.0, 0.0]),
        (array![0.9, 0.2], array![1.0, 0.0]),
        (array![0.4], array![1.0]),
        (array![0.3, 0.6], array![1.0, 0.0]),
    ];
    let empty = || GroundTruthMetric::new().accumulator().unwrap();
    let of = |graphs: &[&(Array1<f64>, Array1<f64>)]| {
        let mut state = empty();
        for (mask, truth) in graphs {
            state.update((mask.view(), truth.view())).unwrap();
        }
        state
    };
    let states: Vec<_> = graphs.iter().map(|graph| of(&[graph])).collect();
    let intervals = micro_intervals(&states).unwrap();
    let auroc = |state: GroundTruthAccumulator<f64>| state.finish().unwrap().auroc.unwrap();
    let left_out: Vec<f64> = (0..4)
        .map(|out| {
            let rest: Vec<_> = (0..4).filter(|&i| i != out).map(|i| &graphs[i]).collect();
            auroc(of(&rest))
        })
        .collect();
    let whole = auroc(of(&graphs.iter().collect::<Vec<_>>()));
    let expected = jackknife(whole, &left_out, 0.95).unwrap();
    assert_eq!(
        (intervals[4].name, intervals[4].value),
        ("auroc", Some(whole))
    );
    assert_eq!(intervals[4].interval, Some(expected));
    fails(micro_intervals(&states[..1]), "graphs: TooFew 1 of 2");
}

#[test]
fn levels_run_in_parallel_and_the_whole_graph_once() {
    let calls = AtomicUsize::new(0);
    let model = |graph: Graph<'_, f64>| -> ModelResult {
        calls.fetch_add(1, Ordering::Relaxed);
        let weight: f64 = graph.edge_weight.map_or(8.0, |weight| weight.sum());
        Ok(Array2::from_elem((graph.n_nodes(), 2), weight))
    };
    let (features, edges) = ring(4, 1);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let levels: Vec<Sparsity> = (0..=8).map(Sparsity::TopK).collect();
    let mask = Array1::<f64>::zeros(8);
    SparsitySweep::new()
        .evaluate_model(&model, graph, mask.view(), &levels)
        .unwrap();
    assert_eq!(calls.into_inner(), 1 + 2 * levels.len());
}

#[test]
fn graphs_and_masks_that_do_not_fit() {
    let (features, edges) = ring(4, 2);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let (too_few, negative) = (array![1.0], array![0, -1, 0, 0]);
    let bad = array![[0, 1], [1, -1]];
    fails(
        Graph::new(features.view(), bad.view()),
        "edge_index[1, 1]: OutOfDomain -1",
    );
    fails(
        Graph::new(features.view(), array![[0, 1]].view()),
        "edge_index: ShapeMismatch",
    );
    let nan = array![[0.0], [f64::NAN], [0.0], [0.0]];
    fails(
        Graph::new(nan.view(), edges.view()),
        "features[1, 0]: NonFinite",
    );
    fails(
        graph.with_edge_weight(too_few.view()),
        "edge_weight: ShapeMismatch",
    );
    fails(
        graph.with_batch(negative.view()),
        "batch[1]: OutOfDomain -1",
    );
    let no_nodes = Array2::<f64>::zeros((0, 1));
    let no_edges = Array2::zeros((2, 0));
    fails(Graph::new(no_nodes.view(), no_edges.view()), "nodes: Empty");
}

#[test]
fn masks_that_do_not_fit_the_graph() {
    let (features, edges) = ring(4, 2);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let weight = EdgeRemoval::Weight;
    fails(
        Explanation::edges(array![1.0].view()).kept(graph, weight),
        "edge_mask: ShapeMismatch",
    );
    let mut mask = Array1::zeros(8);
    mask[3] = 0.5;
    let soft = Explanation::edges(mask.view()).kept(graph, EdgeRemoval::Remove);
    let soft = fails(soft, "edge_mask[3]: OutOfDomain 0.5");
    assert_eq!(soft.help(), Some(help::SPARSIFY_FIRST));
    mask[3] = 1.5;
    fails(
        Explanation::edges(mask.view()).kept(graph, weight),
        "edge_mask[3]: OutOfDomain 1.5",
    );
    mask[3] = f64::NAN;
    fails(
        Explanation::edges(mask.view()).kept(graph, weight),
        "edge_mask[3]: NonFinite",
    );
    fails(
        Explanation::nodes(Array2::<f64>::zeros((4, 3)).view()).kept(graph, weight),
        "node_mask: ShapeMismatch",
    );
    fails(
        Explanation::nodes(array![[0.0], [2.0], [0.0], [0.0]].view()).kept(graph, weight),
        "node_mask[1, 0]: OutOfDomain 2",
    );
}

#[test]
fn models_that_fail_or_return_something_else() {
    let (features, edges) = ring(4, 2);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = Array1::<f64>::ones(8);
    let failing = |_: Graph<'_, f64>| Err::<Array2<f64>, _>("out of memory");
    let explanation = Explanation::edges(mask.view());
    fails(
        explained_outputs(&failing, graph, explanation, EdgeRemoval::Weight),
        "model: Model",
    );
    let calls = AtomicUsize::new(0);
    let growing = |_: Graph<'_, f64>| -> ModelResult {
        Ok(Array2::zeros((
            4 + calls.fetch_add(1, Ordering::Relaxed),
            2,
        )))
    };
    fails(
        explained_outputs(&growing, graph, explanation, EdgeRemoval::Weight),
        "model: ShapeMismatch",
    );
    let nan = |_: Graph<'_, f64>| -> ModelResult { Ok(Array2::from_elem((4, 2), f64::NAN)) };
    fails(
        SparsitySweep::new().evaluate_model(&nan, graph, mask.view(), &[Sparsity::TopK(1)]),
        "full[0, 0]: NonFinite",
    );
}

#[test]
fn models_may_be_boxed_and_keep_a_state_of_one_thread() {
    let (features, edges) = ring(4, 2);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = Array1::from_shape_fn(8, |edge| f64::from(u8::from(edge < 4)));
    let explanation = Explanation::edges(mask.view());
    let expected =
        explained_outputs(&Gcn::finder(), graph, explanation, EdgeRemoval::Weight).unwrap();
    let calls = Cell::new(0);
    let counted = graph_fn(|graph| {
        calls.set(calls.get() + 1);
        Gcn::finder().outputs(graph)
    });
    let boxed: Box<dyn GraphModel<f64> + '_> = Box::new(counted);
    let outputs = explained_outputs(&boxed, graph, explanation, EdgeRemoval::Weight).unwrap();
    assert_eq!((outputs, calls.get()), (expected, 3));
    let shared: Box<dyn GraphModel<f64> + Send + Sync> = Box::new(Gcn::finder());
    let curve = |model: &(dyn GraphModel<f64> + Sync)| {
        let levels = [Sparsity::TopK(1), Sparsity::TopK(4)];
        let sweep = SparsitySweep::new();
        sweep
            .evaluate_model(model, graph, mask.view(), &levels)
            .unwrap()
    };
    assert_eq!(curve(&shared), curve(&Gcn::finder()));
}

#[test]
fn masks_of_another_precision_are_rounded_to_that_of_the_graph() {
    let (features, edges) = (array![[1f32], [3.0]], array![[0, 1], [1, 0]]);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let (soft, hard) = (array![0.1, 1.0], array![0.0, 1.0]);
    for (mask, removal) in [(&soft, EdgeRemoval::Weight), (&hard, EdgeRemoval::Remove)] {
        let single = mask.mapv(|value| value as f32);
        let (double, single) = (
            Explanation::edges(mask.view()),
            Explanation::edges(single.view()),
        );
        assert_eq!(
            double.kept(graph, removal).unwrap(),
            single.kept(graph, removal).unwrap()
        );
        assert_eq!(
            double.complement(graph, removal).unwrap(),
            single.complement(graph, removal).unwrap()
        );
    }
    let nodes = array![[0.1], [0.9]];
    let kept = Explanation::edges(soft.view())
        .with_nodes(nodes.view())
        .kept(graph, EdgeRemoval::Weight)
        .unwrap();
    assert_eq!(kept.features, array![[0.1f32], [0.9f32 * 3.0]]);
    assert_eq!(kept.edge_weight, array![0.1f32, 1.0]);
}

proptest! {
    #[test]
    fn components_are_those_of_repeated_merging(
        edges in prop::collection::vec((0i64..30, 0i64..30), 1..40)
    ) {
        // Nodes take the smallest label of their neighbours until nothing changes.
        let mut labels: Vec<i64> = (0..30).collect();
        for _ in 0..30 {
            for &(a, b) in &edges {
                let label = labels[a as usize].min(labels[b as usize]);
                labels[a as usize] = label;
                labels[b as usize] = label;
            }
        }
        let touched = |node: i64| edges.iter().any(|&(a, b)| a == node || b == node);
        let size = |label: i64| {
            let has_label = |node: &i64| touched(*node) && labels[*node as usize] == label;
            (0..30).filter(has_label).count()
        };
        let sizes: Vec<usize> = (0..30).map(size).filter(|&size| size > 0).collect();
        let index = Array2::from_shape_fn((2, edges.len()), |(end, edge)| {
            if end == 0 { edges[edge].0 } else { edges[edge].1 }
        });
        let mask = Array1::<f64>::ones(edges.len());
        for n_nodes in [30, 10_000] {
            let metric = MaskMetric::new();
            let properties = metric.evaluate_edges(mask.view(), index.view(), n_nodes).unwrap();
            prop_assert_eq!(properties.n_components, Some(sizes.len()));
            let n_touched = sizes.iter().sum::<usize>() as f64;
            let largest = *sizes.iter().max().unwrap() as f64;
            prop_assert_eq!(properties.component_share, Some(largest / n_touched));
        }
    }
}

#[test]
fn levels_and_probabilities_outside_their_domain() {
    let mask = array![0.5, 0.1];
    for (sparsity, about) in [
        (Sparsity::TopK(3), input::TOP_K),
        (Sparsity::Fraction(1.5), input::FRACTION),
        (Sparsity::Threshold(f64::NAN), input::THRESHOLD),
    ] {
        fails(
            sparsify(mask.view(), sparsity),
            &format!("{about}: InvalidParameter"),
        );
    }
    fails(
        sparsify(array![f64::NAN].view(), Sparsity::TopK(1)),
        "mask[0]: NonFinite",
    );
    fails(
        MaskMetric::new()
            .threshold(0.5)
            .evaluate(array![0.5, 1.5].view()),
        "mask[1]: OutOfDomain 1.5",
    );
    fails(
        MaskMetric::new().threshold(0.5).evaluate_edges(
            mask.view(),
            array![[0, 1], [1, 2]].view(),
            2,
        ),
        "edge_index[1, 1]: OutOfDomain 2",
    );
    let averages = MacroAverages::<MaskProperties>::new();
    fails(averages.finish(), "graphs: Empty");
}

#[test]
fn levels_of_outputs_that_make_no_axis() {
    let rows = array![[0.0, 1.0]];
    let levels = ndarray::stack![Axis(0), rows, rows];
    let sweep = |given: &[f64]| {
        SparsitySweep::new().evaluate(rows.view(), levels.view(), levels.view(), given)
    };
    fails(sweep(&[0.2, 0.1]), "levels[1]: OutOfDomain 0.1");
    fails(sweep(&[0.2]), "kept: ShapeMismatch");
}

#[test]
fn robust_fidelity_is_checked_before_the_model_is_called() {
    let (features, edges) = ring(4, 2);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = Array1::<f64>::ones(8);
    let failing = |_: Graph<'_, f64>| Err::<Array2<f64>, _>("called");
    let evaluate = |metric: RobustFidelityMetric<'_>| metric.evaluate(&failing, graph, mask.view());
    fails(
        evaluate(RobustFidelityMetric::new().alpha_pos(1.5)),
        "alpha_pos: InvalidParameter",
    );
    fails(
        evaluate(RobustFidelityMetric::new().alpha_neg(f64::NAN)),
        "alpha_neg: InvalidParameter",
    );
    let mut changed = graph;
    let one_row = Array2::zeros((1, 8));
    changed.edge_index = one_row.view();
    let undirected = RobustFidelityMetric::new().edges(EdgeChoices::new().undirected(true));
    fails(
        undirected.evaluate(&failing, changed, mask.view()),
        "edge_index: ShapeMismatch",
    );
    fails(
        evaluate(RobustFidelityMetric::new().n_draws(1)),
        "n_draws: InvalidParameter",
    );
}

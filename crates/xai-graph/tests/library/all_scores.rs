//! What holds of every score of the registry: one that comes later is judged here, or a test says that it is not.

use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use xai_core::describe::{MetricInfo, Scores};
use xai_core::random::{random_stream, uniform};
use xai_core::{Accumulator, Direction, parallel};
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{MaskMetric, Sparsity, tied_share};
use xai_graph::model::EdgeRemoval;
use xai_graph::{
    EDIT_SIZE, Explanation, FAMILY, Graph, GroundTruthMetric, ReturnType, RobustFidelityMetric,
    SparsitySweep, explained_outputs, fidelity, ground_truth, unfaithfulness,
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

/// A graph with a mask of its edges, and the true mask.
#[derive(Debug, Clone)]
struct Case {
    features: Vec<f64>,
    edges: Array2<i64>,
    mask: Vec<f64>,
    truth: Vec<f64>,
}

type AllScores = Vec<(&'static MetricInfo, Option<f64>)>;

/// All scores of a mask of the edges of a ring, and of its agreement with a truth.
fn all_scores(features: &[f64], mask: &[f64], truth: &[f64]) -> AllScores {
    let [features, mask, truth] = [features, mask, truth].map(<[f64]>::to_vec);
    let edges = edges();
    let case = Case {
        features,
        edges,
        mask,
        truth,
    };
    all_scores_of(&case, RobustFidelityMetric::new().n_draws(5))
}

impl Case {
    /// Robust fidelity removes all edges instead of some that are drawn by their places.
    fn scores_without_draws(&self) -> AllScores {
        all_scores_of(
            self,
            RobustFidelityMetric::new().alpha_pos(1.0).alpha_neg(0.0),
        )
    }

    /// With the mask's values taken from other edges.
    fn with_turned_mask(&self, by: usize) -> Self {
        let mut turned = self.clone();
        turned.mask.rotate_left(by);
        turned
    }

    /// With nodes and edges in another order.
    fn reordered(&self, nodes: &[usize], order: &[usize]) -> Self {
        let new_place =
            |node: i64| nodes.iter().position(|&old| old as i64 == node).unwrap() as i64;
        let of_edges = |values: &[f64]| order.iter().map(|&e| values[e]).collect();
        Self {
            features: nodes.iter().map(|&node| self.features[node]).collect(),
            edges: self.edges.select(Axis(1), order).mapv(new_place),
            mask: of_edges(&self.mask),
            truth: of_edges(&self.truth),
        }
    }
}

fn all_scores_of(case: &Case, robust: RobustFidelityMetric<'_>) -> AllScores {
    fn add<R: Scores>(all: &mut AllScores, result: &R) {
        all.extend(
            R::SCORES
                .iter()
                .map(|score| (score.info, score.value(result))),
        );
    }
    let features = Array2::from_shape_fn((N, 1), |(node, _)| case.features[node]);
    let [mask, truth] = [&case.mask, &case.truth].map(|values| Array1::from(values.clone()));
    let edges = case.edges.view();
    let graph = Graph::new(features.view(), edges).unwrap();
    let explanation = Explanation::edges(mask.view());
    let outputs = explained_outputs(&model, graph, explanation, EdgeRemoval::Weight).unwrap();
    let (full, kept) = (&outputs.full, &outputs.kept);
    let robust = robust.probabilities(ReturnType::Logits);
    let selected = mask.mapv(|x| f64::from(u8::from(x > 0.5)));
    let levels = [0.25, 0.5, 0.75].map(Sparsity::Threshold);
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
        &SparsitySweep::new()
            .evaluate_model(&model, graph, mask.view(), &levels)
            .unwrap(),
    );
    add(&mut all, &unfaithfulness(full.view(), kept.view()).unwrap());
    add(&mut all, &ground_truth(mask.view(), truth.view()).unwrap());
    add(
        &mut all,
        &MaskMetric::new()
            .evaluate_edges(mask.view(), edges, N)
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

/// The scores of masks and outputs. The edit size compares two graphs and is tested beside its code.
fn infos_of_masks() -> impl Iterator<Item = &'static MetricInfo> {
    FAMILY.infos().filter(|info| info.name != EDIT_SIZE.name)
}

#[test]
fn the_laws_are_those_of_every_score() {
    let judged = all_scores(&[1.0; N], &[0.5; N], &[1.0; N])
        .into_iter()
        .map(|(info, _)| info);
    assert!(judged.eq(infos_of_masks()));
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
        let alone = parallel::with_work_size(1, || all_scores(&features, &mask, &truth));
        prop_assert_eq!(alone, all_scores(&features, &mask, &truth));
    }
}

/// Masks whose values lie on a grid have ties at most cuts; the shares count whom the order of the elements decided
/// for.
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
fn sweeps_report_tied_edges_at_each_size() {
    let features = Array2::ones((N, 1));
    let mask: Array1<f64> = (0..N).map(|e| if e < 3 { 1.0 } else { 0.5 }).collect();
    let edges = edges();
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let levels = [0.25, 0.5].map(Sparsity::Fraction);
    let curve = SparsitySweep::new()
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

/// Equal, or apart by rounding.
fn near(a: Option<f64>, b: Option<f64>) -> bool {
    a.zip(b).map_or(a == b, |(a, b)| (a - b).abs() <= 1e-12)
}

/// Masks without ties: of tied edges the first ones are kept.
fn untied_case() -> impl Strategy<Value = Case> {
    case().prop_map(|[features, mask, truth]| Case {
        features,
        edges: edges(),
        mask: (mask.iter().zip(0..))
            .map(|(x, e)| 0.9 * x + 0.005 * f64::from(e))
            .collect(),
        truth,
    })
}

fn order() -> impl Strategy<Value = Vec<usize>> {
    Just((0..N).collect::<Vec<usize>>()).prop_shuffle()
}

fn example() -> Case {
    let drawn = |of: u64, i: usize| uniform(&mut random_stream(of, i as u64));
    let column = |of: u64| (0..N).map(move |i| drawn(of, i));
    Case {
        features: column(1).map(|x| 2.0 * x - 1.0).collect(),
        edges: Array2::from_shape_fn((2, N), |(end, e)| {
            (drawn(2 + end as u64, e) * N as f64) as i64
        }),
        mask: column(4).map(|x| (2.0 * x - 1.0).max(0.0)).collect(),
        truth: column(5).map(f64::round).collect(),
    }
}

proptest! {
    #[test]
    fn scale_free_properties_ignore_the_scale_of_a_mask(
        case in untied_case(), exponent in 0i32..100, decimal in 0i32..30,
    ) {
        let scores = |unit: f64| {
            let mask = case.mask.iter().map(|x| x * unit).collect();
            Case { mask, ..case.clone() }.scores_without_draws()
        };
        let (by_two, by_ten) = (scores(2f64.powi(-exponent)), scores(10f64.powi(-decimal)));
        for ((info, plain), ((_, by_two), (_, by_ten))) in scores(1.0).into_iter().zip(by_two.into_iter().zip(by_ten)) {
            if info.invariance.scale {
                prop_assert_eq!(plain, by_two, "{}", info.name);
                prop_assert!(near(plain, by_ten), "{} {:?} {:?}", info.name, plain, by_ten);
            }
        }
    }

    #[test]
    fn the_order_of_nodes_and_edges_does_not_show(case in untied_case(), nodes in order(), edges in order()) {
        let reordered = case.reordered(&nodes, &edges).scores_without_draws();
        for ((info, one), (_, other)) in case.scores_without_draws().into_iter().zip(reordered) {
            prop_assert!(near(one, other), "{} {:?} {:?}", info.name, one, other);
        }
    }
}

/// A description that claims too little would hide a score from the law.
#[test]
fn scores_that_do_not_say_so_depend_on_the_scale_of_masks() {
    let scores = |by: usize, unit: f64| {
        let mut case = example().with_turned_mask(by);
        case.mask.iter_mut().for_each(|x| *x *= unit);
        case.scores_without_draws()
    };
    let examples: Vec<[AllScores; 2]> = (0..N)
        .map(|by| [1.0, 0.5].map(|unit| scores(by, unit)))
        .collect();
    for (place, info) in infos_of_masks().enumerate() {
        let is_free = examples
            .iter()
            .all(|[plain, scaled]| plain[place] == scaled[place]);
        assert_eq!(is_free, info.invariance.scale, "{}", info.name);
    }
}

/// Scores of a mask alone do not know its edges; for all others the mask is another explanation then.
#[test]
fn masks_of_other_edges_have_other_scores() {
    let case = example();
    let turned: Vec<AllScores> = (1..N)
        .map(|by| case.with_turned_mask(by).scores_without_draws())
        .collect();
    for (place, (info, value)) in case.scores_without_draws().into_iter().enumerate() {
        let is_same = turned.iter().all(|scores| near(scores[place].1, value));
        assert_eq!(is_same, info.needs.len() == 1, "{}: {value:?}", info.name);
    }
}

/// Edges from the first five nodes carry what decides: a mask of these is right, and one of scattered others wrong.
#[test]
fn the_right_mask_is_better_than_the_wrong_one() {
    let column = |of: fn(usize) -> bool| -> Vec<f64> {
        (0..N).map(|i| f64::from(u8::from(of(i)))).collect()
    };
    let (right, wrong) = (column(|i| i < 5), column(|i| i >= 5 && i % 2 == 1));
    let [of_right, of_wrong] = [&right, &wrong].map(|mask| all_scores(&right, mask, &right));
    let mut n_better = 0;
    for ((info, right), (_, wrong)) in of_right.iter().zip(&of_wrong) {
        let is_better = match info.direction {
            Direction::Higher => right > wrong,
            Direction::Lower => right < wrong,
            Direction::None => continue,
        };
        assert!(
            is_better || right == wrong,
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

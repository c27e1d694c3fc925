//! Bad input: each case tells what is wrong, with which input, where, and the way out.

use crate::fails;
use ndarray::{Array1, Array2, array};
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{MaskMetric, Sparsity, top_k_feature_mask, top_k_features};
use xai_graph::model::EdgeChoices;
use xai_graph::outputs::OutputDistribution;
use xai_graph::{
    Accumulator, Characterization, ErrorKind, FidelityMetric, Graph, GroundTruthMetric,
    KlDirection, ReturnType, SparsitySweep, UnfaithfulnessMetric, fidelity, fidelity_curve_auc,
    ground_truth, help, input, unfaithfulness,
};

#[test]
fn predictions_of_different_numbers_of_samples() {
    fails(fidelity(&[1, 2], &[1], &[1, 2]), "kept: ShapeMismatch");
    fails(
        fidelity(&[1, 2], &[1, 2], &[1, 2, 3]),
        "complement: ShapeMismatch",
    );
    let target = [0, 1, 1];
    fails(
        FidelityMetric::phenomenon(&target).evaluate(&[1, 2], &[1, 2], &[1, 2]),
        "target: ShapeMismatch",
    );
}

#[test]
fn nothing_to_compare() {
    let none: [i32; 0] = [];
    fails(fidelity(&none, &none, &none), "samples: Empty");
    let metric = FidelityMetric::model().index(&[]);
    fails(metric.evaluate(&[1], &[1], &[1]), "index: Empty");
    fails(FidelityAccumulator::new().finish(), "samples: Empty");
    let empty = Array2::<f64>::zeros((0, 3));
    fails(unfaithfulness(empty.view(), empty.view()), "samples: Empty");
    let state = UnfaithfulnessMetric::new().accumulator::<f32>();
    fails(state.finish(), "samples: Empty");
    let none = Array1::<f32>::zeros(0);
    fails(ground_truth(none.view(), none.view()), "elements: Empty");
    let state = GroundTruthMetric::new().accumulator::<f32, f32>().unwrap();
    fails(state.finish(), "elements: Empty");
    let no_truth = Array2::<f64>::zeros((0, 2));
    let best = GroundTruthMetric::new().best_truth(array![0.1, 0.2].view(), no_truth.view());
    fails(best, "truths: Empty");
}

#[test]
fn an_index_beyond_the_samples() {
    let metric = FidelityMetric::model().index(&[0, 2]);
    fails(
        metric.evaluate(&[1, 2], &[1, 2], &[1, 2]),
        "index[1]: OutOfDomain 2",
    );
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let metric = UnfaithfulnessMetric::new().index(&[0, 2]);
    fails(
        metric.evaluate(rows.view(), rows.view()),
        "index[1]: OutOfDomain 2",
    );
}

#[test]
fn outputs_that_are_not_numbers() {
    let good = array![[0.0f32, 1.0], [1.0, 0.0]];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut kept = good.clone();
        kept[[1, 0]] = bad;
        let metrics = [
            UnfaithfulnessMetric::new(),
            UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse),
            UnfaithfulnessMetric::new().output_distribution(OutputDistribution::Bernoulli),
        ];
        for metric in metrics {
            let result = metric.evaluate(good.view(), kept.view());
            fails(result, "kept[1, 0]: NonFinite");
        }
        let soft = FidelityMetric::model().evaluate_probabilities(
            good.view(),
            kept.view(),
            good.view(),
            ReturnType::Logits,
        );
        fails(soft, "kept[1, 0]: NonFinite");
    }
    let mut kept = good.clone();
    // The class of a row with an infinite score would be decided by an overflow.
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        kept[[1, 0]] = bad;
        fails(fidelity(&good, &kept, &good), "kept[1, 0]: NonFinite");
    }
}

#[test]
fn the_first_bad_row_is_named_wherever_it_stands() {
    for row in [0, 15, 16, 1023, 1024, 2999] {
        let full = Array2::<f64>::zeros((3000, 3));
        let mut kept = full.clone();
        kept[[row, 2]] = f64::NAN;
        kept[[2999, 0]] = f64::NAN;
        let column = if row == 2999 { 0 } else { 2 };
        fails(
            unfaithfulness(full.view(), kept.view()),
            &format!("kept[{row}, {column}]: NonFinite"),
        );
        fails(
            fidelity(&full, &kept, &full),
            &format!("kept[{row}, {column}]: NonFinite"),
        );
    }
}

#[test]
fn rows_that_are_not_distributions() {
    let good = array![[0.5, 0.5], [0.25, 0.75]];
    let metric = UnfaithfulnessMetric::new().return_type(ReturnType::Probs);
    let probabilities = |kept: Array2<f64>| metric.evaluate(good.view(), kept.view());
    let sum = probabilities(array![[0.5, 0.5], [0.5, 0.75]]);
    let sum = fails(sum, "kept[1]: OutOfDomain 1.25");
    assert!(sum.part_name().is_some());
    assert_eq!(sum.help(), Some(help::PASS_LOGITS_OR_BERNOULLI));
    assert!(probabilities(array![[0.5, 0.5], [0.5, 0.501]]).is_err());
    let outside = probabilities(array![[0.5, 0.5], [1.5, -0.5]]);
    let outside = fails(outside, "kept[1, 0]: OutOfDomain 1.5");
    assert_eq!(outside.help(), Some(help::PASS_LOGITS));
    let nan = probabilities(array![[0.5, 0.5], [0.5, f64::NAN]]);
    assert_eq!(fails(nan, "kept[1, 1]: NonFinite").help(), None);
    let logs = UnfaithfulnessMetric::new().return_type(ReturnType::LogProbs);
    let good = good.ln();
    let log_probabilities = |kept: Array2<f64>| logs.evaluate(good.view(), kept.view());
    let positive = log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [0.1, -3.0]]);
    let positive = fails(positive, "kept[1, 0]: OutOfDomain 0.1");
    assert_eq!(positive.help(), Some(help::PASS_LOGITS));
    let sum = log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [-2.0, -3.0]]).unwrap_err();
    assert_eq!((sum.input(), sum.index()), (input::KEPT, &[1][..]));
    assert_eq!(sum.help(), Some(help::PASS_LOGITS_OR_BERNOULLI));
    let off_by_rounding = array![[0.5, 0.500_09]];
    let gef = metric.evaluate(off_by_rounding.view(), off_by_rounding.view());
    assert_eq!(gef.unwrap().value, 0.0);
}

#[test]
fn outputs_of_the_wrong_shape() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let more = Array2::<f64>::zeros((2, 3));
    fails(
        unfaithfulness(rows.view(), more.view()),
        "kept: ShapeMismatch",
    );
    let single = Array2::<f64>::zeros((2, 1));
    let gef = fails(
        unfaithfulness(single.view(), single.view()),
        "full: ShapeMismatch",
    );
    assert!(matches!(gef.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2, 1]));
    assert_eq!(gef.help(), Some(help::BERNOULLI_FOR_ONE_COLUMN));
    let labels = fails(fidelity(&single, &single, &single), "full: ShapeMismatch");
    assert_eq!(labels.help(), Some(help::PASS_LABELS_FOR_ONE_COLUMN));
    let none = Array2::<f64>::zeros((2, 0));
    fails(unfaithfulness(none.view(), none.view()), "full: Empty");
    let (three, two) = (array![[0.1, 0.2, 0.7]], array![[0.1, 0.9]]);
    fails(fidelity(&three, &two, &three), "kept: ShapeMismatch");
}

#[test]
fn a_target_that_the_outputs_have_no_class_for() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    for target in [[0, 2], [0, -1]] {
        let metric = FidelityMetric::phenomenon(&target);
        fails(
            metric.evaluate(&rows, &rows, &rows),
            "target[1]: LabelOutOfRange 2",
        );
        let soft = metric.evaluate_probabilities(
            rows.view(),
            rows.view(),
            rows.view(),
            ReturnType::Logits,
        );
        fails(soft, "target[1]: LabelOutOfRange 2");
    }
}

#[test]
fn targets_of_rows_that_are_not_compared_may_be_anything() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let metric = FidelityMetric::phenomenon(&[1, -1]).index(&[0]);
    assert_eq!(metric.evaluate(&rows, &rows, &rows).unwrap().n_samples, 1);
}

#[test]
fn fidelities_and_weights_outside_their_domain() {
    fails(
        Characterization::new().scores(&[0.5, 1.5], &[0.0, 0.0]),
        "pos_fidelity[1]: OutOfDomain 1.5",
    );
    fails(
        Characterization::new().score(0.5, -0.1),
        "neg_fidelity[0]: OutOfDomain -0.1",
    );
    fails(
        Characterization::new().score(f64::NAN, 0.1),
        "pos_fidelity[0]: NonFinite",
    );
    fails(
        Characterization::new().scores(&[0.5], &[0.0, 0.0]),
        "neg_fidelity: ShapeMismatch",
    );
    let weighted = |pos, neg| Characterization::new().pos_weight(pos).neg_weight(neg);
    for (weights, about) in [
        ((0.5, 0.6), "pos_weight + neg_weight"),
        ((-0.5, 1.5), "pos_weight"),
        ((f64::NAN, 1.0), "pos_weight"),
        ((1.5, -0.5), "neg_weight"),
    ] {
        fails(
            weighted(weights.0, weights.1).score(0.5, 0.5),
            &format!("{about}: InvalidParameter"),
        );
    }
    // 0.7 + 0.2 + 0.1 is not 1 in floating point; a peer that compares exactly refuses it.
    assert!(weighted(0.7, 0.2 + 0.1).score(0.5, 0.5).is_ok());
}

#[test]
fn curves_that_are_none() {
    fails(
        fidelity_curve_auc(&[0.5; 3], &[0.5; 3], &[0.0, 2.0, 1.0]),
        "x[2]: OutOfDomain 1",
    );
    let undefined = fidelity_curve_auc(&[0.5; 2], &[0.5, 1.0], &[0.0, 1.0]);
    let undefined = fails(undefined, "neg_fidelity[1]: OutOfDomain 1");
    assert_eq!(undefined.help(), Some(help::LEAVE_THE_POINT_OUT));
    fails(
        fidelity_curve_auc(&[0.5], &[0.5], &[0.0]),
        "points of the curve: TooFew 1 of 2",
    );
    fails(
        fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0]),
        "x: ShapeMismatch",
    );
    fails(
        fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0, f64::NAN]),
        "x[1]: NonFinite",
    );
}

#[test]
fn masks_that_are_not_scores() {
    let truth = array![0.0, 1.0];
    let outside = ground_truth(array![0.5, 1.5].view(), truth.view());
    let outside = fails(outside, "predicted[1]: OutOfDomain 1.5");
    assert_eq!(outside.help(), Some(help::SCORES_ARE_LOGITS));
    fails(
        ground_truth(array![0.5, f64::NAN].view(), truth.view()),
        "predicted[1]: NonFinite",
    );
    fails(
        ground_truth(array![0.5, 0.5].view(), array![f64::NAN, 1.0].view()),
        "target[0]: NonFinite",
    );
    let grey = ground_truth(array![0.5, 0.5].view(), array![0.0, 255.0].view());
    assert_eq!(
        fails(grey, "target[1]: OutOfDomain 255").help(),
        Some(help::SCALE_TARGET)
    );
    let signs = GroundTruthMetric::new().logits(true).element(2.0, -1.0);
    fails(signs, "target[0]: OutOfDomain -1");
    fails(
        ground_truth(array![0.5].view(), truth.view()),
        "target: ShapeMismatch",
    );
    for threshold in [1.5, -0.1, f64::NAN] {
        let metric = GroundTruthMetric::new().threshold(threshold);
        fails(
            metric.evaluate(truth.view(), truth.view()),
            "threshold: InvalidParameter",
        );
        fails(
            metric.accumulator::<f32, f32>(),
            "threshold: InvalidParameter",
        );
    }
    for k in [0, 3] {
        let metric = GroundTruthMetric::new().selection(Selection::TopK(k));
        fails(
            metric.evaluate(truth.view(), truth.view()),
            "selection: InvalidParameter",
        );
    }
}

#[test]
fn top_k_beyond_the_features() {
    let mask = array![[0.5f32, 0.1]];
    for k in [0, 3] {
        fails(top_k_features(mask.view(), k), "top_k: InvalidParameter");
    }
    fails(
        top_k_feature_mask(array![[0.5, f64::NAN]].view(), 1),
        "node_mask[0, 1]: NonFinite",
    );
    fails(
        top_k_features(Array2::<f32>::zeros((0, 2)).view(), 1),
        "node_mask: Empty",
    );
}

#[test]
fn states_of_different_choices_do_not_merge() {
    let mut state = UnfaithfulnessMetric::new().accumulator::<f32>();
    let other = UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse);
    fails(
        state.merge(other.accumulator()),
        "merged state: InvalidParameter",
    );
    let mut state = GroundTruthMetric::new().accumulator::<f32, f32>().unwrap();
    let other = GroundTruthMetric::new().threshold(0.25);
    fails(
        state.merge(other.accumulator().unwrap()),
        "merged state: InvalidParameter",
    );
}

#[test]
fn a_failed_update_leaves_the_state_as_it_was() {
    let good = array![[0.0, 1.0], [1.0, 0.0]];
    let bad = array![[0.0, 1.0], [f64::NAN, 0.0]];
    let mut state = UnfaithfulnessMetric::new().accumulator();
    state.update((good.view(), good.view())).unwrap();
    let before = state.clone();
    state.update((good.view(), bad.view())).unwrap_err();
    assert_eq!(state, before);
    let mut state = GroundTruthMetric::new().accumulator().unwrap();
    state
        .update((array![0.1].view(), array![1.0].view()))
        .unwrap();
    let before = state.clone();
    state
        .update((array![0.1, 2.0].view(), array![1.0, 1.0].view()))
        .unwrap_err();
    assert_eq!(state, before);
}

#[test]
fn levels_that_make_no_axis_are_refused_before_the_model_is_called() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let calls = AtomicUsize::new(0);
    let model = |graph: Graph<'_, f64>| -> Result<Array2<f64>, std::fmt::Error> {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(Array2::zeros((graph.n_nodes(), 2)))
    };
    let (features, edges) = (array![[1.0], [2.0]], array![[0, 1], [1, 0]]);
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = array![0.2, 0.8];
    let sweep = |levels: &[Sparsity]| {
        SparsitySweep::new().evaluate_model(&model, graph, mask.view(), levels)
    };
    fails(sweep(&[]), "levels: Empty");
    fails(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::Fraction(0.1)]),
        "levels[1]: OutOfDomain 0.1",
    );
    fails(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::TopK(1)]),
        "levels[1]: InvalidParameter",
    );
    fails(
        sweep(&[Sparsity::Fraction(f64::NAN)]),
        "levels[0]: NonFinite",
    );
    fails(sweep(&[Sparsity::TopK(3)]), "top_k: InvalidParameter");
    // Two directed edges, but one undirected one.
    let undirected = SparsitySweep::new().edges(EdgeChoices::new().undirected(true));
    fails(
        undirected.evaluate_model(&model, graph, mask.view(), &[Sparsity::TopK(2)]),
        "top_k: InvalidParameter",
    );
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn nodes_without_edges_cost_nothing() {
    let properties = MaskMetric::new().threshold(0.5).evaluate_edges(
        array![0.9].view(),
        array![[0], [1]].view(),
        usize::MAX,
    );
    assert_eq!(properties.unwrap().n_components, Some(1));
}

#[test]
fn errors_of_sweeps_name_the_level() {
    let full = Array2::<f64>::zeros((2, 2));
    let mut kept = ndarray::Array3::<f64>::zeros((3, 2, 2));
    let complement = kept.clone();
    kept[[2, 1, 0]] = f64::NAN;
    let levels = [0.1, 0.5, 1e300];
    let sweep = |levels: &[f64]| {
        SparsitySweep::new().evaluate(full.view(), kept.view(), complement.view(), levels)
    };
    let error = sweep(&levels).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::KEPT, &[1, 0][..]));
    assert_eq!(error.owner_name(), Some("level 2"));
    // Numbers of a length that a person can read.
    let error = sweep(&[0.1, 1e300, 0.5]).unwrap_err();
    assert!(error.to_string().len() < 100, "{error}");
}

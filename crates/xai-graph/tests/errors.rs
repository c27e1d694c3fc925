//! Bad input: each case names what was wrong, where, and what was expected.

use ndarray::{Array1, Array2, array};
use xai_graph::{
    Accumulator, Error, FidelityAccumulator, FidelityMetric, GroundTruthMetric, KlDirection,
    OutputDistribution, ReturnType, Selection, UnfaithfulnessMetric, characterization_score,
    characterization_scores, fidelity, fidelity_curve_auc, ground_truth, top_k_feature_mask,
    top_k_features, unfaithfulness,
};

fn message<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn predictions_of_different_numbers_of_samples() {
    assert_eq!(
        message(fidelity(&[1, 2], &[1], &[1, 2])),
        "kept: expected shape (2), got (1)"
    );
    assert_eq!(
        message(fidelity(&[1, 2], &[1, 2], &[1, 2, 3])),
        "complement: expected shape (2), got (3)"
    );
    let target = [0, 1, 1];
    assert_eq!(
        message(FidelityMetric::phenomenon(&target).evaluate(&[1, 2], &[1, 2], &[1, 2])),
        "target: expected shape (2), got (3)"
    );
}

#[test]
fn nothing_to_compare() {
    let none: [i32; 0] = [];
    assert!(matches!(
        fidelity(&none, &none, &none),
        Err(Error::Empty { .. })
    ));
    let metric = FidelityMetric::model().index(&[]);
    assert_eq!(
        message(metric.evaluate(&[1], &[1], &[1])),
        "index: nothing to measure, at least one is needed"
    );
    assert!(matches!(
        FidelityAccumulator::new().finish(),
        Err(Error::Empty { .. })
    ));
    let empty = Array2::<f64>::zeros((0, 3));
    assert!(matches!(
        unfaithfulness(empty.view(), empty.view()),
        Err(Error::Empty { .. })
    ));
    let state = UnfaithfulnessMetric::new().accumulator::<f32>();
    assert!(matches!(state.finish(), Err(Error::Empty { .. })));
    let none = Array1::<f32>::zeros(0);
    assert!(matches!(
        ground_truth(none.view(), none.view()),
        Err(Error::Empty { .. })
    ));
    let no_truth = Array2::zeros((0, 2));
    let metric = GroundTruthMetric::default();
    let best = metric.best_of(array![0.1, 0.2].view(), no_truth.view());
    assert!(matches!(best, Err(Error::Empty { .. })));
}

#[test]
fn an_index_beyond_the_samples() {
    let expected = "index[1] = 2: expected a sample, 0..2";
    let metric = FidelityMetric::model().index(&[0, 2]);
    assert_eq!(
        message(metric.evaluate(&[1, 2], &[1, 2], &[1, 2])),
        expected
    );
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let metric = UnfaithfulnessMetric::new().index(&[0, 2]);
    assert_eq!(message(metric.evaluate(rows.view(), rows.view())), expected);
}

#[test]
fn outputs_that_are_not_numbers() {
    let good = array![[0.0f32, 1.0], [1.0, 0.0]];
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut kept = good.clone();
        kept[[1, 0]] = bad;
        let expected = "kept[1, 0]: not a finite number";
        assert_eq!(message(unfaithfulness(good.view(), kept.view())), expected);
        let reverse = UnfaithfulnessMetric::new().direction(KlDirection::Reverse);
        assert_eq!(
            message(reverse.evaluate(good.view(), kept.view())),
            expected
        );
        let independent = UnfaithfulnessMetric::new().distribution(OutputDistribution::Bernoulli);
        assert_eq!(
            message(independent.evaluate(good.view(), kept.view())),
            expected
        );
        let soft = FidelityMetric::model().evaluate_probabilities(
            good.view(),
            kept.view(),
            good.view(),
            ReturnType::Logits,
        );
        assert_eq!(message(soft), expected);
    }
    let mut kept = good.clone();
    kept[[1, 0]] = f32::NAN;
    assert_eq!(
        message(fidelity(&good, &kept, &good)),
        "kept[1, 0]: not a finite number"
    );
}

#[test]
fn the_first_bad_row_is_named_wherever_it_stands() {
    for row in [0, 15, 16, 1023, 1024, 2999] {
        let full = Array2::<f64>::zeros((3000, 3));
        let mut kept = full.clone();
        kept[[row, 2]] = f64::NAN;
        kept[[2999, 0]] = f64::NAN;
        let column = if row == 2999 { 0 } else { 2 };
        let expected = format!("kept[{row}, {column}]: not a finite number");
        assert_eq!(message(unfaithfulness(full.view(), kept.view())), expected);
        assert_eq!(message(fidelity(&full, &kept, &full)), expected);
    }
}

#[test]
fn rows_that_are_not_distributions() {
    let good = array![[0.5, 0.5], [0.25, 0.75]];
    let probabilities = |kept: Array2<f64>| {
        let metric = UnfaithfulnessMetric::new().returns(ReturnType::Probs);
        message(metric.evaluate(good.view(), kept.view()))
    };
    assert!(
        probabilities(array![[0.5, 0.5], [0.5, 0.501]])
            .starts_with("sum of the probabilities of kept[1] = 1.001: expected 1;")
    );
    assert!(
        probabilities(array![[0.5, 0.5], [1.5, -0.5]])
            .starts_with("kept[1, 0] = 1.5: expected a probability in [0, 1];")
    );
    assert!(
        probabilities(array![[0.5, 0.5], [0.5, f64::NAN]])
            .starts_with("kept[1, 1]: not a finite number")
    );
    let logs = UnfaithfulnessMetric::new().returns(ReturnType::LogProbs);
    let good = good.ln();
    let log_probabilities = |kept: Array2<f64>| message(logs.evaluate(good.view(), kept.view()));
    assert!(
        log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [0.1, -3.0]])
            .starts_with("kept[1, 0] = 0.1: expected a log-probability, at most 0;")
    );
    assert!(
        log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [-2.0, -3.0]])
            .starts_with("sum of the probabilities of kept[1] = ")
    );
    let off_by_rounding = array![[0.5, 0.500_09]];
    let metric = UnfaithfulnessMetric::new().returns(ReturnType::Probs);
    let gef = metric
        .evaluate(off_by_rounding.view(), off_by_rounding.view())
        .unwrap();
    assert_eq!(gef.value, 0.0);
}

#[test]
fn outputs_of_the_wrong_shape() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let more = Array2::<f64>::zeros((2, 3));
    assert_eq!(
        message(unfaithfulness(rows.view(), more.view())),
        "kept: expected shape (2, 2), got (2, 3)"
    );
    let single = Array2::<f64>::zeros((2, 1));
    assert!(
        message(unfaithfulness(single.view(), single.view()))
            .starts_with("full: expected shape (n, c) with c >= 2;")
    );
    assert!(
        message(fidelity(&single, &single, &single))
            .starts_with("full: expected shape (n, c) with c >= 2;")
    );
    let none = Array2::<f64>::zeros((2, 0));
    assert!(matches!(
        unfaithfulness(none.view(), none.view()),
        Err(Error::Empty { .. })
    ));
}

#[test]
fn a_target_that_the_outputs_have_no_class_for() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    for (label, target) in [(2, [0, 2]), (-1, [0, -1])] {
        let expected = format!("label {label} at index 1: expected 0..2");
        let metric = FidelityMetric::phenomenon(&target);
        assert_eq!(message(metric.evaluate(&rows, &rows, &rows)), expected);
        let soft = metric.evaluate_probabilities(
            rows.view(),
            rows.view(),
            rows.view(),
            ReturnType::Logits,
        );
        assert_eq!(message(soft), expected);
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
    assert_eq!(
        message(characterization_scores(&[0.5, 1.5], &[0.0, 0.0], 0.5, 0.5)),
        "pos_fidelity[1] = 1.5: expected a fidelity in [0, 1]"
    );
    assert_eq!(
        message(characterization_score(0.5, -0.1, 0.5, 0.5)),
        "neg_fidelity[0] = -0.1: expected a fidelity in [0, 1]"
    );
    assert_eq!(
        message(characterization_score(f64::NAN, 0.1, 0.5, 0.5)),
        "pos_fidelity[0]: not a finite number"
    );
    assert_eq!(
        message(characterization_scores(&[0.5], &[0.0, 0.0], 0.5, 0.5)),
        "neg_fidelity: expected shape (1), got (2)"
    );
    assert_eq!(
        message(characterization_score(0.5, 0.5, 0.5, 0.6)),
        "pos_weight + neg_weight = 1.1: expected weights that sum to 1"
    );
    assert_eq!(
        message(characterization_score(0.5, 0.5, -0.5, 1.5)),
        "pos_weight = -0.5: expected a weight, at least 0"
    );
    assert!(characterization_score(0.5, 0.5, f64::NAN, 1.0).is_err());
    // 0.7 + 0.2 + 0.1 is not 1 in floating point; a peer that compares exactly refuses it.
    assert!(characterization_score(0.5, 0.5, 0.7, 0.2 + 0.1).is_ok());
}

#[test]
fn curves_that_are_none() {
    assert_eq!(
        message(fidelity_curve_auc(&[0.5; 3], &[0.5; 3], &[0.0, 2.0, 1.0])),
        "x[2] = 1: expected ascending x, at least 2"
    );
    assert!(
        message(fidelity_curve_auc(&[0.5; 2], &[0.5, 1.0], &[0.0, 1.0]))
            .starts_with("neg_fidelity[1] = 1: expected less than 1")
    );
    assert_eq!(
        message(fidelity_curve_auc(&[0.5], &[0.5], &[0.0])),
        "points of the curve: at least 2 needed, got 1"
    );
    assert_eq!(
        message(fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0])),
        "x: expected shape (2), got (1)"
    );
    assert_eq!(
        message(fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0, f64::NAN])),
        "x[1]: not a finite number"
    );
}

#[test]
fn masks_that_are_not_scores() {
    let truth = array![0.0, 1.0];
    assert!(
        message(ground_truth(array![0.5, 1.5].view(), truth.view()))
            .starts_with("predicted[1] = 1.5: expected a score in [0, 1]; for raw scores")
    );
    assert_eq!(
        message(ground_truth(array![0.5, f64::NAN].view(), truth.view())),
        "predicted[1]: not a finite number"
    );
    assert_eq!(
        message(ground_truth(
            array![0.5, 0.5].view(),
            array![f64::NAN, 1.0].view()
        )),
        "target[0]: not a finite number"
    );
    assert_eq!(
        message(ground_truth(array![0.5].view(), truth.view())),
        "target: expected shape (1), got (2)"
    );
    assert_eq!(
        message(GroundTruthMetric::new(1.5)),
        "threshold = 1.5: expected a threshold in [0, 1]"
    );
    assert!(GroundTruthMetric::new(f64::NAN).is_err());
    for k in [0, 3] {
        let metric = GroundTruthMetric::default().selection(Selection::TopK(k));
        assert_eq!(
            message(metric.evaluate(truth.view(), truth.view())),
            format!("top_k = {k}: expected 1..=2, the number of elements")
        );
    }
}

#[test]
fn top_k_beyond_the_features() {
    let mask = array![[0.5f32, 0.1]];
    for k in [0, 3] {
        assert_eq!(
            message(top_k_features(mask.view(), k)),
            format!("top_k = {k}: expected 1..=2, the number of features")
        );
    }
    assert_eq!(
        message(top_k_feature_mask(array![[0.5, f64::NAN]].view(), 1)),
        "node_mask[0, 1]: not a finite number"
    );
    assert!(matches!(
        top_k_features(Array2::<f32>::zeros((0, 2)).view(), 1),
        Err(Error::Empty { .. })
    ));
}

#[test]
fn states_of_different_choices_do_not_merge() {
    let mut state = UnfaithfulnessMetric::new().accumulator::<f32>();
    let other = UnfaithfulnessMetric::new().direction(KlDirection::Reverse);
    assert!(matches!(
        state.merge(other.accumulator()),
        Err(Error::InvalidParameter { .. })
    ));
    let mut state = GroundTruthMetric::default().accumulator::<f32>();
    let other = GroundTruthMetric::new(0.25).unwrap();
    assert!(matches!(
        state.merge(other.accumulator()),
        Err(Error::InvalidParameter { .. })
    ));
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
    let mut state = GroundTruthMetric::default().accumulator();
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
    use xai_graph::{Graph, Sparsity, Sweep};
    let calls = AtomicUsize::new(0);
    let model = |graph: Graph<'_, f64>| -> Result<ndarray::Array2<f64>, std::fmt::Error> {
        calls.fetch_add(1, Ordering::Relaxed);
        Ok(ndarray::Array2::zeros((graph.n_nodes(), 2)))
    };
    let (features, edges) = (
        ndarray::array![[1.0], [2.0]],
        ndarray::array![[0, 1], [1, 0]],
    );
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let mask = ndarray::array![0.2, 0.8];
    let sweep = |levels: &[Sparsity]| {
        let curve = Sweep::default().run(&model, graph, mask.view(), levels);
        curve.unwrap_err().to_string()
    };
    assert!(sweep(&[]).starts_with("levels: nothing to measure"));
    assert_eq!(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::Fraction(0.1)]),
        "levels[1] = 0.1: expected ascending levels, at least 0.9"
    );
    assert_eq!(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::TopK(1)]),
        "levels[1] = TopK(1): expected levels of one kind, as Fraction(0.9)"
    );
    assert!(sweep(&[Sparsity::Fraction(f64::NAN)]).starts_with("levels[0]: not a finite number"));
    sweep(&[Sparsity::TopK(3)]);
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

#[test]
fn outputs_of_different_models_do_not_compare() {
    use ndarray::array;
    let (three, two) = (array![[0.1, 0.2, 0.7]], array![[0.1, 0.9]]);
    let error = xai_graph::fidelity(&three, &two, &three).unwrap_err();
    assert_eq!(error.to_string(), "kept: expected shape (1, 3), got (1, 2)");
}

#[test]
fn nodes_without_edges_cost_nothing() {
    use ndarray::array;
    let properties = xai_graph::edge_mask_properties(
        array![0.9].view(),
        array![[0], [1]].view(),
        usize::MAX,
        0.5,
    );
    assert_eq!(properties.unwrap().n_components, Some(1));
}

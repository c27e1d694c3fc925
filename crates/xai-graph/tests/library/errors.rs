//! Bad input: each case tells what is wrong, with which input, where, and the way out.

use std::fmt::Debug;

use ndarray::{Array1, Array2, array};
use xai_core::Input;
use xai_graph::fidelity::FidelityAccumulator;
use xai_graph::ground_truth::Selection;
use xai_graph::mask::{MaskMetric, Sparsity, top_k_feature_mask, top_k_features};
use xai_graph::model::EdgeChoices;
use xai_graph::outputs::OutputDistribution;
use xai_graph::{
    Accumulator, Characterization, Error, ErrorKind, FidelityMetric, Graph, GroundTruthMetric,
    KlDirection, ReturnType, Sweep, UnfaithfulnessMetric, fidelity, fidelity_curve_auc,
    ground_truth, help, input, unfaithfulness,
};

/// Asserts the kind of an error, the input that it is about, and where.
macro_rules! assert_error {
    ($result:expr, $kind:pat, $input:expr, $index:expr) => {
        let error = error($result);
        assert!(matches!(error.kind(), $kind), "{error:?}");
        assert_eq!(error.input(), $input, "{error:?}");
        let index: &[usize] = &$index;
        assert_eq!(error.index(), index, "{error:?}");
    };
}

fn error<T: Debug>(result: Result<T, Error>) -> Error {
    result.unwrap_err()
}

#[test]
fn predictions_of_different_numbers_of_samples() {
    assert_error!(
        fidelity(&[1, 2], &[1], &[1, 2]),
        ErrorKind::ShapeMismatch { .. },
        input::KEPT,
        []
    );
    assert_error!(
        fidelity(&[1, 2], &[1, 2], &[1, 2, 3]),
        ErrorKind::ShapeMismatch { .. },
        input::COMPLEMENT,
        []
    );
    let target = [0, 1, 1];
    assert_error!(
        FidelityMetric::phenomenon(&target).evaluate(&[1, 2], &[1, 2], &[1, 2]),
        ErrorKind::ShapeMismatch { .. },
        input::TARGET,
        []
    );
}

#[test]
fn nothing_to_compare() {
    let none: [i32; 0] = [];
    assert_error!(
        fidelity(&none, &none, &none),
        ErrorKind::Empty,
        input::SAMPLES,
        []
    );
    let metric = FidelityMetric::model().index(&[]);
    assert_error!(
        metric.evaluate(&[1], &[1], &[1]),
        ErrorKind::Empty,
        input::INDEX,
        []
    );
    assert_error!(
        FidelityAccumulator::new().finish(),
        ErrorKind::Empty,
        input::SAMPLES,
        []
    );
    let empty = Array2::<f64>::zeros((0, 3));
    assert_error!(
        unfaithfulness(empty.view(), empty.view()),
        ErrorKind::Empty,
        input::SAMPLES,
        []
    );
    let state = UnfaithfulnessMetric::new().accumulator::<f32>();
    assert_error!(state.finish(), ErrorKind::Empty, input::SAMPLES, []);
    let none = Array1::<f32>::zeros(0);
    assert_error!(
        ground_truth(none.view(), none.view()),
        ErrorKind::Empty,
        input::ELEMENTS,
        []
    );
    let state = GroundTruthMetric::new().accumulator::<f32, f32>().unwrap();
    assert_error!(state.finish(), ErrorKind::Empty, input::ELEMENTS, []);
    let no_truth = Array2::<f64>::zeros((0, 2));
    let best = GroundTruthMetric::new().best_of(array![0.1, 0.2].view(), no_truth.view());
    assert_error!(best, ErrorKind::Empty, input::TRUTHS, []);
}

#[test]
fn an_index_beyond_the_samples() {
    let metric = FidelityMetric::model().index(&[0, 2]);
    assert_error!(
        metric.evaluate(&[1, 2], &[1, 2], &[1, 2]),
        ErrorKind::OutOfDomain { value: 2.0, .. },
        input::INDEX,
        [1]
    );
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    let metric = UnfaithfulnessMetric::new().index(&[0, 2]);
    assert_error!(
        metric.evaluate(rows.view(), rows.view()),
        ErrorKind::OutOfDomain { value: 2.0, .. },
        input::INDEX,
        [1]
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
            assert_error!(result, ErrorKind::NonFinite, input::KEPT, [1, 0]);
        }
        let soft = FidelityMetric::model().evaluate_probabilities(
            good.view(),
            kept.view(),
            good.view(),
            ReturnType::Logits,
        );
        assert_error!(soft, ErrorKind::NonFinite, input::KEPT, [1, 0]);
    }
    let mut kept = good.clone();
    kept[[1, 0]] = f32::NAN;
    assert_error!(
        fidelity(&good, &kept, &good),
        ErrorKind::NonFinite,
        input::KEPT,
        [1, 0]
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
        assert_error!(
            unfaithfulness(full.view(), kept.view()),
            ErrorKind::NonFinite,
            input::KEPT,
            [row, column]
        );
        assert_error!(
            fidelity(&full, &kept, &full),
            ErrorKind::NonFinite,
            input::KEPT,
            [row, column]
        );
    }
}

#[test]
fn rows_that_are_not_distributions() {
    let good = array![[0.5, 0.5], [0.25, 0.75]];
    let metric = UnfaithfulnessMetric::new().return_type(ReturnType::Probs);
    let probabilities =
        |kept: Array2<f64>| error(metric.evaluate(good.view(), kept.view()).map(drop));
    let sum = probabilities(array![[0.5, 0.5], [0.5, 0.501]]);
    assert_eq!((sum.input(), sum.index()), (input::KEPT, &[1][..]));
    assert!(sum.part_name().is_some());
    assert!(
        matches!(sum.kind(), ErrorKind::OutOfDomain { value, .. } if (value - 1.001).abs() < 1e-12)
    );
    assert_eq!(sum.help(), Some(help::PASS_LOGITS_OR_BERNOULLI));
    let outside = probabilities(array![[0.5, 0.5], [1.5, -0.5]]);
    assert_eq!(
        (outside.input(), outside.index()),
        (input::KEPT, &[1, 0][..])
    );
    assert_eq!(outside.help(), Some(help::PASS_LOGITS));
    let nan = probabilities(array![[0.5, 0.5], [0.5, f64::NAN]]);
    assert!(matches!(nan.kind(), ErrorKind::NonFinite));
    assert_eq!((nan.index(), nan.help()), (&[1, 1][..], None));
    let logs = UnfaithfulnessMetric::new().return_type(ReturnType::LogProbs);
    let good = good.ln();
    let log_probabilities =
        |kept: Array2<f64>| error(logs.evaluate(good.view(), kept.view()).map(drop));
    let positive = log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [0.1, -3.0]]);
    assert_eq!(
        (positive.input(), positive.index()),
        (input::KEPT, &[1, 0][..])
    );
    assert_eq!(positive.help(), Some(help::PASS_LOGITS));
    let sum = log_probabilities(array![[0.5f64.ln(), 0.5f64.ln()], [-2.0, -3.0]]);
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
    assert_error!(
        unfaithfulness(rows.view(), more.view()),
        ErrorKind::ShapeMismatch { .. },
        input::KEPT,
        []
    );
    let single = Array2::<f64>::zeros((2, 1));
    let gef = error(unfaithfulness(single.view(), single.view()));
    assert!(matches!(gef.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2, 1]));
    assert_eq!(gef.input(), input::FULL);
    assert_eq!(gef.help(), Some(help::BERNOULLI_FOR_ONE_COLUMN));
    let labels = error(fidelity(&single, &single, &single));
    assert_eq!(labels.input(), input::FULL);
    assert_eq!(labels.help(), Some(help::PASS_LABELS_FOR_ONE_COLUMN));
    let none = Array2::<f64>::zeros((2, 0));
    assert_error!(
        unfaithfulness(none.view(), none.view()),
        ErrorKind::Empty,
        input::FULL,
        []
    );
    let (three, two) = (array![[0.1, 0.2, 0.7]], array![[0.1, 0.9]]);
    assert_error!(
        fidelity(&three, &two, &three),
        ErrorKind::ShapeMismatch { .. },
        input::KEPT,
        []
    );
}

#[test]
fn a_target_that_the_outputs_have_no_class_for() {
    let rows = array![[0.0, 1.0], [1.0, 0.0]];
    for target in [[0, 2], [0, -1]] {
        let metric = FidelityMetric::phenomenon(&target);
        assert_error!(
            metric.evaluate(&rows, &rows, &rows),
            ErrorKind::LabelOutOfRange { n_classes: 2, .. },
            input::TARGET,
            [1]
        );
        let soft = metric.evaluate_probabilities(
            rows.view(),
            rows.view(),
            rows.view(),
            ReturnType::Logits,
        );
        assert_error!(
            soft,
            ErrorKind::LabelOutOfRange { n_classes: 2, .. },
            input::TARGET,
            [1]
        );
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
    assert_error!(
        Characterization::new().scores(&[0.5, 1.5], &[0.0, 0.0]),
        ErrorKind::OutOfDomain { value: 1.5, .. },
        input::POS_FIDELITY,
        [1]
    );
    assert_error!(
        Characterization::new().score(0.5, -0.1),
        ErrorKind::OutOfDomain { value: -0.1, .. },
        input::NEG_FIDELITY,
        [0]
    );
    assert_error!(
        Characterization::new().score(f64::NAN, 0.1),
        ErrorKind::NonFinite,
        input::POS_FIDELITY,
        [0]
    );
    assert_error!(
        Characterization::new().scores(&[0.5], &[0.0, 0.0]),
        ErrorKind::ShapeMismatch { .. },
        input::NEG_FIDELITY,
        []
    );
    let weighted = |pos, neg| Characterization::new().pos_weight(pos).neg_weight(neg);
    for (weights, about) in [
        ((0.5, 0.6), input::WEIGHT_SUM),
        ((-0.5, 1.5), Input::new("pos_weight")),
        ((f64::NAN, 1.0), Input::new("pos_weight")),
        ((1.5, -0.5), Input::new("neg_weight")),
    ] {
        assert_error!(
            weighted(weights.0, weights.1).score(0.5, 0.5),
            ErrorKind::InvalidParameter { .. },
            about,
            []
        );
    }
    // 0.7 + 0.2 + 0.1 is not 1 in floating point; a peer that compares exactly refuses it.
    assert!(weighted(0.7, 0.2 + 0.1).score(0.5, 0.5).is_ok());
}

#[test]
fn curves_that_are_none() {
    assert_error!(
        fidelity_curve_auc(&[0.5; 3], &[0.5; 3], &[0.0, 2.0, 1.0]),
        ErrorKind::OutOfDomain { value: 1.0, .. },
        input::X,
        [2]
    );
    let undefined = error(fidelity_curve_auc(&[0.5; 2], &[0.5, 1.0], &[0.0, 1.0]));
    assert_eq!(
        (undefined.input(), undefined.index()),
        (input::NEG_FIDELITY, &[1][..])
    );
    assert_eq!(undefined.help(), Some(help::LEAVE_THE_POINT_OUT));
    assert_error!(
        fidelity_curve_auc(&[0.5], &[0.5], &[0.0]),
        ErrorKind::TooFew {
            needed: 2,
            actual: 1
        },
        input::POINTS,
        []
    );
    assert_error!(
        fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0]),
        ErrorKind::ShapeMismatch { .. },
        input::X,
        []
    );
    assert_error!(
        fidelity_curve_auc(&[0.5; 2], &[0.5; 2], &[0.0, f64::NAN]),
        ErrorKind::NonFinite,
        input::X,
        [1]
    );
}

#[test]
fn masks_that_are_not_scores() {
    let truth = array![0.0, 1.0];
    let outside = error(ground_truth(array![0.5, 1.5].view(), truth.view()));
    assert!(matches!(
        outside.kind(),
        ErrorKind::OutOfDomain { value: 1.5, .. }
    ));
    assert_eq!(
        (outside.input(), outside.index()),
        (input::PREDICTED, &[1][..])
    );
    assert_eq!(outside.help(), Some(help::SCORES_ARE_LOGITS));
    assert_error!(
        ground_truth(array![0.5, f64::NAN].view(), truth.view()),
        ErrorKind::NonFinite,
        input::PREDICTED,
        [1]
    );
    assert_error!(
        ground_truth(array![0.5, 0.5].view(), array![f64::NAN, 1.0].view()),
        ErrorKind::NonFinite,
        input::TARGET,
        [0]
    );
    assert_error!(
        ground_truth(array![0.5].view(), truth.view()),
        ErrorKind::ShapeMismatch { .. },
        input::TARGET,
        []
    );
    for threshold in [1.5, -0.1, f64::NAN] {
        let metric = GroundTruthMetric::new().threshold(threshold);
        assert_error!(
            metric.evaluate(truth.view(), truth.view()),
            ErrorKind::InvalidParameter { .. },
            input::THRESHOLD,
            []
        );
        assert_error!(
            metric.accumulator::<f32, f32>(),
            ErrorKind::InvalidParameter { .. },
            input::THRESHOLD,
            []
        );
    }
    for k in [0, 3] {
        let metric = GroundTruthMetric::new().selection(Selection::TopK(k));
        assert_error!(
            metric.evaluate(truth.view(), truth.view()),
            ErrorKind::InvalidParameter { .. },
            input::SELECTION,
            []
        );
    }
}

#[test]
fn top_k_beyond_the_features() {
    let mask = array![[0.5f32, 0.1]];
    for k in [0, 3] {
        assert_error!(
            top_k_features(mask.view(), k),
            ErrorKind::InvalidParameter { .. },
            input::TOP_K,
            []
        );
    }
    assert_error!(
        top_k_feature_mask(array![[0.5, f64::NAN]].view(), 1),
        ErrorKind::NonFinite,
        input::NODE_MASK,
        [0, 1]
    );
    assert_error!(
        top_k_features(Array2::<f32>::zeros((0, 2)).view(), 1),
        ErrorKind::Empty,
        input::NODE_MASK,
        []
    );
}

#[test]
fn states_of_different_choices_do_not_merge() {
    let mut state = UnfaithfulnessMetric::new().accumulator::<f32>();
    let other = UnfaithfulnessMetric::new().kl_direction(KlDirection::Reverse);
    assert_error!(
        state.merge(other.accumulator()),
        ErrorKind::InvalidParameter { .. },
        input::MERGED_STATE,
        []
    );
    let mut state = GroundTruthMetric::new().accumulator::<f32, f32>().unwrap();
    let other = GroundTruthMetric::new().threshold(0.25);
    assert_error!(
        state.merge(other.accumulator().unwrap()),
        ErrorKind::InvalidParameter { .. },
        input::MERGED_STATE,
        []
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
    let sweep =
        |levels: &[Sparsity]| Sweep::new().evaluate_model(&model, graph, mask.view(), levels);
    assert_error!(sweep(&[]), ErrorKind::Empty, input::LEVELS, []);
    assert_error!(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::Fraction(0.1)]),
        ErrorKind::OutOfDomain { value: 0.1, .. },
        input::LEVELS,
        [1]
    );
    assert_error!(
        sweep(&[Sparsity::Fraction(0.9), Sparsity::TopK(1)]),
        ErrorKind::InvalidParameter { .. },
        input::LEVELS,
        [1]
    );
    assert_error!(
        sweep(&[Sparsity::Fraction(f64::NAN)]),
        ErrorKind::NonFinite,
        input::LEVELS,
        [0]
    );
    assert_error!(
        sweep(&[Sparsity::TopK(3)]),
        ErrorKind::InvalidParameter { .. },
        input::TOP_K,
        []
    );
    // Two directed edges, but one undirected one.
    let undirected = Sweep::new().edges(EdgeChoices::new().undirected(true));
    assert_error!(
        undirected.evaluate_model(&model, graph, mask.view(), &[Sparsity::TopK(2)]),
        ErrorKind::InvalidParameter { .. },
        input::TOP_K,
        []
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
fn an_error_about_the_outputs_of_a_sweep_says_at_which_level() {
    let full = Array2::<f64>::zeros((2, 2));
    let mut kept = ndarray::Array3::<f64>::zeros((3, 2, 2));
    let complement = kept.clone();
    kept[[2, 1, 0]] = f64::NAN;
    let levels = [0.1, 0.5, 1e300];
    let sweep =
        |levels: &[f64]| Sweep::new().evaluate(full.view(), kept.view(), complement.view(), levels);
    let error = sweep(&levels).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::KEPT, &[1, 0][..]));
    assert_eq!(error.owner_name(), Some("level 2"));
    // Numbers of a length that a person can read.
    let error = sweep(&[0.1, 1e300, 0.5]).unwrap_err();
    assert!(error.to_string().len() < 100, "{error}");
}

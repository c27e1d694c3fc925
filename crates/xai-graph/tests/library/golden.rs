//! Values computed by `PyTorch` Geometric and torchmetrics: real GCN and `GNNExplainer` runs, random
//! masks, curves and pairs of logits. The origin is named in the file itself.

use std::collections::BTreeMap;

use approx::assert_relative_eq;
use ndarray::{Array1, Array2, ArrayView1};
use serde_json::Value;
use xai_core::output::arg_max_rows;
use xai_graph::ground_truth::ZeroDivision;
use xai_graph::mask::top_k_features;
use xai_graph::{
    Characterization, FidelityMetric, GroundTruth, GroundTruthMetric, KlDirection,
    UnfaithfulnessMetric, fidelity_curve_auc, input, unfaithfulness,
};

/// The peer computes in single precision.
const SINGLE: f64 = 2e-6;
const DOUBLE: f64 = 1e-12;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/graph.json")).expect("valid JSON")
}

fn cases<'a>(golden: &'a Value, name: &str) -> &'a [Value] {
    let cases = golden[name].as_array().expect("a list of cases");
    assert!(!cases.is_empty());
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().expect("a list");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn singles(value: &Value) -> Array1<f32> {
    numbers(value).into_iter().map(|x| x as f32).collect()
}

fn labels(value: &Value) -> Vec<usize> {
    let list = value.as_array().expect("a list");
    list.iter()
        .map(|x| x.as_u64().expect("an index") as usize)
        .collect()
}

fn rows(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value
        .as_array()
        .expect("rows")
        .iter()
        .map(numbers)
        .collect();
    let shape = (rows.len(), rows[0].len());
    Array2::from_shape_vec(shape, rows.concat()).expect("rows of one length")
}

fn single_rows(value: &Value) -> Array2<f32> {
    rows(value).mapv(|x| x as f32)
}

fn number(case: &Value, name: &str) -> f64 {
    case[name].as_f64().expect("a number")
}

#[test]
fn fidelity_of_gnn_explainer_runs() {
    for case in cases(&golden(), "explainer_runs") {
        let outputs = |name: &str| single_rows(&case[name]);
        let (index, target) = (labels(&case["index"]), labels(&case["target"]));
        let metric = match case["explanation_type"].as_str() {
            Some("model") => FidelityMetric::model(),
            _ => FidelityMetric::phenomenon(&target),
        };
        let (full, kept) = (outputs("logits_full"), outputs("logits_kept"));
        let complement = outputs("logits_complement");
        let metric = metric.index(&index);
        let fidelity = metric.evaluate(&full, &kept, &complement).unwrap();
        assert_relative_eq!(fidelity.pos, number(case, "pos_fidelity"), epsilon = SINGLE);
        assert_relative_eq!(fidelity.neg, number(case, "neg_fidelity"), epsilon = SINGLE);

        let classes = |rows: &Array2<f32>| arg_max_rows(input::OUTPUTS, rows.view()).unwrap();
        let from_labels = metric
            .evaluate(&classes(&full), &classes(&kept), &classes(&complement))
            .unwrap();
        assert_eq!(from_labels, fidelity);
    }
}

#[test]
fn unfaithfulness_of_gnn_explainer_runs_in_the_peers_direction() {
    for case in cases(&golden(), "explainer_runs") {
        let index = labels(&case["index"]);
        let metric = UnfaithfulnessMetric::new()
            .kl_direction(KlDirection::Reverse)
            .index(&index);
        let full = single_rows(&case["logits_full"]);
        for (kept, expected) in [
            ("logits_kept", "unfaithfulness_pyg"),
            ("logits_kept_top3", "unfaithfulness_pyg_top3"),
        ] {
            let gef = metric
                .evaluate(full.view(), single_rows(&case[kept]).view())
                .unwrap();
            assert_relative_eq!(gef.value, number(case, expected), epsilon = SINGLE);
        }
    }
}

#[test]
fn top_features_of_gnn_explainer_runs() {
    for case in cases(&golden(), "explainer_runs") {
        let importance = Array1::from(numbers(&case["feature_importance"]));
        let one_node = importance.view().insert_axis(ndarray::Axis(0));
        let top = top_k_features(one_node, 3).unwrap().features;
        assert_eq!(top, labels(&case["top3"]));
    }
}

fn assert_ground_truth(scores: &GroundTruth, expected: &Value) {
    let ours = BTreeMap::from([
        ("accuracy", Some(scores.accuracy)),
        ("recall", scores.recall),
        ("precision", scores.precision),
        ("f1_score", scores.f1_score),
        ("auroc", scores.auroc),
    ]);
    for (name, value) in ours {
        let value = value.expect("a zero instead of undefined");
        assert_relative_eq!(value, number(expected, name), epsilon = SINGLE);
    }
}

#[test]
fn ground_truth_of_gnn_explainer_masks() {
    let metric = GroundTruthMetric::new().zero_division(ZeroDivision::Zero);
    let golden = golden();
    let with_truth = cases(&golden, "explainer_runs")
        .iter()
        .filter(|case| case.get("groundtruth").is_some());
    let mut n_cases = 0;
    for case in with_truth {
        let (mask, truth) = (
            singles(&case["edge_mask"]),
            singles(&case["edge_mask_true"]),
        );
        let scores = metric.evaluate(mask.view(), truth.view()).unwrap();
        assert_ground_truth(&scores, &case["groundtruth"]);
        n_cases += 1;
    }
    assert_eq!(n_cases, 4);
}

#[test]
fn ground_truth_of_random_masks_with_ties_and_single_classes() {
    for case in cases(&golden(), "groundtruth") {
        let (mask, truth) = (singles(&case["pred"]), singles(&case["target"]));
        let metric = GroundTruthMetric::new()
            .threshold(number(case, "threshold"))
            .zero_division(ZeroDivision::Zero);
        let scores = metric.evaluate(mask.view(), truth.view()).unwrap();
        assert_ground_truth(&scores, case);
        let widen = |mask: ArrayView1<'_, f32>| mask.mapv(f64::from);
        let double = metric
            .evaluate(widen(mask.view()).view(), widen(truth.view()).view())
            .unwrap();
        assert_eq!(double, scores);
    }
}

#[test]
fn characterization_and_the_area_under_the_curve() {
    for case in cases(&golden(), "characterization") {
        let (pos, neg) = (numbers(&case["pos"]), numbers(&case["neg"]));
        let weights = (number(case, "pos_weight"), number(case, "neg_weight"));
        let scores = Characterization::new()
            .pos_weight(weights.0)
            .neg_weight(weights.1)
            .scores(&pos, &neg)
            .unwrap();
        let expected = numbers(&case["score"]);
        assert_eq!(scores.len(), expected.len());
        for (score, expected) in scores.iter().zip(expected) {
            assert_relative_eq!(*score, expected, max_relative = DOUBLE);
        }
        let area = fidelity_curve_auc(&pos, &neg, &numbers(&case["x"]));
        match case["auc"].as_f64() {
            Some(expected) => assert_relative_eq!(area.unwrap(), expected, max_relative = DOUBLE),
            None => assert_eq!(area.unwrap_err().input(), input::NEG_FIDELITY),
        }
    }
}

#[test]
fn unfaithfulness_in_both_directions() {
    for case in cases(&golden(), "gef") {
        let (full, kept) = (rows(&case["logits"]), rows(&case["logits_masked"]));
        let forward = unfaithfulness(full.view(), kept.view()).unwrap().value;
        assert_relative_eq!(forward, number(case, "gef_forward"), max_relative = DOUBLE);
        let reverse = UnfaithfulnessMetric::new()
            .kl_direction(KlDirection::Reverse)
            .evaluate(full.view(), kept.view())
            .unwrap();
        assert_relative_eq!(
            reverse.value,
            number(case, "gef_reverse_pyg"),
            max_relative = DOUBLE
        );
    }
}

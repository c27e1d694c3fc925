//! Values computed by quanda 0.5.0, dattri 0.3.0, SciPy, scikit-learn, or, where no peer has the number, directly.

use ndarray::{Array2, Array3};
use serde_json::Value;
use xai_casebased::data_attribution::{AttributionData, Subsets, evaluate_all};
use xai_casebased::input;
use xai_core::describe::Setting;

fn golden() -> Value {
    serde_json::from_str(include_str!("../../golden/data_attribution.json")).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn reals(value: &Value) -> Vec<f64> {
    list(value).iter().map(|x| x.as_f64().unwrap()).collect()
}

fn integers(value: &Value) -> Vec<i64> {
    list(value).iter().map(|x| x.as_i64().unwrap()).collect()
}

fn places(value: &Value) -> Vec<usize> {
    integers(value).into_iter().map(|i| i as usize).collect()
}

fn flags(value: &Value) -> Vec<bool> {
    let flag = |x: &Value| x.as_bool().unwrap_or_else(|| x.as_i64() == Some(1));
    list(value).iter().map(flag).collect()
}

fn matrix<T: Clone>(value: &Value, row: impl Fn(&Value) -> Vec<T>) -> Array2<T> {
    let rows: Vec<Vec<T>> = list(value).iter().map(row).collect();
    let n_columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), n_columns), rows.concat()).unwrap()
}

/// The outcome of a case by the name of its metric, as JSON has it.
fn outcome(case: &Value) -> Value {
    let inputs = &case["inputs"];
    let attributions = matrix(&inputs["tau"], reals);
    let random = matrix(&inputs["tau_random"], reals);
    let train_labels = integers(&inputs["train_labels"]);
    let test_classes = integers(&inputs["test_classes"]);
    let (keep, flagged) = (flags(&inputs["keep"]), flags(&inputs["flags"]));
    let subsets: Vec<Vec<usize>> = list(&inputs["subsets"]).iter().map(places).collect();
    let subsets = Subsets::from_cases(attributions.ncols(), subsets).unwrap();
    let outputs = matrix(&inputs["outputs"], reals);
    let logits = matrix(&inputs["logits"], |row| list(row).to_vec());
    let (targets, removed) = (integers(&inputs["targets"]), places(&inputs["removed"]));
    let drops = matrix(&inputs["drops"], reals);
    let relevant = matrix(&inputs["relevant"], flags);
    let (scores, log_prob) = (reals(&inputs["scores"]), reals(&inputs["log_prob"]));
    let after = matrix(&inputs["log_prob_after"], reals);
    let ks = places(&inputs["ks"]);
    let predictions = matrix(&inputs["predictions"], integers);
    let n_classes = logits.first().map_or(0, |of| list(of).len());
    let logits = Array3::from_shape_fn((logits.nrows(), logits.ncols(), n_classes), |(j, t, c)| {
        logits[[j, t]][c].as_f64().unwrap()
    });

    let mut data = AttributionData::new(attributions.view())
        .random_attributions(random.view())
        .with(input::TRAIN_LABELS, &train_labels)
        .with(input::TEST_CLASSES, &test_classes)
        .with(input::FLAGS, &flagged)
        .with(input::SUBSETS, &subsets)
        .with(input::TARGETS, &targets)
        .with(input::LOGITS, logits.view())
        .with(input::REMOVED, &removed)
        .with(input::DROPS, drops.view())
        .with(input::RELEVANT, relevant.view())
        .with(input::SCORES, &scores)
        .with(input::LOG_PROB, &log_prob)
        .with(input::LOG_PROB_AFTER, after.view())
        .with(input::KS, &ks)
        .with(input::PREDICTIONS, predictions.view());
    if !inputs["keep"].is_null() {
        data = data.with(input::KEEP, &keep);
    }
    if !inputs["outputs"].is_null() {
        data = data.with(input::OUTPUTS, outputs.view());
    }
    let mut metric = Setting::new(case["metric"].as_str().unwrap());
    for (name, value) in case["params"].as_object().unwrap() {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        metric.params.push((name.clone(), text.as_str().into()));
    }
    let outcomes = evaluate_all(&data, &[metric]).unwrap();
    serde_json::to_value(&outcomes[0]).unwrap()
}

fn assert_close(id: &str, ours: &Value, expected: &Value, tolerance: f64) {
    match (ours, expected) {
        (Value::Array(ours), Value::Array(expected)) => {
            assert_eq!(ours.len(), expected.len(), "{id}");
            for (ours, expected) in ours.iter().zip(expected) {
                assert_close(id, ours, expected, tolerance);
            }
        }
        (Value::Number(ours), Value::Number(expected)) => {
            let (ours, expected) = (ours.as_f64().unwrap(), expected.as_f64().unwrap());
            let off = (ours - expected).abs();
            assert!(
                off <= tolerance * expected.abs().max(1.0),
                "{id}: {ours} for {expected}"
            );
        }
        _ => assert_eq!(ours, expected, "{id}"),
    }
}

#[test]
fn every_metric_has_the_value_of_the_peer_or_of_its_definition() {
    let golden = golden();
    let cases = list(&golden["cases"]);
    assert_eq!(cases.len(), 60);
    for case in cases {
        let (id, ours) = (case["id"].as_str().unwrap(), outcome(case));
        let tolerance = case["tolerance"].as_f64().unwrap();
        for (name, expected) in case["expected"].as_object().unwrap() {
            assert_close(&format!("{id} {name}"), &ours[name], expected, tolerance);
        }
    }
}

//! The metrics of maps and truth of `time_interpret`, and what differs on purpose.

use ndarray::Array3;
use xai_attribution::metric::{MetricValue, Value, registry};
use xai_attribution::side::Masks;
use xai_attribution::{Evaluate, EvaluationData};

use super::{Case, cases};

/// The names here and there, and how many cases there are.
const METRICS: [(&str, &str, usize); 9] = [
    ("area-under-precision", "area-under-precision", 6),
    ("area-under-recall", "area-under-recall", 6),
    ("mask-information", "mask-information", 4),
    ("mask-entropy", "mask-entropy", 3),
    ("mask-mae", "mask-mae", 3),
    ("mask-mse", "mask-mse", 3),
    ("mask-rmse", "mask-rmse", 3),
    ("mask-auroc", "localization-auroc", 3),
    (
        "mask-average-precision",
        "localization-average-precision",
        3,
    ),
];

fn array(case: &Case, name: &str) -> Array3<f64> {
    let samples: Vec<Vec<Vec<f64>>> = case.input(name);
    let shape = (samples.len(), samples[0].len(), samples[0][0].len());
    Array3::from_shape_vec(shape, samples.concat().concat()).unwrap()
}

/// The value by the rule of the peer or by ours.
fn value(case: &Case, name: &str, of_peer: bool) -> Option<MetricValue> {
    let mut settings: Vec<(String, Value)> = vec![("pooled".into(), of_peer.into())];
    if let Some(normalize) = case.params()["normalize"].as_bool() {
        settings.push(("normalize".into(), normalize.into()));
    }
    if name.starts_with("area") && of_peer {
        settings.push(("rule".into(), "trapezoid".into()));
    }
    let metric = registry::find(name)
        .unwrap()
        .build::<f64>(&settings)
        .unwrap();
    let maps = array(case, "maps");
    let masks = Masks::from_numbers(array(case, "truth"));
    let data = EvaluationData::from_maps(maps.view())
        .with(masks)
        .batch_size(2);
    metric.evaluate_on(data).ok()
}

#[test]
fn areas_bits_and_errors_of_masks() {
    for (theirs, ours, n) in METRICS {
        for case in cases(theirs, n) {
            let params = case.params();
            let of_peer = match params["rule"].as_str() {
                Some(rule) => ["trapezoid", "peer"].contains(&rule),
                None => params["pooled"].as_bool().unwrap_or(true),
            };
            match value(&case, ours, of_peer) {
                Some(value) => case.assert_value(&value),
                None => assert!(case.expected()["value"].is_null(), "{ours}"),
            }
            if let Some(expected) = case.of_peer().get("value") {
                case.assert_is(value(&case, ours, true).map(|value| value.value), expected);
            }
        }
    }
}

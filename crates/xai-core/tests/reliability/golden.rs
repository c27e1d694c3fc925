//! All cases of the golden file, computed by MetaQuantus, krippendorff, SciPy or a direct
//! implementation of the definition.

use serde_json::{Value, json};
use xai_core::Direction;
use xai_core::reliability::{
    Draws, MetaEvaluation, PerturbationKind, PerturbedValues, RankedValues, RatingLevel,
    inter_consistency, inter_method_reliability, internal_consistency_reliability,
    intra_consistency, kendall_w, krippendorff_alpha, parameter_sensitivity, rank_stability,
};

type Rows = Vec<Vec<Option<f64>>>;

fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
    serde_json::from_value(value.clone()).unwrap()
}

fn direction(word: &Value) -> Direction {
    // Cases with minor perturbations have no direction, which is not used there.
    word.as_str().map_or(Direction::None, |_| read(word))
}

/// Results of this crate, with the keys of the expected values.
fn answer(metric: &str, inputs: &Value, params: &Value) -> Value {
    let better = direction(&params["direction"]);
    let kind = || read::<PerturbationKind>(&params["kind"]);
    match metric {
        "intra-consistency" | "intra-consistency-effect" => {
            let (q, perturbed): (Vec<_>, Vec<_>) = (read(&inputs["q"]), read(&inputs["perturbed"]));
            let keep: Vec<bool> = read(&inputs["keep"]);
            let perturbed = PerturbedValues::new(kind(), &perturbed[..]).keep(&keep);
            let result = intra_consistency(&q, &perturbed).unwrap();
            json!(if metric.ends_with("effect") {
                result.effect
            } else {
                result.value
            })
        }
        "inter-consistency" => {
            let (q, perturbed): (Rows, Rows) = (read(&inputs["q"]), read(&inputs["perturbed"]));
            let keep: Vec<bool> = read(&inputs["keep"]);
            let perturbed = PerturbedValues::new(kind(), &perturbed[..]).keep(&keep);
            json!(inter_consistency(&q, better, &perturbed).unwrap().value)
        }
        "meta-consistency" => meta(inputs, better),
        "krippendorff-alpha" => {
            let (ratings, level): (Rows, RatingLevel) =
                (read(&inputs["ratings"]), read(&params["level"]));
            json!(krippendorff_alpha(&ratings, level).unwrap().value)
        }
        "kendall-w" => json!(kendall_w(&read::<Rows>(&inputs["scores"])).unwrap().value),
        "inter-method-reliability" => {
            let scores: Rows = read(&inputs["scores"]);
            let ranked = RankedValues::new(&scores, Direction::None).unwrap();
            json!(inter_method_reliability(&ranked).unwrap())
        }
        "internal-consistency-reliability" => {
            let (a, b): (Rows, Rows) = (read(&inputs["metric_a"]), read(&inputs["metric_b"]));
            let a = RankedValues::new(&a, direction(&params["direction_a"])).unwrap();
            let b = RankedValues::new(&b, direction(&params["direction_b"])).unwrap();
            json!(internal_consistency_reliability(&a, &b).unwrap())
        }
        "rank-stability" => {
            let (scores, draws): (Rows, Vec<Vec<usize>>) =
                (read(&inputs["scores"]), read(&inputs["draws"]));
            json!(rank_stability(&scores, better, Draws::Indices(&draws)).unwrap())
        }
        "parameter-sensitivity" => {
            let settings: Vec<Rows> = read(&inputs["scores"]);
            json!(parameter_sensitivity(&settings, better).unwrap())
        }
        other => panic!("{other}"),
    }
}

fn meta(inputs: &Value, better: Direction) -> Value {
    let q: Rows = read(&inputs["q"]);
    let mut meta = MetaEvaluation::new(&q, better).unwrap();
    for kind in [PerturbationKind::Minor, PerturbationKind::Disruptive] {
        let perturbed: Vec<Vec<Rows>> = read(&inputs[kind.to_string()]);
        let keep: Vec<Vec<Vec<bool>>> = read(&inputs[format!("keep_{kind}")]);
        for (t, (tables, keep)) in perturbed.iter().zip(&keep).enumerate() {
            for (table, keep) in tables.iter().zip(keep) {
                meta.add(t, &PerturbedValues::new(kind, &table[..]).keep(keep))
                    .unwrap();
            }
        }
    }
    let result = meta.finish();
    let of =
        |f: fn(&xai_core::reliability::IterationConsistency) -> Option<f64>| -> Vec<Option<f64>> {
            result.iterations.iter().map(f).collect()
        };
    json!({
        "iac_minor": of(|i| i.iac_minor),
        "iac_disruptive": of(|i| i.iac_disruptive),
        "iec_minor": of(|i| i.iec_minor),
        "iec_disruptive": of(|i| i.iec_disruptive),
        "per_iteration": of(|i| i.value),
        "value": result.value,
        "std": result.std,
    })
}

/// Largest difference relative to max(1, |expected|); infinite for different types.
fn gap(expected: &Value, actual: &Value) -> f64 {
    match (expected, actual) {
        (Value::Object(expected), actual) => {
            let gaps = expected.iter().map(|(key, value)| gap(value, &actual[key]));
            gaps.fold(0.0, f64::max)
        }
        (Value::Array(expected), Value::Array(actual)) if expected.len() == actual.len() => {
            let gaps = expected.iter().zip(actual).map(|(e, a)| gap(e, a));
            gaps.fold(0.0, f64::max)
        }
        (Value::Null, Value::Null) => 0.0,
        (expected, actual) => match (expected.as_f64(), actual.as_f64()) {
            (Some(e), Some(a)) => (e - a).abs() / e.abs().max(1.0),
            _ => f64::INFINITY,
        },
    }
}

#[test]
fn results_equal_all_golden_values() {
    let file: Value = serde_json::from_str(include_str!("../golden/reliability.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 59);
    for case in cases {
        let actual = answer(
            case["metric"].as_str().unwrap(),
            &case["inputs"],
            &case["params"],
        );
        let found = gap(&case["expected"], &actual);
        assert!(
            found <= case["tolerance"].as_f64().unwrap(),
            "{} {}: {found}, {actual}",
            case["id"],
            case["metric"]
        );
        // Where a reference package is known to differ, its value must really be another number.
        if let Some(value) = case["peer"].get("value").filter(|_| case["id"] != "B024") {
            assert!(gap(value, &actual) > 1e-3, "{}", case["id"]);
        }
    }
}

//! `xai repro` on files.

mod files;

use files::Files;
use ndarray::{Array2, array};
use serde_json::Value;

fn runs() -> Files {
    let files = Files::new();
    files.array("p.npy", &array![[0i8, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]);
    files.array("y.npy", &array![0u16, 1, 1, 0]);
    files
}

#[test]
fn pairwise_metrics_of_three_runs() {
    let files = runs();
    let result = files.json("repro pairwise --predictions p.npy --labels y.npy");
    assert_eq!(
        (&result["n_runs"], &result["n_samples"]),
        (&3.into(), &4.into())
    );
    // Errors {2, 3}, {1, 2}, {3}.
    let local = &result["metrics"]["ec_local"];
    let pairs: Vec<f64> = local["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_f64().unwrap())
        .collect();
    assert_eq!(pairs, [1.0 / 3.0, 0.5, 0.0]);
    assert!((local["mean"].as_f64().unwrap() - 5.0 / 18.0).abs() < 1e-15);
    assert_eq!(local["median"], 1.0 / 3.0);
    assert_eq!(local["n_defined"], 3);
    assert!(local["interval"][0].as_f64().unwrap() < 5.0 / 18.0);
    // A constant run has no association with any other.
    assert_eq!(result["metrics"]["pa_cramers_v"]["pairs"][0], Value::Null);
    assert_eq!(result["metrics"]["pa_cramers_v"]["n_defined"], 1);
    assert_eq!(result["accuracy"], serde_json::json!([0.5, 0.5, 0.75]));
    assert_eq!(
        (&result["always_wrong"], &result["ever_wrong"]),
        (&0.into(), &3.into())
    );
    assert_eq!(result["loo_ec"].as_array().unwrap().len(), 3);
    for key in ["fleiss_kappa", "krippendorff_alpha", "gwet_ac1"] {
        assert!(result[key].is_f64(), "{key}");
    }
}

#[test]
fn metrics_are_chosen_by_name_and_written_by_pair() {
    let files = runs();
    let command =
        "repro pairwise --predictions p.npy --labels y.npy --metrics pa_acc,ec_acc --out o.csv";
    let result = files.json(command);
    let names: Vec<&String> = result["metrics"].as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 2);
    let rows = std::fs::read_to_string(files.path("o.csv")).unwrap();
    assert_eq!(
        rows,
        "first,second,pa_acc,ec_acc\n0,1,0.5,0.5\n0,2,0.75,0.75\n1,2,0.25,0.25\n"
    );
    assert!(
        files
            .table("repro pairwise --predictions p.npy --labels y.npy")
            .contains("ec_local")
    );
}

#[test]
fn two_runs_without_errors_follow_the_policy() {
    let files = Files::new();
    files.array("p.npy", &array![[0u8, 1], [0, 1], [1, 1]]);
    files.array("y.npy", &array![0u8, 1]);
    let local = |policy: &str| {
        let command =
            format!("repro pairwise --predictions p.npy --labels y.npy --empty-union {policy}");
        files.json(&command)["metrics"]["ec_local"]["pairs"][0].clone()
    };
    assert_eq!(local("undefined"), Value::Null);
    assert_eq!(local("0"), 0.0);
    assert_eq!(local("1"), 1.0);
    assert_eq!(local("drop"), Value::Null);
    assert!(
        files
            .failure(
                1,
                "repro pairwise --predictions p.npy --labels y.npy --empty-union error"
            )
            .starts_with("error: p.npy: errors of the pair of runs[0, 1] = 0")
    );
}

#[test]
fn class_distributions_are_drawn_by_seed() {
    let files = Files::new();
    let draw = |rest: &str| {
        files.json(&format!(
            "repro simulate classes --n-classes 7 --draws 3 {rest}"
        ))
    };
    for kind in [
        "flat",
        "balanced",
        "uniform",
        "exponential",
        "multimodal",
        "step",
    ] {
        let result = draw(&format!("--kind {kind} --seed 5"));
        assert_eq!(result, draw(&format!("--kind {kind} --seed 5 --threads 1")));
        for p in result["probabilities"].as_array().unwrap() {
            let p: Vec<f64> = p
                .as_array()
                .unwrap()
                .iter()
                .map(|x| x.as_f64().unwrap())
                .collect();
            assert!(p.len() == 7 && p.is_sorted_by(|a, b| a >= b), "{kind}");
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        let reversed = draw(&format!("--kind {kind} --seed 5 --reversed"));
        assert_eq!(
            reversed["probabilities"][1][0],
            result["probabilities"][1][6]
        );
    }
    assert_ne!(
        draw("--kind uniform --seed 5"),
        draw("--kind uniform --seed 6")
    );
}

#[test]
fn bad_files_are_named_with_the_place() {
    let files = runs();
    files.array("one.npy", &array![[0i8, 1, 0, 1]]);
    files.array("none.npy", &Array2::<i8>::zeros((3, 0)));
    files.array("floats.npy", &array![[0.5, 1.0], [0.0, 1.0]]);
    files.array("flat.npy", &array![0i8, 1]);
    let with = |p: &str, y: &str| {
        files.failure(1, &format!("repro pairwise --predictions {p} --labels {y}"))
    };
    assert!(with("no.npy", "y.npy").starts_with("error: no.npy: cannot be opened: "));
    assert_eq!(
        with("one.npy", "y.npy"),
        "error: one.npy: runs: at least 2 needed, got 1"
    );
    assert_eq!(
        with("p.npy", "flat.npy"),
        "error: flat.npy: 2 labels, but p.npy has 4 samples a run"
    );
    files.array("nolabels.npy", &ndarray::Array1::<i8>::zeros(0));
    assert_eq!(
        with("none.npy", "nolabels.npy"),
        "error: none.npy: samples: nothing to measure, at least one is needed"
    );
    assert!(
        with("floats.npy", "flat.npy").starts_with("error: floats.npy: labels: expected integers")
    );
    assert!(
        with("flat.npy", "flat.npy").starts_with("error: flat.npy: expected 2 axes, got shape [2]")
    );
    files.failure(
        2,
        "repro pairwise --predictions p.npy --labels y.npy --metrics kappa",
    );
    files.failure(2, "repro simulate classes --kind gauss --n-classes 3");
    files.failure(2, "repro simulate classes --kind flat --n-classes 0");
}

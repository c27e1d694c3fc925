//! `xai graph` on files: the numbers of the library, and one line for whatever is wrong.

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use ndarray::{Array, Dimension, array};
use serde_json::Value;
use tempfile::TempDir;

fn xai() -> Command {
    let mut command = Command::cargo_bin("xai").expect("the binary");
    command.args(["graph", "--json"]);
    command
}

/// Runs a command and parses its standard output, which is one JSON object.
fn json(arguments: &[&str]) -> Value {
    let output = xai().args(arguments).output().expect("runs");
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

/// Runs a command that must fail and returns its first line; the second, if any, is the way out.
fn failure(code: i32, arguments: &[&str]) -> String {
    let output = xai().args(arguments).output().expect("runs");
    let error = String::from_utf8(output.stderr).expect("text");
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(output.stdout.is_empty());
    assert!(!error.contains("panicked"), "{error}");
    let mut lines = error.lines();
    let first = lines.next().expect("a line").to_owned();
    if code == 1 {
        let rest: Vec<&str> = lines.collect();
        assert!(
            rest.len() <= 1 && rest.iter().all(|line| line.starts_with("help: ")),
            "{error}"
        );
    }
    first
}

/// Files of one test.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(TempDir::new().expect("a folder"))
    }

    fn write<T: ndarray_npy::WritableElement, D: Dimension>(
        &self,
        name: &str,
        array: &Array<T, D>,
    ) -> String {
        let path = self.path(name);
        ndarray_npy::write_npy(&path, array).expect("written");
        path.to_string_lossy().into_owned()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

fn sample(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample/graph");
    folder.join(name).to_string_lossy().into_owned()
}

#[test]
fn fidelity_of_labels_and_of_outputs() {
    let files = Files::new();
    let full = files.write("full.npy", &array![0i64, 1, 2, 1]);
    let kept = files.write("kept.npy", &array![0u8, 1, 2, 0]);
    let outputs = array![
        [0.0f32, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0]
    ];
    let complement = files.write("complement.npy", &outputs);
    let arguments = [
        "fidelity",
        "--full",
        &full,
        "--kept",
        &kept,
        "--complement",
        &complement,
    ];
    let result = json(&arguments);
    assert_eq!(result["pos_fidelity"], 0.75);
    assert_eq!(result["neg_fidelity"], 0.25);
    assert_eq!(result["characterization"], 0.75);

    let target = files.write("target.npy", &array![0i32, 1, 1, 0]);
    let index = files.write("index.npy", &array![0i64, 3]);
    let rows = files.path("rows.csv");
    let more = [
        "--target",
        &target,
        "--index",
        &index,
        "--out",
        rows.to_str().unwrap(),
    ];
    let result = json(&[&arguments[..], &more[..]].concat());
    // Right on the full graph: yes, no; on the kept: yes, yes; on the complement: no, yes.
    assert_eq!(result["pos_fidelity"], 1.0);
    assert_eq!(result["neg_fidelity"], 0.5);
    assert_eq!(
        std::fs::read_to_string(rows).unwrap(),
        "row,full,kept,complement\n0,0,0,1\n3,1,0,0\n"
    );
    let result = json(&[&arguments[..], &["--target", &target, "--mode", "model"]].concat());
    assert_eq!(result["pos_fidelity"], 0.75);
}

#[test]
fn scores_of_the_sample_study() {
    let (full, index) = (sample("logits_full.npy"), sample("index.npy"));
    let mask = sample("gnn_explainer/edge_mask.npy");
    let truth = sample("edge_mask_true.npy");
    let arguments = [
        "fidelity",
        "--full",
        &full,
        "--kept",
        &full,
        "--complement",
        &full,
    ];
    let result = json(&[&arguments[..], &["--index", &index]].concat());
    assert_eq!(result["n_samples"], 200);
    assert_eq!(result["pos_fidelity"], 0.0);
    let result = json(&["unfaithfulness", "--full", &full, "--kept", &full]);
    assert_eq!(result["value"], 0.0);
    let result = json(&["groundtruth", "--predicted", &mask, "--target", &truth]);
    // No score is above the threshold, so there is no precision.
    assert!(result["precision"].is_null());
    assert_eq!(result["recall"], 0.0);
    // 720 092 of 960 · 2978 pairs, counted one by one: this mask ranks the motifs below the rest.
    let auroc = result["auroc"].as_f64().unwrap();
    assert!((auroc - 0.251_879_057_533_019_9).abs() < 1e-15);
}

#[test]
fn characterization_and_the_area_under_the_curve() {
    let files = Files::new();
    let pos = files.write("pos.npy", &array![0.0, 0.5]);
    let neg = files.write("neg.npy", &array![0.0, 0.5]);
    let x = files.write("x.npy", &array![0.0, 1.0]);
    let result = json(&["characterization", "--pos", &pos, "--neg", &neg]);
    assert_eq!(result["values"], serde_json::json!([0.0, 0.5]));
    let result = json(&["fidelity-auc", "--pos", &pos, "--neg", &neg, "--x", &x]);
    assert_eq!(result["value"], 0.5);
}

#[test]
fn unfaithfulness_in_both_directions_and_all_forms() {
    let files = Files::new();
    let p = array![[0.75, 0.25]];
    let q = array![[0.5, 0.5]];
    let forward = 1.0 - (-(0.75 * 1.5f64.ln() + 0.25 * 0.5f64.ln())).exp();
    let reverse = 1.0 - (-(0.5 * (2.0f64 / 3.0).ln() + 0.5 * 2f64.ln())).exp();
    for (returns, full, kept) in [
        ("probs", p.clone(), q.clone()),
        ("log-probs", p.ln(), q.ln()),
        ("logits", p.ln(), q.ln()),
    ] {
        let full = files.write("full.npy", &full);
        let kept = files.write("kept.npy", &kept);
        for (kl, expected) in [("forward", forward), ("reverse", reverse)] {
            let result = json(&[
                "unfaithfulness",
                "--full",
                &full,
                "--kept",
                &kept,
                "--returns",
                returns,
                "--kl",
                kl,
            ]);
            assert!((result["value"].as_f64().unwrap() - expected).abs() < 1e-14);
        }
    }
    let extreme = files.write("extreme.npy", &array![[1000.0f32, -1000.0], [0.0, 0.0]]);
    let rows = files.path("rows.csv");
    let result = json(&[
        "unfaithfulness",
        "--full",
        &extreme,
        "--kept",
        &extreme,
        "--out",
        rows.to_str().unwrap(),
    ]);
    assert_eq!(result["value"], 0.0);
    assert_eq!(
        std::fs::read_to_string(rows).unwrap(),
        "row,unfaithfulness\n0,0\n1,0\n"
    );
}

#[test]
fn ground_truth_with_undefined_statistics() {
    let files = Files::new();
    let none = files.write("none.npy", &array![0.0f32, 0.0]);
    let arguments = ["groundtruth", "--predicted", &none, "--target", &none];
    let result = json(&arguments);
    assert_eq!(result["accuracy"], 1.0);
    assert!(result["recall"].is_null() && result["auroc"].is_null());
    let result = json(&[&arguments[..], &["--zero-division", "0"]].concat());
    assert_eq!(result["recall"], 0.0);
    let scores = files.write("scores.npy", &array![[0.9, 0.4], [0.6, 0.1]]);
    let truth = files.write("truth.npy", &array![[true, true], [false, false]]);
    let result = json(&["groundtruth", "--predicted", &scores, "--target", &truth]);
    assert_eq!(result["auroc"], 0.75);
    let result = json(&[
        "groundtruth",
        "--predicted",
        &scores,
        "--target",
        &truth,
        "--top-k",
        "1",
    ]);
    assert_eq!(result["precision"], 1.0);
}

#[test]
fn bad_files_are_named_with_the_place() {
    let files = Files::new();
    let rows = files.write("rows.npy", &array![[0.0, 1.0], [1.0, 0.0]]);
    let nan = files.write("nan.npy", &array![[0.0, 1.0], [f64::NAN, 0.0]]);
    let wide = files.write("wide.npy", &array![[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]]);
    let labels = files.write("labels.npy", &array![0i64, 5]);
    let beyond = files.write("beyond.npy", &array![0i64, 7]);
    let negative = files.write("negative.npy", &array![-1i64]);
    let floats = files.write("floats.npy", &array![0.5, 2.0]);
    let empty = files.write("empty.npy", &ndarray::Array1::<i64>::zeros(0));
    let fidelity = |kept: &str, more: &[&str]| {
        let arguments = [
            "fidelity",
            "--full",
            &rows,
            "--kept",
            kept,
            "--complement",
            &rows,
        ];
        failure(1, &[&arguments[..], more].concat())
    };
    let unfaithfulness = |kept: &str, more: &[&str]| {
        failure(
            1,
            &[&["unfaithfulness", "--full", &rows, "--kept", kept], more].concat(),
        )
    };
    let groundtruth = |predicted: &str, target: &str| {
        failure(
            1,
            &["groundtruth", "--predicted", predicted, "--target", target],
        )
    };
    let cases = [
        (
            fidelity(&nan, &[]),
            format!("error: {nan}: kept[1, 0]: not a finite number"),
        ),
        (
            fidelity(&rows, &["--target", &labels]),
            format!("error: {labels}: label 5 at index 1: expected 0..2"),
        ),
        (
            fidelity(&rows, &["--index", &beyond]),
            format!("error: {beyond}: index[1] = 7: expected a sample, 0..2"),
        ),
        (
            fidelity(&rows, &["--index", &negative]),
            format!("error: {negative}: index[0] = -1: expected a row, at least 0"),
        ),
        (
            fidelity(&rows, &["--index", &empty]),
            format!("error: {empty}: index: nothing to measure, at least one is needed"),
        ),
        (
            fidelity(&floats, &[]),
            format!("error: {floats}: labels: expected integers or booleans, got floats"),
        ),
        (
            unfaithfulness(&wide, &[]),
            format!("error: {wide}: kept: expected shape (2, 2), got (2, 3)"),
        ),
        (
            unfaithfulness(&nan, &[]),
            format!("error: {nan}: kept[1, 0]: not a finite number"),
        ),
        (
            groundtruth(&floats, &floats),
            format!("error: {floats}: predicted[1] = 2: expected a score in [0, 1]"),
        ),
        (
            groundtruth(&floats, &rows),
            format!("error: {rows}: expected the shape of the scores, [2], got [2, 2]"),
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, expected);
    }
    let not_one = files.write("not_one.npy", &array![[0.5, 0.5], [0.5, 0.75]]);
    let message = failure(
        1,
        &[
            "unfaithfulness",
            "--full",
            &not_one,
            "--kept",
            &not_one,
            "--returns",
            "probs",
        ],
    );
    assert_eq!(
        message,
        format!("error: {not_one}: sum of the probabilities of full[1] = 1.25: expected 1")
    );
    let (up, down) = (
        files.write("up.npy", &array![0.5, 0.5]),
        files.write("down.npy", &array![1.0, 0.0]),
    );
    let message = failure(
        1,
        &["fidelity-auc", "--pos", &up, "--neg", &up, "--x", &down],
    );
    assert_eq!(
        message,
        format!("error: {down}: x[1] = 0: expected ascending x, at least 1")
    );
    let missing = files.path("missing.npy").to_string_lossy().into_owned();
    let message = failure(1, &["characterization", "--pos", &missing, "--neg", &up]);
    assert!(
        message.starts_with(&format!("error: {missing}: cannot be opened")),
        "{message}"
    );
    std::fs::write(files.path("cut.npy"), b"\x93NUMPY\x01").unwrap();
    let cut = files.path("cut.npy").to_string_lossy().into_owned();
    let message = groundtruth(&cut, &floats);
    assert!(
        message.starts_with(&format!("error: {cut}: not an .npy array")),
        "{message}"
    );
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let full = sample("logits_full.npy");
    let arguments = [
        "fidelity",
        "--full",
        &full,
        "--kept",
        &full,
        "--complement",
        &full,
    ];
    let message = failure(2, &[&arguments[..], &["--mode", "phenomenon"]].concat());
    assert_eq!(message, "error: --mode phenomenon needs true labels");
    failure(2, &["fidelity", "--full", &full]);
    failure(
        2,
        &[
            "unfaithfulness",
            "--full",
            &full,
            "--kept",
            &full,
            "--kl",
            "sideways",
        ],
    );
}

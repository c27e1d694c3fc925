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
fn the_best_of_several_truths() {
    let files = Files::new();
    let scores = files.write("scores.npy", &array![0.1f32, 0.9, 0.8]);
    let truths = files.write("truths.npy", &array![[1u8, 1, 0], [0, 1, 1]]);
    let result = json(&["groundtruth", "--predicted", &scores, "--target", &truths]);
    assert_eq!(
        (&result["best_truth"], &result["jaccard"]),
        (&1.into(), &1.0.into())
    );
    let one = files.write("one.npy", &array![1u8, 1, 0]);
    let result = json(&["groundtruth", "--predicted", &scores, "--target", &one]);
    assert!(result.get("best_truth").is_none());
    assert_eq!(result["jaccard"], 1.0 / 3.0);
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
    let single = files.write("single.npy", &array![[0.5], [0.25]]);
    let none = files.write("none.npy", &ndarray::Array2::<f64>::zeros((0, 3)));
    let three = files.write("three.npy", &array![0.0, 1.0, 0.0]);
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
            failure(
                1,
                &[
                    "fidelity",
                    "--full",
                    &single,
                    "--kept",
                    &single,
                    "--complement",
                    &single,
                ],
            ),
            format!("error: {single}: full: expected shape (n, c) with c >= 2, got (2, 1)"),
        ),
        (
            failure(1, &["unfaithfulness", "--full", &none, "--kept", &none]),
            format!("error: {none}: samples: nothing to measure, at least one is needed"),
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
            groundtruth(&floats, &three),
            format!("error: {three}: expected the shape of the scores, [2], got [3]"),
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

#[test]
fn the_sample_study_swept_over_explanation_sizes() {
    let full = sample("logits_full.npy");
    let (levels, index) = (sample("kept_fraction.npy"), sample("index.npy"));
    let (kept, complement) = (
        sample("gnn_explainer/logits_kept.npy"),
        sample("gnn_explainer/logits_complement.npy"),
    );
    let files = Files::new();
    let rows = files.path("curve.csv");
    let arguments = [
        "sweep",
        "--full",
        &full,
        "--kept",
        &kept,
        "--complement",
        &complement,
        "--levels",
        &levels,
        "--index",
        &index,
        "--out",
        rows.to_str().unwrap(),
    ];
    let result = json(&arguments);
    let curve = result["curve"].as_array().expect("a list");
    assert_eq!(curve.len(), 10);
    let number = |point: &Value, name: &str| point[name].as_f64().expect("a number");
    let best = curve
        .iter()
        .map(|point| number(point, "characterization"))
        .fold(0.0, f64::max);
    let at_best = curve
        .iter()
        .find(|point| point["level"] == result["best_level"])
        .expect("a level");
    assert_eq!(number(at_best, "characterization"), best);
    // A point is what the other commands say about its level.
    let stored: ndarray::Array3<f32> = ndarray_npy::read_npy(&kept).unwrap();
    let level = stored.index_axis(ndarray::Axis(0), 3).to_owned();
    let level = files.write("level.npy", &level);
    let gef = json(&[
        "unfaithfulness",
        "--full",
        &full,
        "--kept",
        &level,
        "--index",
        &index,
    ]);
    assert_eq!(gef["value"], curve[3]["unfaithfulness"]);
    let fidelity = json(&[
        "fidelity",
        "--full",
        &full,
        "--kept",
        &level,
        "--complement",
        &level,
        "--index",
        &index,
    ]);
    assert_eq!(fidelity["neg_fidelity"], curve[3]["neg_fidelity"]);
    let written = std::fs::read_to_string(rows).unwrap();
    assert_eq!(written.lines().count(), 11);
}

#[test]
fn properties_of_masks() {
    let files = Files::new();
    let mask = files.write("mask.npy", &array![1.0, 1.0, 1.0, 0.0]);
    let edges = files.write("edges.npy", &array![[0i64, 1, 3, 0], [1, 2, 4, 4]]);
    let result = json(&["mask", "--mask", &mask]);
    assert_eq!(result["size"], 3);
    assert_eq!(result["sparsity"], 0.25);
    assert!(result["n_components"].is_null());
    let result = json(&["mask", "--mask", &mask, "--edge-index", &edges]);
    assert_eq!(result["n_components"], 2);
    assert_eq!(result["component_share"], 0.6);
    let wide = files.write("wide.npy", &array![[0i64, 1], [1, 2]]);
    let message = failure(1, &["mask", "--mask", &mask, "--edge-index", &wide]);
    assert_eq!(
        message,
        format!("error: {wide}: edge_index: expected shape (2, 4), got (2, 2)")
    );
}

#[cfg(feature = "onnx")]
mod onnx {
    use super::*;
    use ndarray::{Array1, Array2};
    use xai_metrics::graph::{Graph, Sparsity, Sweep};

    /// Features, edges and edge scores of a small ring.
    fn ring() -> (Array2<f32>, Array2<i64>, Array1<f32>) {
        let n = 12;
        let features = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 5 + j * 3) % 7) as f32 - 3.0);
        let edges = Array2::from_shape_fn((2, 2 * n), |(end, e)| {
            ((e / 2 + usize::from((e % 2 == 0) == (end == 1))) % n) as i64
        });
        let mask = Array1::from_shape_fn(2 * n, |e| ((e * 7) % 24) as f32 / 24.0);
        (features, edges, mask)
    }

    fn model() -> String {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
        folder
            .join("graph_convolution.onnx")
            .to_string_lossy()
            .into_owned()
    }

    /// What the file computes: `h = X W`, and each node adds the weighted `h` of its sources.
    fn convolution(graph: Graph<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
        let weights = array![
            [0.001_230_153_4f32, 0.298_745_54],
            [-0.274_137_85, -0.890_591_86],
            [-0.454_670_8, -0.991_646_5]
        ];
        let h = graph.features.dot(&weights);
        let mut out = h.clone();
        for (e, ends) in graph.edge_index.columns().into_iter().enumerate() {
            let weight = graph.edge_weight.map_or(1.0, |weight| weight[e]);
            out.row_mut(ends[1] as usize)
                .scaled_add(weight, &h.row(ends[0] as usize));
        }
        Ok(out)
    }

    fn ring_files(files: &Files) -> Vec<String> {
        let (features, edges, mask) = ring();
        [
            "--model",
            &model(),
            "--features",
            &files.write("features.npy", &features),
            "--edge-index",
            &files.write("edges.npy", &edges),
            "--edge-mask",
            &files.write("mask.npy", &mask),
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn with<'a>(command: &'a str, files: &'a [String], more: &[&'a str]) -> Vec<&'a str> {
        let files = files.iter().map(String::as_str);
        std::iter::once(command)
            .chain(files)
            .chain(more.iter().copied())
            .collect()
    }

    #[test]
    fn a_model_file_is_swept_like_the_closure() {
        let files = Files::new();
        let given = ring_files(&files);
        let (features, edges, mask) = ring();
        let graph = Graph::new(features.view(), edges.view()).unwrap();
        let levels: Vec<Sparsity> = (1..=10)
            .map(|i| Sparsity::Fraction(f64::from(i) / 10.0))
            .collect();
        for undirected in [false, true] {
            let sweep = Sweep::new().undirected(undirected);
            let expected = sweep
                .run(&convolution, graph, mask.view(), &levels)
                .unwrap();
            for removal in ["weight", "remove"] {
                let mut arguments = with("sweep", &given, &["--removal", removal]);
                if undirected {
                    arguments.push("--undirected");
                }
                let result = json(&arguments);
                let curve = result["curve"].as_array().expect("a list");
                assert_eq!(curve.len(), 10);
                for (ours, expected) in curve.iter().zip(&expected.points) {
                    assert_eq!(ours["pos_fidelity"], expected.pos_fidelity);
                    assert_eq!(ours["neg_fidelity"], expected.neg_fidelity);
                    let gef = ours["unfaithfulness"].as_f64().expect("a number");
                    assert!((gef - expected.unfaithfulness).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn robust_fidelity_of_a_model_file_depends_on_the_seed_alone() {
        let files = Files::new();
        let given = ring_files(&files);
        let arguments = with(
            "robust-fidelity",
            &given,
            &["--fraction", "0.5", "--alpha-pos", "0.5"],
        );
        let result = json(&arguments);
        let number = |name: &str| result[name].as_f64().expect("a number");
        assert!(number("pos") > 0.0 && number("pos_standard_error") > 0.0);
        assert_eq!(result["n_draws"], 50);
        assert_eq!(
            json(&[&arguments[..], &["--threads", "1"]].concat()),
            result
        );
        assert_ne!(json(&[&arguments[..], &["--seed", "2"]].concat()), result);
    }

    #[test]
    fn models_and_graphs_that_do_not_fit_are_named() {
        let files = Files::new();
        let given = ring_files(&files);
        let not_a_model = files.path("text.onnx");
        std::fs::write(&not_a_model, "hello").unwrap();
        let not_a_model = not_a_model.to_string_lossy().into_owned();
        let swapped = |option: &str, file: &str| {
            let mut given = given.clone();
            let at = given
                .iter()
                .position(|argument| argument == option)
                .unwrap();
            given[at + 1] = file.to_owned();
            failure(1, &with("sweep", &given, &[]))
        };
        let message = swapped("--model", &not_a_model);
        assert!(
            message.starts_with(&format!("error: {not_a_model}: not an ONNX model")),
            "{message}"
        );
        let missing = files.path("missing.onnx").to_string_lossy().into_owned();
        let message = swapped("--model", &missing);
        assert!(
            message.starts_with(&format!("error: {missing}: cannot be opened")),
            "{message}"
        );
        let beyond = files.write("beyond.npy", &array![[0i64, 12], [1, 0]]);
        assert_eq!(
            swapped("--edge-index", &beyond),
            format!("error: {beyond}: edge_index[0, 1] = 12: expected a node, 0..12")
        );
        let short = files.write("short.npy", &array![0.5f32]);
        let message = swapped("--edge-mask", &short);
        assert!(
            message.starts_with("error: ") && message.contains("expected shape"),
            "{message}"
        );
        let narrow = files.write("narrow.npy", &Array2::<f32>::zeros((12, 2)));
        let message = swapped("--features", &narrow);
        assert!(
            message.starts_with(&format!("error: {}: the model failed", model())),
            "{message}"
        );
        let soft = failure(1, &with("robust-fidelity", &given, &[]));
        assert!(soft.contains("explanation[1] = "), "{soft}");
        assert!(soft.ends_with("expected 0 or 1"), "{soft}");
        failure(2, &["sweep"]);
        failure(2, &["sweep", "--model", &model()]);
    }
}

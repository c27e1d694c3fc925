//! `xai report`, as a user runs it.

use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value;

/// Runs `xai` in a folder.
fn xai(folder: &Path, arguments: &[&str]) -> Output {
    Command::cargo_bin("xai")
        .unwrap()
        .current_dir(folder)
        .args(arguments)
        .output()
        .unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let output = xai(folder, arguments);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The first line of standard error of a run that must end with `code`.
fn failure(folder: &Path, arguments: &[&str], code: i32) -> String {
    let output = xai(folder, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap()
}

fn sample(name: &str) -> String {
    format!("{}/sample/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn close(value: &Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} instead of {expected}"
    );
}

#[test]
fn without_a_command_the_sample_study_is_reported_and_nothing_beside_it_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let output = xai(folder.path(), &[]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let read = |name: &str| std::fs::read_to_string(folder.path().join("xai-report").join(name));
    let report: Value = serde_json::from_str(&read("report.json").unwrap()).unwrap();
    let page = read("index.html").unwrap();

    // Average Drop of the sample maps, computed with another runtime.
    let drops = [
        ("saliency", 0.5009),
        ("integrated gradients", 0.2764),
        ("occlusion", 0.2342),
        ("random", 0.3026),
    ];
    for (explainer, (name, drop)) in report["attribution"]["explainers"]
        .as_array()
        .unwrap()
        .iter()
        .zip(drops)
    {
        assert_eq!(explainer["name"], name);
        close(&explainer["average_drop"], drop, 2e-4);
        let cell = format!(
            "<td>{:.4}</td>",
            explainer["average_drop"].as_f64().unwrap()
        );
        assert!(page.contains(&cell), "{cell}");
    }
    // 171 test rows, 24 runs on 600 images, ten sizes of each subgraph.
    let casebased = &report["casebased"];
    assert_eq!(casebased["n_test"], 171);
    assert_eq!(
        casebased["right"]["n"].as_u64().unwrap() + casebased["wrong"]["n"].as_u64().unwrap(),
        171
    );
    let right = casebased["right"]["mean_correspondence"].as_f64().unwrap();
    let wrong = casebased["wrong"]["mean_correspondence"].as_f64().unwrap();
    assert!(wrong < right, "{wrong} {right}");
    assert_eq!(report["repro"]["n_runs"], 24);
    for explainer in report["graph"]["explainers"].as_array().unwrap() {
        assert_eq!(explainer["curve"].as_array().unwrap().len(), 10);
    }
    // Two fidelity curves, and a panel for each simulated metric.
    let panels = report["simulation"]["profiles"].as_array().unwrap().len();
    assert_eq!(panels, 13);
    assert_eq!(page.matches("<svg").count(), 2 + panels);
}

#[test]
fn the_report_says_what_the_single_commands_say() {
    let folder = tempfile::tempdir().unwrap();
    let report = json(folder.path(), &["report", "--json"]);

    let pairwise = json(
        folder.path(),
        &[
            "repro",
            "pairwise",
            "--json",
            "--predictions",
            &sample("repro/predictions.npy"),
            "--labels",
            &sample("repro/labels.npy"),
        ],
    );
    assert_eq!(report["repro"], pairwise);

    for (i, name) in ["saliency", "integrated_gradients", "occlusion", "random"]
        .iter()
        .enumerate()
    {
        for metric in ["average-drop", "average-increase", "average-gain"] {
            let alone = json(
                folder.path(),
                &[
                    "attribution",
                    metric,
                    "--json",
                    "--model",
                    &sample("attribution/model.onnx"),
                    "--inputs",
                    &sample("attribution/inputs.npy"),
                    "--targets",
                    &sample("attribution/targets.npy"),
                    "--explanations",
                    &sample(&format!("attribution/{name}.npy")),
                    "--activation",
                    "softmax",
                    "--channels",
                    "first",
                ],
            );
            let key = metric.replace('-', "_");
            assert_eq!(
                report["attribution"]["explainers"][i][&key], alone["value"],
                "{name} {metric}"
            );
        }
    }

    for (i, name) in ["gnn_explainer", "random"].iter().enumerate() {
        let alone = json(
            folder.path(),
            &[
                "graph",
                "groundtruth",
                "--json",
                "--predicted",
                &sample(&format!("graph/{name}/edge_mask.npy")),
                "--target",
                &sample("graph/edge_mask_true.npy"),
            ],
        );
        let reported = report["graph"]["explainers"][i]["groundtruth"]
            .as_object()
            .unwrap();
        for (key, value) in reported {
            assert_eq!(*value, alone[key], "{name} {key}");
        }
    }

    let explain = json(
        folder.path(),
        &[
            "casebased",
            "explain",
            "--json",
            "--train",
            &sample("casebased/train.csv"),
            "--test",
            &sample("casebased/test.csv"),
            "--label",
            "diagnosis",
            "--predicted",
            "predicted",
        ],
    );
    assert_eq!(
        report["casebased"]["mean_correspondence"],
        explain["mean_correspondence"]
    );
    for prediction in report["casebased"]["least_supported"].as_array().unwrap() {
        let sample = usize::try_from(prediction["sample"].as_u64().unwrap()).unwrap();
        let alone = &explain["explanations"][sample];
        for key in [
            "sample",
            "predicted",
            "true",
            "correspondence",
            "level",
            "neighbors",
        ] {
            assert_eq!(prediction[key], alone[key], "{sample} {key}");
        }
    }
}

#[test]
fn one_thread_reports_what_many_report_to_the_last_bit() {
    let folder = tempfile::tempdir().unwrap();
    let many = xai(folder.path(), &["report", "--json", "--threads", "4"]).stdout;
    let one = xai(folder.path(), &["report", "--json", "--threads", "1"]).stdout;
    assert!(many.len() > 10_000);
    assert_eq!(many, one);
}

#[test]
fn a_study_of_ones_own_is_read_beside_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let study = folder.path().join("mine.toml");
    let text = format!(
        "title = 'Mine & <yours>'\n[repro]\npredictions = '{}'\nlabels = '{}'\n",
        sample("repro/predictions.npy"),
        sample("repro/labels.npy")
    );
    std::fs::write(&study, text).unwrap();
    let report = json(
        folder.path(),
        &["report", "mine.toml", "--json", "--out", "deep/out"],
    );
    assert_eq!(report["title"], "Mine & <yours>");
    assert_eq!(report["casebased"], Value::Null);
    let page = std::fs::read_to_string(folder.path().join("deep/out/index.html")).unwrap();
    assert!(
        page.contains("Mine &#38; &#60;yours&#62;") || page.contains("Mine &amp; &lt;yours&gt;")
    );
    assert!(!page.contains("id=\"graph\""));
}

#[test]
fn a_wrong_study_is_one_line_that_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let write = |text: &str| std::fs::write(folder.path().join("s.toml"), text).unwrap();
    let report = ["report", "s.toml"];

    assert!(failure(folder.path(), &report, 1).starts_with("error: s.toml: cannot be opened: "));
    write("[repro]\npredictions = 'no.npy'\nlabels = 'no.npy'\n");
    assert!(failure(folder.path(), &report, 1).starts_with("error: no.npy: cannot be opened: "));
    write("[repro]\npredictions = 1\n");
    assert!(failure(folder.path(), &report, 1).starts_with("error: s.toml: line 2: "));
    write("title = 'x'\n");
    assert_eq!(
        failure(folder.path(), &report, 1),
        "error: s.toml: nothing to report: the study has no section\n\
         help: add [casebased], [attribution], [graph], [repro] or [simulation]\n"
    );
    assert!(!folder.path().join("xai-report").exists());
    failure(folder.path(), &["reprot"], 2);
}

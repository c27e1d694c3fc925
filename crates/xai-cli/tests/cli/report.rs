//! `xai report`, as a user runs it.

use serde_json::Value;

use crate::harness::{Files, sample};

#[cfg(feature = "onnx")]
fn close(value: &Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} instead of {expected}"
    );
}

#[cfg(feature = "onnx")]
#[test]
fn without_a_command_the_sample_study_is_reported_and_nothing_beside_it_is_needed() {
    let files = Files::new();
    files.table("");
    let report: Value = serde_json::from_str(&files.read("xai-report/report.json")).unwrap();
    let page = files.read("xai-report/index.html");

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

#[cfg(feature = "onnx")]
#[test]
fn the_report_says_what_the_single_commands_say() {
    let files = Files::new();
    let report = files.json("report");

    let pairwise = format!(
        "repro pairwise --predictions {} --labels {}",
        sample("repro/predictions.npy"),
        sample("repro/labels.npy"),
    );
    assert_eq!(report["repro"], files.json(&pairwise));

    let methods = ["saliency", "integrated_gradients", "occlusion", "random"];
    for (i, name) in methods.iter().enumerate() {
        for metric in ["average-drop", "average-increase", "average-gain"] {
            let alone = files.json(&format!(
                "attribution {metric} --model {} --inputs {} --targets {} --explanations {} \
                 --activation softmax --channels first",
                sample("attribution/model.onnx"),
                sample("attribution/inputs.npy"),
                sample("attribution/targets.npy"),
                sample(&format!("attribution/{name}.npy")),
            ));
            let key = metric.replace('-', "_");
            assert_eq!(
                report["attribution"]["explainers"][i][&key], alone["value"],
                "{name} {metric}"
            );
        }
    }

    for (i, name) in ["gnn_explainer", "random"].iter().enumerate() {
        let alone = files.json(&format!(
            "graph groundtruth --predicted {} --target {}",
            sample(&format!("graph/{name}/edge_mask.npy")),
            sample("graph/edge_mask_true.npy"),
        ));
        let reported = report["graph"]["explainers"][i]["groundtruth"]
            .as_object()
            .unwrap();
        for (key, value) in reported {
            assert_eq!(*value, alone[key], "{name} {key}");
        }
    }

    let explain = files.json(&format!(
        "casebased explain --train {} --test {} --label diagnosis --predicted predicted",
        sample("casebased/train.csv"),
        sample("casebased/test.csv"),
    ));
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
    let files = Files::new();
    let many = files.run("report --json --threads 4").stdout;
    let one = files.run("report --json --threads 1").stdout;
    assert!(many.len() > 5_000);
    assert_eq!(many, one);
}

#[test]
fn a_study_of_ones_own_is_read_beside_its_file() {
    let files = Files::new();
    let text = format!(
        "title = 'Mine & <yours>'\n[repro]\npredictions = '{}'\nlabels = '{}'\n",
        sample("repro/predictions.npy"),
        sample("repro/labels.npy")
    );
    files.text("mine.toml", &text);
    let report = files.json("report mine.toml --out deep/out");
    assert_eq!(report["title"], "Mine & <yours>");
    assert_eq!(report["casebased"], Value::Null);
    let page = files.read("deep/out/index.html");
    assert!(
        page.contains("Mine &#38; &#60;yours&#62;") || page.contains("Mine &amp; &lt;yours&gt;")
    );
    assert!(!page.contains("id=\"graph\""));
}

#[test]
fn a_wrong_study_leaves_no_report() {
    let files = Files::new();
    files.text("s.toml", "title = 'x'\n");
    files.bad_data("s.toml", "report s.toml");
    assert!(!files.path("xai-report").exists());
}

#[cfg(feature = "onnx")]
#[test]
fn a_study_names_the_metrics_that_it_asks_for() {
    let files = Files::new();
    let text = format!(
        "[attribution]\nmodel = '{0}/model.onnx'\ninputs = '{0}/inputs.npy'\n\
         targets = '{0}/targets.npy'\nactivation = 'softmax'\nchannels = 'first'\n\
         metrics = ['insertion', 'sparseness']\n\
         [[attribution.explainers]]\nname = 'occlusion'\nmaps = '{0}/occlusion.npy'\n",
        sample("attribution")
    );
    files.text("mine.toml", &text);
    let report = files.json("report mine.toml");
    let explainer = &report["attribution"]["explainers"][0];
    let mut keys: Vec<&String> = explainer.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["insertion", "name", "sparseness"]);
    let maps = sample("attribution/occlusion.npy");
    let alone = files.json(&format!(
        "attribution sparseness --channels first --explanations {maps}"
    ));
    close(
        &explainer["sparseness"],
        alone["value"].as_f64().unwrap(),
        1e-6,
    );
    assert!(
        files
            .read("xai-report/index.html")
            .contains("<th>Insertion (higher is better)</th>")
    );
}

#[cfg(feature = "onnx")]
#[test]
fn channels_that_the_study_does_not_name_are_told_by_the_shape() {
    let files = Files::new();
    let study = |channels: &str, inputs: &str| {
        let file = |name: &str| sample(&format!("attribution/{name}"));
        let (model, targets) = (file("model.onnx"), file("targets.npy"));
        let maps = file("saliency.npy");
        let text = format!(
            "[attribution]\nmodel = '{model}'\ninputs = '{inputs}'\ntargets = '{targets}'\n\
             activation = 'softmax'\n{channels}\n[[attribution.explainers]]\nname = 'a'\nmaps = '{maps}'\n"
        );
        files.text("study.toml", &text);
    };
    study("channels = 'first'", &sample("attribution/inputs.npy"));
    let named = files.json("report study.toml --out page");
    study("", &sample("attribution/inputs.npy"));
    assert_eq!(files.json("report study.toml --out page"), named);
    // An array without axes has no samples.
    files.array("number.npy", &ndarray::arr0(0.5));
    study("", "number.npy");
    files.bad_data("number.npy", "report study.toml --out page");
}

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

#[test]
fn the_seed_on_the_command_line_decides_over_that_of_the_study() {
    let files = Files::new();
    for seed in [3, 5] {
        let text = format!("[simulation]\niterations = 40\nseed = {seed}\n");
        files.text(&format!("{seed}.toml"), &text);
    }
    let simulated =
        |arguments: &str| files.json(&format!("report {arguments}"))["simulation"].clone();
    let (three, five) = (simulated("3.toml"), simulated("5.toml"));
    assert_ne!(three, five);
    assert_eq!(simulated("3.toml --seed 5"), five);
}

#[cfg(feature = "onnx")]
#[test]
fn metrics_that_draw_draw_by_the_seed() {
    let files = Files::new();
    let text = format!(
        "[attribution]\nmodel = '{0}/model.onnx'\ninputs = '{0}/inputs.npy'\n\
         targets = '{0}/targets.npy'\nactivation = 'softmax'\nchannels = 'first'\n\
         metrics = ['mu-fidelity', 'deletion']\n\
         [[attribution.explainers]]\nname = 'occlusion'\nmaps = '{0}/occlusion.npy'\n",
        sample("attribution")
    );
    files.text("s.toml", &text);
    let of = |arguments: &str| files.json(arguments)["attribution"]["explainers"][0].clone();
    let (one, two) = (of("report s.toml"), of("report s.toml --seed 2"));
    assert_eq!(one, of("report s.toml --seed 1"));
    assert_ne!(one["mu_fidelity"], two["mu_fidelity"]);
    assert_eq!(one["deletion"], two["deletion"]);
}

#[test]
fn runs_of_a_study_are_what_the_command_takes() {
    let files = Files::new();
    std::fs::create_dir(files.path("data")).unwrap();
    files.text(
        "data/runs.csv",
        "r1,y,r2,r3\n0,0,0,1\n1,0,1,1\n1,1,1,0\n2,1,0,2\n",
    );
    files.text("data/only.csv", "r1,r2,r3\n0,0,1\n1,1,1\n1,1,0\n2,0,2\n");
    files.array("data/y.npy", &ndarray::array![0i64, 0, 1, 1]);
    let alone = files.json("repro pairwise --predictions data/runs.csv --labels y");
    for (predictions, labels) in [("runs.csv", "y"), ("only.csv", "y.npy")] {
        let text = format!("[repro]\npredictions = '{predictions}'\nlabels = '{labels}'\n");
        files.text("data/s.toml", &text);
        assert_eq!(files.json("report data/s.toml")["repro"], alone);
    }
    files.text(
        "data/s.toml",
        "[repro]\npredictions = 'runs.csv'\nlabels = 'z'\n",
    );
    files.bad_data("data/runs.csv", "report data/s.toml");
}

#[test]
fn draws_are_those_of_a_whole_study() {
    let files = Files::new();
    files.json("repro simulate study --iterations 30 --n-samples 100 --out draws.csv");
    let draws = files.read("draws.csv");
    files.text("s.toml", "[simulation]\ndraws = 'draws.csv'\n");
    assert_eq!(
        files.json("report s.toml")["simulation"]["summary"]["n_draws"],
        30
    );
    let header = draws.lines().next().unwrap().to_owned() + "\n";
    let wrong = |of: &str, value: &str| {
        let column = header
            .trim()
            .split(',')
            .position(|name| name == of)
            .unwrap();
        let last = draws.lines().last().unwrap();
        let mut cells: Vec<&str> = last.split(',').collect();
        cells[column] = value;
        draws.replace(last, &cells.join(","))
    };
    for text in [
        draws[..draws.len() - 9].to_owned(),
        draws.trim_end().to_owned(),
        header.clone(),
        String::new(),
        draws.replace("\n3,", "\n4,"),
        wrong("accuracy", "1.5"),
        wrong("max_error_share", "-0.1"),
        wrong("n_classes", "0"),
    ] {
        files.text("draws.csv", &text);
        files.bad_data("draws.csv", "report s.toml --out none");
    }
    assert!(!files.path("none").exists());
    files.text("draws.csv", &draws);
    files.text(
        "s.toml",
        "[simulation]\ndraws = 'draws.csv'\niterations = 31\n",
    );
    files.bad_data("draws.csv", "report s.toml");
}

#[test]
fn names_act_neither_on_the_terminal_nor_on_the_page() {
    let files = Files::new();
    files.text(
        "s.toml",
        "title = \"a\\u001b[2J\\u009b31m\\u202e\\nb\"\n[repro]\npredictions = 'runs.csv'\nlabels = 'y'\n",
    );
    files.text("runs.csv", "r1,y,r2\n0,0,0\n1,0,1\n1,1,0\n");
    let acts = |text: &str| {
        let acts = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        text.contains(acts)
    };
    let json = files.json("report s.toml --out out");
    assert_eq!(json["title"], "a\u{1b}[2J\u{9b}31m\u{202e}\nb");
    let table = files.table("report s.toml --out out");
    assert!(!acts(&table), "{table:?}");
    assert_eq!(
        table.lines().next().map(|line| line.ends_with('b')),
        Some(true)
    );
    for written in ["out/index.html", "out/report.json"] {
        assert!(!acts(&files.read(written)), "{written}");
    }
    // Relatives: columns in remarks and errors, names of explainers, files.
    files.text("t.csv", "a,b\u{1b}[1m,y\n1,1,0\n2,2,1\n3,x,1\n");
    files.text("q.csv", "a,y\n1,0\n");
    files.text("bad\u{1b}.csv", "a,y\n\u{1b}[1m,0\n");
    files.array("m.npy", &ndarray::array![[0.5, 0.25]]);
    for arguments in [
        "casebased explain --train t.csv --test q.csv --label y -k 1",
        "casebased explain --train t.csv --test q.csv --label c -k 1",
        "casebased explain --train bad\u{1b}.csv --test bad\u{1b}.csv --label y -k 1",
        "casebased explain --train none\u{1b}.csv --test q.csv --label y",
        "graph mask --mask none\u{9b}.npy",
        "report none\u{1b}.toml",
    ] {
        let output = files.run(arguments);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!acts(&said), "{arguments:?} {said:?}");
    }
}

#[test]
fn the_page_and_the_numbers_are_written_both_or_not_at_all() {
    let files = Files::new();
    files.text(
        "s.toml",
        "[repro]\npredictions = 'runs.csv'\nlabels = 'y'\n",
    );
    files.text("runs.csv", "r1,y,r2\n0,0,0\n1,0,1\n1,1,0\n");
    for (folder, other) in [("index.html", "report.json"), ("report.json", "index.html")] {
        std::fs::create_dir_all(files.path("out").join(folder)).unwrap();
        files.bad_data(&format!("out/{folder}"), "report s.toml --out out");
        let left: Vec<_> = std::fs::read_dir(files.path("out")).unwrap().collect();
        assert_eq!(left.len(), 1, "{other}: {left:?}");
        std::fs::remove_dir(files.path("out").join(folder)).unwrap();
    }
    files.json("report s.toml --out out");
    assert!(files.path("out/index.html").is_file() && files.path("out/report.json").is_file());
}

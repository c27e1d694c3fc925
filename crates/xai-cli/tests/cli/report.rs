//! `xai report` on studies.

use serde_json::Value;

use crate::harness::{Files, sample};

fn close(value: &Value, expected: f64, tolerance: f64) {
    let value = value.as_f64().unwrap();
    assert!(
        (value - expected).abs() <= tolerance,
        "{value} instead of {expected}"
    );
}

/// Returns the value of a metric for an explainer.
fn value<'a>(section: &'a Value, metric: &str, explainer: &str) -> &'a Value {
    let names = section["explainers"].as_array().unwrap();
    let place = names.iter().position(|name| *name == explainer).unwrap();
    let metrics = section["metrics"].as_array().unwrap();
    let metric = metrics.iter().find(|of| of["metric"] == metric).unwrap();
    &metric["values"][place]["value"]
}

#[test]
fn without_a_command_there_is_a_report_on_the_built_in_sample_study() {
    let files = Files::new();
    files.table("");
    let report: Value = serde_json::from_str(&files.read("xai-report/report.json")).unwrap();
    let page = files.read("xai-report/index.html");
    assert!(page.len() < 2_000_000, "{}", page.len());

    // Average Drop of the sample maps, computed with another runtime.
    let attribution = &report["attribution"][0];
    for (name, drop) in [
        ("saliency", 0.4544),
        ("integrated gradients", 0.2694),
        ("occlusion", 0.2532),
        ("random", 0.3121),
    ] {
        let value = value(attribution, "average_drop", name);
        close(value, drop, 2e-4);
        // All digits except the last, which a JSON parser may round.
        let digits = value.as_f64().unwrap().to_string();
        let cell = format!("data-value=\"{}", &digits[..digits.len() - 2]);
        assert!(page.contains(&cell), "{name}");
    }
    // 171 test rows, 24 runs on 600 images, and ten sizes of each subgraph.
    let casebased = &report["casebased"][0];
    assert_eq!(casebased["n_test"], 171);
    let n = |group: &str| casebased[group]["n"].as_u64().unwrap();
    assert_eq!(n("right") + n("wrong"), 171);
    let mean = |group: &str| {
        casebased[group]["mean_correspondence"]["value"]
            .as_f64()
            .unwrap()
    };
    assert!(mean("wrong") < mean("right"));
    assert_eq!(report["repro"][0]["n_runs"], 24);
    let aurocs = [("GNNExplainer", 0.70), ("saliency", 0.71), ("random", 0.49)];
    for (explainer, (name, auroc)) in report["graph"][0]["explainers"]
        .as_array()
        .unwrap()
        .iter()
        .zip(aurocs)
    {
        assert_eq!(explainer["name"], name);
        assert_eq!(explainer["curve"].as_array().unwrap().len(), 10);
        close(&explainer["groundtruth"]["auroc"]["value"], auroc, 0.006);
    }
    assert_eq!(
        report["simulation"][0]["metrics"].as_array().unwrap().len(),
        14
    );
    // Every section has a finding with a link to it.
    for family in [
        "casebased",
        "attribution",
        "texts",
        "data_attribution",
        "graph",
        "repro",
        "simulation",
    ] {
        let id = report[family][0]["id"].as_str().unwrap();
        let mut findings = report["findings"].as_array().unwrap().iter();
        assert!(findings.any(|finding| finding["section"] == id), "{id}");
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

#[cfg(unix)]
#[test]
fn the_commands_in_a_report_compute_its_figures() {
    let files = Files::new();
    files.json("report init --sample --from sample");
    let report = files.json("report sample/study.toml");
    let line = |family: &str, place: usize| {
        let line = report[family][0]["commands"][place].as_str().unwrap();
        files.json_of_line("sample", line)
    };

    let audit = line("casebased", 0);
    let casebased = &report["casebased"][0];
    assert_eq!(
        casebased["mean_correspondence"]["value"],
        audit["mean_correspondence"]
    );
    assert_eq!(
        casebased["right"]["mean_correspondence"]["value"],
        audit["right"]["mean_correspondence"]
    );
    assert_eq!(
        casebased["expected_calibration_error"],
        audit["expected_calibration_error"]
    );

    let compared = line("attribution", 0);
    let attribution = &report["attribution"][0];
    for explainer in ["saliency", "integrated gradients", "occlusion", "random"] {
        for metric in ["average_drop", "deletion", "mu_fidelity"] {
            let alone = &compared["metrics"][metric]["explainers"][explainer]["value"];
            assert_eq!(
                value(attribution, metric, explainer),
                alone,
                "{explainer} {metric}"
            );
        }
    }

    let graph = &report["graph"][0];
    for (i, explainer) in graph["explainers"].as_array().unwrap().iter().enumerate() {
        let (sweep, truth) = (line("graph", 2 * i), line("graph", 2 * i + 1));
        assert_eq!(explainer["fidelity_auc"], sweep["fidelity_auc"]);
        assert_eq!(
            explainer["curve"][3]["pos_fidelity"]["value"],
            sweep["curve"][3]["pos_fidelity"]
        );
        assert_eq!(explainer["groundtruth"]["auroc"]["value"], truth["auroc"]);
    }

    let pairwise = line("repro", 0);
    let repro = &report["repro"][0];
    assert_eq!(repro["fleiss_kappa"], pairwise["fleiss_kappa"]);
    for metric in repro["metrics"].as_array().unwrap() {
        let name = metric["metric"].as_str().unwrap();
        assert_eq!(
            metric["mean"]["value"], pairwise["metrics"][name]["mean"],
            "{name}"
        );
        assert_eq!(
            metric["mean"]["interval"], pairwise["metrics"][name]["interval"],
            "{name}"
        );
    }

    let study = line("simulation", 0);
    let of_study = &study["summary"]["metrics"][0];
    let simulated = &report["simulation"][0]["metrics"][0];
    assert_eq!(
        simulated["auroc_of_dependence"],
        of_study["auroc_of_dependence"]
    );
}

#[test]
fn reports_have_the_same_bits_for_any_number_of_threads() {
    let files = Files::new();
    let many = files.run("report --json --threads 4").stdout;
    let one = files.run("report --json --threads 1").stdout;
    assert!(many.len() > 5_000);
    assert_eq!(many, one);
}

#[test]
fn paths_in_a_study_are_relative_to_it() {
    let files = Files::new();
    let text = format!(
        "title = 'Mine & <yours>'\n[repro]\npredictions = '{}'\nlabels = '{}'\n",
        sample("repro/predictions.npy"),
        sample("repro/labels.npy")
    );
    files.text("mine.toml", &text);
    let report = files.json("report mine.toml --out deep/out");
    assert_eq!(report["title"], "Mine & <yours>");
    assert_eq!(report["casebased"], serde_json::json!([]));
    let page = files.read("deep/out/index.html");
    assert!(
        page.contains("Mine &#38; &#60;yours&#62;") || page.contains("Mine &amp; &lt;yours&gt;")
    );
    assert!(!page.contains("id=\"graph"));
}

#[test]
fn a_study_with_errors_leaves_no_report() {
    let files = Files::new();
    files.text("s.toml", "title = 'x'\n");
    files.bad_data("s.toml", "report s.toml");
    assert!(!files.path("xai-report").exists());
}

#[test]
fn a_study_chooses_its_metrics() {
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
    let section = &report["attribution"][0];
    let names = section["metrics"].as_array().unwrap().iter();
    let names: Vec<&Value> = names.map(|metric| &metric["metric"]).collect();
    assert_eq!(names, ["insertion", "sparseness"]);
    let maps = sample("attribution/occlusion.npy");
    let alone = files.json(&format!(
        "attribution sparseness --channels first --explanations {maps}"
    ));
    close(
        value(section, "sparseness", "occlusion"),
        alone["value"].as_f64().unwrap(),
        1e-6,
    );
}

#[test]
fn channels_of_a_study_follow_from_the_shape() {
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
    let metrics =
        || files.json("report study.toml --out page")["attribution"][0]["metrics"].clone();
    let named = metrics();
    study("", &sample("attribution/inputs.npy"));
    assert_eq!(metrics(), named);
    // An array without axes has no samples.
    files.array("number.npy", &ndarray::arr0(0.5));
    study("", "number.npy");
    files.bad_data("number.npy", "report study.toml --out page");
}

#[test]
fn the_seed_of_the_command_line_overrides_that_of_the_study() {
    let files = Files::new();
    for seed in [3, 5] {
        let text = format!("[simulation]\niterations = 40\nseed = {seed}\n");
        files.text(&format!("{seed}.toml"), &text);
    }
    let simulated = |arguments: &str| {
        files.json(&format!("report {arguments}"))["simulation"][0]["metrics"].clone()
    };
    let (three, five) = (simulated("3.toml"), simulated("5.toml"));
    assert_ne!(three, five);
    assert_eq!(simulated("3.toml --seed 5"), five);
}

#[test]
fn random_metrics_depend_on_the_seed() {
    let files = Files::new();
    let text = format!(
        "[attribution]\nmodel = '{0}/model.onnx'\ninputs = '{0}/inputs.npy'\n\
         targets = '{0}/targets.npy'\nactivation = 'softmax'\nchannels = 'first'\n\
         metrics = ['mu-fidelity', 'deletion']\n\
         [[attribution.explainers]]\nname = 'occlusion'\nmaps = '{0}/occlusion.npy'\n",
        sample("attribution")
    );
    files.text("s.toml", &text);
    let of = |arguments: &str| files.json(arguments)["attribution"][0].clone();
    let (one, two) = (of("report s.toml"), of("report s.toml --seed 2"));
    assert_eq!(one["metrics"], of("report s.toml --seed 1")["metrics"]);
    let drawn = |section: &Value| value(section, "mu_fidelity", "occlusion").clone();
    assert_ne!(drawn(&one), drawn(&two));
    let fixed = |section: &Value| value(section, "deletion", "occlusion").clone();
    assert_eq!(fixed(&one), fixed(&two));
}

#[test]
fn runs_in_a_study_have_the_forms_of_the_command() {
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
        let section = files.json("report data/s.toml")["repro"][0].clone();
        assert_eq!(section["fleiss_kappa"], alone["fleiss_kappa"]);
        assert_eq!(
            section["metrics"][0]["mean"]["value"],
            alone["metrics"]["ec_local"]["mean"]
        );
    }
    files.text(
        "data/s.toml",
        "[repro]\npredictions = 'runs.csv'\nlabels = 'z'\n",
    );
    files.bad_data("data/runs.csv", "report data/s.toml");
}

#[test]
fn draws_must_be_complete() {
    let files = Files::new();
    files.json("repro simulate study --iterations 30 --n-samples 100 --out draws.csv");
    let draws = files.read("draws.csv");
    files.text("s.toml", "[simulation]\ndraws = 'draws.csv'\n");
    assert_eq!(files.json("report s.toml")["simulation"][0]["n_draws"], 30);
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
fn names_are_escaped_on_the_terminal_and_on_the_page() {
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
    // Also columns in remarks and errors, names of explainers, and files.
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
fn both_files_of_a_report_are_written_or_none() {
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

#[test]
fn a_report_overwrites_only_reports() {
    let files = Files::new();
    files.text("runs.csv", "y,a,b\n0,0,1\n1,1,1\n0,0,0\n");
    files.text(
        "study.toml",
        "[[repro]]\npredictions = \"runs.csv\"\nlabels = \"y\"\n",
    );
    std::fs::create_dir(files.path("site")).unwrap();
    files.text("site/index.html", "<h1>my site</h1>");
    let failed = files.bad_data("site/index.html", "report study.toml --out site");
    assert!(failed.help().unwrap().contains("--force"));
    assert_eq!(files.read("site/index.html"), "<h1>my site</h1>");
    files.table("report study.toml --out site --force");
    // Now it is the page of a report.
    files.table("report study.toml --out site");
    files.text("site/report.json", "[1]");
    files.bad_data("site/report.json", "report study.toml --out site");
}

#[cfg(unix)]
#[test]
fn init_uses_only_regular_files() {
    let files = Files::new();
    files.text("runs.csv", "labels,a,b\n0,0,1\n1,1,1\n");
    let pipe = files.path("waiting.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    // The pipe has no writer.
    files.run("report init --from .");
}

#[test]
fn self_check_passes_for_any_seed_and_number_of_threads() {
    let files = Files::new();
    for options in ["", " --seed 7 --threads 1"] {
        let check = files.json(&format!("self-check{options}"));
        assert_eq!(check["wrong"], serde_json::json!([]), "{options}");
        let figures = check["figures"].as_array().unwrap();
        let of = |family: &str| figures.iter().filter(|of| of["family"] == family).count();
        assert!(
            ["casebased", "attribution", "graph", "repro"]
                .iter()
                .all(|family| of(family) > 0)
        );
    }
}

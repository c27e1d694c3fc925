//! `xai report init`, `check` and `diff`, and studies with errors.

use serde_json::Value;

use crate::harness::{Files, sample};

const RUNS: &str = "r1,y,r2,r3\n0,0,0,1\n1,0,1,1\n1,1,0,0\n1,1,1,1\n0,0,0,0\n1,1,1,0\n";

fn study_of_runs(files: &Files) {
    files.text("runs.csv", RUNS);
    files.text(
        "s.toml",
        "[[repro]]\nname = 'a'\npredictions = 'runs.csv'\nlabels = 'y'\n",
    );
}

#[test]
fn errors_show_the_line_of_wrong_keys_types_and_words() {
    let files = Files::new();
    files.text("runs.csv", RUNS);
    let repro = "[[repro]]\npredictions = 'runs.csv'\nlabels = 'y'\n";
    for (text, line, mark, help) in [
        (
            format!("{repro}methrics = 'all'\n"),
            4,
            "methrics",
            "`metrics`",
        ),
        ("titel = 'x'\n".to_owned() + repro, 1, "titel", "`title`"),
        ("[[reprro]]\na = 1\n".to_owned(), 1, "reprro", "`repro`"),
        (
            format!("{repro}metrics = 'ec_locl'\n"),
            4,
            "metrics",
            "`ec_local`",
        ),
        (
            format!("{repro}n_replicates = 'many'\n"),
            4,
            "n_replicates",
            "",
        ),
        (format!("{repro}metrics = true\n"), 4, "metrics", ""),
        ("[[repro]]\nlabels = 'y'\n".to_owned(), 1, "predictions", ""),
        ("[[repro]]\nlabels = 'y\n".to_owned(), 2, "", ""),
        (format!("{repro}seed = -1\n"), 4, "seed", ""),
        (format!("{repro}seed = 'x'\n"), 4, "`seed`", ""),
        (
            "[[simulation]]\ndraws = ''\n".to_owned(),
            2,
            "`draws`: expected text",
            "",
        ),
        (
            format!("{repro}[[repro.explainers]]\nname = 'a'\n"),
            4,
            "`explainers`",
            "",
        ),
        (
            format!("{repro}explainers = 3\n"),
            4,
            "expected tables, [[repro.explainers]]",
            "",
        ),
        (
            "[[graph]]\n[[graph.explainers]]\nname = 'a'\nseed = 2\n".to_owned(),
            4,
            "unknown key `seed` of [[graph.explainers]]",
            "",
        ),
        (
            "[[graph]]\n[[graph.explainers]]\nname = 'a'\nedge_index = 'e.npy'\n".to_owned(),
            4,
            "`edge_index` of an explainer without `model`",
            "move the key",
        ),
    ] {
        files.text("s.toml", &text);
        for command in ["report s.toml", "report check s.toml"] {
            let output = files.run(command);
            assert_eq!(output.status.code(), Some(1), "{command}\n{text}");
            let said = String::from_utf8(output.stderr).unwrap();
            assert!(
                said.starts_with(&format!("error: s.toml: line {line}: ")),
                "{said}"
            );
            assert!(said.contains(mark) && said.contains(help), "{text}\n{said}");
            // The excerpt has the line.
            let shown = text.lines().nth(line - 1).unwrap();
            assert!(said.contains(shown), "{text}\n{said}");
        }
        assert!(!files.path("xai-report").exists());
    }
}

#[test]
fn errors_from_data_name_the_key() {
    let files = Files::new();
    let [train, test] = ["train", "test"].map(|name| sample(&format!("casebased/{name}.csv")));
    let text =
        format!("[[casebased]]\ntrain = '{train}'\ntest = '{test}'\nlabel = 'diagnosis'\nk = 0\n");
    files.text("s.toml", &text);
    let failed = files.bad_data("s.toml", "report s.toml");
    assert!(
        failed.text.starts_with("error: s.toml: line 5: "),
        "{}",
        failed.text
    );
}

#[test]
fn a_section_with_errors_does_not_affect_the_others() {
    let files = Files::new();
    study_of_runs(&files);
    let mut text = files.read("s.toml");
    text += "[[repro]]\nname = 'b'\npredictions = 'none.npy'\nlabels = 'y'\n";
    text += "[[casebased]]\nname = '<script>c'\ntrane = 'x'\n";
    files.text("s.toml", &text);
    let output = files.run("report s.toml --json");
    assert_eq!(output.status.code(), Some(1));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["repro"].as_array().unwrap().len(), 1);
    let missing = report["missing"].as_array().unwrap();
    let ids: Vec<&Value> = missing.iter().map(|section| &section["id"]).collect();
    assert_eq!(ids, ["repro-2", "casebased-1"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("none.npy") && said.contains("trane"),
        "{said}"
    );
    let page = files.read("xai-report/index.html");
    assert!(page.contains("none.npy") && !page.contains("<script>c"));
    // If nothing could be computed, the earlier report stays.
    files.text(
        "s.toml",
        "[[repro]]\npredictions = 'none.npy'\nlabels = 'y'\n",
    );
    files.bad_data("none.npy", "report s.toml");
    assert_eq!(files.read("xai-report/index.html"), page);
}

#[test]
fn several_sections_of_a_kind_have_different_names_and_seeds() {
    let files = Files::new();
    let section =
        |seed: u64| format!("[[simulation]]\niterations = 40\nn_samples = 50\nseed = {seed}\n");
    files.text(
        "s.toml",
        &("seed = 9\n".to_owned() + &section(3) + &section(5)),
    );
    let report = files.json("report s.toml");
    let sections = report["simulation"].as_array().unwrap();
    assert_eq!(sections[0]["name"], "simulation 1");
    assert_ne!(sections[0]["metrics"], sections[1]["metrics"]);
    let commands = sections[1]["commands"][0].as_str().unwrap();
    assert!(commands.ends_with("--seed 5"), "{commands}");
    assert_eq!(report["seed"], 9);
    let given = files.json("report s.toml --seed 3");
    assert_eq!(given["simulation"][1]["metrics"], sections[0]["metrics"]);
}

#[test]
fn a_drafted_study_can_be_checked_and_reported() {
    let files = Files::new();
    files.json("report init --sample --from there");
    // Existing files are not overwritten.
    files.bad_data("there/study.toml", "report init --from there");
    let made = files.json("report init --from there --out there/own.toml");
    assert_eq!((&made["casebased"], &made["graph"]), (&1.into(), &1.into()));
    let checked = files.json("report check there/own.toml");
    assert_eq!(checked["n_wrong"], 0);
    // A model that ends in logits gets an activation.
    let own = files.read("there/own.toml");
    assert!(own.contains("activation = \"softmax\"  # guessed"), "{own}");
    let report = files.json("report there/own.toml --out out");
    assert_eq!(
        report["graph"][0]["explainers"].as_array().unwrap().len(),
        3
    );
    assert_eq!(
        report["attribution"][0]["explainers"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    std::fs::create_dir(files.path("bare")).unwrap();
    files.bad_data("bare", "report init --from bare");
}

#[test]
fn the_sample_overwrites_no_file() {
    let files = Files::new();
    std::fs::create_dir_all(files.path("own/casebased")).unwrap();
    files.text("own/casebased/train.csv", "mine\n");
    files.bad_data("own/casebased/train.csv", "report init --sample --from own");
    assert_eq!(files.read("own/casebased/train.csv"), "mine\n");
    assert!(!files.path("own/study.toml").exists());
}

#[test]
fn a_check_finds_missing_and_mismatched_files_without_computing() {
    let files = Files::new();
    files.array("p.npy", &ndarray::Array2::<i64>::zeros((3, 5)));
    files.array("y.npy", &ndarray::Array1::<i64>::zeros(4));
    files.text(
        "s.toml",
        "[[repro]]\npredictions = 'p.npy'\nlabels = 'y.npy'\n[[repro]]\npredictions = 'q.npy'\nlabels = 'y.npy'\n",
    );
    let output = files.run("report check s.toml --json");
    assert_eq!(output.status.code(), Some(1));
    let checked: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(checked["n_wrong"], 2);
    assert_eq!(
        checked["sections"][0]["files"][0]["holds"],
        "integers (3, 5)"
    );
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("y.npy") && said.contains("q.npy"), "{said}");
    assert!(!files.path("xai-report").exists());
}

#[test]
fn a_check_names_missing_columns() {
    let files = Files::new();
    files.text("train.csv", "a,diagnosis\n1,0\n2,1\n");
    files.text("test.csv", "a,diagnosis,guess\n1,0,0\n");
    let study = |label: &str, predicted: &str| {
        format!(
            "[casebased]\ntrain='train.csv'\ntest='test.csv'\nlabel='{label}'\npredicted='{predicted}'\n"
        )
    };
    files.text("s.toml", &study("diagnosis", "guess"));
    assert_eq!(files.json("report check s.toml")["n_wrong"], 0);
    files.text("s.toml", &study("diagnose", "model"));
    let output = files.run("report check s.toml --json");
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.contains("train.csv has no column `diagnose`"),
        "{said}"
    );
    assert!(said.contains("did you mean `diagnosis`?"), "{said}");
    assert!(said.contains("4 | label='diagnose'"), "{said}");
    assert!(said.contains("test.csv has no column `model`"), "{said}");
}

/// A check finds the errors of the report that do not need a model.
#[test]
fn a_check_finds_the_errors_of_the_report() {
    let files = Files::new();
    files.text("t.csv", "a,b,y\n1,2,0\n2,1,1\n3,1,0\n1,1,1\n");
    files.text("gap.csv", "a,b,y\n1,2,0\n2,,1\n");
    files.array("x.npy", &ndarray::Array2::<f32>::eye(4));
    files.array("large.npy", &(ndarray::Array2::<f64>::eye(4) * 1e300));
    files.array("maps.npy", &ndarray::Array1::<f32>::zeros(4));
    files.array("c.npy", &ndarray::Array1::<i64>::zeros(4));
    files.array("nodes.npy", &ndarray::Array2::<f32>::eye(12));
    files.array("edges.npy", &ndarray::array![[0_i64, 1], [1, 2]]);
    files.array("short.npy", &ndarray::array![0.5_f32]);
    files.array("binary.npy", &ndarray::array![0_i64, 1, 0, 1]);
    files.array("nine.npy", &ndarray::array![0_i64, 1, 9, 2]);
    files.array("two.npy", &ndarray::array![0.5_f32, 0.25]);
    files.array("runs.npy", &ndarray::array![[0_i64, 1, 0, 1], [1, 1, 0, 0]]);
    let of_table = |rest: &str| format!("[[casebased]]\ntrain = 't.csv'\ntest = 't.csv'\n{rest}\n");
    let of_runs = |rest: &str| format!("[[repro]]\npredictions = 'runs.npy'\n{rest}\n");
    let mut studies = vec![
        (of_table(""), "label"),
        (
            of_table("label = 'y'").replacen("t.csv", "x.npy", 1),
            "x.npy",
        ),
        (of_table("label = 'y'\nredact = 'z'"), "`z`"),
        (of_table("label = 'y'\nk = 0"), "`k`"),
        (
            of_table("label = 'y'").replace("test = 't", "test = 'gap"),
            "line 3",
        ),
        (
            of_runs("labels = 'truth'"),
            "`labels` truth: this is neither a file nor a column",
        ),
        (of_runs("labels = 'x.npy'"), "x.npy"),
        (of_runs("labels = 'c.npy'\nlevel = 2.0"), "level"),
        (
            "[[simulation]]\niterations = -5\n".to_owned(),
            "expected a whole number",
        ),
        ("[[simulation]]\ndraws = 't.csv'\n".to_owned(), "t.csv"),
    ];
    let data = |name: &str| format!("{}/tests/data/models/{name}", env!("CARGO_MANIFEST_DIR"));
    let (mlp, gnn) = (data("mlp.onnx"), data("gnn.onnx"));
    let of_maps = |inputs: &str, explainers: &[&str]| {
        let study =
            format!("[[attribution]]\nmodel = '{mlp}'\ninputs = '{inputs}'\ntargets = 'c.npy'\n");
        let explainers = explainers
            .iter()
            .map(|maps| format!("[[attribution.explainers]]\nname = 'a'\nmaps = '{maps}'\n"));
        study + &explainers.collect::<String>()
    };
    let of_graph = format!(
        "[[graph]]\nmodel = '{gnn}'\nfeatures = 'nodes.npy'\nedge_index = 'edges.npy'\nedge_mask = 'short.npy'\n"
    );
    studies.extend([
        (of_maps("t.csv", &["x.npy"]), "t.csv"),
        (of_maps("x.npy", &["maps.npy"]), "maps.npy"),
        (of_maps("nodes.npy", &["x.npy"]), "[12, 12]"),
        (
            of_maps("large.npy", &["x.npy"]),
            "large.npy: array[0, 0] = 1e300",
        ),
        (
            of_maps("x.npy", &["x.npy"]).replace("c.npy", "nine.npy"),
            "nine.npy",
        ),
        (
            of_maps("x.npy", &["x.npy"]).replace("c.npy", "x.npy"),
            "(4, 3)",
        ),
        (
            of_maps("x.npy", &["x.npy"])
                .replace("mlp", "column")
                .replace("c.npy", "binary.npy"),
            "binary.npy",
        ),
        (of_maps("x.npy", &["x.npy", "x.npy"]), "once"),
        (of_graph.replace("short", "two"), "[12, 12]"),
        (of_graph, "short.npy"),
    ]);
    for (study, told) in studies {
        files.text("s.toml", &study);
        let checked = files.run("report check s.toml --json");
        let reported = files.run("report s.toml");
        let said = [&checked.stderr, &reported.stderr].map(|it| String::from_utf8_lossy(it));
        for (output, said) in [&checked, &reported].into_iter().zip(&said) {
            assert_eq!(output.status.code(), Some(1), "{study}\n{said}");
            assert!(said.contains(told), "{study}\n{said}");
        }
        assert_eq!(said[0], said[1], "{study}");
    }
}

#[test]
fn a_study_in_another_folder_has_absolute_paths() {
    let files = Files::new();
    std::fs::create_dir_all(files.path("data")).unwrap();
    std::fs::create_dir_all(files.path("elsewhere")).unwrap();
    files.text("data/train.csv", "a,y\n1,0\n2,1\n3,1\n");
    files.text("data/test.csv", "a,y\n1,0\n3,1\n");
    files.json("report init --from data --out elsewhere/s.toml");
    let checked = files.json("report check elsewhere/s.toml");
    assert_eq!(checked["n_wrong"], 0);
    let holds = &checked["sections"][0]["files"][0]["holds"];
    assert_eq!(holds, "table of 2 columns");
}

#[test]
fn diff_exits_with_3_if_a_figure_got_worse_beyond_its_interval() {
    let files = Files::new();
    // Runs that agree, and runs with different errors.
    let runs = |n_errors: u64| {
        let mut text = "y,r1,r2,r3,r4,r5,r6,r7,r8\n".to_owned();
        for i in 0..200_u64 {
            let errs = |run: u64| (((i + 1) * (run + 3) * 2_654_435_761) >> 16) % 10 < n_errors;
            let cells = (0..8).map(|run| (i % 2 + u64::from(errs(run))) % 2);
            let cells: Vec<String> = cells.map(|cell| cell.to_string()).collect();
            text += &format!("{},{}\n", i % 2, cells.join(","));
        }
        text
    };
    files.text(
        "s.toml",
        "[[repro]]\nname = 'a'\npredictions = 'runs.csv'\nlabels = 'y'\nmetrics = 'pa_acc'\n",
    );
    files.text("runs.csv", &runs(1));
    files.json("report s.toml --out old");
    let same = files.json("report diff old old/report.json");
    assert_eq!(
        (&same["n_worse"], &same["files"]),
        (&0.into(), &serde_json::json!([]))
    );
    files.text("runs.csv", &runs(4));
    files.json("report s.toml --out new");
    let output = files.run("report diff old new --json");
    assert_eq!(output.status.code(), Some(3));
    let diff: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(diff["n_worse"].as_u64().unwrap() >= 1);
    assert_eq!(diff["files"][0]["path"], "runs.csv");
    // In the other order it got better.
    assert_eq!(files.json("report diff new old")["n_worse"], 0);
    // Figures of simulations have no direction.
    for (seed, folder) in [(1, "old"), (2, "new")] {
        files.text(
            "s.toml",
            &format!("[simulation]\niterations = 20\nseed = {seed}\n"),
        );
        files.json(&format!("report s.toml --out {folder}"));
    }
    let simulated = files.json("report diff old new");
    assert_eq!(simulated["n_worse"], 0);
    let of_cohen = |figure: &Value| figure["figure"] == "auroc_of_dependence / pa_kappa";
    let figures = simulated["figures"].as_array().unwrap();
    let figure = figures.iter().find(|figure| of_cohen(figure)).unwrap();
    assert_eq!(
        (&figure["better"], &figure["outcome"]),
        (&"none".into(), &"unjudged".into())
    );
    files.text("other.json", "{\"a\": 1}");
    files.bad_data("other.json", "report diff old other.json");
    files.bad_data("none/report.json", "report diff old none/report.json");
}

#[test]
fn out_dash_writes_the_page_to_standard_output() {
    let files = Files::new();
    study_of_runs(&files);
    let page = files.table("report s.toml --out -");
    assert!(
        page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"),
        "{}",
        &page[..60]
    );
    assert!(!files.path("-").exists() && !files.path("xai-report").exists());
    files.wrong_usage("--out", "report s.toml --out - --json");
}

/// Figures with different settings are neither better nor worse.
#[test]
fn figures_with_different_settings_are_not_compared() {
    let files = Files::new();
    files.json("report init --sample --from .");
    let attribution = |metrics: &str, rest: &str| {
        format!(
            "[[attribution]]\nname = 'a'\nmodel = 'attribution/model.onnx'\ninputs = 'attribution/inputs.npy'\n\
             targets = 'attribution/targets.npy'\nchannels = 'first'\nmetrics = [{metrics}]\n{rest}\n\
             [[attribution.explainers]]\nname = 'saliency'\nmaps = 'attribution/saliency.npy'\n"
        )
    };
    let casebased = |rest: &str| {
        format!(
            "[[casebased]]\nname = 'a'\ntrain = 'casebased/train.csv'\ntest = 'casebased/test.csv'\nlabel = 'diagnosis'\n{rest}\n"
        )
    };
    let softmax = "activation = 'softmax'";
    let deletion = |settings: &str| format!("{{ name = 'deletion'{settings} }}");
    for (old, new, setting) in [
        (
            attribution(&deletion(", steps = 3"), softmax),
            attribution(&deletion(", steps = 60"), softmax),
            "steps",
        ),
        (
            attribution(&deletion(""), softmax),
            attribution(&deletion(", baseline = 0.5"), softmax),
            "baseline",
        ),
        (
            attribution(&deletion(""), softmax),
            attribution(&deletion(""), "activation = 'sigmoid'"),
            "activation",
        ),
        (casebased("k = 1"), casebased("k = 9"), "k"),
        (
            casebased(""),
            casebased("distance = 'manhattan'"),
            "distance",
        ),
    ] {
        for (study, folder) in [(&old, "old"), (&new, "new")] {
            files.text("s.toml", study);
            files.json(&format!("report s.toml --out {folder}"));
        }
        let diff = files.json("report diff old new");
        let figures = diff["figures"].as_array().unwrap();
        assert_eq!(
            (&diff["n_better"], &diff["n_worse"]),
            (&0.into(), &0.into())
        );
        assert_eq!(diff["n_other_settings"], figures.len(), "{setting}");
        for figure in figures {
            assert_eq!(figure["outcome"], "other_settings", "{figure}");
            assert_eq!(figure["settings"][0]["name"], setting, "{figure}");
        }
        let table = files.table("report diff old new");
        assert!(table.contains(setting), "{table}");
        // A default value that is written out is the same setting.
        let same = files.json("report diff new new");
        assert_eq!(same["n_other_settings"], 0);
    }
    for (study, folder) in [
        (casebased(""), "old"),
        (casebased("k = 5\nscale = true"), "new"),
    ] {
        files.text("s.toml", &study);
        files.json(&format!("report s.toml --out {folder}"));
    }
    assert_eq!(files.json("report diff old new")["n_other_settings"], 0);
}

#[test]
fn a_report_with_a_byte_order_mark_is_read() {
    let files = Files::new();
    study_of_runs(&files);
    files.json("report s.toml --out o");
    let json = files.read("o/report.json");
    files.text("marked.json", &format!("\u{feff}{json}"));
    assert_eq!(files.json("report diff marked.json o")["n_worse"], 0);
}

#[test]
fn a_check_of_texts_finds_the_errors_of_the_report() {
    let files = Files::new();
    let texts = |marks: &str| {
        format!(
            "{{\"tokens\": [[\"a\", \"b\"]], \"explainers\": {{\"x\": [[1, 2]]}}, \"rationales\": {marks}}}"
        )
    };
    for (marks, rest, told) in [
        ("[[0, 1]]", "level = 1.5", "`level`"),
        ("[[0, 1]]", "n_replicates = 99999999", "`n_replicates`"),
        ("[[0, 0]]", "", "no token"),
        ("[[0, 1, 1]]", "", "rationales"),
    ] {
        files.text("t.json", &texts(marks));
        files.text("s.toml", &format!("[[texts]]\ntexts = 't.json'\n{rest}\n"));
        for command in ["report check s.toml", "report s.toml"] {
            let output = files.run(command);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_ne!(output.status.code(), Some(0), "{command}: {rest}");
            assert!(said.contains(told), "{command}: {rest}\n{said}");
        }
    }
}

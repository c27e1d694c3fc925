//! `xai casebased attribution` on files: the examples of the metrics, rows, and errors in files.

use ndarray::{Array1, Array2, Array3, Array4, array};
use xai_metrics::casebased::data_attribution::METRICS;

use crate::harness::Files;

/// Returns a folder with the data of the metrics' examples, in files with the names of their help.
fn files() -> Files {
    let matrix = |n: usize, d: usize, value: &dyn Fn(usize, usize) -> f64| {
        Array2::from_shape_fn((n, d), |(row, column)| value(row, column))
    };
    let files = Files::new();
    let tau = |t: usize, i: usize| ((7 * i + 5 * t + i * t) % 11) as f64 - 4.0;
    files.array("attributions.npy", &matrix(4, 12, &tau));
    let random = matrix(4, 12, &|t, i| ((3 * i + 2 * t) % 7) as f64);
    files.array("random-attributions.npy", &random);
    let numbers = |n: i64, value: &dyn Fn(i64) -> i64| Array1::from_iter((0..n).map(value));
    files.array("train-labels.npy", &numbers(12, &|i| i % 3));
    files.array("test-classes.npy", &numbers(4, &|t| t % 3));
    let flags = Array1::from_iter((0..12).map(|i| i % 4 == 0));
    files.array("flags.npy", &flags);
    let subsets = Array2::from_shape_fn((6, 12), |(j, i)| (i * i + j) % 5 < 2);
    files.array("subsets.npy", &subsets);
    let outputs = matrix(6, 4, &|j, t| ((j + 2 * t + j * t) % 7) as f64 / 8.0);
    files.array("outputs.npy", &outputs);
    files.array("removed.npy", &array![0i64, 3, 5, 8, 10]);
    let drops = matrix(5, 4, &|j, t| (((3 * j + t) % 5) as f64 - 1.0) / 8.0);
    files.array("drops.npy", &drops);
    let relevant = Array2::from_shape_fn((4, 12), |(t, i)| (i + t) % 5 == 0);
    files.array("relevant.npy", &relevant);
    files.array(
        "scores.npy",
        &numbers(12, &|i| 5 * i % 7).mapv(|x| x as f64),
    );
    files.array(
        "log-prob.npy",
        &array![0.5f64, 0.25, 0.125, 0.5].mapv(f64::ln),
    );
    let after = array![[0.75f64, 0.5], [0.25, 0.5], [0.25, 0.125], [0.5, 0.25]];
    files.array("log-prob-after.npy", &after.mapv(f64::ln));
    files.array("ks.npy", &array![0i64, 10, 20, 40]);
    let predictions = array![[1i64, 1, 0, 0], [0, 0, 0, 0], [1, 0, 1, 0], [2, 2, 1, 1]];
    files.array("predictions.npy", &predictions);
    files
}

#[test]
fn the_example_of_every_metric_has_its_value_on_the_command_line() {
    let files = files();
    for entry in METRICS {
        let name = entry.info.name;
        let help = files.run(&format!("casebased attribution {name} --help"));
        let help = String::from_utf8(help.stdout).expect("text");
        let mut lines = help.lines().map(str::trim);
        let example = lines.find_map(|line| line.strip_prefix("xai "));
        let result = files.json(example.expect("an example"));
        assert_eq!(result["metric"], entry.key());
        assert_eq!(result["direction"], entry.info.direction.to_string());
        let value = result["value"]
            .as_f64()
            .map(|value| (value * 1e4).round() / 1e4);
        assert_eq!(value, entry.info.example, "{name}");
    }
}

#[test]
fn options_are_the_parameters_and_inputs_of_the_metric() {
    let files = files();
    files.array("keep.npy", &array![true, false, true, true]);
    let cases = "--attributions attributions.npy --train-labels train-labels.npy --test-classes test-classes.npy";
    let found = files.json(&format!(
        "casebased attribution class-detection {cases} -k 12 --keep keep.npy"
    ));
    assert_eq!(found["n_undefined"], 1);
    assert!(found["per_sample"][1].is_null());
    // Every class has a third of all training cases.
    assert_eq!(found["value"], 1.0 / 3.0);
    files.json(&format!(
        "casebased attribution class-auroc {cases} --out rows.csv"
    ));
    assert!(
        files
            .read("rows.csv")
            .starts_with("sample,score\n0,0.765625\n1,0.5\n")
    );
    files.array(
        "numbers.npy",
        &array![[0i64, 3], [1, 1], [4, 2], [0, 1], [5, 6], [7, 8]],
    );
    let of_numbers = "casebased attribution linear-datamodeling-score --attributions attributions.npy \
                      --subsets numbers.npy --outputs outputs.npy --correlation kendall";
    assert_eq!(
        files.json(of_numbers)["per_sample"]
            .as_array()
            .map(Vec::len),
        Some(4)
    );
    files.json("casebased attribution mislabeling-detection --scores scores.npy --flags flags.npy --out curve.csv");
    assert_eq!(files.read("curve.csv").lines().count(), 14);
    let table =
        files.table("casebased attribution top-k-cardinality --attributions attributions.npy");
    assert_eq!(
        table.trim(),
        "top_k_cardinality ↑: 1.0000, 4 training cases, scaled 1.0000"
    );
}

#[test]
fn the_list_has_every_metric() {
    let files = Files::new();
    let list = files.json("casebased attribution list");
    let names = list["metrics"]
        .as_array()
        .expect("metrics")
        .iter()
        .map(|metric| &metric["name"]);
    assert!(names.eq(METRICS.iter().map(|entry| entry.info.name)));
    assert!(
        files
            .table("casebased attribution list")
            .contains("hit-at-k")
    );
}

#[test]
fn errors_in_files_name_the_file() {
    let files = files();
    let command = |rest: &str| format!("casebased attribution {rest}");
    files.array("short.npy", &array![true, false]);
    let short = "shortcut-detection --attributions attributions.npy --flags short.npy";
    let failed = files.bad_data("short.npy", &command(short));
    assert!(
        failed.text.contains("expected shape (12)"),
        "{}",
        failed.text
    );
    let mut tau = Array2::<f64>::zeros((3, 2));
    tau[[2, 1]] = f64::NAN;
    files.array("nan.npy", &tau);
    let nan = "top-k-cardinality --attributions nan.npy";
    let failed = files.bad_data("nan.npy", &command(nan));
    assert!(
        failed.text.contains("[2, 1]: not a finite number"),
        "{}",
        failed.text
    );
    let of_vector = "top-k-cardinality --attributions flags.npy";
    let failed = files.bad_data("flags.npy", &command(of_vector));
    assert!(
        failed
            .text
            .contains("expected shape (n_test, n_train), got [12]"),
        "{}",
        failed.text
    );
    files.array("beyond.npy", &array![[0i64, 12]]);
    let beyond = "linear-datamodeling-score --attributions attributions.npy --subsets beyond.npy --outputs outputs.npy";
    let failed = files.bad_data("beyond.npy", &command(beyond));
    assert!(
        failed
            .text
            .contains("[0, 1] = 12: expected a training case, 0 to 11"),
        "{}",
        failed.text
    );
    let none = "top-k-cardinality --attributions attributions.npy -k 0";
    assert!(files.failure(2, &command(none)).text.contains("at least 1"));
    let missing = "shortcut-detection --attributions attributions.npy";
    assert!(files.failure(2, &command(missing)).text.contains("--flags"));
}

/// Options of a comparison of two explainers.
const COMPARED: &str = "casebased attribution compare --attributions a=attributions.npy b=random-attributions.npy \
     --train-labels train-labels.npy --test-classes test-classes.npy --flags flags.npy";

#[test]
fn a_comparison_has_the_values_of_single_metrics_with_intervals_ranks_and_tests() {
    let files = files();
    let found = files.json(&format!(
        "{COMPARED} --metrics class-auroc,top-k-cardinality,class-detection,class-detection(k=3) --out rows.csv"
    ));
    let metrics = found["metrics"].as_object().expect("metrics");
    let names = ["class_auroc", "class_detection", "class_detection(k=3)"];
    assert!(metrics.keys().eq(names), "{:?}", metrics.keys());
    for (explainer, file) in [("a", "attributions.npy"), ("b", "random-attributions.npy")] {
        let single = files.json(&format!(
            "casebased attribution class-auroc --attributions {file} --train-labels train-labels.npy \
             --test-classes test-classes.npy"
        ));
        let of = &metrics["class_auroc"]["explainers"][explainer];
        assert_eq!(of["value"], single["value"]);
        assert_eq!(of["per_sample"], single["per_sample"]);
        let (low, high) = (of["interval"][0].as_f64(), of["interval"][1].as_f64());
        assert!(low <= of["value"].as_f64() && of["value"].as_f64() <= high && low < high);
        let single = files.json(&format!(
            "casebased attribution top-k-cardinality --attributions {file}"
        ));
        let of = &found["whole"]["top_k_cardinality"]["explainers"][explainer];
        for field in ["value", "unique", "scaled"] {
            assert_eq!(of[field], single[field], "{field}");
        }
    }
    let pair = &metrics["class_auroc"]["comparisons"][0];
    assert_eq!(pair["n_pairs"], 4);
    assert_eq!(metrics["class_auroc"]["ranking"][0], pair["first"]);
    assert!(found.get("model_calls").is_none());
    // Three metrics, two explainers and four test cases.
    assert_eq!(files.read("rows.csv").lines().count(), 1 + 3 * 2 * 4);
    let table = files.table(&format!(
        "{COMPARED} --metrics class-auroc,mislabeling-detection"
    ));
    assert!(table.contains("mislabeling_detection ↑"), "{table}");
    assert!(
        table.contains("samples: 4; intervals of level 0.95"),
        "{table}"
    );
}

/// A comparison in which all explainers shared one array would find them equal.
#[test]
fn metrics_of_top_cases_take_an_array_per_explainer() {
    let files = files();
    let others = array![[0.5f64, 0.5], [0.5, 0.5], [0.125, 0.125], [0.25, 0.25]].mapv(f64::ln);
    files.array("log-prob-after-b.npy", &others);
    files.array(
        "predictions-b.npy",
        &array![[1i64, 0, 0, 0], [0, 1, 1, 1], [1, 0, 1, 0], [2, 1, 1, 1]],
    );
    let compared = "casebased attribution compare --attributions a=attributions.npy b=random-attributions.npy \
                    --log-prob log-prob.npy --ks ks.npy";
    let own = "--log-prob-after a=log-prob-after.npy b=log-prob-after-b.npy \
               --predictions a=predictions.npy b=predictions-b.npy";
    for metrics in ["--metrics tail-patch,brittleness", ""] {
        let found = files.json(&format!("{compared} {own} {metrics}"));
        for (explainer, suffix) in [("a", ""), ("b", "-b")] {
            let single = format!(
                "casebased attribution tail-patch --log-prob log-prob.npy --log-prob-after log-prob-after{suffix}.npy"
            );
            let of = &found["metrics"]["tail_patch"]["explainers"][explainer];
            assert_eq!(of["per_sample"], files.json(&single)["per_sample"]);
            let single = format!(
                "casebased attribution brittleness --ks ks.npy --predictions predictions{suffix}.npy"
            );
            let of = &found["whole"]["brittleness"]["explainers"][explainer];
            assert_eq!(of["first_k"], files.json(&single)["first_k"]);
        }
        let values = |explainer: &str| {
            found["whole"]["brittleness"]["explainers"][explainer]["value"].clone()
        };
        assert_ne!(values("a"), values("b"));
    }
    let lacking = format!("{compared} --log-prob-after a=log-prob-after.npy --metrics tail-patch");
    let failed = files.wrong_usage("--log-prob-after", &lacking);
    assert!(
        failed
            .text
            .contains("expected a file of every explainer, b has none"),
        "{}",
        failed.text
    );
    files.wrong_usage(
        "--log-prob-after",
        &format!("{compared} --log-prob-after log-prob-after.npy"),
    );
}

#[test]
fn subsets_of_zeros_and_ones_are_a_mask() {
    let files = files();
    let lds = |subsets: &str| {
        format!(
            "casebased attribution linear-datamodeling-score --attributions attributions.npy --subsets {subsets} --outputs outputs.npy"
        )
    };
    let mask = Array2::from_shape_fn((6, 12), |(j, i)| (i * i + j) % 5 < 2);
    files.array("integers.npy", &mask.mapv(i64::from));
    files.array("floats.npy", &mask.mapv(|is_in| f64::from(u8::from(is_in))));
    let expected = files.json(&lds("subsets.npy"));
    assert_eq!(files.json(&lds("integers.npy")), expected);
    assert_eq!(files.json(&lds("floats.npy")), expected);
    // With another length than the number of training cases it cannot be a mask.
    files.array(
        "short.npy",
        &mask.slice(ndarray::s![.., ..11]).mapv(i64::from),
    );
    let failed = files.bad_data("short.npy", &lds("short.npy"));
    assert!(
        failed.text.contains("may also be a mask") && failed.text.contains("positions"),
        "{}",
        failed.text
    );
    let correlation = "casebased attribution leave-one-out-correlation --attributions attributions.npy --drops drops.npy";
    files.array(
        "mask.npy",
        &Array1::from_iter((0..12).map(|i| i64::from(i % 3 == 0))),
    );
    files.bad_data("mask.npy", &format!("{correlation} --removed mask.npy"));
    files.array(
        "booleans.npy",
        &Array1::from_iter((0..5).map(|i| i % 2 == 0)),
    );
    let failed = files.bad_data(
        "booleans.npy",
        &format!("{correlation} --removed booleans.npy"),
    );
    assert!(failed.text.contains("got booleans"), "{}", failed.text);
}

#[test]
fn mislabeled_cases_are_ranked_by_given_scores_or_by_negative_means() {
    let files = files();
    let command = "casebased attribution compare --attributions a=attributions.npy --flags flags.npy \
                   --metrics mislabeling-detection";
    let given = files.json(&format!("{command} --scores a=scores.npy"));
    let single = files
        .json("casebased attribution mislabeling-detection --scores scores.npy --flags flags.npy");
    let of = &given["whole"]["mislabeling_detection"]["explainers"]["a"];
    assert_eq!(
        (&of["value"], &of["curve"]),
        (&single["value"], &single["curve"])
    );
    assert!(files.remarks(command).contains("negative mean attribution"));
    // The same negative means in a file.
    let tau = |t: usize, i: usize| ((7 * i + 5 * t + i * t) % 11) as f64 - 4.0;
    let means = Array1::from_iter((0..12).map(|i| -(0..4).map(|t| tau(t, i)).sum::<f64>() / 4.0));
    files.array("means.npy", &means);
    let of_means = files.json(&format!("{command} --scores a=means.npy"));
    assert_eq!(files.json(command)["whole"], of_means["whole"]);
}

#[test]
fn by_default_a_comparison_has_all_metrics_for_which_there_are_files() {
    let files = files();
    let found = files.json(
        "casebased attribution compare --attributions a=attributions.npy --random-attributions \
         a=random-attributions.npy --relevant relevant.npy",
    );
    let metrics = found["metrics"].as_object().expect("metrics").keys();
    let expected = [
        "attribution_randomization",
        "hit_at_k",
        "mean_reciprocal_rank",
        "recall_at_k",
    ];
    assert!(metrics.eq(expected));
    let whole = found["whole"].as_object().expect("metrics").keys();
    assert!(whole.eq(["top_k_cardinality"]));
}

#[test]
fn errors_of_a_comparison_name_the_option_or_the_file() {
    let files = files();
    let failed = files.wrong_usage("--metrics", &format!("{COMPARED} --metrics class-aurok"));
    assert!(failed.text.contains("class-auroc"), "{}", failed.text);
    files.wrong_usage(
        "--metrics",
        &format!("{COMPARED} --metrics class-detection(j=2)"),
    );
    let lacking = files.failure(2, &format!("{COMPARED} --metrics brittleness"));
    assert!(lacking.text.contains("ks"), "{}", lacking.text);
    files.wrong_usage(
        "--metrics",
        &format!("{COMPARED} --metrics class-auroc,class-auroc"),
    );
    files.wrong_usage("--scores", &format!("{COMPARED} --scores a=scores.npy"));
    files.wrong_usage("--scores", &format!("{COMPARED} --scores c=scores.npy"));
    files.wrong_usage("--level", &format!("{COMPARED} --level 1"));
    let twice = COMPARED.replace("b=", "a=");
    files.wrong_usage("--attributions", &twice);
    files.array("fewer.npy", &Array2::<f64>::zeros((3, 12)));
    let fewer = COMPARED.replace("random-attributions.npy", "fewer.npy");
    for metric in ["class-auroc", "shortcut-detection", "top-k-cardinality"] {
        files.bad_data("fewer.npy", &format!("{fewer} --metrics {metric}"));
    }
}

const STUDY: &str = "[[data_attribution]]\n\
    train_labels = 'train-labels.npy'\n\
    test_classes = 'test-classes.npy'\n\
    metrics = ['class-auroc', { name = 'class-detection', k = 3 }]\n\
    train_images = 'train-images.npy'\n\
    test_images = 'test-images.npy'\n\
    [[data_attribution.explainers]]\n\
    name = 'a'\n\
    attributions = 'attributions.npy'\n";

#[test]
fn a_section_has_the_values_of_its_command_and_the_top_cases() {
    let files = files();
    files.array("train-images.npy", &Array3::<u8>::ones((12, 2, 2)));
    files.array("test-images.npy", &Array3::<u8>::ones((4, 2, 2)));
    files.text("s.toml", STUDY);
    let report = files.json("report s.toml");
    let section = &report["data_attribution"][0];
    let command = section["commands"][0].as_str().expect("a command");
    let found = files.json(
        command
            .trim_start_matches("xai ")
            .replace('\'', "")
            .as_str(),
    );
    for metric in section["metrics"].as_array().expect("metrics") {
        let name = metric["metric"].as_str().expect("a name");
        assert_eq!(
            metric["values"][0]["value"],
            found["metrics"][name]["explainers"]["a"]["value"]
        );
    }
    // τ of the first test case is (7 i mod 11) − 4, which is largest at positions 3, 6 and 9.
    let first = section["top_cases"]
        .as_array()
        .expect("cases")
        .iter()
        .find(|of| of["sample"] == 0);
    let top = first.expect("the first")["explainers"][0]
        .as_array()
        .expect("cases");
    let cases: Vec<&serde_json::Value> = top.iter().map(|top| &top["case"]).collect();
    assert_eq!(cases[..3], [3, 6, 9]);
    assert_eq!(section["files"].as_array().map(Vec::len), Some(5));
    files.array("test-images.npy", &Array3::<u8>::ones((3, 2, 2)));
    let failed = files.bad_data("test-images.npy", "report s.toml --out other");
    assert!(
        failed.text.contains("expected images (4, height, width)"),
        "{}",
        failed.text
    );
    files.text("s.toml", &STUDY.replace("attributions = '", "maps = '"));
    let failed = files.failure(1, "report s.toml --out other");
    assert!(
        failed
            .text
            .contains("unknown key `maps` of [[data_attribution.explainers]]"),
        "{}",
        failed.text
    );
}

#[test]
fn explainers_of_other_cases_are_errors_of_comparison_check_and_report() {
    let files = files();
    let matrix = |n: usize, d: usize| Array2::from_shape_fn((n, d), |(t, i)| (t + 2 * i) as f64);
    files.array("fewer.npy", &matrix(3, 12));
    files.array("other.npy", &matrix(4, 9));
    files.array("transposed.npy", &matrix(12, 4));
    for file in ["fewer.npy", "other.npy", "transposed.npy"] {
        for metrics in ["top-k-cardinality", "class-detection"] {
            let line = format!(
                "casebased attribution compare --attributions a=attributions.npy b={file} --train-labels train-labels.npy \
                 --test-classes test-classes.npy --metrics {metrics}"
            );
            let failed = files.bad_data(file, &line);
            let is_transposed = failed.help().unwrap().contains("array.T");
            assert_eq!(is_transposed, file == "transposed.npy", "{}", failed.text);
            let study = format!(
                "[[data_attribution]]\ntrain_labels = 'train-labels.npy'\ntest_classes = 'test-classes.npy'\nmetrics = '{metrics}'\n\
                 [[data_attribution.explainers]]\nname = 'a'\nattributions = 'attributions.npy'\n\
                 [[data_attribution.explainers]]\nname = 'b'\nattributions = '{file}'\n"
            );
            files.text("s.toml", &study);
            for command in ["report check s.toml", "report s.toml"] {
                let output = files.run(command);
                assert_eq!(output.status.code(), Some(1), "{command} {file}");
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(said.starts_with(&format!("error: {file}: ")), "{said}");
            }
        }
    }
}

#[test]
fn a_check_of_data_attribution_finds_the_errors_of_the_report() {
    let files = files();
    let images = |n: usize, c: usize| Array4::<f64>::zeros((n, 5, 5, c));
    files.array("train-images.npy", &images(12, 3));
    files.array("test-images.npy", &images(4, 3));
    files.array("first.npy", &Array4::<f64>::zeros((4, 3, 5, 5)));
    files.array(
        "five.npy",
        &Array4::<f64>::zeros((4, 5, 5, 5)).insert_axis(ndarray::Axis(4)),
    );
    let study = |rest: &str| {
        format!(
            "[[data_attribution]]\ntrain_labels = 'train-labels.npy'\ntest_classes = 'test-classes.npy'\n{rest}\n\
             [[data_attribution.explainers]]\nname = 'a'\nattributions = 'attributions.npy'\n"
        )
    };
    let both = "train_images = 'train-images.npy'\ntest_images = 'test-images.npy'";
    files.text("s.toml", &study(both));
    assert_eq!(files.json("report check s.toml")["n_wrong"], 0);
    files.json("report s.toml");
    for (rest, told) in [
        ("level = 2.0".to_owned(), "`level`"),
        ("n_replicates = 99999999".to_owned(), "`n_replicates`"),
        ("metrics = 'recall-at-k'".to_owned(), "relevant"),
        (
            "metrics = 'class-auroc,class-auroc'".to_owned(),
            "`metrics`",
        ),
        (
            "train_images = 'train-images.npy'".to_owned(),
            "needs `test_images`",
        ),
        (both.replace("test-images", "first"), "numpy.moveaxis"),
        (both.replace("test-images", "five"), "five.npy"),
        (
            both.replace("train-images.npy", "test-images.npy"),
            "test-images.npy",
        ),
    ] {
        files.text("s.toml", &study(&rest));
        for command in ["report check s.toml", "report s.toml"] {
            let output = files.run(command);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_ne!(output.status.code(), Some(0), "{command}: {rest}");
            assert!(said.contains(told), "{command}: {rest}\n{said}");
        }
    }
}

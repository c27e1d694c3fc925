//! `xai repro` on files.

use ndarray::{Array2, array};
use serde_json::Value;

use crate::harness::Files;

fn runs() -> Files {
    let files = Files::new();
    files.array("p.npy", &array![[0i8, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]);
    files.array("y.npy", &array![0u16, 1, 1, 0]);
    files
}

#[test]
fn pairwise_metrics_have_the_expected_values() {
    let files = runs();
    let result = files.json("repro pairwise --predictions p.npy --labels y.npy");
    assert_eq!(
        (&result["n_runs"], &result["n_samples"]),
        (&3.into(), &4.into())
    );
    // The runs have errors at {2, 3}, {1, 2} and {3}.
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
    let rows = files.read("o.csv");
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
    files.bad_data(
        "p.npy",
        "repro pairwise --predictions p.npy --labels y.npy --empty-union error",
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
fn runs_come_from_one_array_several_files_or_a_table() {
    let files = runs();
    files.array("a.npy", &array![0i64, 1, 0, 1]);
    files.array("b.npy", &array![false, false, false, false]);
    files.array("c.npy", &array![0u32, 1, 1, 1]);
    files.text("runs.csv", "y,a,b,c\n0,0,0,0\n1,1,0,1\n1,0,0,1\n0,1,0,1\n");
    files.text("bare.csv", "a,b,c\n0,0,0\n1,0,1\n0,0,1\n1,0,1\n");
    let columns = array![[0i16, 0, 0], [1, 0, 1], [0, 0, 1], [1, 0, 1]];
    let fortran = ndarray::ArrayView2::from_shape((4, 3), columns.as_slice().unwrap()).unwrap();
    files.array("f.npy", &fortran.reversed_axes().to_owned());
    let one = files.json("repro pairwise --predictions p.npy --labels y.npy");
    for (predictions, labels) in [
        ("a.npy b.npy c.npy", "y.npy"),
        ("runs.csv", "y"),
        ("bare.csv", "y.npy"),
        ("f.npy", "y.npy"),
    ] {
        let command = format!("repro pairwise --predictions {predictions} --labels {labels}");
        assert_eq!(files.json(&command), one, "{predictions}");
    }
}

#[test]
fn summaries_without_pairs_equal_those_of_the_pairs() {
    let files = runs();
    let command = "repro pairwise --predictions p.npy --labels y.npy";
    let (mut whole, mut short) = (
        files.json(command),
        files.json(&format!("{command} --summary-only")),
    );
    for result in [&mut whole, &mut short] {
        for metric in result["metrics"].as_object_mut().unwrap().values_mut() {
            let metric = metric.as_object_mut().unwrap();
            metric.remove("pairs");
            metric.remove("median");
        }
    }
    assert_eq!(whole, short);
    files.wrong_usage("--out", &format!("{command} --summary-only --out o.csv"));
}

#[test]
fn bootstrap_intervals_depend_only_on_the_seed() {
    let files = Files::new();
    files.array(
        "p.npy",
        &Array2::from_shape_fn((6, 50), |(i, j)| ((i * 7 + j * j) % 5 / 2) as u8),
    );
    files.array(
        "y.npy",
        &ndarray::Array1::from_shape_fn(50, |j| (j % 3) as u8),
    );
    let interval = |rest: &str| {
        let command = format!("repro pairwise --predictions p.npy --labels y.npy {rest}");
        files.json(&command)["metrics"]["pa_acc"]["interval"].clone()
    };
    let bca = interval("--interval bca");
    assert_eq!(bca, interval("--interval bca --threads 1"));
    assert_ne!(bca, interval("--interval bca --seed 2"));
    assert_ne!(bca, interval(""));
}

#[test]
fn a_bootstrap_over_few_runs_warns() {
    let files = Files::new();
    let run = |(i, j): (usize, usize)| ((i * 7 + j * j) % 5 / 2) as u8;
    files.array("few.npy", &Array2::from_shape_fn((20, 50), run));
    files.array("many.npy", &Array2::from_shape_fn((21, 50), run));
    files.array(
        "y.npy",
        &ndarray::Array1::from_shape_fn(50, |j| (j % 3) as u8),
    );
    let warns = |runs: &str, interval: &str| {
        let command =
            format!("repro pairwise --predictions {runs} --labels y.npy --interval {interval}");
        let metric = &files.json(&command)["metrics"]["pa_acc"];
        let in_json = metric
            .get("small_sample")
            .is_some_and(|warns| *warns == true);
        let lines = files
            .table(&command)
            .lines()
            .filter(|l| l.contains("20 runs or fewer"))
            .count();
        assert_eq!(usize::from(in_json), lines, "{command}");
        in_json
    };
    assert!(warns("few.npy", "bca"));
    assert!(!warns("many.npy", "bca"));
    assert!(!warns("few.npy", "jackknife"));
}

#[test]
fn inconsistent_samples_are_listed() {
    let files = runs();
    let result = files.json("repro pairwise --predictions p.npy --labels y.npy --inconsistent 2");
    let samples = &result["samples"];
    assert_eq!(samples["ever_changing"], 3);
    let listed = samples["most_inconsistent"].as_array().unwrap();
    let places: Vec<u64> = listed
        .iter()
        .map(|s| s["sample"].as_u64().unwrap())
        .collect();
    assert_eq!(places, [1, 2]);
    assert!((listed[0]["modal_share"].as_f64().unwrap() - 2.0 / 3.0).abs() < 1e-15);
    let table = files.table("repro pairwise --predictions p.npy --labels y.npy --inconsistent 2");
    assert!(table.contains("3 samples are predicted differently by some runs"));
}

#[test]
fn two_groups_of_runs_are_compared() {
    let files = Files::new();
    files.array(
        "a.npy",
        &Array2::from_shape_fn((4, 40), |(_, j)| u8::from(j < 8)),
    );
    files.array(
        "b.npy",
        &Array2::from_shape_fn((4, 40), |(i, j)| u8::from(j / 8 == i + 1)),
    );
    files.array("y.npy", &ndarray::Array1::<u8>::zeros(40));
    let command =
        "repro compare --first a.npy --second b.npy --labels y.npy --metrics ec_local,pa_acc";
    let result = files.json(command);
    assert_eq!(
        (&result["n_first"], &result["n_second"]),
        (&4.into(), &4.into())
    );
    let local = &result["metrics"]["ec_local"];
    assert_eq!(local["difference"], 1.0);
    assert_eq!(files.json(&format!("{command} --out pairs.csv")), result);
    let rows = files.read("pairs.csv");
    let rows: Vec<&str> = rows.lines().collect();
    assert_eq!(rows[0], "group,first,second,ec_local,pa_acc");
    assert_eq!((rows.len(), rows[1]), (1 + 2 * 6, "first,0,1,1,1"));
    assert!(rows[7].starts_with("second,0,1,0,"), "{}", rows[7]);
    assert_eq!(local["first"]["mean"], 1.0);
    // Of the 70 assignments, only this one and its mirror image are this far apart.
    assert_eq!(local["p_value"], 2.0 / 70.0);
    assert_eq!(
        (&local["exact"], &local["n_assignments"]),
        (&true.into(), &70.into())
    );
    assert!(files.table(command).contains("ec_local"));
}

#[test]
fn runs_of_regression_models_have_other_metrics() {
    let files = Files::new();
    files.array("p.npy", &array![[1.0, 1.0, 4.0, 2.0], [1.0, 0.0, 2.0, 2.0]]);
    files.array("y.npy", &array![1.0f32, 2.0, 3.0, 4.0]);
    let result = files.json("repro regression --predictions p.npy --targets y.npy");
    assert_eq!(result["metrics"]["ec_ratio"]["mean"], 0.875);
    assert_eq!(result["metrics"]["mae"]["pairs"], serde_json::json!([0.75]));
    assert_eq!(
        result["mean_absolute_error"],
        serde_json::json!([1.0, 1.25])
    );
    assert!(
        files
            .table("repro regression --predictions p.npy --targets y.npy")
            .contains("concordance")
    );
    files.json("repro regression --predictions p.npy --targets y.npy --out pairs.csv");
    let rows = files.read("pairs.csv");
    let rows: Vec<&str> = rows.lines().collect();
    assert!(rows[0].starts_with("first,second,"), "{}", rows[0]);
    let mae = rows[0].split(',').position(|name| name == "mae").unwrap();
    assert_eq!(rows[1].split(',').nth(mae), Some("0.75"));
    assert_eq!((rows.len(), &rows[1][..4]), (2, "0,1,"));
}

#[test]
fn the_study_summarises_every_metric() {
    let files = Files::new();
    let command = "repro simulate study --iterations 40 --n-samples 100 --seed 3";
    let result = files.json(command);
    assert_eq!(result["summary"]["n_draws"], 40);
    let metrics = result["summary"]["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), 14);
    assert_eq!(metrics[0]["metric"], "ec_local");
    assert_eq!(files.json(&format!("{command} --threads 1")), result);
    assert!(files.table(command).contains("pa_kappa"));
}

#[test]
fn an_interrupted_study_continues_where_it_stopped() {
    let files = Files::new();
    let command = "repro simulate study --iterations 30 --n-samples 60 --n-runs 3 --out s.csv";
    let result = files.json(command);
    let whole = files.read("s.csv");
    assert_eq!(whole.lines().count(), 31);
    assert!(!files.path("s.csv.partial").exists());
    // Interrupted within a line, at the end of a line, and within the header.
    for bytes in [whole.len() / 2, whole.find("\n9,").unwrap() + 1, 10] {
        std::fs::remove_file(files.path("s.csv")).unwrap();
        files.text("s.csv.partial", &whole[..bytes]);
        assert_eq!(files.json(command), result);
        assert_eq!(files.read("s.csv"), whole);
    }
    files.text("s.csv.partial", &whole);
    for (draws, other) in [
        ("--iterations 30 --n-samples 60", "--seed 2"),
        ("--iterations 30", "--n-samples 61"),
        ("--n-samples 60", "--iterations 20"),
    ] {
        let command = command.replace("--iterations 30 --n-samples 60", draws);
        files.bad_data("s.csv.partial", &format!("{command} {other}"));
    }
    files.text("s.csv.partial", "a,b\n1,2\n");
    assert!(files.bad_data("s.csv.partial", command).help().is_some());
}

#[test]
fn a_study_overwrites_only_its_own_partial_file() {
    let files = Files::new();
    files.text("s.csv.partial", "notes without an end of line");
    files.bad_data(
        "s.csv.partial",
        "repro simulate study --iterations 5 --out s.csv",
    );
    let kept = files.read("s.csv.partial");
    assert_eq!(kept, "notes without an end of line");
    files.wrong_usage(
        "--out",
        "repro simulate study --iterations 5 --out s.parquet",
    );
}

#[test]
fn a_metric_that_is_given_twice_is_an_error() {
    let files = runs();
    for metrics in ["ec_local,ec_local", "all,ec_local", "all,all"] {
        let command =
            format!("repro pairwise --predictions p.npy --labels y.npy --metrics {metrics}");
        files.wrong_usage("--metrics", &command);
    }
}

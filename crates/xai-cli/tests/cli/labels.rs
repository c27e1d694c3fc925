//! Classes that are named by words or by numbers.

use ndarray::array;
use serde_json::{Value, json};

use crate::harness::Files;

const EXPLAIN: &str = "casebased explain --train t.csv --test q.csv --label y --predicted p -k 2";

/// Returns tables with the same classes, named by words and by numbers.
fn tables(dog: &str, cat: &str) -> Files {
    let files = Files::new();
    files.text(
        "t.csv",
        &format!("a,b,y\n0,0,{dog}\n1,0,{dog}\n9,9,{cat}\n10,9,{cat}\n"),
    );
    files.text(
        "q.csv",
        &format!("b,a,y,p\n0,0.5,{dog},{dog}\n9,9.5,{cat},{dog}\n"),
    );
    files
}

fn without_names(mut result: Value) -> Value {
    fn strip(value: &mut Value) {
        match value {
            Value::Object(object) => {
                for key in ["class_names", "class_name", "predicted_name", "true_name"] {
                    object.remove(key);
                }
                object.values_mut().for_each(strip);
            }
            Value::Array(values) => values.iter_mut().for_each(strip),
            _ => {}
        }
    }
    strip(&mut result);
    result
}

#[test]
fn classes_may_be_words() {
    let numbers = tables("1", "0").json(EXPLAIN);
    assert_eq!(numbers.get("class_names"), None);
    let files = tables("dog", "cat");
    let words = files.json(&format!("{EXPLAIN} --out o.csv"));
    assert_eq!(words["class_names"], json!({"0": "cat", "1": "dog"}));
    assert_eq!(without_names(words.clone()), numbers);
    let wrong = &words["explanations"][1];
    assert_eq!(
        (&wrong["predicted_name"], &wrong["true_name"]),
        (&"dog".into(), &"cat".into())
    );
    assert_eq!(wrong["neighbors"][0]["class_name"], "cat");
    let out = files.read("o.csv");
    assert!(
        out.lines()
            .nth(1)
            .unwrap()
            .starts_with("0,dog,dog,1,high,1,")
    );
    assert!(files.table(EXPLAIN).contains("cat"));
    let audit = files
        .json("casebased audit --train t.csv --test q.csv --label y --predicted p --out a.csv");
    assert_eq!(audit["class_names"], json!({"0": "cat", "1": "dog"}));
    assert_eq!(audit["by_class"]["1"]["n"], 2);
    assert!(files.read("a.csv").contains("\n1,dog,cat,"));
    assert!(
        files
            .table("casebased audit --train t.csv --test q.csv --label y --predicted p")
            .contains("dog")
    );
    let votes = files
        .json("casebased explain --train t.csv --test q.csv --label y -k 2 --aggregate-only 2");
    assert_eq!(votes["explanations"][0]["predicted_name"], "dog");
    assert_eq!(votes["explanations"][0]["class_shares"], json!({"1": 1.0}));
}

#[test]
fn a_stored_explainer_keeps_the_names_of_classes() {
    let files = tables("dog", "cat");
    let fitted =
        files.json("casebased fit --train t.csv --label y --out c.xai -k 2 --class-weight dog=2");
    assert_eq!(fitted["class_names"], json!({"0": "cat", "1": "dog"}));
    let stored =
        files.json("casebased explain --explainer c.xai --test q.csv --label y --predicted p");
    let fresh = files.json(&format!("{EXPLAIN} --class-weight dog=2"));
    assert_eq!(stored["explanations"], fresh["explanations"]);
    assert_ne!(fresh["explanations"], Value::Null);
    files.text("q.csv", "b,a,y,p\n0,0.5,1,1\n");
    files.bad_data(
        "q.csv",
        "casebased explain --explainer c.xai --test q.csv --label y",
    );
}

#[test]
fn class_weights_take_names_of_classes() {
    let files = tables("dog", "a=b");
    let weighted = |weights: &str| files.json(&format!("{EXPLAIN} {weights}"));
    let numbers = tables("1", "0").json(&format!("{EXPLAIN} --class-weight 0=3"));
    let named = weighted("--class-weight a=b=3");
    assert_eq!(without_names(named), numbers);
    files.wrong_usage("--class-weight", &format!("{EXPLAIN} --class-weight fox=2"));
    files.wrong_usage(
        "--class-weight",
        &format!("{EXPLAIN} --class-weight dog=-2"),
    );
    files.wrong_usage("--class-weight", &format!("{EXPLAIN} --class-weight dog"));
    let numbered = tables("1", "0");
    numbered.wrong_usage("--class-weight", &format!("{EXPLAIN} --class-weight dog=2"));
}

#[test]
fn booleans_and_whole_floats_are_classes() {
    let numbers = tables("1", "0").json(EXPLAIN);
    let truth = tables("True", "False").json(EXPLAIN);
    assert_eq!(truth["class_names"], json!({"0": "False", "1": "True"}));
    assert_eq!(without_names(truth), numbers);
    assert_eq!(tables("1.0", "0.0").json(EXPLAIN), numbers);
    // Predictions may be numbers.
    let files = tables("True", "False");
    files.text("q.csv", "b,a,y,p\n0,0.5,True,1\n9,9.5,False,1\n");
    assert_eq!(without_names(files.json(EXPLAIN)), numbers);
}

#[test]
fn a_true_class_may_be_unknown_to_training_and_a_predicted_one_may_not() {
    let files = tables("dog", "cat");
    files.text("q.csv", "b,a,y,p\n0,0.5,ape,dog\n9,9.5,cat,cat\n");
    let result = files.json(EXPLAIN);
    assert_eq!(result["explanations"][0]["true_name"], "ape");
    assert_eq!(result["explanations"][0]["correspondence"], 1.0);
    assert!(files.remarks(EXPLAIN).contains("ape"));
    let numbers = tables("1", "0");
    numbers.text("q.csv", "b,a,y,p\n0,0.5,3,1\n");
    assert_eq!(numbers.json(EXPLAIN)["explanations"][0]["true"], 3);
    for (files, cell) in [(files, "eel"), (numbers, "2")] {
        files.text("q.csv", &format!("b,a,y,p\n0,0.5,{cell},{cell}\n"));
        assert!(files.bad_data("q.csv", EXPLAIN).text.contains(cell));
    }
}

#[test]
fn cells_that_are_not_classes_are_errors_with_help() {
    for (cell, place) in [
        ("0.25", "t.csv"),
        ("", "t.csv"),
        ("7", "t.csv"),
        ("NaN", "t.csv"),
    ] {
        let files = tables("dog", "cat");
        files.text("t.csv", &format!("a,b,y\n0,0,dog\n1,0,{cell}\n9,9,cat\n"));
        assert!(files.bad_data(place, EXPLAIN).help().is_some(), "{cell}");
    }
    let files = tables("0.5", "1.5");
    let help = files
        .bad_data("t.csv", EXPLAIN)
        .help()
        .map(str::to_owned)
        .unwrap();
    assert!(!help.contains("astype"), "{help}");
    let files = tables("1", "0");
    files.text("q.csv", "b,a,y,p\n0,0.5,1,dog\n");
    assert!(files.bad_data("q.csv", EXPLAIN).help().is_some());
}

#[test]
fn neighbours_may_have_words_as_classes() {
    let files = Files::new();
    files.text("n.csv", "distance,label\n0.1,dog\n0.2,dog\n0.3,cat\n");
    let command = "casebased correspondence --neighbors n.csv --weighting uniform";
    let result = files.json(&format!("{command} --predicted dog --class-weight cat=2"));
    assert_eq!(result["correspondence"], 0.5);
    assert_eq!(result["class_names"], json!({"0": "cat", "1": "dog"}));
    assert!(
        files
            .table(&format!("{command} --predicted dog"))
            .contains("dog")
    );
    let absent = files.json(&format!("{command} --predicted fox"));
    assert_eq!(absent["correspondence"], 0.0);
    files.wrong_usage("--predicted", &format!("{command} --predicted 1"));
    files.text("n.csv", "distance,label\n0.1,0.5\n");
    assert!(
        files
            .bad_data("n.csv", &format!("{command} --predicted 1"))
            .help()
            .is_some()
    );
    files.text("n.csv", "distance,label\n0.1,1\n,0\n");
    files.bad_data("n.csv", &format!("{command} --predicted 1"));
}

#[test]
fn runs_may_have_words_as_classes() {
    let files = Files::new();
    files.text(
        "words.csv",
        "y,a,b\ndog,dog,cat\ncat,cat,cat\nfox,eel,dog\ndog,dog,dog\n",
    );
    files.text("numbers.CSV", "y,a,b\n1,1,0\n0,0,0\n3,2,1\n1,1,1\n");
    files.text("y.csv", "y\ndog\ncat\nfox\ndog\n");
    files.text("runs.csv", "a,b\ndog,cat\ncat,cat\neel,dog\ndog,dog\n");
    let pairwise = |file: &str, labels: &str| {
        files.json(&format!(
            "repro pairwise --predictions {file} --labels {labels} --inconsistent 2"
        ))
    };
    let mut numbers = pairwise("numbers.CSV", "y");
    let votes = numbers["votes"].take();
    assert_eq!(votes[1]["true"], "3");
    for (file, labels) in [("words.csv", "y"), ("runs.csv", "y.csv")] {
        let mut words = pairwise(file, labels);
        // Here classes have their names in the files.
        let votes = words["votes"].take();
        assert_eq!(votes[1]["true"], "fox");
        assert_eq!(
            votes[1]["votes"],
            serde_json::json!([["dog", 1], ["eel", 1]])
        );
        assert_eq!(words, numbers);
    }
    let compare = |file: &str| {
        files.json(&format!(
            "repro compare --first {file} --second {file} --labels y"
        ))
    };
    assert_eq!(compare("words.csv"), compare("numbers.CSV"));
    files.array("y.npy", &array![1i64, 0, 3, 1]);
    files.bad_data(
        "y.npy",
        "repro pairwise --predictions runs.csv --labels y.npy",
    );
    files.text("mixed.csv", "y,a,b\n0,0,dog\n1,1,0\n");
    let mixed = files.bad_data(
        "mixed.csv",
        "repro pairwise --predictions mixed.csv --labels y",
    );
    assert!(mixed.help().unwrap().contains("--drop-column"));
    files.text("other.csv", "y,c\ncat,dog\ncat,cat\nfox,eel\ndog,dog\n");
    files.bad_data(
        "other.csv",
        "repro pairwise --predictions words.csv other.csv --labels y",
    );
}

#[test]
fn whole_floats_in_arrays_are_labels_and_other_floats_are_errors() {
    let files = Files::new();
    files.array("p.npy", &array![[0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]);
    files.array("i.npy", &array![[0i64, 1, 1], [0, 0, 1]]);
    files.array("y.npy", &array![0.0f32, 1.0, 1.0]);
    files.array("scores.npy", &array![0.2, 0.9, 0.8]);
    files.array("nan.npy", &array![0.0, f64::NAN, 1.0]);
    let pairwise = |p: &str, y: &str| format!("repro pairwise --predictions {p} --labels {y}");
    assert_eq!(
        files.json(&pairwise("p.npy", "y.npy")),
        files.json(&pairwise("i.npy", "y.npy"))
    );
    for file in ["scores.npy", "nan.npy"] {
        let failed = files.bad_data(file, &pairwise("i.npy", file));
        assert!(!failed.help().unwrap().contains("astype"));
    }
}

#[test]
fn codes_with_leading_zeros_are_words_and_never_match_numbers() {
    let numbers = tables("0", "1").json(EXPLAIN);
    for (dog, cat) in [("007", "010"), ("007", "100")] {
        let codes = tables(dog, cat).json(EXPLAIN);
        assert_eq!(codes["class_names"], json!({"0": dog, "1": cat}));
        assert_eq!(without_names(codes), numbers);
    }
    let files = tables("007", "010");
    files.text("q.csv", "b,a,y,p\n0,0.5,7,7\n");
    let failed = files.bad_data("q.csv", EXPLAIN);
    assert!(
        failed.text.contains("line 2, column `p`: \"7\""),
        "{}",
        failed.text
    );
    let failed = tables("100", "007").bad_data("t.csv", EXPLAIN);
    assert!(
        failed.text.contains("line 4, column `y`: \"007\""),
        "{}",
        failed.text
    );
    assert!(failed.help().unwrap().contains("leading zeros"));
    // A run without the leading zeros would disagree everywhere.
    files.text("r.csv", "a,b,y\n01,1,01\n02,2,02\n");
    files.bad_data("r.csv", "repro pairwise --predictions r.csv --labels y");
}

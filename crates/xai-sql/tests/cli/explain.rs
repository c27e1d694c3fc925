//! Explanations by nearest cases, from files to a file.

use ndarray::Array2;
use serde_json::Value;
use xai_casebased::CaseExplainer;

use crate::harness::Files;

/// Features and class of a row; ties of distances are among them.
fn row(i: usize) -> ([f64; 2], i64) {
    let features = [(i * 7 % 13) as f64 / 4.0, (i * i % 11) as f64];
    (features, (i * 5 % 3) as i64)
}

fn csv(n: usize, class: &str, id: impl Fn(usize) -> String) -> String {
    // With the index of a table of pandas that was divided at random.
    let mut text = format!("id,height,name,width,__index_level_0__,Unnamed: 0,,{class}\n");
    for i in 0..n {
        let ([height, width], label) = row(i);
        let index = i * 31 % n;
        text += &format!(
            "{},{height},x{i},{width},{index},{index},{index},{label}\n",
            id(i)
        );
    }
    text
}

fn without_first_column(text: &str) -> String {
    let rest = text
        .lines()
        .map(|line| line.split_once(',').expect("columns").1);
    rest.map(|line| format!("{line}\n")).collect()
}

const N_TRAIN: usize = 60;
const N_TEST: usize = 17;

/// What the library says: of each sample the score, and the numbers and distances of its cases.
fn expected() -> Vec<(f64, Vec<usize>, Vec<f64>)> {
    let features = |n: usize| Array2::from_shape_fn((n, 2), |(i, j)| row(i).0[j]);
    let labels = |n: usize| (0..n).map(|i| row(i).1).collect::<Vec<_>>();
    let explainer = CaseExplainer::builder()
        .fit(features(N_TRAIN).view(), &labels(N_TRAIN))
        .expect("fitted");
    let explained = explainer
        .explain_batch(features(N_TEST).view(), &labels(N_TEST))
        .expect("explained");
    let each = explained.iter().map(|explanation| {
        let cases = explanation.cases.iter();
        let (numbers, distances) = cases.map(|case| (case.index, case.distance)).unzip();
        let score = explanation.correspondence.score.expect("defined");
        (score, numbers, distances)
    });
    each.collect()
}

fn check(files: &Files, out: &str, id: impl Fn(usize) -> i64) {
    let query = format!("SELECT * FROM '{out}' ORDER BY id");
    let found: Vec<Value> = serde_json::from_str(&files.json(&query, &[])).expect("rows");
    let expected = expected();
    assert_eq!(found.len(), expected.len());
    for (at, (row, (score, numbers, distances))) in found.iter().zip(expected).enumerate() {
        assert_eq!(row["id"].as_i64(), Some(id(at)));
        let found = row["correspondence"].as_f64().expect("a number");
        assert_eq!(found.to_bits(), score.to_bits());
        let ids: Vec<i64> = numbers.into_iter().map(&id).collect();
        assert_eq!(row["nearest"]["ids"], Value::from(ids));
        assert_eq!(row["nearest"]["distances"], Value::from(distances));
    }
}

#[test]
fn explanations_of_files_have_the_bits_of_the_library() {
    let files = Files::new();
    let id = |i: usize| 1000 - 3 * (N_TRAIN - i) as i64;
    let text = |i: usize| id(i).to_string();
    std::fs::write(files.path("train.csv"), csv(N_TRAIN, "class", text)).expect("written");
    std::fs::write(files.path("test.csv"), csv(N_TEST, "predicted", text)).expect("written");
    for (from, to) in [("train.csv", "train.parquet"), ("test.csv", "test.parquet")] {
        let query = format!("SELECT * FROM '{from}'");
        files.run(&["sql", &query, "--out", to]).well();
    }
    let tables = ["explain", "--train", "train.parquet", "--test", "test.csv"];
    for (out, partitions) in [("a.parquet", "1"), ("b.json", "5"), ("c.arrow", "64")] {
        let options = [
            "--label",
            "class",
            "--out",
            out,
            "--partitions",
            partitions,
            "--json",
        ];
        let said = files.run(&[&tables[..], &options].concat()).well();
        let said: Value = serde_json::from_str(&said).expect("an object");
        assert_eq!(said["n_samples"], N_TEST);
        assert_eq!(said["n_null_samples"], 0);
        let scores: Vec<f64> = expected().into_iter().map(|(score, ..)| score).collect();
        let mean = scores.iter().sum::<f64>() / N_TEST as f64;
        let found = said["mean_correspondence"].as_f64().expect("a number");
        assert!((found - mean).abs() < 1e-15, "{found} {mean}");
        check(&files, out, id);
    }
    // The same columns by name, and one of lists.
    let named = [
        "--label",
        "class",
        "--features",
        "height,width",
        "--out",
        "d.json",
    ];
    files.run(&[&tables[..], &named].concat()).well();
    check(&files, "d.json", id);
    for (from, to, class) in [
        ("train.csv", "lists.parquet", "class"),
        ("test.csv", "of.parquet", "predicted"),
    ] {
        let query = format!("SELECT id, [height, width] AS \"Both\", {class} FROM '{from}'");
        files.run(&["sql", &query, "--out", to]).well();
    }
    let lists = [
        "--train",
        "lists.parquet",
        "--test",
        "of.parquet",
        "--label",
        "class",
    ];
    let named = [&["explain"][..], &lists].concat();
    let said = files.run(&[&named[..], &["--features", "Both", "--out", "e.json"]].concat());
    assert!(said.well().contains("mean correspondence"));
    // What is left out is told.
    let said = files.run(&[&tables[..], &["--label", "class", "--out", "f.json"]].concat());
    let told = "train.parquet: columns left out: `name` (no numbers), `__index_level_0__` (the index of a table), \
                `Unnamed: 0` (the index of a table), `` (the index of a table)\n";
    assert_eq!(said.err, told);
    check(&files, "e.json", id);
}

#[test]
fn rows_without_an_id_are_numbered_in_the_order_of_the_files() {
    let files = Files::new();
    let train = without_first_column(&csv(N_TRAIN, "label", |_| String::new()));
    let test = without_first_column(&csv(N_TEST, "predicted", |_| String::new()));
    std::fs::write(files.path("test.csv"), test).expect("written");
    std::fs::create_dir(files.path("train")).expect("made");
    let (head, rows) = train.split_once('\n').expect("a head");
    let rows: Vec<&str> = rows.lines().collect();
    for (at, rows) in rows.chunks(7).enumerate() {
        let part = format!("{head}\n{}\n", rows.join("\n"));
        std::fs::write(files.path(format!("train/{at:02}.csv")), part).expect("written");
    }
    let tables = ["explain", "--train", "train", "--test", "test.csv"];
    for partitions in ["1", "2", "8"] {
        let options = ["--out", "out.parquet", "--partitions", partitions];
        files.run(&[&tables[..], &options].concat()).well();
        check(&files, "out.parquet", |i| i as i64);
    }
}

#[test]
fn a_missing_value_takes_no_part_and_is_counted() {
    let files = Files::new();
    let train = "id,x,label\n0,0,a\n";
    std::fs::write(files.path("text.csv"), train).expect("written");
    std::fs::write(
        files.path("train.csv"),
        "id,x,label\n0,0,0\n1,,1\n2,4,1\n3,5,1\n",
    )
    .expect("written");
    std::fs::write(
        files.path("test.csv"),
        "id,x,predicted\n7,0.5,0\n8,,1\n9,4.5,1\n",
    )
    .expect("written");
    let explain = |train: &str, rest: &[&str]| {
        let tables = ["explain", "--train", train, "--test", "test.csv"];
        let out = ["--out", "out.json"];
        files.run(&[&tables[..], rest, &out].concat())
    };
    let said = explain("train.csv", &["-k", "2", "--scale=false", "--json"]).well();
    let said: Value = serde_json::from_str(&said).expect("an object");
    assert_eq!(
        (&said["n_samples"], &said["n_null_samples"]),
        (&3.into(), &1.into())
    );
    assert_eq!(said["n_null_training"], 1);
    let query = "SELECT correspondence, nearest['ids'] AS ids FROM 'out.json' ORDER BY id";
    let rows: Vec<Value> = serde_json::from_str(&files.json(query, &[])).expect("rows");
    assert_eq!(rows[1]["correspondence"], Value::Null);
    assert_eq!(rows[0]["ids"], Value::from(vec![0, 2]));
    assert_eq!(rows[2]["ids"], Value::from(vec![2, 3]));
    assert_eq!(rows[2]["correspondence"], 1.0);

    // What is wrong is named, with a way out.
    let said = explain("text.csv", &[]);
    let (error, _) = said.badly(1);
    assert!(
        error.starts_with("text.csv: ") && error.contains("label"),
        "{error}"
    );
    let said = explain("train.csv", &["--label", "class"]);
    let (error, help) = said.badly(1);
    assert!(
        error.contains("`class`") && help.contains("id, x, label"),
        "{error}\n{help}"
    );
    assert!(help.contains("--label"), "{help}");
    let said = explain("train.csv", &["--features", "x,y"]);
    assert!(said.badly(1).0.contains("`y`"), "{said:?}");
    let tables = ["explain", "--train", "train.csv", "--test", "test.csv"];
    let said = files.run(&[&tables[..], &["--out", "out.csv"]].concat());
    assert!(said.badly(2).1.contains(".parquet"), "{said:?}");
}

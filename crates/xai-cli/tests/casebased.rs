//! `xai casebased` on files.

mod files;

use files::Files;

const WORKED_EXAMPLE: &str = "distance,label\n0.1,1\n0.2,1\n0.3,1\n0.5,0\n0.8,1\n";

fn tables() -> Files {
    let files = Files::new();
    files.text("t.csv", "a,name,b,y\n0,x,0,0\n1,x,0,0\n9,z,9,1\n10,z,9,1\n");
    files.text("q.csv", "b,a,y,p\n0,0.5,0,0\n9,9.5,1,0\n");
    files
}

#[test]
fn the_worked_example_gives_8685() {
    let files = Files::new();
    files.text("n.csv", WORKED_EXAMPLE);
    let c = files.json("casebased correspondence --neighbors n.csv --predicted 1");
    let near: f64 = [1.1f64, 1.2, 1.3, 1.8].iter().map(|d| d.powi(-3)).sum();
    let score = near / (near + 1.5f64.powi(-3));
    assert!((c["correspondence"].as_f64().unwrap() - score).abs() < 1e-15);
    assert_eq!(format!("{score:.4}"), "0.8685");
    assert_eq!(c["level"], "high");
    assert_eq!(c["n_neighbors"], 5);
    let far = (1.5f64).powi(-3);
    assert!((c["class_weights_sum"]["0"].as_f64().unwrap() - far).abs() < 1e-15);
    let voting = files.json(
        "casebased correspondence --neighbors n.csv --predicted 0 --weighting uniform --class-weight 0=4",
    );
    assert_eq!(voting["correspondence"], 0.5);
    assert_eq!(voting["level"], "low");
    let none = files.json("casebased correspondence --neighbors n.csv --predicted 1 --class-weight 0=0 --class-weight 1=0");
    assert_eq!(none["correspondence"], serde_json::Value::Null);
    assert_eq!(none["level"], "undefined");
    assert!(
        files
            .table("casebased correspondence --neighbors n.csv --predicted 1")
            .contains("0.8685")
    );
}

#[test]
fn test_rows_are_explained_by_name_of_the_columns() {
    let files = tables();
    let result =
        files.json("casebased explain --train t.csv --test q.csv --label y --predicted p -k 2");
    assert_eq!(result["mean_correspondence"], 0.5);
    let wrong = &result["explanations"][1];
    assert_eq!(
        (&wrong["predicted"], &wrong["true"]),
        (&0.into(), &1.into())
    );
    assert_eq!(
        (&wrong["correspondence"], &wrong["level"]),
        (&0.0.into(), &"low".into())
    );
    assert_eq!(wrong["neighbors"][0]["index"], 2);
    assert_eq!(wrong["neighbors"][0]["label"], 1);
    // Without predictions the neighbours vote, and agree with themselves.
    let votes =
        files.json("casebased explain --train t.csv --test q.csv --label y -k 2 --threads 1");
    assert_eq!(votes["mean_correspondence"], 1.0);
    assert_eq!(votes["explanations"][1]["predicted"], 1);
    let limited = files
        .json("casebased explain --train t.csv --test q.csv --label y -k 9 --limit 1 --no-scale");
    assert_eq!(limited["explanations"].as_array().unwrap().len(), 1);
    assert_eq!(
        limited["explanations"][0]["neighbors"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
}

#[test]
fn redacted_columns_never_reach_the_rows() {
    let files = tables();
    let explain =
        "casebased explain --train t.csv --test q.csv --label y --predicted p -k 1 --out o.csv";
    files.json(explain);
    let open = std::fs::read_to_string(files.path("o.csv")).unwrap();
    assert!(
        open.starts_with(
            "sample,predicted,true,correspondence,level,rank,index,distance,label,a,b\n"
        )
    );
    assert!(open.contains(",9,9\n"), "{open}");
    files.json(&format!("{explain} --redact a"));
    let redacted = std::fs::read_to_string(files.path("o.csv")).unwrap();
    assert!(
        redacted.starts_with(
            "sample,predicted,true,correspondence,level,rank,index,distance,label,b\n"
        )
    );
}

#[test]
fn bad_files_are_named_with_the_place() {
    let files = tables();
    let explain = |rest: &str| files.failure(1, &format!("casebased explain --label y {rest}"));
    assert!(
        explain("--train no.csv --test q.csv").starts_with("error: no.csv: cannot be opened: ")
    );
    files.text("bad.csv", "a,b,y\n1,2,0\n1,inf,0\n");
    assert_eq!(
        explain("--train bad.csv --test q.csv"),
        "error: bad.csv: row 2, column `b`: \"inf\": expected a finite number"
    );
    files.text("missing.csv", "a,y\n1,0\n");
    assert_eq!(
        explain("--train t.csv --test missing.csv"),
        "error: missing.csv: no column `b`\nhelp: the columns are a, y"
    );
    files.text("empty.csv", "a,b,y\n");
    assert!(
        explain("--train empty.csv --test q.csv")
            .starts_with("error: empty.csv: training rows: nothing to measure")
    );
    assert!(
        explain("--train t.csv --test empty.csv")
            .starts_with("error: empty.csv: samples: nothing to measure")
    );
    assert!(
        explain("--train t.csv --test q.csv --redact nope")
            .starts_with("error: t.csv: no column `nope`")
    );
    files.text("zero.csv", "a,b,y\n0,0,0\n1,2,1\n");
    assert!(
        explain("--train zero.csv --test q.csv --metric cosine --no-scale")
            .starts_with("error: zero.csv: train[0] = 0: expected a row with a direction")
    );
    files.text("n.csv", "distance,label\n-1,0\n");
    assert_eq!(
        files.failure(
            1,
            "casebased correspondence --neighbors n.csv --predicted 0"
        ),
        "error: n.csv: distances[0] = -1: expected a distance, at least 0"
    );
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let files = tables();
    for rest in [
        "-k 0",
        "--metric taxi",
        "--metric minkowski:0.5",
        "--weighting cubic",
        "--class-weight 1",
        "--high 2",
    ] {
        files.failure(
            2,
            &format!("casebased explain --train t.csv --test q.csv --label y {rest}"),
        );
    }
}

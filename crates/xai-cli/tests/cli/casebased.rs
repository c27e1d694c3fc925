//! `xai casebased` on files.

use crate::harness::Files;

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
    let limited = files.json(
        "casebased explain --train t.csv --test q.csv --label y -k 9 --limit 1 --scale false",
    );
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
    let open = files.read("o.csv");
    assert!(
        open.starts_with(
            "sample,predicted,true,correspondence,level,rank,index,distance,label,a,b\n"
        )
    );
    assert!(open.contains(",9,9\n"), "{open}");
    files.json(&format!("{explain} --redact a"));
    let redacted = files.read("o.csv");
    assert!(
        redacted.starts_with(
            "sample,predicted,true,correspondence,level,rank,index,distance,label,b\n"
        )
    );
}

#[test]
fn metadata_accompanies_and_is_no_feature() {
    let files = tables();
    files.text(
        "t.csv",
        "a,name,b,y,year\n0,x,0,0,1990\n1,x,0,0,1991\n9,z,9,1,2001\n",
    );
    let explain = "casebased explain --train t.csv --test q.csv --label y -k 1 --out o.csv \
                   --metadata year --metadata name";
    let result = files.json(explain);
    assert_eq!(result["explanations"][1]["neighbors"][0]["index"], 2);
    let open = files.read("o.csv");
    assert!(open.starts_with(
        "sample,predicted,true,correspondence,level,rank,index,distance,label,a,b,name,year\n"
    ));
    assert!(open.contains(",9,9,z,2001\n"), "{open}");
    files.json(&format!("{explain} --redact name"));
    let redacted = files.read("o.csv");
    assert!(redacted.contains(",9,9,2001\n"), "{redacted}");
    files.wrong_usage("--redact", &format!("{explain} --redact y"));
}

#[test]
fn messages_conceal_what_is_redacted_and_tell_what_is_left_out() {
    let files = Files::new();
    files.text("t.csv", "a,ssn,distance,y\nx,11,5,0\nz,22,6,1\n,33,7,1\n");
    files.text("q.csv", "a,ssn,distance,y\n1,123-45-6789,5,0\n");
    let explain = "casebased explain --train t.csv --test q.csv --label y";
    let failure = files.bad_data("q.csv", &format!("{explain} --redact ssn --quiet"));
    assert!(failure.text.contains("ssn") && !failure.text.contains("6789"));
    files.text("q.csv", "a,ssn,distance,y\n1,1,5,0\n");
    let remarks = files.remarks(&format!("{explain} --redact ssn --out o.csv"));
    assert!(remarks.starts_with("t.csv: ") && remarks.lines().count() == 1);
    let rows = files.read("o.csv");
    assert!(rows.starts_with(
        "sample,predicted,true,correspondence,level,rank,index,distance,label,case.distance\n"
    ));
    // Codes keep their zeros.
    files.text("t.csv", "a,zip,y\n1,01234,0\n2,99999,1\n");
    files.text("q.csv", "a,y\n1,0\n");
    files.json("casebased explain --train t.csv --test q.csv --label y --metadata zip --out o.csv");
    assert!(
        std::fs::read_to_string(files.path("o.csv"))
            .unwrap()
            .contains(",01234\n")
    );
}

#[test]
fn every_engine_gives_the_same_answer() {
    let files = Files::new();
    let mut rows = String::from("a,b,y\n");
    for i in 0..700 {
        rows += &format!("{},{},{}\n", i * 37 % 101, i * 53 % 89, i % 3);
    }
    files.text("t.csv", &rows);
    let explain = "casebased explain --train t.csv --test t.csv --label y --limit 50";
    let auto = files.json(explain);
    for engine in ["brute", "kd-tree"] {
        assert_eq!(files.json(&format!("{explain} --engine {engine}")), auto);
    }
    files.wrong_usage(
        "--distance",
        &format!("{explain} --engine kd-tree --distance cosine"),
    );
    files.wrong_usage("--engine", &format!("{explain} --engine octree"));
}

#[test]
fn aggregates_show_no_row() {
    let files = tables();
    files.text(
        "t.csv",
        "a,b,y\n0,0,0\n0,0,0\n1,0,0\n9,9,1\n10,9,1\n11,9,1\n",
    );
    let explain = "casebased explain --train t.csv --test q.csv --label y -k 3 --aggregate-only 3";
    let result = files.json(&format!("{explain} --out o.csv"));
    assert_eq!(result["n_refused"], 1);
    let (refused, released) = (&result["explanations"][0], &result["explanations"][1]);
    assert!(refused["refused"].is_string());
    assert_eq!(released["class_shares"]["1"], 1.0);
    assert_eq!(released["n_distinct"], 3);
    assert!(released.get("neighbors").is_none());
    let rows = files.read("o.csv");
    assert!(!rows.contains("index"), "{rows}");
    assert!(files.table(explain).contains("1 refused"));
    files.wrong_usage(
        "--aggregate-only",
        "casebased audit --train t.csv --test q.csv --label y --aggregate-only 3",
    );
}

#[test]
fn a_stored_explainer_explains_as_the_fitted_one() {
    let files = tables();
    let how = "-k 2 --distance manhattan --weighting uniform --class-weight 1=2 --redact a";
    let fitted = files.json(&format!(
        "casebased fit --train t.csv --label y --out cases.xai {how}"
    ));
    assert_eq!((&fitted["n_rows"], &fitted["k"]), (&4.into(), &2.into()));
    let explain = "casebased explain --test q.csv --label y --predicted p --out o.csv";
    let stored = files.json(&format!("{explain} --explainer cases.xai"));
    let rows = std::fs::read(files.path("o.csv")).unwrap();
    // What was left out when it was fitted is not stored.
    let mut fresh = files.json(&format!("{explain} --train t.csv {how}"));
    let left_out = fresh.as_object_mut().unwrap().remove("columns_left_out");
    assert_eq!(left_out.unwrap()[0]["column"], "name");
    assert_eq!(stored, fresh);
    assert_eq!(rows, std::fs::read(files.path("o.csv")).unwrap());
    assert!(!String::from_utf8(rows).unwrap().contains(",a,"));
    files.text("foreign.xai", "a,b\n1,2\n");
    files.bad_data("foreign.xai", &format!("{explain} --explainer foreign.xai"));
    files.wrong_usage(
        "--explainer",
        &format!("{explain} --explainer cases.xai -k 3"),
    );
    files.failure(2, explain);
}

#[test]
fn an_audit_in_pieces_is_the_audit_of_all() {
    let files = Files::new();
    let table = |n: usize| {
        let mut rows = String::from("a,b,y,p\n");
        for i in 0..n {
            rows += &format!(
                "{},{},{},{}\n",
                i * 37 % 101,
                i * 53 % 89,
                i * 37 % 101 / 51,
                i % 2
            );
        }
        rows
    };
    files.text("t.csv", &table(300));
    files.text("q.csv", &table(9000));
    let how = "--train t.csv --test q.csv --label y --predicted p";
    let report = files.json(&format!(
        "casebased audit {how} --out o.csv --n-least-supported 3"
    ));
    let explained = files.json(&format!("casebased explain {how}"));
    assert_eq!(report["n_samples"], 9000);
    assert_eq!(
        report["mean_correspondence"],
        explained["mean_correspondence"]
    );
    let wrong = explained["explanations"].as_array().unwrap().iter();
    let wrong = wrong.filter(|e| e["predicted"] != e["true"]).count();
    assert_eq!(report["wrong"]["n"], wrong);
    assert_eq!(report["least_supported"].as_array().unwrap().len(), 3);
    assert_eq!(report["reliability"].as_array().unwrap().len(), 10);
    let rows = files.read("o.csv");
    assert_eq!(rows.lines().count(), 9001);
    let last = &explained["explanations"][8999];
    let expected = format!(
        "8999,{},{},{}",
        last["predicted"], last["true"], last["correspondence"]
    );
    let parsed: Vec<&str> = rows.lines().last().unwrap().split(',').collect();
    assert_eq!(
        parsed[..3].join(","),
        expected.split(',').take(3).collect::<Vec<_>>().join(",")
    );
    assert!(
        files
            .table(&format!("casebased audit {how}"))
            .contains("calibration")
    );
    // A bad row far down leaves no half-written file behind.
    std::fs::remove_file(files.path("o.csv")).unwrap();
    files.text("q.csv", &(table(9000) + "1,x,0,0\n"));
    files.bad_data("q.csv", &format!("casebased audit {how} --out o.csv"));
    assert!(!files.path("o.csv").exists());
}

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
    // Weights are relative to that of the nearest neighbour.
    let far = (1.1f64 / 1.5).powi(3);
    assert!((c["class_weights_sum"]["0"].as_f64().unwrap() - far).abs() < 1e-15);
    assert_eq!(
        c["class_weights_relative_to"],
        "the largest weight of a neighbour"
    );
    files.text("far.csv", "distance,label\n745,1\n745.9,0\n");
    let far = files.json(
        "casebased correspondence --neighbors far.csv --predicted 1 --weighting exponential:1",
    );
    assert_eq!(
        format!("{:.3}", far["correspondence"].as_f64().unwrap()),
        "0.711"
    );
    let voting = files.json(
        "casebased correspondence --neighbors n.csv --predicted 0 --weighting uniform --class-weight 0=4",
    );
    assert_eq!(voting["correspondence"], 0.5);
    assert_eq!(voting["level"], "low");
    let none = files.json("casebased correspondence --neighbors n.csv --predicted 1 --class-weight 0=0 --class-weight 1=0");
    assert_eq!(none["correspondence"], serde_json::Value::Null);
    assert_eq!(none["level"], "undefined");
    let table = files.table("casebased correspondence --neighbors n.csv --predicted 1");
    assert!(
        table.contains("0.8685") && table.contains("relative to the largest weight"),
        "{table}"
    );
}

#[test]
fn columns_of_test_rows_are_matched_by_name() {
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
    // Without predictions the neighbours vote, and the result agrees with most of them.
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
fn metadata_is_shown_but_not_a_feature() {
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
fn messages_do_not_show_redacted_values_and_name_left_out_columns() {
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
    // Codes keep their leading zeros.
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
fn every_engine_gives_the_same_result() {
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
fn a_predicted_class_that_no_training_row_has_is_an_error_and_a_true_one_a_remark() {
    let files = Files::new();
    files.text("t.csv", "a,y\n0,no\n1,no\n9,yes\n10,may\n");
    files.text("q.csv", "a,y,p\n0,no,no\n9,never,may\n");
    let explain = "casebased explain --train t.csv --label y -k 1 --predicted p";
    let result = files.json(&format!("{explain} --test q.csv"));
    assert_eq!(result["explanations"][1]["correspondence"], 0.0);
    let remarks = files.remarks(&format!("{explain} --test q.csv"));
    assert!(
        remarks.contains("no training row has: `never`"),
        "{remarks}"
    );
    files.text(
        "other.csv",
        "a,y,p\n0,no,no\n9,yes,Yes\n9,yes,NO\n9,yes,Yes\n",
    );
    files.json("casebased fit --train t.csv --label y --out stored");
    for of in [
        explain,
        "casebased explain --explainer stored --predicted p",
        "casebased audit --explainer stored --label y --predicted p",
    ] {
        let failed = files.bad_data("other.csv", &format!("{of} --test other.csv"));
        let expected = "line 3, column `p`: \"Yes\": expected a class of the training rows, for example may, no, yes; \
                        no training row has Yes, NO";
        assert!(failed.text.contains(expected), "{}", failed.text);
    }
    // Integers, whole floats and booleans are the same classes; probabilities are not classes.
    files.text("n.csv", "a,y\n0,0\n1,0\n9,1\n10,1\n");
    let numbers = "casebased explain --train n.csv --label y -k 1 --predicted p";
    files.text("same.csv", "a,p\n0,0\n0,0.0\n0,False\n9,1.0\n9,True\n");
    assert_eq!(
        files.json(&format!("{numbers} --test same.csv"))["mean_correspondence"],
        1.0
    );
    for (cell, expected) in [
        ("7", "for example 0, 1; no training row has 7"),
        ("0.73", "a class: a whole number, a word, True or False"),
        ("no", "a whole number, as the other classes are"),
    ] {
        files.text("wrong.csv", &format!("a,p\n0,1\n0,{cell}\n"));
        let failed = files.bad_data("wrong.csv", &format!("{numbers} --test wrong.csv"));
        assert!(
            failed.text.contains(expected) && failed.text.contains("line 3, column `p`"),
            "{}",
            failed.text
        );
    }
}

#[test]
fn cases_that_tie_with_the_last_neighbour_are_counted() {
    let files = Files::new();
    files.text("t.csv", "a,y\n0,0\n2,1\n2,0\n2,1\n");
    files.text("q.csv", "a\n0\n");
    let explain = "casebased explain --train t.csv --label y --test q.csv";
    for (k, ties, n_tied) in [(1, 0, 0), (2, 3, 1), (3, 3, 1), (4, 0, 0)] {
        let result = files.json(&format!("{explain} -k {k}"));
        assert_eq!(
            (&result["explanations"][0]["ties_at_k"], &result["n_tied"]),
            (&ties.into(), &n_tied.into()),
            "{k}"
        );
    }
    assert!(
        files
            .table(&format!("{explain} -k 2"))
            .contains("ties in 1 of them: more training rows")
    );
    assert!(!files.table(&format!("{explain} -k 4")).contains("ties in"));
}

#[test]
fn rows_without_a_distance_are_named_by_their_line() {
    let files = Files::new();
    // A row with a missing cell is left out, so that positions in the array and in the file differ.
    files.text("t.csv", "a,b,y\n1,2,0\n2,1,0\n,3,0\n0,0,1\n3,1,1\n");
    files.text("good.csv", "a,b,y\n1,2,0\n2,1,0\n,3,0\n3,1,1\n");
    files.text("q.csv", "a,b\n1,2\n,1\n0,0\n");
    let how = "--label y -k 1 --distance cosine --scale false --drop-rows-with-missing";
    let failed = files.bad_data(
        "t.csv",
        &format!("casebased explain --train t.csv --test good.csv {how}"),
    );
    assert!(
        failed
            .text
            .contains("line 5: expected a row with a direction"),
        "{}",
        failed.text
    );
    assert!(!failed.text.contains("column"), "{}", failed.text);
    let failed = files.bad_data(
        "q.csv",
        &format!("casebased explain --train good.csv --test q.csv {how}"),
    );
    assert!(
        failed
            .text
            .contains("line 4: expected a row with a direction"),
        "{}",
        failed.text
    );
    // An error about the deviation of a column does not name a row.
    files.text("large.csv", "a,b,y\n1,2,0\n2,1e300,0\n3,-1e300,1\n");
    let failed = files.bad_data(
        "large.csv",
        "casebased explain --train large.csv --test good.csv --label y",
    );
    assert!(
        failed.text.contains("line 3, column `b`"),
        "{}",
        failed.text
    );
}

#[test]
fn a_stored_explainer_explains_as_the_fitted_one() {
    let files = tables();
    let how = "-k 2 --distance manhattan --weighting uniform --class-weight 1=2 --redact a";
    let fit = format!("casebased fit --train t.csv --label y --out cases.xai {how}");
    let refused = files.bad_data("cases.xai", &fit);
    assert!(
        refused.text.contains("redacted features (a)") && refused.text.contains("--store-redacted"),
        "{}",
        refused.text
    );
    assert!(!files.path("cases.xai").exists());
    let fitted = files.json(&format!("{fit} --store-redacted"));
    assert_eq!(fitted["file_holds_redacted"], true);
    assert_eq!((&fitted["n_rows"], &fitted["k"]), (&4.into(), &2.into()));
    let explain = "casebased explain --test q.csv --label y --predicted p --out o.csv";
    let stored = files.json(&format!("{explain} --explainer cases.xai"));
    let rows = std::fs::read(files.path("o.csv")).unwrap();
    // Columns that were left out when it was fitted are not stored.
    let mut fresh = files.json(&format!("{explain} --train t.csv {how}"));
    let left_out = fresh.as_object_mut().unwrap().remove("columns_left_out");
    assert_eq!(left_out.unwrap()[0]["column"], "name");
    assert_eq!(stored, fresh);
    let remarks = files.remarks(&format!("{explain} --explainer cases.xai"));
    assert!(
        remarks.contains("contains the values of the redacted columns"),
        "{remarks}"
    );
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
fn an_audit_in_batches_equals_that_of_all_rows() {
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
    // A bad row far down leaves no incomplete file.
    std::fs::remove_file(files.path("o.csv")).unwrap();
    files.text("q.csv", &(table(9000) + "1,x,0,0\n"));
    files.bad_data("q.csv", &format!("casebased audit {how} --out o.csv"));
    assert!(!files.path("o.csv").exists());
}

#[test]
fn intervals_of_an_audit_are_pairs_in_json() {
    let files = Files::new();
    let [train, test] =
        ["train", "test"].map(|name| crate::harness::sample(&format!("casebased/{name}.csv")));
    let line = format!(
        "casebased audit --train {train} --test {test} --label diagnosis --predicted predicted"
    );
    let found = files.json(&line);
    let interval = &found["distribution"]["accuracy_interval"];
    assert!(interval[0].as_f64().unwrap() < interval[1].as_f64().unwrap());
    assert!(!found.to_string().contains("\"method\""));
}

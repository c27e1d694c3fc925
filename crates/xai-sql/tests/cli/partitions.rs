//! Results do not depend on how the rows are divided: the same bits for any number of partitions, files and formats.

use std::collections::BTreeMap;

use serde_json::Value;
use xai_attribution::metric::AverageDrop;

use crate::functions::{QUERIES, grouped, widen};
use crate::harness::Files;

#[test]
fn every_function_has_the_same_bits_for_any_number_of_partitions() {
    let files = Files::with_scores(12_000, 5, 6);
    widen(&files, 6);
    for (function, call) in QUERIES {
        let grouped = grouped(call, "wide");
        let total = format!("SELECT {call} AS value FROM 'wide'");
        for query in [grouped, total] {
            let one = files.json(&query, &["--partitions", "1"]);
            assert!(one.contains("\"value\":"), "{function}: {one}");
            let seven = files.json(&query, &["--partitions", "7"]);
            assert_eq!(seven, one, "{function}");
        }
    }
    for (partitions, (_, call)) in ["2", "3", "16", "64"]
        .into_iter()
        .zip(QUERIES.iter().cycle().skip(10))
    {
        let query = grouped(call, "wide");
        let one = files.json(&query, &["--partitions", "1"]);
        let divided = files.json(&query, &["--partitions", partitions]);
        assert_eq!(divided, one, "{call} in {partitions}");
    }
}

#[test]
fn a_query_has_the_bits_of_the_library() {
    let files = Files::with_scores(20_000, 3, 4);
    let rows = files.json("SELECT explainer, base, masked FROM 'runs'", &[]);
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("rows");
    let mut scores: BTreeMap<String, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for row in &rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        let explainer = row["explainer"].as_str().expect("a name").to_owned();
        let (base, masked) = scores.entry(explainer).or_default();
        base.push(number("base"));
        masked.push(number("masked"));
    }
    let query = grouped("average_drop(base, masked)", "runs");
    let answer = files.json(&query, &["--partitions", "3"]);
    let answer: Vec<Value> = serde_json::from_str(&answer).expect("rows");
    assert_eq!(answer.len(), 3);
    for row in answer {
        let (base, masked) = &scores[row["explainer"].as_str().expect("a name")];
        let expected = AverageDrop::new().evaluate_scores(base, masked);
        let expected = expected.expect("scores").value;
        let value = row["value"].as_f64().expect("a number");
        assert_eq!(value.to_bits(), expected.to_bits());
    }
}

#[test]
fn every_format_gives_the_same_bits_and_can_be_filtered_and_written() {
    let files = Files::with_scores(4000, 3, 2);
    let whole = "SELECT explainer, base, masked FROM 'runs'";
    let call = "average_drop(base, masked) FILTER (WHERE base > 0.5)";
    let expected = files.json(&grouped(call, "runs"), &[]);
    for name in ["all.csv", "all.jsonl", "all.arrow", "all.parquet"] {
        files.run(&["sql", whole, "--out", name]).well();
        assert_eq!(files.json(&grouped(call, name), &[]), expected, "{name}");
    }
    let query = grouped(call, "runs");
    files.run(&["sql", &query, "--out", "drop.parquet"]).well();
    let read = files.json("SELECT * FROM 'drop.parquet' ORDER BY explainer", &[]);
    assert_eq!(read, expected);
}

#[test]
fn a_file_that_cannot_be_read_is_named_for_any_number_of_partitions() {
    let files = Files::with_scores(9000, 3, 3);
    let damaged = files.path("runs/part-00001.parquet");
    let mut bytes = std::fs::read(&damaged).expect("read");
    bytes[4..2004].fill(0xff);
    std::fs::write(&damaged, bytes).expect("written");
    std::fs::create_dir(files.path("text")).expect("made");
    let lines = "base,masked\n".to_owned() + &"0.5,0.25\n".repeat(20_000);
    std::fs::write(files.path("text/a.csv"), &lines).expect("written");
    // Below the lines that the types of the columns are inferred from.
    std::fs::write(files.path("text/b.csv"), lines + "0.5,0.25,7\n").expect("written");
    for (table, file) in [("runs", "runs/part-00001.parquet"), ("text", "text/b.csv")] {
        for partitions in ["1", "4"] {
            let query = format!("SELECT average_drop(base, masked) FROM '{table}'");
            let said = files.run(&["sql", &query, "--partitions", partitions]);
            let (error, _) = said.badly(1);
            assert!(error.starts_with(&format!("{file}: ")), "{error}");
        }
    }
    // An error about the values does not blame the file.
    let query = "SELECT -1.0 AS base, 0.5 AS masked";
    files.run(&["sql", query, "--out", "negative.csv"]).well();
    let query = "SELECT average_drop(base, masked) FROM 'negative.csv'";
    let said = files.run(&["sql", query]);
    let (error, _) = said.badly(1);
    assert!(
        error.contains("average_drop: base = -1") && !error.contains("negative.csv"),
        "{error}"
    );
}

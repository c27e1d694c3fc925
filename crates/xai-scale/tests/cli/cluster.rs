//! A scheduler and two executors: the bits of one machine.

use std::collections::BTreeMap;

use serde_json::Value;
use xai_attribution::AverageDrop;

use crate::functions::{QUERIES, grouped, widen};
use crate::harness::{Cluster, Files};

#[test]
fn two_executors_give_the_bits_of_one_machine_for_every_function() {
    let files = Files::with_scores(12_000, 5, 6);
    widen(&files, 6);
    let cluster = Cluster::new(2);
    let options = ["--partitions", "7", "--scheduler", &cluster.address];
    for (function, call) in QUERIES {
        let query = grouped(call, "wide");
        let here = files.json(&query, &["--partitions", "1"]);
        assert!(here.contains("\"value\":"), "{function}: {here}");
        assert_eq!(files.json(&query, &options), here, "{function}");
        let query = format!("SELECT {call} AS value FROM 'wide'");
        let here = files.json(&query, &["--partitions", "5"]);
        assert_eq!(files.json(&query, &options), here, "{function}");
    }
    // Any number of parts.
    for (partitions, (_, call)) in ["1", "2", "3", "16", "64"]
        .into_iter()
        .zip(QUERIES.iter().cycle().skip(10))
    {
        let query = grouped(call, "wide");
        let options = ["--partitions", partitions, "--scheduler", &cluster.address];
        let here = files.json(&query, &["--partitions", "2"]);
        assert_eq!(files.json(&query, &options), here, "{call} in {partitions}");
    }
    // Both took part.
    for executor in 0..2 {
        cluster.wait_for_work(executor);
    }
}

#[test]
fn a_cluster_gives_the_bits_of_the_library() {
    let files = Files::with_scores(20_000, 3, 4);
    let rows = files.json("SELECT explainer, base, masked FROM 'runs'", &[]);
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("rows");
    let mut scores: BTreeMap<String, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for row in &rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        let of = row["explainer"].as_str().expect("a name").to_owned();
        let (base, masked) = scores.entry(of).or_default();
        base.push(number("base"));
        masked.push(number("masked"));
    }
    let cluster = Cluster::new(2);
    let query = grouped("average_drop(base, masked)", "runs");
    let answer = files.json(&query, &["--scheduler", &cluster.address]);
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
fn a_cluster_reads_every_format_filters_and_writes() {
    let files = Files::with_scores(4000, 3, 2);
    let cluster = Cluster::new(2);
    let options = ["--scheduler", &cluster.address];
    let whole = "SELECT explainer, base, masked FROM 'runs'";
    let call = "average_drop(base, masked) FILTER (WHERE base > 0.5)";
    let expected = files.json(&grouped(call, "runs"), &[]);
    for name in ["all.csv", "all.jsonl", "all.arrow", "all.parquet"] {
        files.run(&["sql", whole, "--out", name]).well();
        assert_eq!(
            files.json(&grouped(call, name), &options),
            expected,
            "{name}"
        );
    }
    let query = grouped(call, "runs");
    let sent = [&["sql", &query, "--out", "drop.parquet"][..], &options].concat();
    files.run(&sent).well();
    let read = files.json("SELECT * FROM 'drop.parquet' ORDER BY explainer", &[]);
    assert_eq!(read, expected);
}

/// The executor says which file it is, for between the processes an error is text.
#[test]
fn a_file_that_an_executor_cannot_read_is_named() {
    let files = Files::with_scores(9000, 3, 3);
    let damaged = files.path("runs/part-00001.parquet");
    let mut bytes = std::fs::read(&damaged).expect("read");
    bytes[4..2004].fill(0xff);
    std::fs::write(&damaged, bytes).expect("written");
    std::fs::create_dir(files.path("text")).expect("made");
    let lines = "base,masked\n".to_owned() + &"0.5,0.25\n".repeat(20_000);
    std::fs::write(files.path("text/a.csv"), &lines).expect("written");
    // Below the lines that tell the types of the columns.
    std::fs::write(files.path("text/b.csv"), lines + "0.5,0.25,7\n").expect("written");
    let cluster = Cluster::new(2);
    for (table, file) in [("runs", "runs/part-00001.parquet"), ("text", "text/b.csv")] {
        let query = format!("SELECT average_drop(base, masked) FROM '{table}'");
        let said = files.run(&["sql", &query, "--scheduler", &cluster.address]);
        let (error, _) = said.badly(1);
        assert!(error.contains(&format!("{file}: ")), "{error}");
    }
    // What is wrong with the values is about no file.
    files
        .run(&[
            "sql",
            "SELECT -1.0 AS base, 0.5 AS masked",
            "--out",
            "negative.csv",
        ])
        .well();
    let query = "SELECT average_drop(base, masked) FROM 'negative.csv'";
    let said = files.run(&["sql", query, "--scheduler", &cluster.address]);
    let (error, _) = said.badly(1);
    assert!(
        error.contains("average_drop: base = -1") && !error.contains("negative.csv"),
        "{error}"
    );
}

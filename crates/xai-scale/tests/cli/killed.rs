//! Executors that are killed in the middle of a query.

use crate::functions::grouped;
use crate::harness::{Cluster, Files, LONGEST, ended};

/// Work enough that there is time to kill an executor: each row is made a long text and hashed.
const SLOW: &str =
    "average_drop(base, masked) FILTER (WHERE md5(repeat(CAST(base AS VARCHAR), 400)) <> 'x')";

#[test]
fn a_query_outlives_an_executor_or_fails_with_a_reason() {
    let files = Files::with_scores(96_000, 5, 24);
    let query = grouped(SLOW, "runs");
    let expected = files.json(&query, &[]);
    let mut cluster = Cluster::new(2);
    let options = [
        "--json",
        "--partitions",
        "24",
        "--scheduler",
        &cluster.address,
    ];
    let asked = files.start(&[&["sql", &query][..], &options].concat());
    cluster.wait_for_work(1);
    cluster.executors[1].kill();
    let said = ended(asked, LONGEST);
    match said.code {
        Some(0) => assert_eq!(said.out, expected),
        _ => {
            let (error, _) = said.badly(1);
            assert!(error.len() > 10, "{error}");
            assert_eq!(said.out, "");
        }
    }
    // The one that is left goes on.
    let again = files.json(
        &grouped("average_drop(base, masked)", "runs"),
        &options[1..],
    );
    assert_eq!(again, expected);
}

#[test]
fn a_query_without_executors_left_ends_with_a_reason() {
    let files = Files::with_scores(96_000, 5, 24);
    let mut cluster = Cluster::new(1);
    let options = [
        "--json",
        "--partitions",
        "24",
        "--scheduler",
        &cluster.address,
    ];
    let asked = files.start(&[&["sql", &grouped(SLOW, "runs")][..], &options].concat());
    cluster.wait_for_work(0);
    cluster.executors[0].kill();
    let said = ended(asked, LONGEST);
    let (error, _) = said.badly(1);
    assert!(error.contains("executor"), "{error}");
    assert_eq!(said.out, "");
}

#[test]
fn a_query_without_any_executor_ends_when_its_time_is_over() {
    let files = Files::with_scores(100, 2, 1);
    let cluster = Cluster::new(0);
    let query = grouped("average_drop(base, masked)", "runs");
    let options = ["--timeout", "3", "--scheduler", &cluster.address];
    let said = files.run(&[&["sql", &query][..], &options].concat());
    let (error, help) = said.badly(1);
    assert!(
        error.contains("3 seconds") && help.contains("executors"),
        "{said:?}"
    );
}

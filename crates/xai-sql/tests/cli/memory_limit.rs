//! Queries with a memory limit.

use crate::harness::Files;

/// Distinct names that do not fit into the limit, so that rows go to disk.
fn names() -> Files {
    let files = Files::new();
    let rows = "SELECT i % 7 AS g, concat(repeat('x', 100), CAST(i % 1000 AS VARCHAR)) AS name
        FROM generate_series(1, 40000) AS numbers(i)";
    files
        .run(&["sql", rows, "--partitions", "1", "--out", "names.parquet"])
        .well();
    files
}

const QUERY: &str = "SELECT g, count(DISTINCT name) AS n FROM 'names.parquet' GROUP BY g";
const SMALL_BATCHES: [&str; 2] = ["--set", "datafusion.execution.batch_size=64"];

/// The groups of an answer in one order: sorting in the query would reserve more than the limit.
fn in_order(answer: &str) -> Vec<&str> {
    let mut groups: Vec<&str> = answer.trim().trim_matches(['[', ']']).split("},").collect();
    groups
        .iter_mut()
        .for_each(|group| *group = group.trim_end_matches('}'));
    groups.sort_unstable();
    groups
}

/// In two partitions such a query waits forever in two of three trials (apache/datafusion#24883). The deadline of
/// `run` only detects that.
#[test]
fn a_query_that_goes_to_disk_ends() {
    let files = names();
    let expected = files.json(QUERY, &[]);
    for limit in ["2MB", "2MB", "2MB", "20MB"] {
        let options = [&["--memory-limit", limit][..], &SMALL_BATCHES].concat();
        let limited = files.json(QUERY, &options);
        assert_eq!(in_order(&limited), in_order(&expected), "{limit}");
    }
}

#[test]
fn explain_reports_the_limit_and_its_partition() {
    let files = names();
    for explain in ["EXPLAIN", "EXPLAIN ANALYZE"] {
        let query = format!("{explain} {QUERY}");
        let plan = files.run(&["sql", &query, "--memory-limit", "50MB"]).well();
        assert!(plan.contains("50000000 bytes, one partition"), "{plan}");
        assert!(!plan.contains("RepartitionExec"), "{plan}");
        let plan = files.run(&["sql", &query]).well();
        assert!(!plan.contains("one partition"), "{plan}");
    }
}

#[test]
fn options_that_contradict_a_limit_are_refused() {
    let files = names();
    let limited = ["sql", QUERY, "--memory-limit", "50MB"];
    let said = files.run(&[&limited[..], &["--partitions", "2"]].concat());
    assert_eq!(said.code, Some(2), "{said:?}");
    let set = ["--set", "datafusion.execution.target_partitions=2"];
    let said = files.run(&[&limited[..], &set].concat());
    let (error, help) = said.badly(2);
    assert!(
        error.contains("one partition") && help.contains("two options"),
        "{said:?}"
    );
    // A limit that does not come by --memory-limit would not be noticed.
    let said = files.run(&["sql", QUERY, "--set", "datafusion.runtime.memory_limit=2M"]);
    assert_eq!(said.code, Some(2), "{said:?}");
}

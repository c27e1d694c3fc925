//! Queries whose client is gone.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::harness::{Cluster, Files, LONGEST, ended, send};

/// Work for many seconds in small batches: each row is made a long text and hashed.
const SLOW: &str = "SELECT max(md5(repeat(CAST(base AS VARCHAR), 100))) AS x FROM 'runs'";
const QUICK: &str = "SELECT count(*) AS n FROM 'runs'";

fn results(of: &Cluster) -> Vec<PathBuf> {
    (0..2).flat_map(|executor| of.results(executor)).collect()
}

#[test]
fn executors_end_a_query_whose_client_is_gone_and_remove_its_files() {
    let files = Files::with_scores(1_000_000, 5, 8);
    let cluster = Cluster::new(2);
    let to = ["--scheduler", cluster.address.as_str()];
    for (round, how) in ["INT", "TERM", "KILL", "timeout"].into_iter().enumerate() {
        let patience = match how {
            "timeout" => ["--timeout", "3"],
            _ => ["--timeout", "600"],
        };
        let asked =
            files.start(&[&["sql", SLOW, "--partitions", "2"][..], &to, &patience].concat());
        let deadline = Instant::now() + LONGEST;
        let n_begun = |executor| cluster.log(executor).matches("Received task").count();
        while n_begun(0).min(n_begun(1)) <= round {
            assert!(Instant::now() < deadline, "{how}: no work");
            std::thread::sleep(Duration::from_millis(5));
        }
        if how != "timeout" {
            send(how, asked.id());
        }
        let said = ended(asked, LONGEST);
        assert_ne!(said.code, Some(0), "{how}: {said:?}");
        // Each executor ends its part before it is done.
        let deadline = Instant::now() + LONGEST;
        let n_ended = |executor| cluster.log(executor).matches("is over").count();
        while n_ended(0).min(n_ended(1)) <= round || !results(&cluster).is_empty() {
            let left = results(&cluster);
            assert!(Instant::now() < deadline, "{how}: still at work, {left:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
    // They are there for others.
    let answer = files.json(QUICK, &to);
    assert_eq!(answer, "[{\"n\":1000000}]\n");
}

#[test]
fn a_query_that_ends_is_not_cancelled() {
    let files = Files::with_scores(1_000, 5, 2);
    let cluster = Cluster::new(1);
    let to = ["--scheduler", cluster.address.as_str()];
    for _ in 0..5 {
        assert_eq!(files.json(QUICK, &to), "[{\"n\":1000}]\n");
    }
    assert!(!cluster.log(0).contains("is over"), "{}", cluster.log(0));
}

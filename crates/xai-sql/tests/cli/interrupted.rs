//! Ctrl-C.

use std::time::{Duration, Instant};

use crate::harness::{Files, LONGEST, ended, send};

/// Work for many seconds: each row is made a long text and hashed.
const SLOW: &str = "SELECT max(md5(repeat(CAST(base AS VARCHAR), 1000))) AS x FROM 'runs'";

#[test]
fn an_interrupted_query_leaves_no_file() {
    let files = Files::with_scores(400_000, 5, 2);
    let asked = files.start(&["sql", SLOW, "--out", "out.parquet"]);
    let names = || {
        let entries = std::fs::read_dir(files.path("")).expect("read");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.collect::<Vec<_>>()
    };
    // The tables are there before; the file that is begun is the second entry.
    let deadline = Instant::now() + LONGEST;
    while names().len() < 2 {
        assert!(Instant::now() < deadline, "no file is begun");
        std::thread::sleep(Duration::from_millis(10));
    }
    send("INT", asked.id());
    let said = ended(asked, LONGEST);
    let (error, _) = said.badly(130);
    assert_eq!(error, "interrupted");
    assert_eq!(names(), ["runs"]);
}

/// A process that waits for its input has nothing to stop, and ends all the same.
#[test]
fn a_query_that_is_never_written_ends() {
    let files = Files::new();
    let (asked, input) = files.start_with_input(&["sql"]);
    // It installs the handler for the signal before it reads.
    std::thread::sleep(Duration::from_secs(2));
    send("INT", asked.id());
    let said = ended(asked, LONGEST);
    assert_eq!(said.badly(130).0, "interrupted");
    drop(input);
}

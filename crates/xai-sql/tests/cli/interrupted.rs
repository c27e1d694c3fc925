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

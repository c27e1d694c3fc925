//! The folder that an executor is given.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::functions::grouped;
use crate::harness::{Files, scheduler, server};

/// The entries of a folder that an executor made, and the others.
fn entries(folder: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let entries = std::fs::read_dir(folder).expect("read").flatten();
    let name = |path: &PathBuf| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let paths = entries.map(|entry| entry.path());
    let (own, others): (Vec<_>, Vec<_>) =
        paths.partition(|path| name(path).starts_with("xai-scale-executor-"));
    let mut others: Vec<String> = others.iter().map(name).collect();
    others.sort();
    (own, others)
}

#[test]
fn an_executor_deletes_nothing_but_what_is_its_own() {
    let files = Files::with_scores(2000, 2, 2);
    // What others have in the folder, unchanged for days.
    let old = SystemTime::now() - Duration::from_secs(3 * 24 * 3600);
    let others = files.path("work");
    std::fs::create_dir_all(others.join("old/inside")).expect("made");
    std::fs::create_dir_all(others.join("new")).expect("made");
    for name in ["old/inside/thesis.txt", "new/notes.txt", "file.txt"] {
        std::fs::write(others.join(name), "mine").expect("written");
    }
    for name in ["old/inside/thesis.txt", "old/inside", "old"] {
        let opened = File::open(others.join(name)).expect("opened");
        opened.set_modified(old).expect("set");
    }
    let check = |n_executors: usize| {
        let (own, names) = entries(&others);
        assert_eq!(own.len(), n_executors, "{own:?}");
        assert_eq!(names, ["file.txt", "new", "old"]);
        assert!(others.join("old/inside/thesis.txt").is_file());
        assert!(others.join("new/notes.txt").is_file());
    };

    let (_scheduler, address) = scheduler(&[], &files.path("log"));
    let work = others.to_str().expect("a name");
    let start = |log: &str| {
        let options = ["--work-dir", work, "--concurrent-tasks", "1"];
        let arguments = [&["executor", "--scheduler", &address][..], &options].concat();
        server(&arguments, &files.path(log)).0
    };
    let query = grouped("average_drop(base, masked)", "runs");
    let options = ["--scheduler", &address, "--timeout", "60"];
    let expected = files.json(&query, &[]);

    let first = start("log-of-first");
    let second = start("log-of-second");
    assert_eq!(files.json(&query, &options), expected);
    check(2);
    // The second keeps its results.
    assert_eq!(first.stop("TERM"), Some(0));
    check(1);
    assert_eq!(files.json(&query, &options), expected);
    let (own, _) = entries(&others);
    let results = own[0].join("results");
    let jobs = std::fs::read_dir(&results).expect("read").count();
    assert!(jobs > 0, "no results in {}", results.display());

    // The folder of one that is killed stays, and the next one says so.
    let mut second = second;
    second.kill();
    check(1);
    let third = start("log-of-third");
    let said = std::fs::read_to_string(files.path("log-of-third")).expect("read");
    let left = format!("{} was left by an executor", own[0].display());
    assert!(said.contains(&left), "{said}");
    assert_eq!(files.json(&query, &options), expected);
    assert_eq!(third.stop("INT"), Some(0));
    check(1);
}

//! `--out` over what is read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::harness::Files;

/// The files of a folder, with their bytes.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("read").flatten();
    let paths = entries.map(|entry| entry.path());
    let files = paths.filter(|path| path.is_file());
    files
        .map(|path| (path.clone(), std::fs::read(path).expect("read")))
        .collect()
}

fn check(files: &Files, options: &[&str]) {
    let whole = contents(&files.path("runs"));
    let (one, all) = ("runs/part-00000.parquet", "runs");
    let mut outputs = vec![
        (one, one, "would be lost"),
        (all, one, "would be lost"),
        (one, "./nested/../runs/part-00000.parquet", "would be lost"),
        (all, "runs/new.parquet", "in the folder runs"),
        (all, "runs/below/new.parquet", "in the folder runs"),
    ];
    let absolute = files.path(one);
    outputs.push((one, absolute.to_str().expect("a name"), "would be lost"));
    if cfg!(unix) {
        outputs.push((one, "link.parquet", "would be lost"));
        outputs.push(("link.parquet", one, "would be lost"));
        outputs.push((one, "hard.parquet", "would be lost"));
        outputs.push((all, "folder/new.parquet", "in the folder runs"));
        outputs.push(("folder", "runs/new.parquet", "in the folder folder"));
    }
    for (table, out, why) in outputs {
        let query = format!("SELECT base, masked FROM '{table}' WHERE base > 0.99");
        let said = files.run(&[&["sql", &query, "--out", out][..], options].concat());
        let (error, help) = said.badly(2);
        assert!(error.starts_with(&format!("--out {out}: ")), "{error}");
        assert!(
            error.contains(why) && help == "name another file",
            "{said:?}"
        );
        assert_eq!(contents(&files.path("runs")), whole, "{table} to {out}");
    }
    // Beside it is another file.
    let query = format!("SELECT base, masked FROM '{one}'");
    let beside = [&["sql", &query, "--out", "beside.parquet"][..], options].concat();
    files.run(&beside).well();
}

fn with_links() -> Files {
    let files = Files::with_scores(1000, 2, 2);
    std::fs::create_dir(files.path("nested")).expect("made");
    std::fs::create_dir(files.path("runs/below")).expect("made");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink("runs/part-00000.parquet", files.path("link.parquet")).expect("linked");
        symlink("runs", files.path("folder")).expect("linked");
        let (from, to) = ("runs/part-00000.parquet", "hard.parquet");
        std::fs::hard_link(files.path(from), files.path(to)).expect("linked");
    }
    files
}

#[test]
fn an_output_that_is_also_an_input_is_refused_and_unchanged() {
    check(&with_links(), &[]);
}

#[test]
fn explanations_do_not_replace_a_table_that_is_read() {
    let files = Files::new();
    let rows = "SELECT 1 AS id, 0.5 AS f, 1 AS label, 1 AS predicted";
    for name in ["train.parquet", "test.parquet"] {
        files.run(&["sql", rows, "--out", name]).well();
    }
    for out in ["train.parquet", "test.parquet"] {
        let whole = std::fs::read(files.path(out)).expect("read");
        let tables = [
            "explain",
            "--train",
            "train.parquet",
            "--test",
            "test.parquet",
        ];
        let said = files.run(&[&tables[..], &["--out", out]].concat());
        let (error, _) = said.badly(2);
        assert!(
            error.starts_with(&format!("--out {out}: the file {out}")),
            "{error}"
        );
        assert_eq!(std::fs::read(files.path(out)).expect("read"), whole);
    }
}

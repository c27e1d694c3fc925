//! What a person reads when the data or the query is wrong.

use crate::harness::Files;

fn query_of(table: &str) -> String {
    format!("SELECT sum(base) AS s FROM '{table}'")
}

const DROP: &str = "SELECT average_drop(base, masked) FROM 'runs'";

#[test]
fn a_corrupt_parquet_file_is_named() {
    let files = Files::with_scores(60_000, 3, 3);
    let damaged = files.path("runs/part-00001.parquet");
    let whole = std::fs::read(&damaged).expect("read");
    // Its end, with the names of the columns, is missing.
    std::fs::write(&damaged, &whole[..whole.len() / 2]).expect("written");
    let said = files.run(&["sql", DROP]);
    let (error, _) = said.badly(1);
    assert!(error.starts_with("runs/part-00001.parquet: "), "{error}");
    // Its end is whole and the head of its first page is not.
    let mut bytes = whole.clone();
    bytes[4..2004].fill(0xff);
    std::fs::write(&damaged, &bytes).expect("written");
    let said = files.run(&[
        "sql",
        "SELECT explainer, average_drop(base, masked) FROM 'runs' GROUP BY explainer",
    ]);
    let (error, _) = said.badly(1);
    assert!(error.starts_with("runs/part-00001.parquet: "), "{error}");
    // No Parquet at all.
    std::fs::write(&damaged, "explainer,base,masked\n").expect("written");
    let said = files.run(&["sql", DROP]);
    assert!(
        said.badly(1).0.starts_with("runs/part-00001.parquet: "),
        "{said:?}"
    );
}

/// Damages that readers panic on: bytes of pages that say how long what follows is, and where it begins.
#[test]
fn no_damage_of_a_parquet_file_goes_without_its_name() {
    let files = Files::with_scores(3000, 3, 1);
    let whole = std::fs::read(files.path("runs/part-00000.parquet")).expect("read");
    let query = "SELECT explainer, average_drop(base, masked) AS drop FROM 'runs' GROUP BY explainer ORDER BY explainer";
    let expected = files.json(query, &[]);
    let mut n_failed = 0;
    // The heads of the first pages (byte 92 says how wide the keys of a dictionary are), some of the values, and the
    // end, which says where they are, with its own length.
    let middle = (200..whole.len()).step_by(whole.len() / 20);
    let places = (4..120)
        .step_by(4)
        .chain(middle)
        .chain((whole.len() - 600..whole.len()).step_by(40))
        .chain([whole.len() - 8]);
    for place in places {
        for byte in [0xff, 0x7f] {
            let mut bytes = whole.clone();
            bytes[place..(place + 4).min(whole.len())].fill(byte);
            std::fs::write(files.path("runs/part-00000.parquet"), bytes).expect("written");
            let said = files.run(&["sql", query, "--json"]);
            match said.code {
                // Other values, or nothing that is read.
                Some(0) => assert!(said.err.is_empty(), "{place}: {said:?}"),
                Some(1) => {
                    n_failed += 1;
                    let (error, help) = said.badly(1);
                    let n_lines = 1 + usize::from(!help.is_empty());
                    assert_eq!(said.err.lines().count(), n_lines, "{place}: {said:?}");
                    let is_named = error.starts_with("runs/part-00000.parquet: ");
                    let is_of_values = error.starts_with("average_drop: ");
                    assert!(is_named || is_of_values, "{place}: {error}");
                }
                // The end says other names.
                Some(2) => assert!(said.badly(2).0.contains("No field named"), "{said:?}"),
                _ => panic!("{place}, {byte:x}: {said:?}"),
            }
        }
    }
    assert!(n_failed > 10, "{n_failed}");
    std::fs::write(files.path("runs/part-00000.parquet"), &whole).expect("written");
    assert_eq!(files.json(query, &[]), expected);
}

#[test]
fn empty_files_are_reported() {
    let files = Files::new();
    for name in ["a.parquet", "a.csv", "a.arrow", "a.jsonl"] {
        std::fs::write(files.path(name), "").expect("written");
        let said = files.run(&[
            "sql",
            &format!("SELECT average_drop(base, masked) FROM '{name}'"),
        ]);
        let (error, help) = said.badly(1);
        assert_eq!(error, format!("{name}: empty: there are no columns"));
        assert!(help.contains("write the file again"), "{help}");
    }
    std::fs::create_dir(files.path("runs")).expect("made");
    std::fs::write(files.path("runs/a.csv"), "base,masked\n0.5,0.25\n").expect("written");
    std::fs::write(files.path("runs/b.csv"), "").expect("written");
    assert!(
        files
            .run(&["sql", DROP])
            .badly(1)
            .0
            .starts_with("runs/b.csv: empty")
    );
    // Of lines of JSON a file without lines is one without rows.
    std::fs::create_dir(files.path("lines")).expect("made");
    std::fs::write(
        files.path("lines/a.jsonl"),
        "{\"base\":0.5,\"masked\":0.5}\n",
    )
    .expect("written");
    std::fs::write(files.path("lines/b.jsonl"), "").expect("written");
    assert_eq!(
        files.json("SELECT count(base) AS n FROM 'lines'", &[]),
        "[{\"n\":1}]\n"
    );
}

#[test]
fn a_file_that_lacks_a_column_is_named() {
    let files = Files::new();
    let rows = "(VALUES (0.5, 0.25, 1)) AS t(base, masked, other)";
    for ending in ["parquet", "csv", "jsonl", "arrow"] {
        std::fs::create_dir(files.path(ending)).expect("made");
        for (name, columns) in [("a", "base, masked, other"), ("b", "base, other")] {
            let query = format!("SELECT {columns} FROM {rows}");
            let out = format!("{ending}/{name}.{ending}");
            files.run(&["sql", &query, "--out", &out]).well();
        }
        let said = files.run(&[
            "sql",
            &format!("SELECT average_drop(base, masked) FROM '{ending}'"),
        ]);
        let (error, help) = said.badly(1);
        assert_eq!(error, format!("{ending}/b.{ending}: no column `masked`"));
        assert!(
            help.contains("base, other") && help.contains("NULL"),
            "{help}"
        );
        let explain = [
            "explain", "--train", ending, "--test", ending, "--label", "other",
        ];
        let options = [
            "--predicted",
            "other",
            "--features",
            "base,masked",
            "--out",
            "x.json",
        ];
        let said = files.run(&[&explain[..], &options].concat());
        assert_eq!(said.badly(1).0, error);
    }
    for ending in ["parquet", "jsonl"] {
        let query = format!("SELECT sum(base) AS s, count(masked) AS n FROM '{ending}'");
        let said = files.run(&["sql", &query]);
        assert!(
            said.badly(1).1.contains("--allow-missing-columns"),
            "{said:?}"
        );
        let answer = files.json(&query, &["--allow-missing-columns"]);
        assert_eq!(answer, "[{\"s\":1.0,\"n\":1}]\n");
    }
    // Where they are found by their places, another order is another table.
    for ending in ["csv", "arrow"] {
        let query = format!("SELECT other, masked, base FROM {rows}");
        files
            .run(&["sql", &query, "--out", &format!("{ending}/b.{ending}")])
            .well();
        let said = files.run(&["sql", &query_of(ending)]);
        let (error, help) = said.badly(1);
        let expected = "its columns are other, masked, base, not base, masked, other";
        assert_eq!(error, format!("{ending}/b.{ending}: {expected}"));
        assert!(help.contains("one order"), "{help}");
        let said = files.run(&["sql", &query_of(ending), "--allow-missing-columns"]);
        assert!(said.badly(1).0.contains("its columns are"), "{said:?}");
    }
}

/// Also where the query does not read what is different.
#[test]
fn a_file_of_another_table_is_named_with_the_difference() {
    let files = Files::new();
    for ending in ["parquet", "csv", "jsonl", "arrow"] {
        std::fs::create_dir(files.path(ending)).expect("made");
        for (name, row) in [("a", "0.5 AS base"), ("b", "'x' AS base"), ("c", "1 AS n")] {
            let out = format!("{ending}/{name}.{ending}");
            files
                .run(&["sql", &format!("SELECT {row}"), "--out", &out])
                .well();
        }
        let count = format!("SELECT count(*) AS n FROM '{ending}'");
        let said = files.run(&["sql", &count]);
        let (error, help) = said.badly(1);
        let expected = format!(
            "{ending}/b.{ending}: its column `base` is Utf8, and Float64 in {ending}/a.{ending}"
        );
        assert_eq!(error.replace("Utf8View", "Utf8"), expected);
        assert!(help.contains("one type"), "{help}");
        std::fs::remove_file(files.path(format!("{ending}/b.{ending}"))).expect("removed");
        let said = files.run(&["sql", &count]);
        let (error, _) = said.badly(1);
        assert_eq!(error, format!("{ending}/a.{ending}: no column `n`"));
    }
}

#[test]
fn files_that_do_not_count_are_no_rows() {
    let files = Files::with_scores(100, 2, 2);
    let count = "SELECT count(*) AS n FROM 'runs'";
    std::fs::write(files.path("runs/_SUCCESS"), "").expect("written");
    assert_eq!(files.json(count, &[]), "[{\"n\":100}]\n");
    // Of a write that was given up.
    std::fs::create_dir(files.path("runs/_temporary")).expect("made");
    let from = files.path("runs/part-00001.parquet");
    std::fs::copy(from, files.path("runs/_temporary/part-00001.parquet")).expect("copied");
    let said = files.run(&["sql", count]);
    let (error, help) = said.badly(1);
    assert!(
        error.starts_with("runs/_temporary/part-00001.parquet: "),
        "{error}"
    );
    assert!(help.contains("move it out"), "{help}");
    // A table with a log of its own, by which a file may be removed.
    std::fs::remove_dir_all(files.path("runs/_temporary")).expect("removed");
    std::fs::create_dir(files.path("runs/_delta_log")).expect("made");
    let removed = "{\"remove\":{\"path\":\"part-00001.parquet\",\"dataChange\":true}}\n";
    std::fs::write(
        files.path("runs/_delta_log/00000000000000000001.json"),
        removed,
    )
    .expect("written");
    let said = files.run(&["sql", count]);
    let (error, help) = said.badly(1);
    assert!(error.starts_with("runs: a table of Delta Lake"), "{error}");
    assert!(help.contains("plain files"), "{help}");
    std::fs::remove_dir_all(files.path("runs/_delta_log")).expect("removed");
    // A folder of that name is one of Iceberg where it has versions of a table.
    std::fs::create_dir_all(files.path("runs/metadata")).expect("made");
    assert_eq!(files.json(count, &[]), "[{\"n\":100}]\n");
    std::fs::write(files.path("runs/metadata/v1.metadata.json"), "{}").expect("written");
    let said = files.run(&["sql", count]);
    let (error, help) = said.badly(1);
    assert!(
        error.starts_with("runs: a table of Apache Iceberg"),
        "{error}"
    );
    assert!(help.contains("plain files"), "{help}");
}

#[test]
fn a_broken_line_of_text_is_in_a_file_that_is_named() {
    let files = Files::new();
    std::fs::create_dir(files.path("runs")).expect("made");
    std::fs::write(files.path("runs/a.csv"), "base,masked\n0.5,0.25\n").expect("written");
    std::fs::write(files.path("runs/b.csv"), "base,masked\n0.5,0.25,7\n").expect("written");
    let said = files.run(&["sql", DROP]);
    let (error, _) = said.badly(1);
    assert!(error.starts_with("runs/b.csv: "), "{error}");
}

#[test]
fn missing_items_are_named() {
    let files = Files::new();
    let query = |query: &str| files.run(&["sql", query]);
    let said = query("SELECT 1 FROM 'none.parquet'");
    assert!(
        said.badly(1)
            .0
            .starts_with("none.parquet: cannot be opened"),
        "{said:?}"
    );
    let said = query("SELECT 1 FROM scores");
    let (error, help) = said.badly(2);
    assert!(
        error.contains("scores") && help.contains("quotes"),
        "{said:?}"
    );
    std::fs::write(files.path("notes.txt"), "x").expect("written");
    let said = query("SELECT 1 FROM 'notes.txt'");
    let (error, help) = said.badly(1);
    assert!(
        error.starts_with("notes.txt: ") && help.contains(".parquet"),
        "{said:?}"
    );
}

#[test]
fn a_query_that_cannot_be_planned_is_wrong_usage() {
    let files = Files::with_scores(100, 2, 1);
    for (query, names) in [
        ("SELEC 1", "SELEC"),
        ("SELECT bas FROM 'runs'", "bas"),
        ("SELECT average_drop(base, explainer) FROM 'runs'", "masked"),
        ("SELECT average_drop(base) FROM 'runs'", "average_drop"),
        ("SELECT no_metric(base) FROM 'runs'", "no_metric"),
        ("COPY (SELECT 1) TO 'x.csv'", "COPY"),
        ("CREATE TABLE t AS SELECT 1", "CREATE"),
    ] {
        let said = files.run(&["sql", query]);
        let (error, _) = said.badly(2);
        assert!(
            error.to_lowercase().contains(&names.to_lowercase()),
            "{query}: {error}"
        );
    }
}

#[test]
fn arguments_that_cannot_be_are_wrong_usage() {
    let files = Files::with_scores(10, 2, 1);
    for arguments in [
        &["sql", DROP, "--out", "x.txt"][..],
        &["sql", DROP, "--out", "x.csv", "--json"],
        &["sql", DROP, "--memory-limit", "much"],
        &["sql", DROP, "--partitions", "0"],
        &["sql", DROP, "--timeout", "soon"],
        &["scheduler"],
    ] {
        let said = files.run(arguments);
        assert_eq!(said.code, Some(2), "{arguments:?}: {}", said.err);
        assert!(
            said.err.starts_with("error: "),
            "{arguments:?}: {}",
            said.err
        );
    }
    let said = files.run(&["sql", DROP, "--out", "none/x.csv"]);
    assert!(said.badly(1).0.starts_with("none/x.csv: "), "{said:?}");
    assert!(!files.path("x.csv").exists());
}

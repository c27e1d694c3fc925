//! What a person reads when the data or the query is wrong.

use crate::harness::Files;

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
fn what_is_not_there_is_named() {
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
        &["sql", DROP, "--scheduler", "a b"],
        &["scheduler", "--bind", "everywhere"],
        &["executor"],
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

//! NaN, and what leads to no file.

use crate::harness::Files;

#[test]
fn a_number_that_is_not_finite_is_in_a_row_and_a_column_of_a_file() {
    let files = Files::new();
    std::fs::create_dir(files.path("text")).expect("made");
    let good = "base,masked,other\n".to_owned() + &"0.5,0.25,NaN\n".repeat(20_000);
    std::fs::write(files.path("text/a.csv"), &good).expect("written");
    std::fs::write(files.path("text/b.csv"), good + "0.5,-inf,1\n0.5,NaN,1\n").expect("written");
    std::fs::create_dir(files.path("columns")).expect("made");
    for name in ["a", "b"] {
        let query = format!("SELECT * FROM 'text/{name}.csv'");
        let out = format!("columns/{name}.parquet");
        files.run(&["sql", &query, "--out", &out]).well();
    }
    let calls = [
        ("average_drop(base, masked)", "average_drop: masked: "),
        (
            "groundtruth_auroc(masked, base)",
            "groundtruth_auroc: pred: ",
        ),
        ("groundtruth_f1(base, masked)", "groundtruth_f1: target: "),
    ];
    for (table, file) in [("text", "text/b.csv"), ("columns", "columns/b.parquet")] {
        for (call, begin) in calls {
            let query = format!("SELECT {call} FROM '{table}'");
            let said = files.run(&["sql", &query]);
            let (error, help) = said.badly(1);
            assert!(
                error.contains(&format!("{begin}not a finite number")),
                "{error}"
            );
            let place = format!("row 20001 of {file} has one in the column `masked`");
            assert!(help.contains(&place), "{help}");
        }
    }
    // In a list, and where what the query computes is not finite.
    let lists = "SELECT [base, masked] AS list, [base, base] AS full FROM 'columns/b.parquet'";
    files.run(&["sql", lists, "--out", "lists.parquet"]).well();
    let said = files.run(&[
        "sql",
        "SELECT unfaithfulness(full, list) FROM 'lists.parquet'",
    ]);
    // A query without ORDER BY writes its rows in any order, so only the file and the column are known.
    let (_, help) = said.badly(1);
    assert!(
        help.contains(" of lists.parquet has one in the column `list`"),
        "{help}"
    );
    let said = files.run(&[
        "sql",
        "SELECT average_drop(base, ln(base - 1)) FROM 'text/a.csv'",
    ]);
    assert_eq!(
        said.badly(1),
        ("average_drop: masked: not a finite number", "")
    );
}

#[test]
fn a_path_may_be_written_as_an_address() {
    let files = Files::with_scores(10, 1, 1);
    let table = format!("file://{}", files.path("runs").display());
    let query = format!("SELECT count(*) AS n FROM '{table}'");
    assert_eq!(files.json(&query, &[]), "[{\"n\":10}]\n");
}

#[test]
fn wrong_types_are_one_sentence() {
    let files = Files::with_scores(10, 1, 1);
    for (call, error) in [
        (
            "average_drop(base, explainer)",
            "average_drop(base, masked[, base_score_policy]): the argument `masked` must be a number, got Utf8",
        ),
        (
            "n_null()",
            "n_null(column, …): expected 1 to 8 arguments, got 0",
        ),
        (
            "sum(explainer)",
            "there is no function sum(Utf8): cast the arguments, or see its name",
        ),
    ] {
        let said = files.run(&["sql", &format!("SELECT {call} FROM 'runs'")]);
        assert_eq!(said.badly(2).0, error);
    }
}

//! The same rows in every format give the same bits.

use crate::harness::Files;

const QUERY: &str = "SELECT explainer, average_drop(base, masked) AS drop, count(*) AS n FROM 'TABLE' GROUP BY explainer ORDER BY explainer";

fn of_table(table: &str) -> String {
    QUERY.replace("TABLE", table)
}

#[test]
fn every_format_and_a_folder_of_files_give_the_same_bits() {
    let files = Files::with_scores(3000, 3, 4);
    let expected = files.json(&of_table("runs"), &[]);
    assert!(
        expected.starts_with("[{\"explainer\":\"explainer-0000\",\"drop\":0."),
        "{expected}"
    );
    let whole = "SELECT explainer, base, masked FROM 'runs'";
    for name in [
        "all.parquet",
        "all.csv",
        "all.json",
        "all.jsonl",
        "all.arrow",
    ] {
        files.run(&["sql", whole, "--out", name]).well();
        assert_eq!(files.json(&of_table(name), &[]), expected, "{name}");
        for partitions in ["1", "3", "64"] {
            let options = ["--partitions", partitions];
            assert_eq!(files.json(&of_table(name), &options), expected, "{name}");
        }
    }
    for n in ["part-00000", "part-00003"] {
        assert!(files.path(format!("runs/{n}.parquet")).is_file());
    }
}

#[test]
fn a_folder_named_by_a_value_is_a_column() {
    let files = Files::with_scores(100, 1, 1);
    std::fs::create_dir_all(files.path("all/model=a")).expect("made");
    let (from, to) = (
        files.path("runs/part-00000.parquet"),
        files.path("all/model=a/x.parquet"),
    );
    std::fs::copy(from, to).expect("copied");
    let counts = files.json("SELECT model, count(*) AS n FROM 'all' GROUP BY model", &[]);
    assert_eq!(counts, "[{\"model\":\"a\",\"n\":100}]\n");
}

#[test]
fn a_table_for_a_person_has_all_digits() {
    let files = Files::with_scores(100, 1, 1);
    let json = files.json(&of_table("runs"), &[]);
    let number = json
        .split("\"drop\":")
        .nth(1)
        .and_then(|rest| rest.split(',').next());
    let table = files.run(&["sql", &of_table("runs")]).well();
    assert!(table.starts_with(" explainer"), "{table}");
    assert!(table.contains(number.expect("a number")), "{table}\n{json}");
}

#[test]
fn null_is_written_as_null() {
    let files = Files::new();
    let query = "SELECT average_drop(base, masked) AS drop, count(*) AS n, exact_avg(base) AS mean, [1, NULL] AS list
        FROM (VALUES (CAST(NULL AS DOUBLE), 0.5)) AS t(base, masked)";
    let object = "{\"drop\":null,\"n\":1,\"mean\":{\"mean\":null,\"std\":null,\"low\":null,\"high\":null,\"n\":0,\"n_null\":1,\"small_sample\":false},\"list\":[1,null]}";
    assert_eq!(files.json(query, &[]), format!("[{object}]\n"));
    files.run(&["sql", query, "--out", "lines.json"]).well();
    let lines = std::fs::read_to_string(files.path("lines.json")).expect("read");
    assert_eq!(lines, format!("{object}\n"));
    assert_eq!(
        files.json("SELECT drop FROM 'lines.json'", &[]),
        "[{\"drop\":null}]\n"
    );
}

#[test]
fn rows_do_not_depend_on_the_number_of_files() {
    let (one, many) = (
        Files::with_scores(5000, 7, 1),
        Files::with_scores(5000, 7, 9),
    );
    assert_eq!(
        one.json(&of_table("runs"), &[]),
        many.json(&of_table("runs"), &[])
    );
}

#[test]
fn too_little_memory_is_reported() {
    let files = Files::with_scores(20_000, 10_000, 1);
    let said = files.run(&["sql", &of_table("runs"), "--json", "--memory-limit", "1KB"]);
    let (_, help) = said.badly(1);
    assert!(help.contains("--memory-limit"), "{said:?}");
}

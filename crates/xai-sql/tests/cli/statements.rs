//! Where queries come from.

use std::io::Write;

use crate::harness::{Files, LONGEST, ended};

const TWO: &str = "SELECT count(*) AS n FROM 'runs'; -- One; and another.
SELECT 'a;b' AS text;
";

#[test]
fn queries_come_from_a_file_or_from_standard_input() {
    let files = Files::with_scores(100, 2, 1);
    std::fs::write(files.path("two.sql"), TWO).expect("written");
    let expected = "[{\"n\":100}]\n[{\"text\":\"a;b\"}]\n";
    assert_eq!(
        files.run(&["sql", "-f", "two.sql", "--json"]).well(),
        expected
    );
    assert_eq!(files.run(&["sql", TWO, "--json"]).well(), expected);
    for arguments in [&["sql", "--json"][..], &["sql", "--json", "-f", "-"]] {
        let (asked, mut input) = files.start_with_input(arguments);
        input.write_all(TWO.as_bytes()).expect("sent");
        drop(input);
        assert_eq!(ended(asked, LONGEST).well(), expected);
    }
    let tables = files.run(&["sql", "-f", "two.sql"]).well();
    assert_eq!(tables, "   n\n─────\n 100\n\n text\n──────\n a;b\n");
}

#[test]
fn statements_that_are_no_queries_are_reported() {
    let files = Files::new();
    std::fs::write(files.path("two.sql"), TWO).expect("written");
    std::fs::write(files.path("empty.sql"), " -- nothing\n ; ").expect("written");
    let cases: [(&[&str], i32, &str); 6] = [
        (&["-f", "none.sql"], 1, "none.sql: cannot be opened: "),
        (&["-f", "empty.sql"], 2, "no statement: "),
        (&[], 2, "no statement: "),
        (
            &["-f", "two.sql", "--out", "x.csv"],
            2,
            "--out: one query has a file: there are 2",
        ),
        (&["DESCRIBE 'runs'"], 2, "DESCRIBE: expected SELECT"),
        (&["SHOW TABLES"], 2, "SHOW: expected SELECT"),
    ];
    for (arguments, code, expected) in cases {
        let said = files.run(&[&["sql"][..], arguments].concat());
        assert!(
            said.badly(code).0.starts_with(expected),
            "{arguments:?}: {said:?}"
        );
    }
    let said = files.run(&["sql", "SHOW TABLES"]);
    assert!(said.badly(2).1.contains("xai-sql tables"), "{said:?}");
    // Too long for an argument.
    std::fs::write(
        files.path("long.sql"),
        "SELECT 1 ".to_owned() + &" ".repeat(1 << 20),
    )
    .expect("written");
    let said = files.run(&["sql", "-f", "long.sql"]);
    assert!(said.badly(2).0.contains("more than 1048576"), "{said:?}");
}

#[test]
fn a_query_is_explained() {
    let files = Files::with_scores(100, 2, 1);
    let query =
        "EXPLAIN SELECT explainer, average_drop(base, masked) FROM 'runs' GROUP BY explainer";
    let plan = files.run(&["sql", query]).well();
    assert!(
        plan.contains("average_drop(") && plan.lines().count() > 5,
        "{plan}"
    );
    let plan = files
        .run(&["sql", "EXPLAIN ANALYZE SELECT sum(base) FROM 'runs'"])
        .well();
    assert!(plan.contains("output_rows=1"), "{plan}");
}

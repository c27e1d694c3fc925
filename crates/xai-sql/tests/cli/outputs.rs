//! Where rows go, and how tables are read and queries run, by options.

use crate::harness::Files;

const ROWS: &str =
    "SELECT * FROM (VALUES (1, 'a', 0.5), (2, 'b/c', 0.25), (3, NULL, 2.0)) AS t (n, name, x)";

#[test]
fn rows_go_to_standard_output_in_any_format() {
    let files = Files::new();
    let out = |options: &[&str]| files.run(&[&["sql", ROWS, "--out", "-"][..], options].concat());
    let csv = out(&["--format", "csv"]).well();
    assert_eq!(csv, "n,name,x\n1,a,0.5\n2,b/c,0.25\n3,,2.0\n");
    let json = out(&["--format", "json"]).well();
    assert!(
        json.starts_with("{\"n\":1,\"name\":\"a\",\"x\":0.5}\n"),
        "{json}"
    );
    let said = out(&[]);
    assert!(
        said.badly(2).0.starts_with("--out -: expected a name"),
        "{said:?}"
    );
}

#[test]
fn a_format_is_for_names_that_tell_none() {
    let files = Files::new();
    let write = |out: &str, format: &str| {
        files.run(&["sql", "SELECT 7 AS seven", "--out", out, "--format", format])
    };
    write("rows.data", "csv").well();
    let text = std::fs::read_to_string(files.path("rows.data"));
    assert_eq!(text.expect("written"), "seven\n7\n");
    write("rows.csv", "csv").well();
    let said = write("rows.csv", "parquet");
    assert!(
        said.badly(2).0.contains("not the format of this name"),
        "{said:?}"
    );
}

#[test]
fn rows_are_divided_among_folders() {
    let files = Files::new();
    let divide =
        |out: &str, by: &str| files.run(&["sql", ROWS, "--out", out, "--partition-by", by]);
    divide("rows", "name").well();
    let mut folders: Vec<String> = std::fs::read_dir(files.path("rows"))
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("read")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    folders.sort();
    assert_eq!(
        folders,
        ["name=__HIVE_DEFAULT_PARTITION__", "name=a", "name=b%2Fc"]
    );
    let read = "SELECT n, x FROM 'rows' WHERE name = 'a'";
    assert_eq!(files.json(read, &[]), "[{\"n\":1,\"x\":0.5}]\n");
    let all = files.json("SELECT sum(n) AS n, count(*) AS rows FROM 'rows'", &[]);
    assert_eq!(all, "[{\"n\":6,\"rows\":3}]\n");
    // With no folder but the one, and nothing left beside it.
    let left: Vec<_> = std::fs::read_dir(files.path("")).expect("read").collect();
    assert_eq!(left.len(), 1, "{left:?}");
    let cases = [
        ("rows", "name", "new or empty"),
        ("other", "nome", "no column `nome`"),
        ("other", "n,name,x", "no column is left"),
        ("other", "n,n", "expected each column once"),
        ("-", "n", "expected a folder"),
    ];
    for (out, by, expected) in cases {
        let said = divide(out, by);
        assert!(said.err.contains(expected), "{said:?}");
        assert!(!files.path("other").exists());
    }
    let many = "SELECT value AS n, value AS m FROM generate_series(1, 1001)";
    let said = files.run(&["sql", many, "--out", "many", "--partition-by", "n"]);
    assert!(
        said.badly(2).0.contains("more than 1000 folders"),
        "{said:?}"
    );
    assert!(!files.path("many").exists());
    let options = [
        "--out",
        "by-two",
        "--partition-by",
        "name,n",
        "--format",
        "csv",
    ];
    files.run(&[&["sql", ROWS][..], &options].concat()).well();
    let text = std::fs::read_to_string(files.path("by-two/name=a/n=1/part.csv"));
    assert_eq!(text.expect("written"), "x\n0.5\n");
}

#[test]
fn text_is_read_with_its_delimiter() {
    let files = Files::new();
    std::fs::write(files.path("x.csv"), "a;b\n1;2,5\n3;4\n").expect("written");
    std::fs::write(files.path("y.csv"), "a;b\n1;2\n").expect("written");
    let sum = ["sql", "SELECT sum(a) AS a FROM 'x.csv'", "--json"];
    let without = ["sql", "SELECT sum(a) AS a FROM 'y.csv'", "--json"];
    for (asked, code) in [(&sum, 1), (&without, 2)] {
        let said = files.run(asked);
        let (_, help) = said.badly(code);
        assert!(
            help.contains("one column, `a;b`") && help.contains("--delimiter ';'"),
            "{said:?}"
        );
    }
    let read = files.run(&[&sum[..], &["--delimiter", ";"]].concat());
    assert_eq!(read.well(), "[{\"a\":4}]\n");
    let columns = files.run(&["tables", "x.csv", "--delimiter", ";", "--json"]);
    assert!(columns.well().contains("\"name\":\"b\""));
    let said = files.run(&[&sum[..], &["--delimiter", "''"]].concat());
    assert_eq!(said.code, Some(2), "{said:?}");
}

#[test]
fn the_engine_has_settings() {
    let files = Files::with_scores(1000, 3, 4);
    let plan = "EXPLAIN SELECT explainer, avg(base) FROM 'runs' GROUP BY explainer";
    let set = ["--set", "datafusion.execution.target_partitions=3"];
    let plan = files.run(&[&["sql", plan][..], &set].concat()).well();
    assert!(plan.contains("], 3)"), "{plan}");
    for wrong in [
        "datafusion.execution.none=1",
        "batch_size",
        "datafusion.execution.batch_size=many",
    ] {
        let said = files.run(&["sql", "SELECT 1", "--set", wrong]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("--set"), "{said:?}");
    }
}

//! What can be asked and of what.

use serde_json::Value;
use xai_datafusion::Stages;

use crate::harness::Files;

/// The example of each function, over a table that has its columns.
#[test]
fn every_function_is_listed_with_its_description_and_an_example() {
    let files = Files::new();
    let text = files.run(&["functions"]).well();
    let json = files.run(&["functions", "--json"]).well();
    let listed: Vec<Value> = serde_json::from_str(&json).expect("objects");
    let aggregates = xai_datafusion::aggregates(Stages::OneProcess);
    let scalars = xai_datafusion::scalars();
    let of_aggregates = aggregates.iter().map(|it| (it.name(), it.documentation()));
    let of_scalars = scalars.iter().map(|it| (it.name(), it.documentation()));
    let all: Vec<_> = of_aggregates.chain(of_scalars).collect();
    // And `predict`, which is that of the command alone.
    assert_eq!(listed.len(), all.len() + 1);
    assert_eq!(listed[all.len()]["name"], "predict");
    for ((name, documentation), listed) in all.into_iter().zip(&listed) {
        let documentation = documentation.expect("documented");
        assert_eq!(listed["name"], name);
        assert_eq!(listed["description"], documentation.description.as_str());
        let example = documentation.sql_example.as_deref().expect("an example");
        assert!(
            text.contains(&format!("{}\n    ", documentation.syntax_example)),
            "{name}"
        );
        let page = files.run(&["functions", name]).well();
        assert!(
            page.contains(&documentation.description) && page.contains(example),
            "{page}"
        );
        for (argument, described) in documentation.arguments.iter().flatten() {
            assert!(
                page.contains(&format!("    {argument}: {described}\n")),
                "{page}"
            );
        }
    }
    let said = files.run(&["functions", "averagedrop"]);
    assert_eq!(
        said.badly(2),
        ("no function averagedrop", "did you mean `average_drop`?")
    );
}

#[test]
fn the_columns_of_tables_are_listed_with_their_types() {
    let files = Files::with_scores(10, 2, 2);
    std::fs::create_dir_all(files.path("all/model=a")).expect("made");
    std::fs::write(files.path("all/model=a/x.csv"), "n,share\n1,0.5\n").expect("written");
    let text = files.run(&["tables", "runs", "all"]).well();
    let expected = "runs (2 files)
    explainer   Utf8
    base        Float64
    masked      Float64
all (1 file)
    n       Int64
    share   Float64
    model   Utf8
";
    assert_eq!(text, expected);
    let json = files.run(&["tables", "all", "--json"]).well();
    let listed: Value = serde_json::from_str(&json).expect("objects");
    assert_eq!(
        listed[0]["columns"][1],
        serde_json::json!({ "name": "share", "type": "Float64" })
    );
    assert!(
        files
            .run(&["tables", "none.csv"])
            .badly(1)
            .0
            .starts_with("none.csv: ")
    );
}

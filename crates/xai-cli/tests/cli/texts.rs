//! `xai attribution texts` on JSON and CSV files.

use crate::harness::Files;

const JSON: &str = r#"{"tokens": [["not", "bad"], ["a", "good", "film"]],
    "explainers": {"weights": [[0.5, -0.25], [0.0, 1.0, 0.5]], "random": [[0.25, 0.5], [1, 0, 0]]},
    "rationales": [[1, 1], [false, true, false]]}"#;
const CSV: &str = "sample,token,rationale,weights,random\n0,not,1,0.5,0.25\n0,bad,true,-0.25,0.5\n\
    1,a,0,0.0,1\n1,good,1,1.0,0\n1,film,0.0,0.5,0\n";

#[test]
fn json_and_csv_have_the_values_of_the_metrics() {
    let files = Files::new();
    files.text("t.json", JSON);
    files.text("t.csv", CSV);
    let found = files.json("attribution texts --texts t.json");
    assert_eq!(found, files.json("attribution texts --texts t.csv"));
    let of = |metric: &str, explainer: &str| {
        found["metrics"][metric]["explainers"][explainer]["per_sample"].clone()
    };
    assert_eq!(
        of("rationale_auprc", "weights"),
        serde_json::json!([1.0, 1.0])
    );
    assert_eq!(
        of("rationale_auprc", "random"),
        serde_json::json!([1.0, 1.0 / 3.0])
    );
    // Tokens above 0: `not` of two marked ones; `good` and `film`, of which `good` is marked.
    assert_eq!(
        of("token_f1", "weights"),
        serde_json::json!([2.0 / 3.0, 2.0 / 3.0])
    );
    // The forms of a spreadsheet and of pandas with an index.
    files.text("t.csv", &format!("\u{feff}{}", CSV.replace(',', ";")));
    assert_eq!(found, files.json("attribution texts --texts t.csv"));
    let with_index = CSV.lines().enumerate().map(|(row, line)| match row {
        0 => format!(",{line}\n"),
        _ => format!("{row},{line}\n"),
    });
    files.text("t.csv", &with_index.collect::<String>());
    assert_eq!(found, files.json("attribution texts --texts t.csv"));
    let table = files.table("attribution texts --texts t.json");
    assert!(
        table.contains("good (+1.000), film (+0.500), a (+0.000)"),
        "{table}"
    );
    files.text("s.toml", "[[texts]]\nname = 'Two'\ntexts = 't.csv'\n");
    let report = files.json("report s.toml");
    let text = &report["texts"][0]["texts"][0];
    assert_eq!(text["tokens"], serde_json::json!(["not", "bad"]));
    assert_eq!(report["texts"][0]["n_same_largest"], 0);
    // Spaces at the ends of tokens are kept.
    files.text("t.csv", &CSV.replace(",bad", ", bad"));
    let report = files.json("report s.toml");
    let text = &report["texts"][0]["texts"][0];
    assert_eq!(text["tokens"], serde_json::json!(["not", " bad"]));
}

#[test]
fn texts_keep_their_names_in_the_table() {
    let files = Files::new();
    files.text("t.csv", "sample,token,a\nr7,no,1\nr7,way,0\nr3,yes,1\n");
    assert!(
        files
            .table("attribution texts --texts t.csv")
            .contains("r7")
    );
    let result = files.json("attribution texts --texts t.csv");
    assert_eq!(result["samples"], serde_json::json!(["r7", "r3"]));
    files.text("s.toml", "[[texts]]\ntexts = 't.csv'\n");
    let report = files.json("report s.toml");
    assert_eq!(report["texts"][0]["texts"][0]["name"], "r7");
    // Texts that are only numbered have no names.
    files.text("t.csv", CSV);
    let result = files.json("attribution texts --texts t.csv");
    assert_eq!(result.get("samples"), None);
}

#[test]
fn a_byte_order_mark_of_json_is_ignored() {
    let files = Files::new();
    files.text("t.json", JSON);
    files.text("b.json", &format!("\u{feff}{JSON}"));
    let texts = |file: &str| files.json(&format!("attribution texts --texts {file}"));
    assert_eq!(texts("b.json"), texts("t.json"));
}

#[test]
fn without_rationales_there_are_no_metrics() {
    let files = Files::new();
    files.text(
        "t.json",
        r#"{"tokens": [["not", "bad"]], "explainers": {"a": [[0.5, -0.2]]}}"#,
    );
    assert!(
        files
            .table("attribution texts --texts t.json")
            .contains("not (+0.500), bad (-0.200)")
    );
    files.text("s.toml", "[[texts]]\ntexts = 't.json'\n");
    let report = files.json("report s.toml");
    assert_eq!(report["texts"][0]["metrics"], serde_json::json!([]));
    assert_eq!(
        report["texts"][0]["texts"][0]["attributions"],
        serde_json::json!([[0.5, -0.2]])
    );
}

#[test]
fn errors_in_texts_have_a_position() {
    let files = Files::new();
    for (text, said) in [
        ("{}", "missing field `tokens`"),
        (
            &JSON.replace("[0.5, -0.25]", "[0.5]"),
            "weights[0]: expected 2 numbers, one for each token, got 1",
        ),
        (
            &JSON.replace(", [1, 0, 0]", ""),
            "random: expected 2 texts, got 1",
        ),
        (
            &JSON.replace("[[1, 1]", "[[1, 2]"),
            "rationales: 2: expected 0 and 1",
        ),
        (
            &JSON.replace("[[1, 1]", "[[1, \"no\"]"),
            "rationales: \"no\": expected 0 and 1",
        ),
        (
            &JSON.replace("[[1, 1]", "[null"),
            "rationales[0] is null: expected 0 or 1",
        ),
        (
            &JSON.replace("[0.5, -0.25]", "[0.5, NaN]"),
            "null and NaN mean that a number is undefined",
        ),
        (&JSON.replace("-0.25", "Infinity"), "an infinite number"),
        ("{\"tokens\": [", "not JSON"),
        (
            &JSON.replace("[\"not\", \"bad\"]", "[]"),
            "tokens[0] is empty",
        ),
        (
            &JSON.replace("\"random\"", "\"weights\""),
            "`weights` is there twice",
        ),
    ] {
        files.text("t.json", text);
        let failed = files.bad_data("t.json", "attribution texts --texts t.json");
        assert!(failed.text.contains(said), "{}", failed.text);
    }
    for (text, said) in [
        (CSV.replace("token", "word"), "no column `token`"),
        (
            CSV.replace("0.25,", "x,"),
            "line 3, column `weights`: \"-x\": expected a finite number",
        ),
        (
            CSV.replace("true", "yes"),
            "line 3, column `rationale`: \"yes\": expected 0 or 1",
        ),
        (
            CSV.replace("1.0,0", "inf,0"),
            "line 5, column `weights`: \"inf\": expected a finite number",
        ),
        (
            "sample,token,a\n0,no,1\n1,yes,1\n0,good,1\n".to_owned(),
            "line 4, column `sample`: \"0\": expected the rows of a sample together",
        ),
        ("sample,token,a\n".to_owned(), "there are no texts"),
    ] {
        files.text("t.csv", &text);
        let failed = files.bad_data("t.csv", "attribution texts --texts t.csv");
        assert!(failed.text.contains(said), "{}", failed.text);
    }
    files.text("t.json", JSON);
    files.wrong_usage("--level", "attribution texts --texts t.json --level 2");
}

#[test]
fn help_for_empty_rationales_is_about_rationales() {
    let files = Files::new();
    let nothing = JSON.replacen(
        "[1, 1], [false, true, false]",
        "[0, 0], [false, false, false]",
        1,
    );
    files.text("t.json", &nothing);
    let failed = files.bad_data("t.json", "attribution texts --texts t.json");
    let help = failed.help().unwrap();
    assert!(
        failed.text.contains("no token") && !help.contains("threshold"),
        "{}",
        failed.text
    );
}

/// Three metrics of 2,000 explainers need six million comparisons.
#[test]
fn more_comparisons_than_fit_into_memory_are_an_error_before_the_work() {
    let files = Files::new();
    let explainers: Vec<String> = (0..2000)
        .map(|i| format!("\"e{i}\": [[0.5, 0.25]]"))
        .collect();
    let text = format!(
        "{{\"tokens\": [[\"a\", \"b\"]], \"explainers\": {{{}}}, \"rationales\": [[0, 1]]}}",
        explainers.join(",")
    );
    files.text("t.json", &text);
    files.text("s.toml", "[[texts]]\ntexts = 't.json'\n");
    for command in [
        "attribution texts --texts t.json",
        "report check s.toml --quiet",
        "report s.toml",
    ] {
        let output = files.run(command);
        assert_eq!(output.status.code(), Some(1), "{command}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("2 GiB") && said.contains("t.json"), "{said}");
    }
}

/// `format!` panics on widths above 65,535.
#[test]
fn names_may_be_longer_than_a_width() {
    let files = Files::new();
    files.text("t.json", &JSON.replace("weights", &"w".repeat(70_000)));
    let table = files.table("attribution texts --texts t.json");
    assert!(table.contains(&"w".repeat(70_000)));
}

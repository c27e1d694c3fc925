//! `xai counterfactual` on files: the sample, the stored cases that files can express, and errors in files.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::{Files, sample};

fn file(name: &str) -> String {
    sample(&format!("counterfactual/{name}"))
}

/// Options of all files of the sample that the methods share.
fn shared() -> String {
    format!(
        "--queries {} --train {} --schema {} --label predicted",
        file("queries.csv"),
        file("train.csv"),
        file("schema.toml")
    )
}

fn near(expected: &Value, found: &Value, tolerance: f64) -> bool {
    match (expected, found) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| near(a, b, tolerance))
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= tolerance * a.abs().max(1.0)
        }
        (expected, found) => expected == found,
    }
}

/// The metrics of the expected values, by their names there.
const SAMPLE_METRICS: [(&str, &str); 22] = [
    ("validity", "validity"),
    ("coverage", "coverage(score=success)"),
    ("target-confidence", "target-confidence"),
    ("proximity gower", "proximity(distance=gower)"),
    ("proximity mad", "proximity(distance=mad)"),
    ("sparsity", "sparsity"),
    ("diversity gower", "diversity"),
    ("dpp-diversity gower", "dpp-diversity"),
    ("distinct-changes", "distinct-changes"),
    ("nearest-distance gower 5", "nearest-distance(k=5)"),
    ("ynn gower 5", "ynn(k=5)"),
    (
        "local-outlier-factor gower 20",
        "local-outlier-factor(k=20)",
    ),
    ("connectedness gower", "connectedness"),
    ("relative-distance gower", "relative-distance"),
    ("trust-score gower 2", "trust-score(k=2)"),
    ("in-domain", "in-domain"),
    ("constraint-violation", "constraint-violation"),
    ("causal-consistency", "causal-consistency"),
    ("cost", "cost(score=weighted)"),
    ("cost percentile-max", "cost(score=percentile-max)"),
    ("model-validity", "model-validity"),
    ("discriminative-power gower", "discriminative-power"),
];

#[test]
fn the_sample_has_the_expected_values() {
    let expected: Value =
        serde_json::from_str(include_str!("../data/counterfactual_expected.json")).unwrap();
    let methods = [
        "nearest_unlike",
        "dice_random",
        "growing_spheres",
        "wachter",
    ];
    let named = methods.map(|method| format!("{method}={}", file(&format!("{method}.csv"))));
    let metrics = SAMPLE_METRICS.map(|(_, metric)| metric).join(",");
    let files = Files::new();
    let found = files.json(&format!(
        "counterfactual compare {} --counterfactuals {} --metrics {metrics} --n-replicates 0 --groups sex",
        shared(),
        named.join(" ")
    ));
    for (name, metric) in SAMPLE_METRICS {
        // A metric that is selected once has no settings in its name.
        let plain = metric
            .split('(')
            .next()
            .unwrap_or_default()
            .replace('-', "_");
        let full = metric
            .replace('-', "_")
            .replace("percentile_max", "percentile-max");
        let of_metric = [&full, &plain]
            .into_iter()
            .find_map(|name| found["metrics"].get(name))
            .unwrap_or_else(|| panic!("{metric} in {}", found["metrics"]));
        for method in methods {
            let of_method = &of_metric["explainers"][method];
            let expected = &expected[method][name];
            // The expected value leaves out rows without the wanted class, which the metric counts unless they are
            // marked.
            if (method, plain.as_str()) == ("wachter", "discriminative_power") {
                continue;
            }
            // Training rows at the same distance differ by rounding, so another one of them can be the twentieth.
            let tolerance = if plain == "local_outlier_factor" {
                2e-3
            } else {
                1e-6
            };
            assert!(
                near(&expected["value"], &of_method["value"], tolerance),
                "{method} {name}: {expected} {of_method}"
            );
            if !expected["n_undefined"].is_null() {
                assert_eq!(
                    expected["n_undefined"], of_method["n_undefined"],
                    "{method} {name}"
                );
            }
        }
    }
    // The method of the sample takes nearest rows of the wanted class by another distance, so that none is nearer by
    // this one.
    let proximity = &found["metrics"]["proximity(distance=gower)"]["explainers"];
    let value = |method: &str| proximity[method]["value"].as_f64().unwrap();
    let (reference, other) = (value("nearest unlike neighbours"), value("nearest_unlike"));
    assert!(
        reference <= other && other < 1.01 * reference,
        "{reference} {other}"
    );
    assert_eq!(found["success"]["growing_spheres"], 0.82);
    let gap = &found["metrics"]["cost(score=weighted)"]["explainers"]["dice_random"]["groups"];
    let wanted = &expected["dice_random"]["group-gap of cost by sex"];
    assert!(near(&wanted["gap"], &gap["gap"], 1e-6), "{gap}");
    assert!(
        near(&wanted["means"]["Female"], &gap["means"]["Female"], 1e-6),
        "{gap}"
    );
}

#[test]
fn a_model_and_a_second_run_have_the_expected_values() {
    let expected: Value =
        serde_json::from_str(include_str!("../data/counterfactual_expected.json")).unwrap();
    let files = Files::new();
    let found = files.json(&format!(
        "counterfactual compare {} --model {} --counterfactuals spheres={} --others spheres={} --metrics redundancy,set-distance,validity --n-replicates 0",
        shared(),
        file("model.onnx"),
        file("growing_spheres.csv"),
        file("growing_spheres_rerun.csv"),
    ));
    for (name, metric) in [
        ("redundancy", "redundancy"),
        ("set-distance rerun", "set_distance"),
        ("validity", "validity"),
    ] {
        let value = &found["metrics"][metric]["explainers"]["spheres"]["value"];
        assert!(
            near(&expected["growing_spheres"][name]["value"], value, 1e-6),
            "{name} {value}"
        );
    }
}

#[test]
fn metrics_are_undefined_for_methods_without_their_inputs() {
    let files = Files::new();
    let command = format!(
        "counterfactual compare {} --counterfactuals dice={} wachter={} --no-reference",
        shared(),
        file("dice_random.csv"),
        file("wachter.csv"),
    );
    let second_run = format!("--others dice={}", file("dice_random_rerun.csv"));
    let found = files.json(&format!(
        "{command} --metrics sparsity,set-distance {second_run}"
    ));
    let of = |metric: &str, method: &str| {
        found["metrics"][metric]["explainers"][method]["value"].clone()
    };
    assert!(of("set_distance", "dice").is_number());
    assert!(of("set_distance", "wachter").is_null());
    assert!(of("sparsity", "wachter").is_number());
    let warning = &found["warnings"][0];
    assert_eq!(warning["about"], "set_distance");
    assert_eq!(
        warning["text"],
        "undefined for `wachter`, which has no others"
    );
    // No method has them.
    let error = files.failure(2, &format!("{command} --metrics set-distance"));
    assert!(error.text.contains("--others"), "{}", error.text);
}

#[test]
fn a_guessed_schema_is_read_again() {
    let files = Files::new();
    let written = format!(
        "counterfactual schema --from {} --exclude income,predicted --out s.toml",
        file("train.csv")
    );
    files.table(&written);
    assert!(
        files
            .read("s.toml")
            .contains("name = \"race\"\nkind = \"categorical\"")
    );
    let found = files.json(&format!(
        "counterfactual in-domain --queries {} --counterfactuals {} --schema s.toml",
        file("queries.csv"),
        file("nearest_unlike.csv")
    ));
    assert_eq!(found["value"], 1.0);
}

/// Inputs of stored cases that are arrays, with their options.
const ARRAYS: [&str; 14] = [
    "class",
    "target",
    "predicted",
    "valid",
    "row_class",
    "p_target",
    "p_target_query",
    "input_distance",
    "train_labels",
    "noisy_predictions",
    "model_predictions",
    "reconstruction_target",
    "reconstruction_origin",
    "reconstruction_all",
];

#[test]
fn stored_cases_that_files_can_express_have_their_values() {
    let golden = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../xai-counterfactual/tests/golden/counterfactual.json"
    );
    // The archive of this crate has no files of others.
    let Ok(text) = std::fs::read_to_string(golden) else {
        return;
    };
    let golden: Value = serde_json::from_str(&text).unwrap();
    let mut n_cases = 0;
    for case in golden["cases"].as_array().unwrap() {
        let inputs = case["inputs"].as_object().unwrap();
        let is_left_out = ["model", "runs", "values", "graphs", "sequences"]
            .iter()
            .any(|name| inputs.contains_key(*name));
        if is_left_out {
            continue;
        }
        n_cases += 1;
        let files = Files::new();
        let arguments = write_case(&files, case);
        let name = case["metric"].as_str().unwrap();
        let command = |params: &str| format!("counterfactual {name} {arguments}{params}");
        let mut params = String::new();
        for (param, value) in case["params"].as_object().unwrap() {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            let _ = write!(params, " --{} {value}", param.replace('_', "-"));
        }
        let expected = &case["expected"];
        let check = |found: &Value, field: &str, of: &str| {
            let tolerance = case["tolerance"].as_f64().unwrap();
            assert!(
                near(&expected[field], &found[of], tolerance),
                "{} {field}: {found}",
                case["id"]
            );
        };
        if name == "coverage" {
            for score in ["value", "success", "fill"] {
                if !expected[score].is_null() {
                    check(
                        &files.json(&command(&format!(" --score {score}"))),
                        score,
                        "value",
                    );
                }
            }
            continue;
        }
        let found = files.json(&command(&params));
        for field in expected.as_object().unwrap().keys() {
            check(&found, field, field);
        }
    }
    assert!(n_cases > 300, "{n_cases}");
}

/// Writes the inputs of a case, and returns the options of its files.
fn write_case(files: &Files, case: &Value) -> String {
    let inputs = &case["inputs"];
    let n_columns = inputs["queries"][0].as_array().unwrap().len();
    let mut options = String::new();
    let mut table = |option: &str, name: &str, rows: &Value, query: Option<&Value>| {
        let header = (0..n_columns).map(|column| format!("c{column}"));
        let mut text = header.collect::<Vec<_>>().join(",");
        text += if query.is_some() { ",query\n" } else { "\n" };
        for (row, values) in rows.as_array().unwrap().iter().enumerate() {
            let cells = values.as_array().unwrap().iter().map(Value::to_string);
            text += &cells.collect::<Vec<_>>().join(",");
            if let Some(query) = query {
                let _ = write!(text, ",{}", query[row]);
            }
            text += "\n";
        }
        files.text(name, &text);
        let _ = write!(options, "--{option} {name} ");
    };
    table("queries", "q.csv", &inputs["queries"], None);
    table(
        "counterfactuals",
        "c.csv",
        &inputs["counterfactuals"],
        Some(&inputs["query"]),
    );
    if !inputs["train"].is_null() {
        table("train", "t.csv", &inputs["train"], None);
    }
    if !inputs["others"].is_null() {
        table(
            "others",
            "o.csv",
            &inputs["others"],
            Some(&inputs["other_query"]),
        );
    }
    for name in ARRAYS {
        let takes = |option: &str| {
            let help = files.run(&format!(
                "counterfactual {} --help",
                case["metric"].as_str().unwrap()
            ));
            String::from_utf8(help.stdout)
                .unwrap()
                .contains(&format!("--{option} "))
        };
        let option = name.replace('_', "-");
        if !inputs[name].is_null() && takes(&option) {
            write_array(files, &format!("{name}.npy"), &inputs[name]);
            let _ = write!(options, "--{option} {name}.npy ");
        }
    }
    if let Some(requested) = inputs["requested"].as_u64() {
        let _ = write!(options, "--requested {requested} ");
    }
    if !inputs["schema"].is_null() || !inputs["constraints"].is_null() {
        files.text("s.toml", &schema(inputs, n_columns));
        options += "--schema s.toml ";
    }
    options
}

fn write_array(files: &Files, name: &str, values: &Value) {
    let rows = values.as_array().unwrap();
    let numbers = |values: &[Value]| -> Vec<f64> {
        let number = |value: &Value| {
            value
                .as_f64()
                .unwrap_or_else(|| f64::from(value.as_bool() == Some(true)))
        };
        values.iter().map(number).collect()
    };
    let is_table = rows.first().is_some_and(Value::is_array);
    let flat: Vec<f64> = if is_table {
        rows.iter()
            .flat_map(|row| numbers(row.as_array().unwrap()))
            .collect()
    } else {
        numbers(rows)
    };
    let shape = if is_table {
        vec![rows.len(), flat.len() / rows.len()]
    } else {
        vec![rows.len()]
    };
    let array = ndarray::ArrayD::from_shape_vec(shape, flat).unwrap();
    let are_labels = name != "p_target.npy"
        && name != "p_target_query.npy"
        && !name.starts_with("reconstruction")
        && name != "input_distance.npy";
    if are_labels {
        files.array(name, &array.mapv(|value| value as i64));
    } else {
        files.array(name, &array);
    }
}

/// The schema of a case in TOML.
fn schema(inputs: &Value, n_columns: usize) -> String {
    let described = &inputs["schema"];
    let at = |name: &str, column: usize| &described[name][column];
    let mut text = String::new();
    let mut groups: Vec<String> = Vec::new();
    for column in 0..n_columns {
        let kind = at("kind", column).as_str().unwrap_or("numeric");
        let group = at("group", column);
        if kind == "one-hot" && !group.is_null() {
            let name = group.to_string();
            if groups.contains(&name) {
                continue;
            }
            let own = (column..n_columns).filter(|&other| at("group", other) == group);
            let columns: Vec<String> = own.map(|own| format!("\"c{own}\"")).collect();
            let _ = writeln!(
                text,
                "[[feature]]\nname = {:?}\ncolumns = [{}]",
                format!("hot {name}"),
                columns.join(", ")
            );
            groups.push(name);
        } else if kind == "one-hot" {
            let _ = writeln!(
                text,
                "[[feature]]\nname = \"hot {column}\"\ncolumns = [\"c{column}\"]"
            );
        } else {
            let _ = writeln!(text, "[[feature]]\nname = \"c{column}\"");
        }
        let _ = writeln!(text, "kind = {kind:?}");
        let keys = [
            ("mutable", "change"),
            ("low", "low"),
            ("high", "high"),
            ("step", "step"),
            ("categories", "categories"),
            ("weight", "cost"),
        ];
        for (stored, key) in keys {
            if !at(stored, column).is_null() {
                let _ = writeln!(text, "{key} = {}", at(stored, column));
            }
        }
    }
    for rule in inputs["constraints"].as_array().into_iter().flatten() {
        let moved = |feature: &str, direction: &str| {
            let moves = if rule[direction] == 1 { "up" } else { "down" };
            format!(
                "{{ feature = \"c{}\", moves = \"{moves}\" }}",
                rule[feature]
            )
        };
        let (when, then) = (
            moved("cause", "direction"),
            moved("effect", "effect_direction"),
        );
        let _ = writeln!(
            text,
            "[[causal]]\nwhen = {when}\nthen = {then}\nstrict = {}",
            rule["strict"]
        );
    }
    text
}

#[test]
fn errors_name_the_file_the_line_and_the_column() {
    let files = Files::new();
    files.text("q.csv", "age,job\n20,cook\n30,clerk\n");
    files.text("c.csv", "age,job,query\n40,cook,0\n,,1\n");
    files.text("s.toml", "[[feature]]\nname = \"age\"\n[[feature]]\nname = \"job\"\nkind = \"categorical\"\ncategories = [\"cook\", \"clerk\"]\n");
    let sparsity = |counterfactuals: &str, queries: &str| {
        format!(
            "counterfactual sparsity --queries {queries} --counterfactuals {counterfactuals} --schema s.toml"
        )
    };
    let found = files.json(&sparsity("c.csv", "q.csv"));
    assert_eq!(
        found["per_query"],
        serde_json::json!([0.5, null]),
        "an empty row is no answer"
    );
    files.text("missing.csv", "age,job,query\n40,,0\n");
    files.bad_data("missing.csv", &sparsity("missing.csv", "q.csv"));
    files.text("word.csv", "age,job,query\nold,cook,0\n");
    files.bad_data("word.csv", &sparsity("word.csv", "q.csv"));
    files.text("unknown.csv", "age,job,query\n40,cook,2\n");
    files.bad_data("unknown.csv", &sparsity("unknown.csv", "q.csv"));
    files.text("pilot.csv", "age,job\n20,pilot\n");
    files.bad_data("pilot.csv", &sparsity("c.csv", "pilot.csv"));
    files.text("narrow.csv", "age\n20\n");
    files.bad_data("narrow.csv", &sparsity("c.csv", "narrow.csv"));
    files.wrong_usage(
        "--label",
        "counterfactual ynn --queries q.csv --counterfactuals c.csv --schema s.toml --train q.csv",
    );
}

#[test]
fn classes_flags_and_keys_are_not_guessed() {
    let files = Files::new();
    files.text(
        "q.csv",
        "age,customer,predicted\n20,a,rejected\n30,b,rejected\n",
    );
    files.text(
        "c.csv",
        "age,customer,predicted\n40,b,approved\n41,a,rejected\n",
    );
    let validity = |target: &str| {
        format!(
            "counterfactual validity --queries q.csv --counterfactuals c.csv --key customer --target-class {target}"
        )
    };
    let found = files.json(&validity("approved"));
    assert_eq!(found["per_query"], serde_json::json!([0.0, 1.0]));
    // A word that is no class would make every counterfactual invalid.
    files.wrong_usage("--target-class", &validity("aproved"));
    files.text(
        "twice.csv",
        "age,customer,predicted\n20,a,rejected\n30,a,rejected\n",
    );
    files.bad_data(
        "twice.csv",
        &validity("approved").replace("q.csv", "twice.csv"),
    );

    // pandas writes integers as 1.0 in a column that once had a missing value.
    files.text("q.csv", "age,predicted\n20,0\n30,0\n");
    files.text("c.csv", "age,predicted\n40,1.0\n41,0.0\n");
    let of_numbers = |name: &str| {
        format!("counterfactual validity --queries q.csv --counterfactuals {name} --target-class 1")
    };
    let found = files.json(&of_numbers("c.csv"));
    assert_eq!(found["per_query"], serde_json::json!([1.0, 0.0]));
    files.text("mixed.csv", "age,predicted\n40,unknown\n41,0\n");
    files.bad_data("mixed.csv", &of_numbers("mixed.csv"));

    let sparsity = |name: &str| {
        format!("counterfactual sparsity --queries q.csv --counterfactuals {name} --rows valid")
    };
    files.text("flags.csv", "age,valid\n40,True\n41,0.0\n");
    let found = files.json(&sparsity("flags.csv"));
    assert_eq!(found["per_query"], serde_json::json!([1.0, null]));
    files.text("yes.csv", "age,valid\n40,yes\n41,\n");
    files.bad_data("yes.csv", &sparsity("yes.csv"));
}

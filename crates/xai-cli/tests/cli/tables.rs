//! Tables in the forms that pandas, R and spreadsheets write.

use ndarray::array;
use serde_json::Value;

use crate::harness::{Failed, Files};

const EXPLAIN: &str = "casebased explain --train t.csv --test q.csv --label y";

/// Returns training rows with columns `a,b,y`, and test rows with columns in another order.
fn tables() -> Files {
    let files = Files::new();
    files.text("t.csv", "a,b,y\n0,0,0\n1,0,0\n9,9,1\n10,9,1\n");
    files.text("q.csv", "b,a,y\n0,0.5,0\n9,9.5,1\n");
    files
}

/// Returns the JSON of an explanation of these tables.
fn usual() -> Value {
    tables().json(EXPLAIN)["explanations"].clone()
}

fn columns_left_out(result: &Value) -> Vec<(&str, &str)> {
    let left_out = result["columns_left_out"].as_array().expect("a list");
    left_out
        .iter()
        .map(|left| {
            (
                left["column"].as_str().expect("a name"),
                left["reason"].as_str().expect("a reason"),
            )
        })
        .collect()
}

#[test]
fn an_index_without_a_name_is_not_a_feature() {
    let files = tables();
    for (name, first) in [("", ""), ("Unnamed: 0", "Unnamed: 0")] {
        files.text(
            "t.csv",
            &format!("{name},a,b,y\n0,0,0,0\n1,1,0,0\n2,9,9,1\n3,10,9,1\n"),
        );
        files.text("q.csv", &format!("{name},b,a,y\n0,0,0.5,0\n1,9,9.5,1\n"));
        let result = files.json(EXPLAIN);
        assert_eq!(result["explanations"], usual());
        assert_eq!(result["columns_used"], serde_json::json!(["a", "b"]));
        assert_eq!(columns_left_out(&result), [(first, "unnamed")]);
        assert_eq!(files.remarks(EXPLAIN).lines().count(), 1);
        let fitted = files.json("casebased fit --train t.csv --label y --out c.xai");
        assert_eq!(fitted["n_features"], 2);
        assert_eq!(columns_left_out(&fitted), [(first, "unnamed")]);
        let audit = files.json("casebased audit --train t.csv --test q.csv --label y");
        assert_eq!(columns_left_out(&audit), [(first, "unnamed")]);
    }
}

#[test]
fn an_index_without_a_name_is_not_a_run() {
    let files = Files::new();
    files.text("bare.csv", "y,a,b\n0,0,0\n1,1,0\n1,0,0\n0,1,0\n");
    files.text("index.csv", ",y,a,b\n0,0,0,0\n1,1,1,0\n2,1,0,0\n3,0,1,0\n");
    files.text("y.csv", ",y\n0,0\n1,1\n2,1\n3,0\n");
    files.text("runs.csv", ",a,b\n0,0,0\n1,1,0\n2,0,0\n3,1,0\n");
    let of = |file: &str, labels: &str| {
        let mut result = files.json(&format!(
            "repro pairwise --predictions {file} --labels {labels}"
        ));
        let left_out = result.as_object_mut().unwrap().remove("columns_left_out");
        (result, left_out.is_some())
    };
    let (bare, none) = of("bare.csv", "y");
    assert!(!none && bare["n_runs"] == 2);
    assert_eq!(of("index.csv", "y"), (bare.clone(), true));
    assert_eq!(of("runs.csv", "y.csv"), (bare.clone(), true));
    let dropped =
        files.json("repro pairwise --predictions bare.csv bare.csv --labels y --drop-column b");
    assert_eq!(dropped["n_runs"], 2);
    let pair = |a: &str, b: &str| {
        files.json(&format!(
            "repro compare --first {a} {a} --second {b} --labels y"
        ))
    };
    let mut with_index = pair("index.csv", "index.csv");
    assert_eq!(with_index["n_first"], 4);
    let left_out = with_index
        .as_object_mut()
        .unwrap()
        .remove("columns_left_out");
    assert_eq!(left_out.unwrap().as_array().unwrap().len(), 3);
    assert_eq!(with_index, pair("bare.csv", "bare.csv"));
    let numbers = |file: &str, targets: &str| {
        files.json(&format!(
            "repro regression --predictions {file} --targets {targets}"
        ))
    };
    let regression = numbers("bare.csv", "y");
    assert_eq!(
        (&regression["n_runs"], &regression["n_samples"]),
        (&2.into(), &4.into())
    );
    assert_eq!(numbers("index.csv", "y")["metrics"], regression["metrics"]);
    assert_eq!(
        numbers("runs.csv", "y.csv")["metrics"],
        regression["metrics"]
    );
}

/// Checks that a failure names the file and two remedies.
fn names_ways_out(failed: &Failed) {
    let help = failed.help().expect("a way out");
    assert!(help.contains("--drop-column"), "{}", failed.text);
}

#[test]
fn a_feature_with_a_missing_cell_is_an_error_in_any_row() {
    let files = tables();
    for cell in [
        "", "NA", "NaN", "nan", "null", "1,000", "n/a", "x", "1.5 kg", "inf",
    ] {
        let quoted = format!("\"{cell}\"");
        for row in 0..4 {
            let mut cells = ["0", "1", "9", "10"];
            cells[row] = &quoted;
            let rows: Vec<String> = cells
                .iter()
                .zip(["0,0", "0,0", "9,1", "9,1"])
                .map(|(a, rest)| format!("{a},{rest}\n"))
                .collect();
            files.text("t.csv", &format!("a,b,y\n{}", rows.concat()));
            let failed = files.bad_data("t.csv", EXPLAIN);
            assert!(
                failed.text.contains(&format!("line {}", row + 2)),
                "{}",
                failed.text
            );
            assert!(failed.text.contains("`a`"), "{}", failed.text);
            names_ways_out(&failed);
            let result = files.json(&format!("{EXPLAIN} --drop-column a"));
            assert_eq!(result["columns_used"], serde_json::json!(["b"]));
            assert_eq!(columns_left_out(&result), [("a", "dropped")]);
        }
        let files = tables();
        files.text("q.csv", &format!("b,a,y\n0,0.5,0\n9,{quoted},1\n"));
        names_ways_out(&files.bad_data("q.csv", EXPLAIN));
        // Rows after the limit are not read.
        files.json(&format!("{EXPLAIN} --limit 1"));
        files.bad_data(
            "q.csv",
            "casebased audit --train t.csv --test q.csv --label y",
        );
        let redacted = files.bad_data("q.csv", &format!("{EXPLAIN} --redact a"));
        assert!(
            cell.len() < 3 || !redacted.text.contains(&quoted),
            "{}",
            redacted.text
        );
    }
}

#[test]
fn rows_with_missing_cells_can_be_left_out_and_others_keep_their_numbers() {
    let files = tables();
    files.text(
        "t.csv",
        "a,b,y\n0,0,0\nNA,7,1\n1,0,0\n9,9,1\n10,9,1\n5,5,\n",
    );
    files.text("q.csv", "b,a,y,p\n,0.5,0,0\n0,0.5,0,0\n1,1,0,\n9,9.5,1,1\n");
    let how = "-k 2 --predicted p --drop-rows-with-missing";
    let result = files.json(&format!("{EXPLAIN} {how} --out o.csv"));
    assert_eq!(result["train_rows_dropped"], 2);
    assert_eq!(result["test_rows_dropped"], 2);
    let seen = |result: &Value| -> Vec<(u64, u64, u64, Vec<u64>)> {
        let of = |e: &Value| {
            let neighbors = e["neighbors"].as_array().unwrap();
            let number = |key: &str| e[key].as_u64().unwrap();
            let mut rows: Vec<u64> = neighbors
                .iter()
                .map(|n| n["index"].as_u64().unwrap())
                .collect();
            rows.sort_unstable();
            (number("sample"), number("predicted"), number("true"), rows)
        };
        result["explanations"]
            .as_array()
            .unwrap()
            .iter()
            .map(of)
            .collect()
    };
    let expected = [(1, 0, 0, vec![0, 2]), (3, 1, 1, vec![3, 4])];
    assert_eq!(seen(&result), expected);
    let out = files.read("o.csv");
    assert!(
        out.starts_with(
            "sample,predicted,true,correspondence,level,rank,index,distance,label,a,b\n"
        )
    );
    assert_eq!(out.lines().count(), 5);
    let fitted = files
        .json("casebased fit --train t.csv --label y --out c.xai -k 2 --drop-rows-with-missing");
    assert_eq!(
        (&fitted["n_rows"], &fitted["train_rows_dropped"]),
        (&4.into(), &2.into())
    );
    assert_eq!(fitted["metadata_names"], serde_json::json!([]));
    let stored = files.json(
        "casebased explain --explainer c.xai --test q.csv --label y --predicted p --drop-rows-with-missing --out s.csv",
    );
    assert_eq!(seen(&stored), expected);
    assert_eq!(files.read("s.csv"), out);
    let audit = files.json(
        "casebased audit --explainer c.xai --test q.csv --label y --predicted p --drop-rows-with-missing",
    );
    let mut listed: Vec<u64> = audit["least_supported"]
        .as_array()
        .unwrap()
        .iter()
        .map(|l| l["sample"].as_u64().unwrap())
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, [1, 3]);
    // A wrong cell is not a missing one.
    files.text("q.csv", "b,a,y,p\n0,x,0,0\n");
    files.bad_data("q.csv", &format!("{EXPLAIN} {how}"));
    files.text("q.csv", "b,a,y,p\n,0,0,0\n");
    files.bad_data("q.csv", &format!("{EXPLAIN} {how}"));
}

#[test]
fn columns_of_words_and_empty_columns_are_left_out_and_named() {
    let files = tables();
    files.text(
        "t.csv",
        "day,name,a,b,none,y\n2020-01-01,x,0,0,,0\n2020-01-02,,1,0,NA,0\n2020-01-03,z,9,9,,1\n2020-01-04,z,10,9,,1\n",
    );
    let result = files.json(EXPLAIN);
    assert_eq!(result["explanations"], usual());
    let expected = [("day", "text"), ("name", "text"), ("none", "empty")];
    assert_eq!(columns_left_out(&result), expected);
    files.wrong_usage("--drop-column", &format!("{EXPLAIN} --drop-column y"));
    files.bad_data("t.csv", &format!("{EXPLAIN} --drop-column nope"));
    // Numbers and words in one column are an error.
    files.text("t.csv", "a,b,c,y\n0,0,x,0\n1,0,7,0\n9,9,x,1\n");
    files.bad_data("t.csv", EXPLAIN);
}

#[test]
fn codes_with_leading_zeros_are_not_features() {
    let files = tables();
    files.text(
        "t.csv",
        "Unnamed: 0.1,zip,a,b,y\n0,01067,0,0,0\n1,10115,1,0,0\n2,,9,9,1\n3,01069,10,9,1\n",
    );
    let result = files.json(EXPLAIN);
    assert_eq!(result["explanations"], usual());
    let expected = [("Unnamed: 0.1", "unnamed"), ("zip", "codes")];
    assert_eq!(columns_left_out(&result), expected);
    // A code among other numbers is an error.
    files.text("t.csv", "a,b,y\n0.5,0,0\n010,0,0\n9,9,1\n");
    let failed = files.bad_data("t.csv", EXPLAIN);
    assert!(
        failed.text.contains("line 3, column `a`: \"010\""),
        "{}",
        failed.text
    );
    assert!(failed.help().unwrap().contains("without the zeros"));
    // Leading zeros in a feature of the test rows only are an error.
    let files = tables();
    files.text("q.csv", "b,a,y\n0,05,0\n");
    files.bad_data("q.csv", EXPLAIN);
}

#[test]
fn columns_of_booleans_are_features() {
    let files = tables();
    files.text("t.csv", "a,b,y\nTrue,0,0\nFALSE,0,0\ntrue,9,1\nFalse,9,1\n");
    files.text("q.csv", "b,a,y\n0,1,0\n9,0,1\n");
    let result = files.json(EXPLAIN);
    assert_eq!(result["columns_used"], serde_json::json!(["a", "b"]));
    // A boolean among numbers is an error.
    files.text("q.csv", "b,a,y\n0,1,0\n9,False,1\n");
    let failure = files.bad_data("q.csv", EXPLAIN);
    assert!(
        failure.text.contains("\"False\"") && failure.text.contains("True and False"),
        "{}",
        failure.text
    );
    files.text("t.csv", "a,b,y\n1,0,0\n3,0,0\nTrue,9,1\n7,9,1\n");
    files.bad_data("t.csv", EXPLAIN);
}

#[test]
fn names_of_columns_in_rows_are_unique() {
    let files = Files::new();
    files.text(
        "t.csv",
        "distance,case.distance,rank,label,y\n0,0,1,2,0\n1,0,1,2,0\n9,9,1,2,1\n",
    );
    files.json("casebased explain --train t.csv --test t.csv --label y --out o.csv");
    let out = files.read("o.csv");
    let header: Vec<&str> = out.lines().next().unwrap().split(',').collect();
    let mut sorted = header.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(sorted.len(), header.len(), "{header:?}");
    assert!(header.contains(&"case.distance") && header.contains(&"case.case.distance"));
}

#[test]
fn tables_of_spreadsheets_are_read() {
    let files = tables();
    let table = "a,b,y\n0,0,0\n1,0,0\n9,9,1\n10,9,1\n";
    for text in [
        format!("\u{feff}{table}"),
        format!("\u{feff}\"a\"{}", &table[1..]),
        table.replace('\n', "\r\n"),
        table.replace('\n', "\r"),
        table.replace(',', ";"),
        table.replace(',', "\t"),
        format!("{table}\n\n"),
        format!("\n{table}   \r\n"),
        table.trim_end().to_owned(),
        table.replace("a,b", " a , b "),
        table.replace("9,9,", "\"9\",\" 9 \","),
    ] {
        files.text("t.csv", &text);
        let result = files.json(&format!("{EXPLAIN} --quiet"));
        assert_eq!(result["explanations"], usual(), "{text:?}");
    }
    files.text(
        "t.csv",
        "\"a\n1\",note,b,y\n0,\"x, \"\"y\"\"\nz\",0,0\n1,\"\n\",0,0\n9,z,9,1\n10,z,9,1\n",
    );
    files.text("q.csv", "b,\"a\n1\",y\n0,0.5,0\n9,9.5,1\n");
    assert_eq!(files.json(EXPLAIN)["explanations"], usual());
}

#[test]
fn files_that_are_not_tables_are_errors_with_help() {
    let files = tables();
    let wide = |text: &str, low_first: bool| -> Vec<u8> {
        let bytes = |unit: u16| {
            if low_first {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        };
        text.encode_utf16().flat_map(bytes).collect()
    };
    let latin: &[u8] = b"a,b,y\n0,0,gr\xfcn\n1,0,rot\n";
    let latin_header: &[u8] = b"gr\xf6\xdfe,b,y\n0,0,1\n1,0,0\n";
    for bytes in [
        wide("\u{feff}a\tb\ty\r\n0\t0\t0\r\n", true),
        wide("\u{feff}a\tb\ty\r\n0\t0\t0\r\n", false),
        wide("a,b,y\n0,0,0\n", true),
        latin.to_vec(),
        latin_header.to_vec(),
        b"PK\x03\x04xlsx".to_vec(),
        b"PAR1\x00".to_vec(),
        b"\x1f\x8b\x08".to_vec(),
        b"\x93NUMPY\x01\x00".to_vec(),
        b"a;b;y\n0,5;0;0\n1,5;0;1\n".to_vec(),
        b"a;b;y\n0;0;0\n1,5;0;1\n".to_vec(),
        // Row names without a header, as R writes them.
        b"x,a,b\nr1,1,2,0\n".to_vec(),
    ] {
        files.bytes("t.csv", &bytes);
        let label = if bytes.starts_with(b"x,") { "b" } else { "y" };
        let command = format!("casebased explain --train t.csv --test q.csv --label {label}");
        let failed = files.bad_data("t.csv", &command);
        assert!(failed.help().is_some(), "{}", failed.text);
    }
    for text in [
        "",
        "\n\n",
        "\u{feff}",
        "a,b,y\n",
        "a,b,y\n0,0,0\n1,0\n",
        "a,b,y\n0,\"0,0\n1,0,0\n",
    ] {
        files.text("t.csv", text);
        files.bad_data("t.csv", EXPLAIN);
    }
}

#[test]
fn time_is_not_quadratic_in_the_number_of_columns() {
    let files = Files::new();
    let n = 100_000;
    let mut text: String = (0..n).map(|i| format!("c{i},")).collect();
    text += "y\n";
    for row in 0..3 {
        text += &format!("{row},").repeat(n);
        text += &format!("{row}\n");
    }
    files.text("t.csv", &text);
    let start = std::time::Instant::now();
    let fitted = files.json("casebased fit --train t.csv --label y --out c.xai");
    assert_eq!(fitted["n_features"], n);
    files.json("casebased audit --train t.csv --test t.csv --label y");
    assert!(start.elapsed().as_secs() < 25, "{:?}", start.elapsed());
}

#[cfg(unix)]
#[test]
fn a_table_may_come_through_a_pipe() {
    let files = tables();
    let line =
        "cat t.csv | $xai casebased explain --train /dev/stdin --test q.csv --label y --json";
    let output = crate::outputs::shell(&files, line);
    let result: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(result["explanations"], usual());
}

#[test]
fn explanations_do_not_depend_on_batches() {
    let files = Files::new();
    let table = |n: usize| {
        let row = |i: usize| format!("{},{},{}\n", i * 37 % 101, i * 53 % 89, i * 37 % 101 / 51);
        format!("a,b,y\n{}", (0..n).map(row).collect::<String>())
    };
    files.text("t.csv", &table(300));
    files.text("q.csv", &table(10_000));
    let result = files.json(&format!("{EXPLAIN} --out o.csv -k 3"));
    let explanations = result["explanations"].as_array().unwrap();
    assert_eq!(explanations.len(), 10_000);
    for (row, explanation) in explanations.iter().enumerate() {
        assert_eq!(explanation["sample"], row);
        assert_eq!(explanation["true"], row * 37 % 101 / 51);
    }
    let out = files.read("o.csv");
    assert_eq!(out.lines().count(), 30_001);
    assert!(out.lines().last().unwrap().starts_with("9999,"));
    let one_thread = files.json(&format!("{EXPLAIN} --out one.csv -k 3 --threads 1"));
    assert_eq!(one_thread, result);
    assert_eq!(files.read("one.csv"), out);
    assert!(
        files
            .table(&format!("{EXPLAIN} -k 3"))
            .contains("20 of 10000 samples")
    );
    let released = files.json(&format!("{EXPLAIN} -k 3 --aggregate-only 2"));
    assert_eq!(released["explanations"].as_array().unwrap().len(), 10_000);
    // An error in a later batch names the line in the file.
    files.text("t.csv", "a,b,y\n1,2,0\n2,1,1\n");
    let rows = "1,2,0\n".repeat(9000);
    files.text("q.csv", &format!("a,b,y\n{rows}0,0,1\n"));
    for command in ["explain", "audit"] {
        let undefined = files.bad_data(
            "q.csv",
            &format!("casebased {command} --train t.csv --test q.csv --label y --distance cosine --scale false"),
        );
        assert!(undefined.text.contains("line 9002"), "{}", undefined.text);
    }
}

#[test]
fn the_mahalanobis_distance_uses_the_covariance_of_the_training_rows() {
    let files = Files::new();
    files.text(
        "t.csv",
        "a,b,y\n0,0,0\n1,0.9,0\n2,2.1,0\n9,9.2,1\n10,9.9,1\n11,11.3,1\n4,7,1\n",
    );
    let explain =
        "casebased explain --train t.csv --test t.csv --label y -k 2 --distance mahalanobis";
    let scaled = files.json(explain);
    let plain = files.json(&format!("{explain} --scale false"));
    let euclidean = files.json(&explain.replace("mahalanobis", "euclidean"));
    let distance = |result: &Value, sample: usize| {
        result["explanations"][sample]["neighbors"][1]["distance"]
            .as_f64()
            .unwrap()
    };
    for sample in 0..7 {
        let (a, b) = (distance(&scaled, sample), distance(&plain, sample));
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    }
    assert!((0..7).any(|i| (distance(&scaled, i) - distance(&euclidean, i)).abs() > 0.1));
    // The distance of rows 0 and 1 with the inverse of the sample covariance.
    let rows = [
        [0.0, 0.0],
        [1.0, 0.9],
        [2.0, 2.1],
        [9.0, 9.2],
        [10.0, 9.9],
        [11.0, 11.3],
        [4.0, 7.0f64],
    ];
    let mean = |k: usize| rows.iter().map(|r| r[k]).sum::<f64>() / 7.0;
    let covariance = |i: usize, j: usize| {
        rows.iter()
            .map(|r| (r[i] - mean(i)) * (r[j] - mean(j)))
            .sum::<f64>()
            / 6.0
    };
    let (p, q, r) = (covariance(0, 0), covariance(0, 1), covariance(1, 1));
    let (x, y) = (1.0, 0.9);
    let expected = ((r * x * x - 2.0 * q * x * y + p * y * y) / (p * r - q * q)).sqrt();
    let neighbors = plain["explanations"][0]["neighbors"].as_array().unwrap();
    let found = neighbors
        .iter()
        .find(|n| n["index"] == 1)
        .expect("a neighbour");
    assert!((found["distance"].as_f64().unwrap() - expected).abs() < 1e-12);
    let fitted =
        files.json("casebased fit --train t.csv --label y --out c.xai -k 2 --distance mahalanobis");
    assert_eq!(fitted["distance"], "mahalanobis");
    let stored = files.json("casebased explain --explainer c.xai --test t.csv --label y");
    assert_eq!(stored["explanations"], scaled["explanations"]);
    files.text("t.csv", "a,twice,y\n0,0,0\n1,2,0\n2,4,0\n9,18,1\n");
    let singular = files.bad_data("t.csv", explain);
    assert!(singular.text.contains("twice") && singular.help().unwrap().contains("--drop-column"));
    files.json(&format!("{explain} --drop-column twice"));
    let help = String::from_utf8(files.run("casebased explain --help").stdout).unwrap();
    for distance in ["mahalanobis", "correlation", "minkowski:P", "braycurtis"] {
        assert!(help.contains(distance), "{distance}");
    }
}

#[test]
fn a_report_lists_columns_and_classes() {
    let files = Files::new();
    files.text(
        "t.csv",
        ",day,a,b,y\n0,mo,0,0,dog\n1,tu,1,NA,dog\n2,we,1,0,dog\n3,th,9,9,cat\n4,fr,10,9,cat\n",
    );
    files.text("q.csv", "b,a,y,p\n0,0.5,dog,dog\n9,9.5,cat,dog\n");
    let study =
        "[casebased]\ntrain = 't.csv'\ntest = 'q.csv'\nlabel = 'y'\npredicted = 'p'\nk = 2\n";
    files.text("s.toml", study);
    let failed = files.bad_data("t.csv", "report s.toml");
    let help = failed.help().unwrap();
    for key in ["`drop_column` 'b'", "`drop_rows_with_missing`"] {
        assert!(help.contains(key), "{help}");
    }
    files.text("s.toml", &format!("{study}drop_rows_with_missing = true\n"));
    let section = files.json("report s.toml")["casebased"][0].clone();
    assert_eq!(section["n_train"], 4);
    assert_eq!(section["columns_used"], serde_json::json!(["a", "b"]));
    let left_out = section["columns_left_out"].as_array().unwrap();
    assert_eq!(left_out.len(), 2);
    assert!(
        left_out[1].as_str().unwrap().contains("day"),
        "{left_out:?}"
    );
    assert_eq!(
        section["class_names"],
        serde_json::json!({"0": "cat", "1": "dog"})
    );
    let least = &section["least_supported"][0];
    assert_eq!(
        (&least["sample"], &least["true"]),
        (&1.into(), &"cat".into())
    );
    let mut rows: Vec<&Value> = least["neighbors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|neighbor| &neighbor["index"])
        .collect();
    rows.sort_by_key(|row| row.as_u64());
    assert_eq!(rows, [3, 4]);
    let page = files.read("xai-report/index.html");
    assert!(page.contains("dog") && page.contains("left out") && page.contains("day"));
    files.text("s.toml", &format!("{study}drop_columns = ['b']\n"));
    let section = files.json("report s.toml")["casebased"][0].clone();
    assert_eq!(section["columns_used"], serde_json::json!(["a"]));
}

#[test]
fn extensions_may_have_capitals() {
    let files = tables();
    let mut archive =
        ndarray_npy::NpzWriter::new(std::fs::File::create(files.path("P.NPZ")).unwrap());
    let runs = ndarray::array![[0i64, 1], [1, 1]];
    archive.add_array("p", &runs).unwrap();
    archive.add_array("y", &ndarray::array![0i64, 1]).unwrap();
    archive.finish().unwrap();
    files.array("P.NPY", &runs);
    files.array("y.Npy", &ndarray::array![0i64, 1]);
    files.text("R.CSV", "y,a,b\n0,0,1\n1,1,1\n");
    let pairwise =
        |p: &str, y: &str| files.json(&format!("repro pairwise --predictions {p} --labels {y}"));
    let expected = pairwise("P.NPY", "y.Npy");
    assert_eq!(pairwise("P.NPZ:p", "P.NPZ:y"), expected);
    assert_eq!(pairwise("R.CSV", "y"), expected);
    std::fs::rename(files.path("t.csv"), files.path("T.CSV")).unwrap();
    assert_eq!(
        files.json(&EXPLAIN.replace("t.csv", "T.CSV"))["explanations"],
        usual()
    );
}

#[test]
fn tables_of_runs_have_any_name_and_any_separator() {
    let files = Files::new();
    let rows = "y,a,b\n0,0,0\n1,1,0\n1,0,0\n0,1,0\n";
    files.text("runs.csv", rows);
    let command = |name: &str| format!("repro pairwise --predictions {name} --labels y");
    let expected = files.json(&command("runs.csv"));
    files.text("runs.tsv", &rows.replace(',', "\t"));
    assert_eq!(files.json(&command("runs.tsv")), expected);
    files.text("runs", rows);
    assert_eq!(files.json(&command("runs")), expected);
    files.text("runs.parquet", "PAR1\u{0}\u{0}");
    let said = files.failure(1, &command("runs.parquet")).text;
    assert!(said.contains("a Parquet file"), "{said}");
}

#[test]
fn a_column_to_leave_out_must_exist() {
    let files = Files::new();
    files.text("runs.csv", "y,a,b,c\n0,0,0,1\n1,1,0,1\n1,0,0,1\n0,1,0,1\n");
    files.array("runs.npy", &ndarray::array![[0_i64, 1], [1, 1]]);
    files.array("y.npy", &ndarray::array![0_i64, 1]);
    files.text("numbers.csv", "t,a,b\n0.5,1,2\n1.5,2,3\n");
    for command in [
        "repro pairwise --predictions runs.csv --labels y",
        "repro compare --first runs.csv --second runs.csv --labels y",
        "repro pairwise --predictions runs.npy --labels y.npy",
        "repro regression --predictions numbers.csv --targets t",
    ] {
        let said = files
            .failure(1, &format!("{command} --drop-column cc"))
            .text;
        assert!(said.contains("there is no column `cc`"), "{said}");
    }
    files.json("repro pairwise --predictions runs.csv --labels y --drop-column c");
}

#[test]
fn decimal_commas_are_errors() {
    let files = Files::new();
    files.text("runs.csv", "t;a;b\n0,5;1;2\n1,5;2;3\n");
    let said = files
        .failure(1, "repro regression --predictions runs.csv --targets t")
        .text;
    assert!(
        said.contains("decimal=','") && !said.contains("--drop-column"),
        "{said}"
    );
    let said = files
        .failure(1, "repro regression --predictions runs.csv --targets a")
        .text;
    assert!(
        said.contains("decimal=','") && said.contains("--drop-column 't'"),
        "{said}"
    );
}

#[test]
fn booleans_and_whole_numbers_are_the_same_classes() {
    let files = Files::new();
    files.text("runs.csv", "a,b\nTrue,False\nFalse,False\nTrue,True\n");
    files.array("y.npy", &ndarray::array![true, false, true]);
    files.array("numbers.npy", &ndarray::array![1_i64, 0, 1]);
    let result = files.json("repro pairwise --predictions runs.csv --labels y.npy");
    assert_eq!(result["metrics"]["pa_acc"]["mean"], 2.0 / 3.0);
    let by_numbers = files.json("repro pairwise --predictions runs.csv --labels numbers.npy");
    assert_eq!(by_numbers["metrics"], result["metrics"]);
    files.text("words.csv", "a,b\nyes,no\nno,no\nyes,yes\n");
    let said = files
        .failure(
            1,
            "repro pairwise --predictions words.csv --labels numbers.npy",
        )
        .text;
    assert!(
        said.contains("numbers.npy: this array has whole numbers as classes"),
        "{said}"
    );
}

#[test]
fn a_table_without_neighbours_is_an_error() {
    let files = Files::new();
    files.text("n.csv", "distance,label\n");
    let said = files
        .failure(
            1,
            "casebased correspondence --neighbors n.csv --predicted yes",
        )
        .text;
    assert!(
        said.contains("the table has no rows below its header"),
        "{said}"
    );
}

#[test]
fn an_index_with_a_name_is_not_a_run() {
    let files = Files::new();
    let rows = |head: &str, of_row: &dyn Fn(usize) -> String| {
        let rows: String = (0..12)
            .map(|i| format!("{}{},{},{}\n", of_row(i), i % 2, i % 3 % 2, i / 2 % 2))
            .collect();
        format!("{head}y,a,b\n{rows}")
    };
    files.text("plain.csv", &rows("", &|_| String::new()));
    let expected = files.json("repro pairwise --predictions plain.csv --labels y");
    files.text("index.csv", &rows("id,", &|i| format!("{i},")));
    files.text("first.csv", &rows("id,", &|i| format!("{},", 100 + 7 * i)));
    for name in ["index.csv", "first.csv"] {
        let command = format!("repro pairwise --predictions {name} --labels y");
        let result = files.json(&command);
        assert_eq!(result["metrics"], expected["metrics"]);
        assert_eq!(columns_left_out(&result), [("id", "distinct")]);
        assert!(
            files
                .remarks(&command)
                .contains("`id` (another class in every row)")
        );
    }
    let few = "id,y,a,b\n0,0,0,0\n1,1,1,0\n2,2,2,1\n";
    files.text("few.csv", few);
    let result = files.json("repro pairwise --predictions few.csv --labels y");
    assert_eq!(result["n_runs"], 3);
}

/// Returns a table of an identification task: samples in shuffled order, each with a different class.
fn identification(n: usize, columns: &[(&str, &dyn Fn(usize) -> String)]) -> String {
    let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    let mut text = names.join(",") + "\n";
    for i in 0..n {
        let cells: Vec<String> = columns.iter().map(|(_, cell)| cell(i)).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

#[test]
fn runs_of_an_identification_task_are_runs() {
    let files = Files::new();
    let n = 12;
    let class = |i: usize| 5 * i % 12 + 100;
    let truth = |i: usize| class(i).to_string();
    // Two samples are exchanged; every second class is that of another sample; some classes are not among the true
    // ones.
    let swapped = |i: usize| class([1, 0].get(i).copied().unwrap_or(i)).to_string();
    let turned = |i: usize| class((i + 1) % n).to_string();
    let larger = |i: usize| (class(i) + 1000 * (i / 5)).to_string();
    let counter = |i: usize| i.to_string();
    let name = |i: usize| (7000 + 3 * i).to_string();
    let table = identification(
        n,
        &[
            ("id", &counter),
            ("file", &name),
            ("y", &truth),
            ("a", &swapped),
            ("b", &turned),
            ("c", &larger),
        ],
    );
    files.text("table.csv", &table);
    let result = files.json("repro pairwise --predictions table.csv --labels y");
    assert_eq!(
        columns_left_out(&result),
        [("id", "distinct"), ("file", "distinct")]
    );
    let accuracy: Vec<f64> = serde_json::from_value(result["accuracy"].clone()).unwrap();
    assert_eq!(accuracy, [10.0 / 12.0, 0.0, 5.0 / 12.0]);

    // The same with words as classes and the labels in a separate file.
    let word = |number: String| format!("person {number}");
    let words = identification(
        n,
        &[
            ("file", &|i| format!("photo {}.png", 7 * i % 12)),
            ("a", &|i| word(swapped(i))),
            ("b", &|i| word(turned(i))),
        ],
    );
    files.text("words.csv", &words);
    files.text("y.csv", &identification(n, &[("y", &|i| word(truth(i)))]));
    let result = files.json("repro pairwise --predictions words.csv --labels y.csv");
    assert_eq!(columns_left_out(&result), [("file", "distinct")]);
    assert_eq!(result["accuracy"][0], 10.0 / 12.0);
}

#[test]
fn a_column_that_may_be_an_index_or_a_perfect_run_is_an_error() {
    let files = Files::new();
    let counter = |i: usize| i.to_string();
    let turned = |i: usize| ((i + 1) % 12).to_string();
    let table = [
        ("id", &counter as &dyn Fn(usize) -> String),
        ("y", &counter),
        ("a", &turned),
        ("b", &turned),
    ];
    files.text("table.csv", &identification(12, &table));
    for command in ["repro pairwise --labels y", "repro regression --targets y"] {
        let command = format!("{command} --predictions table.csv");
        let failed = files.failure(1, &command);
        assert!(
            failed.is_about("table.csv") && failed.text.contains("`id`"),
            "{}",
            failed.text
        );
        assert!(
            failed
                .help()
                .is_some_and(|help| help.contains("--drop-column 'id'"))
        );
        let result = files.json(&format!("{command} --drop-column id"));
        assert_eq!(result["n_runs"], 2);
    }
    // With a name like that of another run it is a run.
    let [id, y, a, b] = table;
    let named = [("run1", id.1), y, ("run2", a.1), b];
    files.text("named.csv", &identification(12, &named));
    for command in ["repro pairwise --labels y", "repro regression --targets y"] {
        let result = files.json(&format!("{command} --predictions named.csv"));
        assert_eq!(result["n_runs"], 3);
    }
}

#[test]
fn runs_without_a_class_of_the_labels_are_errors_with_examples() {
    let files = Files::new();
    files.text("case.csv", "y,a,b\nCat,cat,dog\nDog,cat,cat\nCat,dog,dog\n");
    let failed = files.failure(1, "repro pairwise --predictions case.csv --labels y");
    assert!(
        failed
            .text
            .contains("predicted are `cat`, `dog`, true are `Cat`, `Dog`"),
        "{}",
        failed.text
    );
    files.array("p.npy", &array![[1i64, 2, 1], [2, 2, 1]]);
    files.array("y.npy", &array![11i64, 12, 11]);
    for command in ["repro pairwise", "repro pairwise --inconsistent 1"] {
        let failed = files.failure(1, &format!("{command} --predictions p.npy --labels y.npy"));
        assert!(failed.is_about("p.npy"), "{}", failed.text);
        assert!(
            failed
                .text
                .contains("predicted are `1`, `2`, true are `11`, `12`"),
            "{}",
            failed.text
        );
    }
    // A column of other labels among the runs.
    files.text(
        "split.csv",
        "y,a,b,split\ncat,cat,dog,train\ndog,cat,cat,test\ncat,dog,dog,train\n",
    );
    let command = "repro pairwise --predictions split.csv --labels y";
    let failed = files.failure(1, command);
    assert!(
        failed.text.contains("`split`") && failed.text.contains("`train`, `test`"),
        "{}",
        failed.text
    );
    assert!(
        failed
            .help()
            .is_some_and(|help| help.contains("--drop-column 'split'"))
    );
    assert_eq!(
        files.json(&format!("{command} --drop-column split"))["n_runs"],
        2
    );
    // A class that only some runs predict is allowed.
    files.text(
        "rare.csv",
        "y,a,b,c\ncat,cat,ape,ape\ndog,cat,cat,ape\ncat,dog,dog,ape\n",
    );
    assert_eq!(
        files.json("repro pairwise --predictions rare.csv --labels y")["n_runs"],
        3
    );
}

#[test]
fn rows_in_another_order_are_an_error() {
    let files = Files::new();
    files.text("runs.csv", ",a,b\n0,0,0\n1,1,0\n2,1,1\n");
    files.text("same.csv", ",y\n0,0\n1,1\n2,0\n");
    files.text("turned.csv", ",y\n2,0\n1,1\n0,0\n");
    files.text("plain.csv", "y\n0\n1\n0\n");
    for (group, option) in [("pairwise", "labels"), ("regression", "targets")] {
        let command =
            |truth: &str| format!("repro {group} --predictions runs.csv --{option} {truth}");
        let expected = files.json(&command("plain.csv"));
        assert_eq!(
            files.json(&command("same.csv"))["metrics"],
            expected["metrics"]
        );
        let failed = files.failure(1, &command("turned.csv"));
        assert!(failed.is_about("turned.csv"), "{}", failed.text);
        assert!(
            failed
                .text
                .contains("row 1 is named `2` here, but `0` in runs.csv"),
            "{}",
            failed.text
        );
    }
    files.text("others.csv", ",a,b\n0,0,0\n2,1,0\n1,1,1\n");
    for command in [
        "repro pairwise --predictions runs.csv others.csv --labels plain.csv",
        "repro compare --first runs.csv --second others.csv --labels plain.csv",
    ] {
        let failed = files.failure(1, command);
        assert!(
            failed.is_about("others.csv") && failed.text.contains("row 2"),
            "{}",
            failed.text
        );
    }
}

#[test]
fn an_index_with_a_name_is_not_a_regression_run() {
    let files = Files::new();
    let rows = |head: &str, of_row: &dyn Fn(usize) -> String| {
        let rows: String = (0..6)
            .map(|i| format!("{}{}.5,{},{}\n", of_row(i), 3 * i % 7, i * i, 2 * i))
            .collect();
        format!("{head}y,a,b\n{rows}")
    };
    files.text("plain.csv", &rows("", &|_| String::new()));
    let expected = files.json("repro regression --predictions plain.csv --targets y");
    files.text("index.csv", &rows("id,", &|i| format!("{},", i + 1)));
    let command = "repro regression --predictions index.csv --targets y";
    let result = files.json(command);
    assert_eq!(result["metrics"], expected["metrics"]);
    assert_eq!(columns_left_out(&result), [("id", "distinct")]);
    assert!(files.remarks(command).contains("`id`"));
}

#[test]
fn a_remark_names_features_that_look_like_row_numbers() {
    let files = Files::new();
    // `id` has every other number in another order; `x` repeats a value, and `z` has a wide range.
    let rows: String = (0..12)
        .map(|i| {
            let id = 100 + 2 * (5 * i % 12);
            format!("{id},{},{},{}\n", i % 11, i * i, i % 2)
        })
        .collect();
    files.text("train.csv", &format!("id,x,z,y\n{rows}"));
    files.text("test.csv", "id,x,z,y\n99,1,2,0\n");
    let command =
        "casebased explain --train train.csv --test test.csv --label y --predicted y -k 3";
    let remarks = files.remarks(command);
    assert!(
        remarks.contains("`id` is used as a feature, but looks like the number of each row"),
        "{remarks}"
    );
    assert!(remarks.contains("--drop-column 'id'"), "{remarks}");
    assert_eq!(
        remarks.matches("looks like the number of each row").count(),
        1,
        "{remarks}"
    );
    let remarks = files.remarks(&format!("{command} --drop-column id"));
    assert!(!remarks.contains("numbers"), "{remarks}");
}

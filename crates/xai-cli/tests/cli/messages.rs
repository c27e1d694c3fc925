//! Texts of single messages. `message_list` has many more.

use ndarray::array;

use crate::harness::Files;

#[test]
fn a_bad_cell_is_named_by_row_and_column() {
    let files = Files::new();
    files.text("t.csv", "a,ssn,y\nx,11,0\nz,22,1\n,33,1\n");
    files.text("q.csv", "a,ssn,y\n1,123-45-6789,0\n");
    let explain = "casebased explain --train t.csv --test q.csv --label y";
    assert_eq!(
        files
            .failure(1, &format!("{explain} --quiet --redact ssn"))
            .text,
        "error: q.csv: line 2, column `ssn`: expected a finite number\n\
         help: correct the cell, or leave the column out: --drop-column 'ssn'"
    );
    files.text("q.csv", "a,ssn,y\n1,1,0\n");
    assert_eq!(
        files.remarks(explain),
        "t.csv: columns left out: `a` (text)\n"
    );
    files.text("bad.csv", "a,b,y\n1,2,0\n1,inf,0\n");
    assert_eq!(
        files
            .failure(
                1,
                "casebased explain --label y --train bad.csv --test q.csv"
            )
            .text,
        "error: bad.csv: line 3, column `b`: \"inf\": expected a finite number\n\
         help: correct the cell, or leave the column out: --drop-column 'b'"
    );
    files.text("bad.csv", "a,b,y\n1,2,0\n1,,0\n");
    assert_eq!(
        files
            .failure(
                1,
                "casebased explain --label y --train bad.csv --test q.csv"
            )
            .text,
        "error: bad.csv: line 3, column `b`: \"\": expected a finite number, but the value is missing\n\
         help: fill the cell, leave out rows with missing cells: --drop-rows-with-missing, or leave the column out: \
         --drop-column 'b'"
    );
    files.text("m.csv", "a,y\n1,0\n");
    assert_eq!(
        files
            .failure(
                1,
                "casebased explain --label y --quiet --train t.csv --test m.csv"
            )
            .text,
        "error: m.csv: no column `ssn`\nhelp: the columns are a, y"
    );
}

#[test]
fn errors_distinguish_arrays_that_do_not_fit() {
    let files = Files::new();
    files.array("p.npy", &array![[0i8, 1, 0, 1], [0, 0, 0, 0]]);
    files.array("flat.npy", &array![0i8, 1]);
    files.array("floats.npy", &array![0.5, 2.0]);
    let with = |p: &str, y: &str| {
        let command = format!("repro pairwise --predictions {p} --labels {y}");
        files.failure(1, &command).text
    };
    assert_eq!(
        with("p.npy", "flat.npy"),
        "error: flat.npy: 2 labels, but p.npy has 4 samples per run\n\
         help: p.npy looks transposed: it needs the shape (runs, samples); save array.T"
    );
    assert_eq!(
        with("flat.npy", "flat.npy"),
        "error: flat.npy: expected 2 axes, got shape [2]"
    );
    assert_eq!(
        with("p.npy", "floats.npy"),
        "error: floats.npy: labels[0] = 0.5: expected a whole number up to 2^53\n\
         help: labels name classes: of probabilities (n, classes) take .argmax(axis=1); runs of \
         numbers are compared by `xai repro regression`"
    );
}

#[test]
fn errors_in_studies_have_a_line() {
    let files = Files::new();
    let with = |text: &str| {
        files.text("s.toml", text);
        files.failure(1, "report s.toml").text
    };
    assert_eq!(
        with("title = 'x'\n"),
        "error: s.toml: the study has no sections\n\
         help: add [[casebased]], [[attribution]], [[texts]], [[data_attribution]], [[counterfactual]], [[graph]], [[repro]], [[regression]] or [[simulation]]; \
         `xai report init` writes a study for the files of a folder"
    );
    let unknown = with("title = 'x'\n[casebased]\ntrian = 't.csv'\n");
    assert!(unknown.starts_with("error: s.toml: line 3: unknown key `trian`"));
}

/// Errors of the library name the file, the position, the expectation and the options.
#[test]
fn errors_of_the_library_have_position_expectation_and_help() {
    let files = Files::new();
    files.array("rows.npy", &array![[0.5, 0.5], [0.5, 0.75]]);
    files.array("nan.npy", &array![[0.0, 1.0], [f64::NAN, 0.0]]);
    files.array("b.npy", &array![0.5, -1.0]);
    files.array("one.npy", &array![[0.0, 1.0]]);
    for (code, command, text) in [
        (
            1,
            "graph fidelity --full rows.npy --kept nan.npy --complement rows.npy",
            "error: nan.npy: kept[1, 0]: not a finite number",
        ),
        (
            1,
            "graph unfaithfulness --full rows.npy --kept rows.npy --return-type probs",
            "error: rows.npy: sum of the probabilities of full[1] = 1.25: expected 1\n\
             help: for raw scores choose --return-type logits, for independent columns --output-distribution bernoulli",
        ),
        (
            1,
            "attribution average-drop --base b.npy --masked b.npy",
            "error: b.npy: scores[1] = -1: Average Drop divides by the base score, which must be \
             positive\nhelp: save probabilities instead, or choose --base-score-policy as-is or skip",
        ),
        (
            1,
            "graph fidelity --full rows.npy --kept one.npy --complement rows.npy",
            "error: one.npy: kept: expected shape (2), got (1); compared with rows.npy",
        ),
        (
            2,
            "repro simulate study --iterations 99999999999999999999",
            "error: --iterations 99999999999999999999: expected a whole number in [1, 18446744073709551615]",
        ),
        (
            2,
            "repro simulate study --seed 99999999999999999999",
            "error: --seed 99999999999999999999: expected a whole number, at most 18446744073709551615",
        ),
        (
            2,
            "repro simulate study --threads 5000000000",
            "error: --threads 5000000000: expected a whole number in [1, 4294967295]",
        ),
        (
            2,
            "graph groundtruth --predicted rows.npy --target rows.npy --threshold 2",
            "error: --threshold 2: expected a number in [0, 1]",
        ),
    ] {
        assert_eq!(files.failure(code, command).text, text);
    }
}

#[test]
fn a_cell_that_makes_the_deviation_infinite_is_named() {
    let files = Files::new();
    files.text("t.csv", "a,b,y\n1,2,0\n2,1e308,1\n3,-1e307,0\n1,1,1\n");
    files.text("q.csv", "a,b\n1,1\n");
    let run = "casebased explain --train t.csv --test q.csv --label y -k 2";
    let failed = files.bad_data("t.csv", run);
    assert!(
        failed.text.contains("line 3, column `b`"),
        "{}",
        failed.text
    );
    let failed = files.bad_data("t.csv", &format!("{run} --redact b"));
    assert!(!failed.text.contains("308"), "{}", failed.text);
}

#[test]
fn a_long_cell_is_not_quoted_in_full() {
    let files = Files::new();
    let long = "x".repeat(1 << 20);
    files.text("t.csv", &format!("a,y\n1,0\n{long},1\n2,0\n"));
    let failed = files.bad_data(
        "t.csv",
        "casebased explain --train t.csv --test t.csv --label y",
    );
    assert!(failed.text.len() < 1000, "{}", failed.text.len());
    files.text("t.csv", &format!("{long},y\n1,0\n"));
    let failed = files.bad_data(
        "t.csv",
        "casebased explain --train t.csv --test t.csv --label z",
    );
    assert!(failed.text.len() < 1000, "{}", failed.text.len());
}

#[test]
fn runs_in_columns_of_an_array_look_transposed() {
    let files = Files::new();
    let runs = ndarray::Array2::<i64>::zeros((50, 4));
    files.array("runs.npy", &runs);
    files.array("numbers.npy", &runs.mapv(|x| x as f64));
    files.array("y.npy", &ndarray::Array1::<i64>::zeros(50));
    files.array("short.npy", &ndarray::Array1::<i64>::zeros(7));
    for command in [
        "repro pairwise --predictions runs.npy --labels",
        "repro pairwise --inconsistent 3 --predictions runs.npy --labels",
        "repro regression --predictions numbers.npy --targets",
    ] {
        let failed = files.bad_data("y.npy", &format!("{command} y.npy"));
        assert!(failed.help().unwrap().contains("transposed"));
        let failed = files.bad_data("short.npy", &format!("{command} short.npy"));
        assert_eq!(failed.help(), None);
    }
}

#[test]
fn errors_name_the_program_that_reads_a_file_of_another_format() {
    let files = Files::new();
    for (name, bytes, told) in [
        (
            "maps.mat",
            &b"MATLAB 5.0 MAT-file, Platform: posix"[..],
            "scipy.io.loadmat",
        ),
        ("maps.feather", b"ARROW1\0\0", "pandas.read_feather"),
        ("maps.csv.bz2", b"BZh91AY&SY", "bunzip2"),
        ("maps.npy.xz", b"\xfd7zXZ\0", "unxz"),
        ("maps.parquet", b"PAR1", "pandas.read_parquet"),
        (
            "maps.xlsx",
            b"PK\x03\x04......................\x13\0\0\0[Content_Types].xml",
            "spreadsheet",
        ),
    ] {
        files.bytes(name, bytes);
        for command in [
            format!("casebased explain --train {name} --test t.csv --label y"),
            format!("attribution complexity --explanations {name}"),
        ] {
            let failed = files.bad_data(name, &command);
            let is_archive = name.ends_with("xlsx"); // cut off, it is not read as an archive of arrays
            assert!(failed.text.contains(told) || is_archive, "{}", failed.text);
        }
    }
    files.text("maps.csv", "a,b\n1,2\n");
    let failed = files.bad_data("maps.csv", "attribution complexity --explanations maps.csv");
    assert!(failed.help().unwrap().contains("numpy.loadtxt"));
}

#[test]
fn a_column_with_other_capitals_is_suggested() {
    let files = Files::new();
    files.text("t.csv", "a,y\n1,0\n2,1\n");
    let failed = files.bad_data(
        "t.csv",
        "casebased explain --train t.csv --test t.csv --label Y",
    );
    assert!(failed.help().unwrap().starts_with("did you mean `y`?"));
}

#[test]
fn every_listed_metric_is_a_command_or_marked_as_library_only() {
    let files = Files::new();
    let listed = files.json("attribution list");
    let metrics = listed["metrics"].as_array().unwrap();
    let mut without = 0;
    for metric in metrics {
        let help = format!("attribution {} --help", metric["name"].as_str().unwrap());
        let is_command = files.run(&help).status.success();
        assert_eq!(metric["command"].is_string(), is_command, "{metric}");
        without += usize::from(!is_command);
    }
    let table = files.table("attribution list");
    assert_eq!(table.matches("in the libraries alone").count(), without);
}

#[test]
fn undefined_sufficiency_and_consistency_suggest_a_setting() {
    let files = Files::new();
    files.array(
        "x.npy",
        &array![[1.0f32, 2.0, 3.0, 4.0], [4.0, 1.0, 2.0, 0.0]],
    );
    files.array("y.npy", &array![0i64, 1]);
    let model = crate::networks::model_file("mlp.onnx");
    for (metric, way_out) in [
        ("sufficiency --threshold 0", "larger --threshold"),
        (
            "consistency --discretizer rounded:3",
            "coarser --discretizer",
        ),
    ] {
        let given = format!("--model {model} --inputs x.npy --targets y.npy --explanations x.npy");
        let failed = files.failure(1, &format!("attribution {metric} {given}"));
        assert!(failed.help().unwrap().contains(way_out), "{}", failed.text);
    }
}

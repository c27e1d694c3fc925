//! The texts of messages. Rewording a message breaks these tests, and no others.

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
        "error: q.csv: row 1, column `ssn`: expected a finite number\n\
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
        "error: bad.csv: row 2, column `b`: \"inf\": expected a finite number\n\
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
        "error: bad.csv: row 2, column `b`: \"\": expected a finite number, and the cell is empty or \
         says that it is missing\n\
         help: fill the cell, leave the row out: --drop-rows-with-missing, or leave the column out: \
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
fn arrays_that_do_not_fit_are_told_apart() {
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
        "error: flat.npy: 2 labels, but p.npy has 4 samples per run"
    );
    assert_eq!(
        with("flat.npy", "flat.npy"),
        "error: flat.npy: expected 2 axes, got shape [2]"
    );
    assert_eq!(
        with("p.npy", "floats.npy"),
        "error: floats.npy: labels: expected whole numbers, got 0.5 at [0]\n\
         help: labels name classes: of probabilities (n, classes) take .argmax(axis=1); runs of \
         numbers are compared by `xai repro regression`"
    );
}

#[test]
fn a_wrong_study_is_named_with_its_line() {
    let files = Files::new();
    let with = |text: &str| {
        files.text("s.toml", text);
        files.failure(1, "report s.toml").text
    };
    assert_eq!(
        with("title = 'x'\n"),
        "error: s.toml: nothing to report: the study has no section\n\
         help: add [[casebased]], [[attribution]], [[graph]], [[repro]] or [[simulation]]; `xai report init` \
         writes a study of the files of a folder"
    );
    let unknown = with("title = 'x'\n[casebased]\ntrian = 't.csv'\n");
    assert!(unknown.starts_with("error: s.toml: line 3: unknown key `trian`"));
}

/// An error of the library, as the command line tells it.
#[test]
fn an_error_of_the_library_names_the_place_the_expectation_and_the_way_out() {
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
            "graph groundtruth --predicted rows.npy --target rows.npy --threshold 2",
            "error: --threshold 2: expected a number in [0, 1]",
        ),
    ] {
        assert_eq!(files.failure(code, command).text, text);
    }
}

//! Redacted values are in no output, file, error or remark.

use crate::harness::Files;

/// The values of the column `secret` in all forms in which numbers are printed.
const SECRETS: [&str; 6] = [
    "48213.75",
    "48213",
    "7.25e305",
    "725000000",
    "Lovelace",
    "31.0625",
];

/// Returns training and test rows with the redacted column `secret`.
fn tables() -> Files {
    let files = Files::new();
    files.text(
        "t.csv",
        "a,secret,b,name,y,p\n1,48213.75,3,Lovelace,0,0\n2,48213.75,1,Lovelace,1,1\n\
         5,31.0625,4,Lovelace,1,1\n7,31.0625,2,Lovelace,0,0\n",
    );
    files.text(
        "q.csv",
        "a,secret,b,y,p\n1,48213.75,2,0,0\n4,31.0625,4,1,1\n",
    );
    files
}

/// Runs a command and searches its output and files for secrets.
fn keeps_quiet(files: &Files, code: i32, arguments: &str) {
    let output = files.run(arguments);
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said += &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments}\n{said}");
    for written in ["rows.csv", "out/report.json", "out/index.html"] {
        said += &std::fs::read_to_string(files.path(written)).unwrap_or_default();
    }
    for secret in SECRETS {
        assert!(!said.contains(secret), "{arguments}\n{secret} in\n{said}");
    }
}

const REDACT: &str = "--redact secret --redact name";

#[test]
fn no_command_shows_a_redacted_value() {
    let files = tables();
    let fit = format!("--train t.csv --label y --metadata name {REDACT} -k 2");
    for (explained, scale) in [("q.csv", ""), ("q.csv", "--scale false"), ("t.csv", "")] {
        let of = format!("--test {explained} {fit} {scale} --predicted p --out rows.csv");
        for how in ["", "--json"] {
            keeps_quiet(&files, 0, &format!("casebased explain {of} {how}"));
            keeps_quiet(&files, 0, &format!("casebased audit {of} {how}"));
            let aggregates = format!("casebased explain {of} {how} --aggregate-only 2");
            keeps_quiet(&files, 0, &aggregates);
        }
    }
    keeps_quiet(&files, 1, &format!("casebased fit {fit} --out stored"));
    assert!(!files.path("stored").exists());
    keeps_quiet(
        &files,
        0,
        &format!("casebased fit {fit} --store-redacted --out stored"),
    );
    let stored = std::fs::read(files.path("stored")).unwrap();
    let name = b"Lovelace";
    assert!(!stored.windows(name.len()).any(|bytes| bytes == name));
    let explain = "casebased explain --explainer stored --test q.csv --out rows.csv";
    keeps_quiet(&files, 0, explain);
}

#[test]
fn no_error_shows_a_redacted_value() {
    let files = tables();
    // A cell that is not a number, one that is not finite, one beyond the domain of a distance, and
    // rows of one value.
    let bad = |cell: &str| format!("a,secret,b,name,y,p\n1,{cell},3,x,0,0\n5,2,4,x,1,1\n");
    files.text("text.csv", &bad("48213.75e"));
    files.text("huge.csv", &bad("7.25e305"));
    files.text("finite.csv", &bad("48213.75e999"));
    files.text(
        "zero.csv",
        "a,secret,b,name,y,p\n1,2,3,x,0,0\n31.0625,31.0625,31.0625,x,1,1\n",
    );
    for metric in [
        "braycurtis",
        "canberra",
        "correlation",
        "mahalanobis",
        "euclidean",
    ] {
        for bad in ["text.csv", "huge.csv", "finite.csv", "zero.csv"] {
            for (train, test) in [(bad, "q.csv"), ("t.csv", bad)] {
                let of = format!(
                    "--train {train} --test {test} --label y --distance {metric} {REDACT} --scale false"
                );
                for command in ["explain", "audit"] {
                    let arguments = format!("casebased {command} {of}");
                    let code = files.run(&arguments).status.code().unwrap();
                    keeps_quiet(&files, code, &arguments);
                }
            }
        }
        let fit = format!("--train t.csv --label y --distance {metric} {REDACT} --scale false");
        if files
            .run(&format!(
                "casebased fit {fit} --store-redacted --out stored"
            ))
            .status
            .success()
        {
            for bad in ["text.csv", "huge.csv", "finite.csv", "zero.csv"] {
                let arguments = format!("casebased explain --explainer stored --test {bad}");
                let code = files.run(&arguments).status.code().unwrap();
                keeps_quiet(&files, code, &arguments);
            }
        }
    }
    // There are errors, and they name the position.
    let of = "--label y --distance braycurtis --redact secret --scale false";
    files.bad_data(
        "huge.csv",
        &format!("casebased explain --train t.csv --test huge.csv {of}"),
    );
    files.bad_data(
        "huge.csv",
        &format!("casebased explain --train huge.csv --test q.csv {of}"),
    );
}

#[test]
fn labels_and_predictions_cannot_be_redacted() {
    let files = tables();
    let explain = "casebased explain --train t.csv --test q.csv --label y --predicted p";
    files.wrong_usage("--redact", &format!("{explain} --redact y"));
    files.wrong_usage("--redact", &format!("{explain} --redact p"));
    // A stored explainer knows its redacted columns.
    files.json(
        "casebased fit --train t.csv --label y --redact secret --store-redacted --out stored",
    );
    let stored = "casebased explain --explainer stored --test q.csv";
    files.wrong_usage("--redact", &format!("{stored} --predicted secret"));
    files.wrong_usage("--redact", &format!("{stored} --label secret"));
    let audit = "casebased audit --explainer stored --test q.csv";
    files.wrong_usage("--redact", &format!("{audit} --label y --predicted secret"));
}

#[test]
fn a_study_redacts_as_the_commands_do() {
    let files = tables();
    let study = |train: &str, test: &str, redact: &str| {
        let text = format!(
            "[casebased]\ntrain = '{train}'\ntest = '{test}'\nlabel = 'y'\npredicted = 'p'\nk = 2\n\
             redact = [{redact}]\n"
        );
        files.text("s.toml", &text);
    };
    study("t.csv", "q.csv", "'secret', 'name'");
    keeps_quiet(&files, 0, "report s.toml --out out");
    keeps_quiet(&files, 0, "report s.toml --out out --json");
    files.text(
        "bad.csv",
        "a,secret,b,name,y,p\n1,48213.75e,3,x,0,0\n5,2,4,x,1,1\n",
    );
    for (train, test) in [("bad.csv", "q.csv"), ("t.csv", "bad.csv")] {
        study(train, test, "'secret', 'name'");
        let code = files.run("report s.toml --out out").status.code().unwrap();
        keeps_quiet(&files, code, "report s.toml --out out");
    }
    for column in ["y", "p"] {
        study("t.csv", "q.csv", &format!("'{column}'"));
        files.bad_data("s.toml", "report s.toml --out out");
    }
    study("t.csv", "q.csv", "'nobody'");
    files.bad_data("t.csv", "report s.toml --out out");
}

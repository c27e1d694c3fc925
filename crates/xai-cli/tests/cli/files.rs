//! Where files are, and how they are written.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use assert_cmd::Command;
use ndarray::{Array1, array};

use crate::harness::{Files, sample};

/// A name that is no UTF-8.
fn odd(name: &str) -> OsString {
    OsString::from_vec([b"\xff", name.as_bytes()].concat())
}

/// Runs `xai` in a folder; `?name` is the odd name.
fn run(folder: &Path, arguments: &str) -> std::process::Output {
    let argument = |text: &str| match text.split_once('?') {
        None => OsString::from(text),
        Some((before, name)) => [OsString::from(before), odd(name)].into_iter().collect(),
    };
    Command::cargo_bin("xai")
        .expect("the binary")
        .current_dir(folder)
        .args(arguments.split_whitespace().map(argument))
        .output()
        .expect("runs")
}

/// Some file systems have no such names.
fn has_odd_names(folder: &Path) -> bool {
    std::fs::write(folder.join(odd("probe")), "").is_ok()
}

#[test]
fn names_that_are_no_utf_8_are_names() {
    let files = Files::new();
    let folder = files.path("");
    if !has_odd_names(&folder) {
        return;
    }
    let rename = |name: &str| std::fs::rename(files.path(name), folder.join(odd(name))).unwrap();
    files.text("t.csv", "a,y\n1,0\n2,1\n3,1\n");
    files.text("runs.csv", "r1,r2,y\n0,0,0\n1,0,1\n1,1,1\n");
    files.array("p.npy", &array![0.5, 0.25]);
    let mut archive =
        ndarray_npy::NpzWriter::new(std::fs::File::create(files.path("q.npz")).unwrap());
    archive.add_array("q", &array![0.5, 0.25]).unwrap();
    archive.finish().unwrap();
    for name in ["t.csv", "runs.csv", "p.npy", "q.npz"] {
        rename(name);
    }
    for command in [
        "casebased fit --train ?t.csv --label y -k 1 --out ?stored",
        "casebased explain --explainer ?stored --test ?t.csv --label y --out ?rows.csv",
        "casebased audit --explainer ?stored --test ?t.csv --label y",
        "graph characterization --pos ?p.npy --neg ?q.npz:q",
        "repro pairwise --predictions ?runs.csv --labels y",
        "repro compare --first ?runs.csv --second ?runs.csv --labels y",
    ] {
        let output = run(&folder, command);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}\n{error}");
    }
    assert!(folder.join(odd("rows.csv")).exists());

    let missing = run(
        &folder,
        "graph characterization --pos ?none.npy --neg ?q.npz:q",
    );
    assert_eq!(missing.status.code(), Some(1));
    let text = String::from_utf8(missing.stderr).expect("messages are text");
    assert!(text.starts_with("error: \u{fffd}none.npy: "), "{text}");
}

#[cfg(feature = "onnx")]
#[test]
fn models_and_their_arrays_have_names_that_are_no_utf_8() {
    let files = Files::new();
    let folder = files.path("");
    if !has_odd_names(&folder) {
        return;
    }
    for name in ["model.onnx", "inputs.npy", "targets.npy", "saliency.npy"] {
        let from = sample(&format!("attribution/{name}"));
        std::fs::copy(from, folder.join(odd(name))).unwrap();
    }
    let arguments = "attribution compare --model ?model.onnx --inputs ?inputs.npy \
        --targets ?targets.npy --explanations a=?saliency.npy --metrics complexity,average_drop \
        --channels first --replicates 0 --activation softmax --json";
    let output = run(&folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let arguments = "attribution deletion --model ?model.onnx --inputs ?inputs.npy \
        --targets ?targets.npy --channels first --explanations ?saliency.npy --out ?rows.csv";
    let output = run(&folder, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(folder.join(odd("rows.csv")).exists());
}

#[test]
fn a_study_file_stands_in_a_folder_whose_name_is_no_utf_8() {
    let files = Files::new();
    let folder = files.path("");
    if !has_odd_names(&folder) {
        return;
    }
    let study = folder.join(odd("study"));
    std::fs::create_dir(&study).unwrap();
    ndarray_npy::write_npy(study.join("p.npy"), &array![[0_i64, 1, 1], [0, 1, 0]]).unwrap();
    ndarray_npy::write_npy(study.join("y.npy"), &Array1::from(vec![0_i64, 1, 1])).unwrap();
    let text = "title = \"T\"\n[repro]\npredictions = \"p.npy\"\nlabels = \"y.npy\"\n";
    std::fs::write(study.join("study.toml"), text).unwrap();
    let path: &OsStr = study.as_os_str();
    assert!(path.as_bytes().contains(&0xff));
    let output = run(&folder, "report ?study/study.toml --out ?page");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert!(folder.join(odd("page")).join("index.html").exists());
}

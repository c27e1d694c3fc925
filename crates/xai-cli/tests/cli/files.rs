//! Names of files, pipes, and files and options that claim huge sizes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::process::Command;

use ndarray::{Array1, Axis, array};
use serde_json::Value;

use crate::arrays::{archive, npy, of_header};
use crate::harness::{Files, XAI};
use crate::outputs::shell;

/// A name that is not UTF-8.
fn odd(name: &str) -> OsString {
    OsString::from_vec([b"\xff", name.as_bytes()].concat())
}

/// Runs `xai` in a folder; `?name` stands for the name that is not UTF-8.
fn run(folder: &Path, arguments: &str) -> std::process::Output {
    let argument = |text: &str| match text.split_once('?') {
        None => OsString::from(text),
        Some((before, name)) => [OsString::from(before), odd(name)].into_iter().collect(),
    };
    Command::new(XAI)
        .current_dir(folder)
        .args(arguments.split_whitespace().map(argument))
        .output()
        .expect("runs")
}

/// Returns `false` on file systems without such names.
fn has_odd_names(folder: &Path) -> bool {
    std::fs::write(folder.join(odd("probe")), "").is_ok()
}

#[test]
fn names_of_files_need_not_be_utf_8() {
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

#[test]
fn names_of_models_and_arrays_need_not_be_utf_8() {
    let files = Files::new();
    let folder = files.path("");
    if !has_odd_names(&folder) {
        return;
    }
    for name in ["model.onnx", "inputs.npy", "targets.npy", "saliency.npy"] {
        let from = crate::harness::sample(&format!("attribution/{name}"));
        std::fs::copy(from, folder.join(odd(name))).unwrap();
    }
    let arguments = "attribution compare --model ?model.onnx --inputs ?inputs.npy \
        --targets ?targets.npy --explanations a=?saliency.npy --metrics complexity,average_drop \
        --channels first --n-replicates 0 --activation softmax --json";
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
fn the_name_of_a_studys_folder_need_not_be_utf_8() {
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

#[test]
fn no_memory_is_allocated_for_sizes_that_files_only_claim() {
    let files = Files::new();
    files.array("q.npy", &array![0.5, 0.5]);
    let numbers = npy("'<f8'", false, "(2,)", &[0; 16]);
    let promise = npy("'<f8'", false, "(500000000,)", &[0; 16]);
    files.bytes("p.npy", &promise);
    files.bytes("lie.npz", &archive(&[("p", &promise)], Some(4_000_000_100)));
    files.bytes(
        "size.npz",
        &archive(&[("p", &numbers)], Some(4_000_000_100)),
    );
    files.bytes(
        "empty.npy",
        &npy("'<f8'", false, "(0, 9223372036854775807)", &[]),
    );
    files.bytes(
        "axes.npy",
        &npy("'<f8'", false, "(4294967296, 4294967296, 2)", &[0; 16]),
    );
    files.bytes("deep.npy", &of_header(&"(".repeat(5000), &[]));
    let mut long = b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'".to_vec();
    long.extend([b' '; 100]);
    files.bytes("long.npy", &long);
    for file in [
        "p.npy",
        "lie.npz",
        "empty.npy",
        "axes.npy",
        "deep.npy",
        "long.npy",
    ] {
        let command = format!("graph characterization --pos {file} --neg q.npy");
        files.bad_data(file, &command);
        let limited = limited(&files, &command);
        assert_eq!(limited.status.code(), Some(1), "{file}");
    }
    // The wrong size in the archive is not needed.
    let read = files.run("graph characterization --pos size.npz --neg q.npy");
    assert!(matches!(read.status.code(), Some(0 | 1)));
}

/// Runs `xai` with 2 GB of address space.
fn limited(files: &Files, arguments: &str) -> std::process::Output {
    shell(files, &format!("ulimit -v 2000000; $xai {arguments}"))
}

#[test]
fn pipes_are_opened_once() {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    files.array("runs.npy", &array![[0_i64, 1, 1], [0, 1, 0]]);
    files.array("labels.npy", &array![0_i64, 1, 1]);
    files.array("maps.npy", &array![[0.5_f32, 0.25], [1.0, 2.0]]);
    let mut file = ndarray_npy::NpzWriter::new(std::fs::File::create(files.path("p.npz")).unwrap());
    file.add_array("p", &array![0.5, 0.25]).unwrap();
    file.finish().unwrap();
    for (file, command) in [
        ("p.npy", "graph characterization --neg p.npy --pos"),
        ("p.npz", "graph characterization --neg p.npy --pos"),
        (
            "runs.npy",
            "repro pairwise --labels labels.npy --predictions",
        ),
        (
            "labels.npy",
            "repro pairwise --predictions runs.npy --labels",
        ),
        ("maps.npy", "attribution complexity --explanations"),
    ] {
        let expected = files.json(&format!("{command} {file}"));
        for line in [
            format!("cat {file} | $xai {command} /dev/stdin --json"),
            format!("$xai {command} /dev/stdin --json <{file}"),
            format!(
                "mkfifo pipe; cat {file} >pipe & $xai {command} pipe --json; s=$?; rm pipe; exit $s"
            ),
        ] {
            let output = shell(&files, &line);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{line}\n{error}");
            let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(printed, expected, "{line}");
        }
    }
    // The pipe ends too early.
    let line = "head -c 130 p.npy | $xai graph characterization --pos /dev/stdin --neg p.npy";
    assert_eq!(shell(&files, line).status.code(), Some(1));
}

#[test]
fn node_numbers_and_labels_are_not_sizes() {
    let files = Files::new();
    files.array("mask.npy", &array![0.5, 1.0]);
    files.array("edges.npy", &array![[0_i64, 4_000_000_000], [1, 2]]);
    let command = "graph mask --mask mask.npy --edge-index edges.npy";
    assert_eq!(files.run(command).status.code(), Some(0));
    assert_eq!(
        files
            .run(&format!("{command} --n-nodes 9223372036854775807"))
            .status
            .code(),
        Some(0)
    );
    let far = array![
        0_i64,
        1_000_000_000_000_000,
        -5_000_000_000_000_000,
        i64::MAX,
        i64::MIN,
        0
    ];
    files.array("labels.npy", &far);
    files.array(
        "runs.npy",
        &ndarray::stack(Axis(0), &[far.view(), far.view()]).unwrap(),
    );
    let report = files.json("repro pairwise --predictions runs.npy --labels labels.npy");
    assert_eq!(report["ever_wrong"], 0);
    let labels: Array1<i64> = far.mapv(|label| label / 2);
    files.array("full.npy", &far);
    files.array("kept.npy", &labels);
    files.json("graph fidelity --full full.npy --kept kept.npy --complement full.npy");
}

#[test]
fn no_memory_is_allocated_for_sizes_of_options() {
    let files = Files::new();
    files.array(
        "runs.npy",
        &array![[0_i64, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 0]],
    );
    files.array("labels.npy", &array![0_i64, 1, 1, 0]);
    let pairwise = "repro pairwise --predictions runs.npy --labels labels.npy";
    for (option, command) in [
        (
            "--n-classes",
            "repro simulate classes --kind flat --n-classes 4294967295",
        ),
        (
            "--draws",
            "repro simulate classes --kind flat --n-classes 2 --draws 4294967295",
        ),
        (
            "--n-samples",
            "repro simulate study --iterations 1 --n-samples 4294967295",
        ),
        (
            "--n-samples",
            "repro simulate study --iterations 1 --n-samples 10 --n-runs 4294967295",
        ),
        (
            "--n-replicates",
            &format!("{pairwise} --interval bca --n-replicates 4294967295"),
        ),
    ] {
        files.wrong_usage(option, command);
    }
    files.json(&format!("{pairwise} --inconsistent 18446744073709551615"));
}

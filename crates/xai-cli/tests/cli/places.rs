//! The file that an error names if several could be wrong.

use ndarray::{Array2, array};

use crate::harness::Files;

/// Either file of a mismatch may be wrong, so messages name both.
#[test]
fn a_mismatch_names_both_files() {
    let files = Files::new();
    files.array("a.npy", &array![[0.5, 0.25], [0.5, 0.25], [0.5, 0.25]]);
    files.array("b.npy", &array![[0.5, 0.25], [0.5, 0.25]]);
    files.array("p.npy", &array![0.5, 0.25, 0.125]);
    files.array("q.npy", &array![0.5, 0.25]);
    files.array("edges.npy", &array![[0i64, 1], [1, 0]]);
    files.array("i.npy", &array![0i64, 9]);
    files.array("nan.npy", &array![0.5, f64::NAN, 0.5]);
    for (place, other, command) in [
        (
            "b.npy",
            "a.npy",
            "graph fidelity --full a.npy --kept b.npy --complement a.npy",
        ),
        (
            "b.npy",
            "a.npy",
            "graph fidelity --full a.npy --kept a.npy --complement b.npy",
        ),
        (
            "i.npy",
            "a.npy",
            "graph fidelity --full a.npy --kept a.npy --complement a.npy --index i.npy",
        ),
        (
            "b.npy",
            "a.npy",
            "graph unfaithfulness --full a.npy --kept b.npy",
        ),
        (
            "q.npy",
            "p.npy",
            "graph characterization --pos p.npy --neg q.npy",
        ),
        (
            "q.npy",
            "p.npy",
            "graph fidelity-auc --pos p.npy --neg p.npy --x q.npy",
        ),
        (
            "q.npy",
            "p.npy",
            "graph groundtruth --predicted p.npy --target q.npy",
        ),
        (
            "edges.npy",
            "p.npy",
            "graph mask --mask p.npy --edge-index edges.npy",
        ),
        (
            "q.npy",
            "p.npy",
            "attribution average-drop --base p.npy --masked q.npy",
        ),
        (
            "p.npy",
            "a.npy",
            "repro regression --predictions a.npy --targets p.npy",
        ),
    ] {
        let failed = files.bad_data(place, command);
        assert!(failed.text.contains(other), "{command}\n{}", failed.text);
    }
    files.bad_data(
        "nan.npy",
        "attribution average-drop --base p.npy --masked nan.npy",
    );
    files.array("wide.npy", &Array2::<f64>::zeros((2, 3)));
    files.bad_data(
        "nan.npy",
        "repro regression --predictions wide.npy --targets nan.npy",
    );
    files.array("large.npy", &array![0.5, f64::MAX, 0.5]);
    files.array("l.npy", &array![0i64, 1, 1]);
    files.bad_data(
        "large.npy",
        "repro regression --predictions wide.npy --targets large.npy",
    );
    files.bad_data(
        "large.npy",
        "attribution average-gain --base p.npy --masked large.npy",
    );
    // Numbers are short, and options are named as on the command line.
    for (place, command) in [
        (
            "large.npy",
            "graph fidelity --full l.npy --kept l.npy --complement large.npy",
        ),
        ("large.npy", "graph mask --mask large.npy"),
        (
            "large.npy",
            "graph fidelity-auc --pos p.npy --neg p.npy --x large.npy",
        ),
    ] {
        let failed = files.run(command);
        let text = String::from_utf8(failed.stderr).unwrap();
        assert!(text.len() < 300, "{command}\n{text}");
        assert!(text.is_empty() || text.contains(place), "{command}\n{text}");
    }
    let usage = "graph mask --mask q.npy --edge-index edges.npy";
    files.wrong_usage("--n-nodes", &format!("{usage} --n-nodes 1"));
}

#[test]
fn no_message_names_a_temporary_file() {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    files.text("t.csv", "a,y\n1,0\n2,1\n");
    files.text("plain", "");
    for folder in ["none", "plain"] {
        for command in [
            format!("graph characterization --pos p.npy --neg p.npy --out {folder}/rows.csv"),
            format!("casebased fit --train t.csv --label y --out {folder}/stored"),
        ] {
            let failed = files.failure(1, &command);
            assert!(
                failed.text.contains(folder) && !failed.text.contains(".xai-"),
                "{}",
                failed.text
            );
        }
    }
}

#[test]
fn errors_in_one_group_of_runs_name_its_file() {
    let files = Files::new();
    files.array("y.npy", &array![0i64, 1]);
    files.array("wrong.npy", &array![[1i64, 1], [0, 0], [1, 0]]);
    files.array("right.npy", &array![[0i64, 0], [0, 1], [0, 1]]);
    files.array("one.npy", &array![[0i64, 1]]);
    let compare = "repro compare --labels y.npy --metrics ec_local --empty-union error";
    for (place, groups) in [
        ("right.npy", "--first right.npy --second wrong.npy"),
        ("right.npy", "--first wrong.npy --second right.npy"),
        ("one.npy", "--first one.npy --second wrong.npy"),
        ("one.npy", "--first wrong.npy --second one.npy"),
    ] {
        files.bad_data(place, &format!("{compare} {groups}"));
    }
}

//! Errors in data name the file (exit code 1), and errors in options name the option (exit code 2).

use ndarray::{Array, Array1, Array2, array};

use crate::harness::{Files, sample};

/// Runs commands with one error each, given as the file that must be named and the last arguments.
fn bad_data(files: &Files, command: &str, cases: &[(&str, &str)]) {
    for (file, arguments) in cases {
        files.bad_data(file, &format!("{command} {arguments}"));
    }
}

/// Runs commands with one wrong option each, given as the option that must be named and the last arguments.
fn wrong_usage(files: &Files, command: &str, cases: &[(&str, &str)]) {
    for (option, arguments) in cases {
        files.wrong_usage(option, &format!("{command} {arguments}"));
    }
}

#[test]
fn files_without_arrays_are_errors() {
    let files = Files::new();
    files.array("up.npy", &array![0.5, 0.5]);
    files.array("text_dtype.npy", &array![0.5, 0.5]);
    files.bytes("cut.npy", b"\x93NUMPY\x01");
    files.text("text.npy", "hello");
    for bad in [
        "missing.npy",
        "cut.npy",
        "text.npy",
        "missing.npz:a",
        "missing.npz",
    ] {
        let command = format!("graph characterization --neg up.npy --pos {bad}");
        files.bad_data(bad.split(':').next().unwrap(), &command);
    }
}

#[test]
fn casebased() {
    let files = Files::new();
    files.text("t.csv", "a,name,b,y\n0,x,0,0\n1,x,0,0\n9,z,9,1\n10,z,9,1\n");
    files.text("q.csv", "b,a,y,p\n0,0.5,0,0\n9,9.5,1,0\n");
    files.text("bad.csv", "a,b,y\n1,2,0\n1,inf,0\n");
    files.text("missing.csv", "a,y\n1,0\n");
    files.text("empty.csv", "a,b,y\n");
    files.text("zero.csv", "a,b,y\n0,0,0\n1,2,1\n");
    files.text("foreign.xai", "a,b\n1,2\n");
    bad_data(
        &files,
        "casebased explain --label y",
        &[
            ("no.csv", "--train no.csv --test q.csv"),
            ("bad.csv", "--train bad.csv --test q.csv"),
            ("missing.csv", "--train t.csv --test missing.csv"),
            ("empty.csv", "--train empty.csv --test q.csv"),
            ("empty.csv", "--train t.csv --test empty.csv"),
            ("t.csv", "--train t.csv --test q.csv --redact nope"),
            (
                "zero.csv",
                "--train zero.csv --test q.csv --distance cosine --scale false",
            ),
            ("foreign.xai", "--explainer foreign.xai --test q.csv"),
            ("no.xai", "--explainer no.xai --test q.csv"),
        ],
    );
    wrong_usage(
        &files,
        "casebased explain --train t.csv --test q.csv --label y",
        &[
            ("-k", "-k 0"),
            ("--distance", "--distance taxi"),
            ("--distance", "--distance minkowski:0.5"),
            ("--weighting", "--weighting cubic"),
            ("--class-weight", "--class-weight 1"),
            ("--class-weight", "--class-weight 1=-1"),
            ("--high", "--high 2"),
            ("--engine", "--engine octree"),
            ("--distance", "--engine kd-tree --distance cosine"),
            ("--aggregate-only", "--aggregate-only 1"),
            ("--redact", "--redact y"),
            ("--limit", "--limit 0"),
            ("--medium", "--medium 0.9"),
            ("--weighting", "--weighting gaussian:0"),
            ("--weighting", "--weighting inverse-power:-1"),
        ],
    );
    files.text("n.csv", "distance,label\n-1,0\n");
    files.bad_data(
        "n.csv",
        "casebased correspondence --neighbors n.csv --predicted 0",
    );
    files.text("n.csv", "distance,label\n1,0\n");
    wrong_usage(
        &files,
        "casebased correspondence --neighbors n.csv --predicted 0",
        &[
            ("--high", "--high 2"),
            ("--class-weight", "--class-weight 0=-1"),
            ("--weighting", "--weighting gaussian:-1"),
        ],
    );
    bad_data(
        &files,
        "casebased audit --label y",
        &[
            ("no.csv", "--train t.csv --test no.csv"),
            ("missing.csv", "--train t.csv --test missing.csv"),
            ("bad.csv", "--train t.csv --test bad.csv"),
            ("empty.csv", "--train t.csv --test empty.csv"),
            ("empty.csv", "--train empty.csv --test q.csv"),
            ("foreign.xai", "--explainer foreign.xai --test q.csv"),
        ],
    );
    bad_data(
        &files,
        "casebased fit --label y --out",
        &[
            ("no.csv", "c.xai --train no.csv"),
            ("bad.csv", "c.xai --train bad.csv"),
            ("no/c.xai", "no/c.xai --train t.csv"),
        ],
    );
}

#[test]
fn graph() {
    let files = Files::new();
    files.array("rows.npy", &array![[0.0, 1.0], [1.0, 0.0]]);
    files.array("nan.npy", &array![[0.0, 1.0], [f64::NAN, 0.0]]);
    files.array("wide.npy", &array![[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]]);
    files.array("long.npy", &array![[0.0, 1.0], [1.0, 0.0], [1.0, 0.0]]);
    files.array("not_one.npy", &array![[0.5, 0.5], [0.5, 0.75]]);
    files.array("labels.npy", &array![0i64, 5]);
    files.array("beyond.npy", &array![0i64, 7]);
    files.array("negative.npy", &array![-1i64]);
    files.array("floats.npy", &array![0.5, 2.0]);
    files.array("single.npy", &array![[0.5], [0.25]]);
    files.array("none.npy", &Array2::<f64>::zeros((0, 3)));
    files.array("three.npy", &array![0.0, 1.0, 0.0]);
    files.array("empty.npy", &Array1::<i64>::zeros(0));
    files.array("up.npy", &array![0.5, 0.5]);
    files.array("down.npy", &array![1.0, 0.0]);
    files.array("one.npy", &array![0.5, 1.0]);
    bad_data(
        &files,
        "graph fidelity --full rows.npy",
        &[
            ("nan.npy", "--kept nan.npy --complement rows.npy"),
            ("nan.npy", "--kept rows.npy --complement nan.npy"),
            ("long.npy", "--kept long.npy --complement rows.npy"),
            ("wide.npy", "--kept rows.npy --complement wide.npy"),
            ("floats.npy", "--kept floats.npy --complement rows.npy"),
            (
                "labels.npy",
                "--kept rows.npy --complement rows.npy --target labels.npy",
            ),
            (
                "negative.npy",
                "--kept rows.npy --complement rows.npy --target negative.npy",
            ),
            (
                "beyond.npy",
                "--kept rows.npy --complement rows.npy --index beyond.npy",
            ),
            (
                "negative.npy",
                "--kept rows.npy --complement rows.npy --index negative.npy",
            ),
            (
                "empty.npy",
                "--kept rows.npy --complement rows.npy --index empty.npy",
            ),
        ],
    );
    for full in ["single.npy", "none.npy"] {
        let command = format!("graph fidelity --full {full} --kept {full} --complement {full}");
        files.bad_data(full, &command);
    }
    bad_data(
        &files,
        "graph unfaithfulness --full rows.npy --kept",
        &[
            ("nan.npy", "nan.npy"),
            ("wide.npy", "wide.npy"),
            ("beyond.npy", "rows.npy --index beyond.npy"),
        ],
    );
    bad_data(
        &files,
        "graph unfaithfulness",
        &[
            ("none.npy", "--full none.npy --kept none.npy"),
            ("single.npy", "--full single.npy --kept single.npy"),
            (
                "not_one.npy",
                "--full not_one.npy --kept not_one.npy --return-type probs",
            ),
        ],
    );
    bad_data(
        &files,
        "graph groundtruth",
        &[
            ("floats.npy", "--predicted floats.npy --target floats.npy"),
            ("three.npy", "--predicted floats.npy --target three.npy"),
            ("empty.npy", "--predicted empty.npy --target empty.npy"),
        ],
    );
    wrong_usage(
        &files,
        "graph groundtruth --predicted up.npy --target up.npy",
        &[
            ("--threshold", "--threshold 2"),
            ("--selection", "--selection 0"),
            ("--selection", "--selection 3"),
            ("--zero-division", "--zero-division 2"),
        ],
    );
    bad_data(
        &files,
        "graph characterization",
        &[
            ("floats.npy", "--pos floats.npy --neg up.npy"),
            ("floats.npy", "--pos up.npy --neg floats.npy"),
            ("three.npy", "--pos up.npy --neg three.npy"),
        ],
    );
    wrong_usage(
        &files,
        "graph characterization --pos up.npy --neg up.npy",
        &[
            ("--pos-weight", "--pos-weight=-1"),
            ("--neg-weight", "--neg-weight=-1"),
            ("--pos-weight", "--pos-weight 0.9"),
        ],
    );
    bad_data(
        &files,
        "graph fidelity-auc",
        &[
            ("down.npy", "--pos up.npy --neg up.npy --x down.npy"),
            ("three.npy", "--pos up.npy --neg up.npy --x three.npy"),
            ("one.npy", "--pos up.npy --neg one.npy --x up.npy"),
        ],
    );
    files.array("mask.npy", &array![1.0, 1.0, 1.0, 0.0]);
    files.array("pairs.npy", &array![[0i64, 1], [1, 2]]);
    bad_data(
        &files,
        "graph mask",
        &[
            ("floats.npy", "--mask floats.npy"),
            ("empty.npy", "--mask empty.npy"),
            ("pairs.npy", "--mask mask.npy --edge-index pairs.npy"),
        ],
    );
    wrong_usage(
        &files,
        "graph mask --mask mask.npy",
        &[("--threshold", "--threshold 2")],
    );
    wrong_usage(
        &files,
        "graph fidelity --full rows.npy --kept rows.npy --complement rows.npy",
        &[("--mode", "--mode phenomenon"), ("--mode", "--mode other")],
    );
    files.failure(2, "graph fidelity --full rows.npy");
    files.failure(2, "graph sweep");
}

#[test]
fn graph_sweep() {
    let files = Files::new();
    let outputs = |n: usize| Array::from_shape_fn((2, n, 2), |(_, i, j)| (i + j) as f64);
    files.array("full.npy", &array![[0.0, 1.0], [1.0, 0.0]]);
    files.array("kept.npy", &outputs(2));
    files.array("long.npy", &outputs(3));
    files.array(
        "nan.npy",
        &outputs(2).mapv(|x| if x > 1.0 { f64::NAN } else { x }),
    );
    files.array("levels.npy", &array![0.1, 0.2]);
    files.array("down.npy", &array![0.2, 0.1]);
    files.array("beyond.npy", &array![7i64]);
    let sweep = |kept: &str, complement: &str, levels: &str| {
        format!(
            "graph sweep --full full.npy --kept {kept} --complement {complement} --levels {levels}"
        )
    };
    files.json(&sweep("kept.npy", "kept.npy", "levels.npy"));
    for (bad, command) in [
        ("long.npy", sweep("long.npy", "kept.npy", "levels.npy")),
        ("long.npy", sweep("kept.npy", "long.npy", "levels.npy")),
        ("nan.npy", sweep("nan.npy", "kept.npy", "levels.npy")),
        ("nan.npy", sweep("kept.npy", "nan.npy", "levels.npy")),
        ("down.npy", sweep("kept.npy", "kept.npy", "down.npy")),
        (
            "beyond.npy",
            sweep("kept.npy", "kept.npy", "levels.npy --index beyond.npy"),
        ),
    ] {
        files.bad_data(bad, &command);
    }
}

#[test]
fn graph_models() {
    use crate::graph::onnx::{model, ring_files};

    let files = Files::new();
    let given = ring_files(&files);
    files.text("text.onnx", "hello");
    files.array("beyond.npy", &array![[0i64, 12], [1, 0]]);
    files.array("short.npy", &array![0.5f32]);
    files.array("narrow.npy", &Array2::<f32>::zeros((12, 2)));
    files.array("nan.npy", &Array2::from_elem((12, 3), f32::NAN));
    let swapped = |from: &str, to: &str, file: &str| {
        let command = format!("graph sweep {}", given.replace(from, to));
        files.bad_data(file, &command);
    };
    swapped(&model(), "text.onnx", "text.onnx");
    swapped(&model(), "missing.onnx", "missing.onnx");
    swapped("edges.npy", "beyond.npy", "beyond.npy");
    swapped("features.npy", "narrow.npy", &model());
    swapped("features.npy", "nan.npy", "nan.npy");
    swapped("mask.npy", "short.npy", "short.npy");
    files.bad_data(
        "short.npy",
        &format!("graph sweep {given} --edge-weight short.npy"),
    );
    // The outputs are beyond the range of single precision.
    files.array("huge.npy", &Array2::from_elem((12, 3), 3e38f32));
    swapped("features.npy", "huge.npy", &model());
    files.array("levels.npy", &array![0.5, 2.0]);
    for by in ["fraction", "top-k"] {
        let sweep = format!("graph sweep {given} --by {by} --levels levels.npy");
        files.bad_data("levels.npy", &sweep);
    }
    files.wrong_usage("--by", &format!("graph sweep {given} --by top-k"));
    // The mask has other values than 0 and 1.
    files.bad_data("mask.npy", &format!("graph robust-fidelity {given}"));
    wrong_usage(
        &files,
        &format!("graph robust-fidelity {given}"),
        &[
            ("--fraction", "--fraction 2"),
            ("--alpha-pos", "--fraction 0.5 --alpha-pos 2"),
            ("--alpha-neg", "--fraction 0.5 --alpha-neg 2"),
            ("--n-draws", "--fraction 0.5 --n-draws 1"),
            ("--n-draws", "--fraction 0.5 --n-draws 18446744073709551615"),
        ],
    );
    files.failure(2, &format!("graph sweep --model {}", model()));
}

#[test]
fn repro() {
    let files = Files::new();
    files.array("p.npy", &array![[0i8, 1, 0, 1], [0, 0, 0, 0], [0, 1, 1, 1]]);
    files.array("y.npy", &array![0u16, 1, 1, 0]);
    files.array("one.npy", &array![[0i8, 1, 0, 1]]);
    files.array("none.npy", &Array2::<i8>::zeros((3, 0)));
    files.array("nolabels.npy", &Array1::<i8>::zeros(0));
    files.array("floats.npy", &array![[0.5, 1.0], [0.0, 1.0]]);
    files.array("flat.npy", &array![0i8, 1]);
    files.array("a.npy", &array![0i64, 1, 0, 1]);
    files.array("a2.npy", &array![[0i64, 1], [0, 1]]);
    files.array("short.npy", &array![0u8, 1]);
    files.text("runs.csv", "y,a,b,c\n0,0,0,0\n1,1,0,1\n1,0,0,1\n0,1,0,1\n");
    files.text("words.csv", "y,a,b\n0,0,dog\n1,1,0\n");
    bad_data(
        &files,
        "repro pairwise --predictions",
        &[
            ("no.npy", "no.npy --labels y.npy"),
            ("one.npy", "one.npy --labels y.npy"),
            ("flat.npy", "p.npy --labels flat.npy"),
            ("none.npy", "none.npy --labels nolabels.npy"),
            ("floats.npy", "floats.npy --labels flat.npy"),
            ("flat.npy", "flat.npy --labels flat.npy"),
            ("short.npy", "a.npy short.npy --labels y.npy"),
            ("runs.csv", "runs.csv --labels label"),
            ("words.csv", "words.csv --labels y"),
        ],
    );
    bad_data(
        &files,
        "repro compare --labels y.npy --first p.npy --second",
        &[
            ("one.npy", "one.npy"),
            ("no.npy", "no.npy"),
            ("y.npy", "a2.npy"),
        ],
    );
    files.bad_data(
        "one.npy",
        "repro compare --labels y.npy --first one.npy --second p.npy",
    );
    wrong_usage(
        &files,
        "repro pairwise --predictions p.npy --labels y.npy",
        &[
            ("--metrics", "--metrics kappa"),
            ("--empty-union", "--empty-union 2"),
            ("--interval", "--interval exact"),
        ],
    );
    files.array(
        "rp.npy",
        &array![[1.0, 1.0, 4.0, 2.0], [1.0, 0.0, 2.0, 2.0]],
    );
    files.array("ry.npy", &array![1.0f32, 2.0, 3.0, 4.0]);
    files.array("rnan.npy", &array![1.0, f64::NAN, 3.0, 4.0]);
    files.array("rshort.npy", &array![1.0, 2.0]);
    files.array("rone.npy", &array![[1.0, 1.0, 4.0, 2.0]]);
    bad_data(
        &files,
        "repro regression",
        &[
            ("rshort.npy", "--predictions rp.npy --targets rshort.npy"),
            ("rnan.npy", "--predictions rp.npy --targets rnan.npy"),
            ("rone.npy", "--predictions rone.npy --targets ry.npy"),
        ],
    );
    wrong_usage(
        &files,
        "repro simulate",
        &[
            ("--kind", "classes --kind gauss --n-classes 3"),
            ("--n-classes", "classes --kind flat --n-classes 0"),
            ("--iterations", "study --iterations 0"),
            ("--n-runs", "study --n-runs 1"),
        ],
    );
}

#[test]
fn attribution() {
    let files = Files::new();
    files.array("b.npy", &array![0.5, 0.5]);
    files.array("a.npy", &array![0.5]);
    files.array("nan.npy", &array![0.5, f64::NAN]);
    files.array("flat.npy", &array![1.0, 2.0]);
    files.array("maps_nan.npy", &array![[1.0, f64::NAN]]);
    files.array("nothing.npy", &Array2::<f64>::zeros((0, 3)));
    bad_data(
        &files,
        "attribution",
        &[
            ("a.npy", "average-drop --base b.npy --masked a.npy"),
            ("nan.npy", "average-drop --base nan.npy --masked b.npy"),
            ("flat.npy", "complexity --explanations flat.npy"),
            ("maps_nan.npy", "complexity --explanations maps_nan.npy"),
            ("maps_nan.npy", "sparseness --explanations maps_nan.npy"),
            ("nothing.npy", "sparseness --explanations nothing.npy"),
        ],
    );
    files.failure(2, "attribution average-drop");
    files.failure(2, "attribution average-drop --base b.npy");
    files.failure(2, "attribution average-drop --model m.onnx");
    wrong_usage(
        &files,
        "attribution average-drop --base b.npy --masked b.npy",
        &[
            ("--batch-size", "--batch-size 0"),
            ("--activation", "--activation relu"),
            ("--base-score-policy", "--base-score-policy ignore"),
        ],
    );
}

#[test]
fn attribution_models() {
    let files = Files::new();
    let sample = |name: &str| sample(&format!("attribution/{name}"));
    let (model, targets) = (sample("model.onnx"), sample("targets.npy"));
    let maps = sample("random.npy");
    files.array("few.npy", &array![0i64, 1]);
    files.array("far.npy", &Array::from_elem(60, 12i64));
    files.array("floats.npy", &Array::from_elem(60, 0.5f64));
    files.array("flat.npy", &Array::from_elem((60, 9), 1.0f32));
    files.array("nan.npy", &Array::from_elem((60, 8, 8), f32::NAN));
    files.array("three.npy", &Array::from_elem((2, 3, 8, 8), 1.0f32));
    files.array("inputs_nan.npy", &Array::from_elem((60, 1, 8, 8), f32::NAN));
    files.array("maps.npy", &Array::from_elem((2, 8, 8), 1.0f32));
    files.text("text.npy", "hello");
    let run = |metric: &str, model: &str, inputs: &str, targets: &str, maps: &str| {
        format!(
            "attribution {metric} --model {model} --inputs {inputs} --targets {targets} \
             --explanations {maps} --channels first"
        )
    };
    let inputs = sample("inputs.npy");
    for metric in ["average-drop", "average-gain", "deletion", "insertion"] {
        for (bad, command) in [
            ("no.onnx", run(metric, "no.onnx", &inputs, &targets, &maps)),
            (
                "text.npy",
                run(metric, "text.npy", &inputs, &targets, &maps),
            ),
            (
                "text.npy",
                run(metric, &model, &inputs, &targets, "text.npy"),
            ),
            ("few.npy", run(metric, &model, &inputs, "few.npy", &maps)),
            ("far.npy", run(metric, &model, &inputs, "far.npy", &maps)),
            (
                "floats.npy",
                run(metric, &model, &inputs, "floats.npy", &maps),
            ),
            (
                "flat.npy",
                run(metric, &model, &inputs, &targets, "flat.npy"),
            ),
            ("nan.npy", run(metric, &model, &inputs, &targets, "nan.npy")),
            (
                "maps.npy",
                run(metric, &model, &inputs, &targets, "maps.npy"),
            ),
            (
                "inputs_nan.npy",
                run(metric, &model, "inputs_nan.npy", &targets, &maps),
            ),
            (
                model.as_str(),
                run(metric, &model, "three.npy", "few.npy", "maps.npy"),
            ),
        ] {
            files.bad_data(bad, &command);
        }
    }
    let deletion = run("deletion", &model, &inputs, &targets, &maps);
    wrong_usage(
        &files,
        &deletion,
        &[
            ("--steps", "--steps 0"),
            ("--max-fraction", "--max-fraction 2"),
            ("--metrics", "--metrics standard(baseline=fog)"),
            ("--batch-size", "--batch-size 0"),
        ],
    );
    let compare = run(
        "compare",
        &model,
        &inputs,
        &targets,
        &format!("random={maps}"),
    );
    let compare = compare.replace("--channels first", "--activation softmax --channels first");
    bad_data(
        &files,
        &compare,
        &[
            ("nan.npy", "--metrics deletion --explanations bad=nan.npy"),
            ("flat.npy", "--metrics deletion --explanations bad=flat.npy"),
        ],
    );
    wrong_usage(
        &files,
        &compare,
        &[
            ("--explanations", "--explanations random=flat.npy"),
            ("--explanations", "--explanations flat.npy"),
            ("--metrics", "--metrics fidelity"),
            ("--metrics", "--metrics standard(baseline=fog)"),
            ("--level", "--level 1.5"),
            ("--n-replicates", "--n-replicates 2000000"),
            ("--metrics", "--metrics mu_fidelity(sampling=often)"),
            ("--metrics", "--metrics deletion(steps=fog)"),
            ("--metrics", "--metrics mu_fidelity(n_subsets=0)"),
            ("--metrics", "--metrics mu_fidelity(features=grid:1)"),
            ("--metrics", "--metrics mu_fidelity(grid=1)"),
            ("--metrics", "--metrics standard(grid=1)"),
            ("--metrics", "--metrics deletion(steps=1"),
            ("--metrics", "--metrics mu_fidelity(subset_size=1.5)"),
        ],
    );
}

#[test]
fn report() {
    let files = Files::new();
    for (place, text) in [
        (
            "no.npy",
            "[repro]\npredictions = 'no.npy'\nlabels = 'no.npy'\n".to_owned(),
        ),
        ("s.toml", "[repro]\npredictions = 1\n".to_owned()),
        ("s.toml", "[casebased]\ntrian = 't.csv'\n".to_owned()),
        ("s.toml", "title = 'x'\n".to_owned()),
        (
            "s.toml",
            format!(
                "[casebased]\ntrain = '{}'\ntest = '{}'\nlabel = 'diagnosis'\n\
                 predicted = 'predicted'\nk = 0\n",
                sample("casebased/train.csv"),
                sample("casebased/test.csv")
            ),
        ),
        (
            "s.toml",
            format!(
                "[attribution]\nmodel = '{0}/model.onnx'\ninputs = '{0}/inputs.npy'\n\
                 targets = '{0}/targets.npy'\nmetrics = ['taste']\nexplainers = []\n",
                sample("attribution")
            ),
        ),
        (
            "single.npy",
            format!(
                "[attribution]\nmodel = '{0}/model.onnx'\ninputs = 'single.npy'\n\
                 targets = '{0}/targets.npy'\nexplainers = [{{name = 'a', maps = 'single.npy'}}]\n",
                sample("attribution")
            ),
        ),
        (
            "long.npy",
            format!(
                "[graph]\nfull = '{}'\nkept_fraction = '{}'\n[[graph.explainers]]\nname = 'a'\n\
                 kept = 'long.npy'\ncomplement = 'long.npy'\n",
                sample("graph/logits_full.npy"),
                sample("graph/kept_fraction.npy")
            ),
        ),
    ] {
        files.array("long.npy", &ndarray::Array3::<f64>::zeros((10, 3, 4)));
        files.array("single.npy", &ndarray::arr0(1.0f32));
        files.text("s.toml", &text);
        files.bad_data(place, "report s.toml");
    }
    files.bad_data("none.toml", "report none.toml");
    files.failure(2, "reprot");
}

#[test]
fn options_take_negative_values_after_a_space() {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    let values = ["-0.5", "-1", "-.5", "-1e-3", "-inf"];
    for (option, command) in [
        ("--threshold", "graph mask --mask p.npy"),
        (
            "--threshold",
            "graph groundtruth --predicted p.npy --target p.npy",
        ),
        (
            "--pos-weight",
            "graph characterization --pos p.npy --neg p.npy",
        ),
        (
            "--high",
            "casebased correspondence --neighbors n.csv --predicted -1",
        ),
        (
            "--class-weight",
            "casebased correspondence --neighbors n.csv --predicted 1",
        ),
    ] {
        for value in values {
            let failed = files.failure(2, &format!("{command} {option} {value}"));
            // The error is about the value, not an unknown option.
            assert!(
                !failed.text.contains("unexpected argument"),
                "{}",
                failed.text
            );
        }
    }
    for (option, command) in [
        ("--seed", "graph mask --mask p.npy --seed -1"),
        ("--threads", "--threads -1 graph mask --mask p.npy"),
        (
            "--selection",
            "graph groundtruth --predicted p.npy --target p.npy --selection -3",
        ),
        (
            "-k",
            "casebased explain --train n.csv --test n.csv --label y -k -5",
        ),
    ] {
        let failed = files.failure(2, command);
        assert!(failed.text.contains(option), "{}", failed.text);
        assert!(
            !failed.text.contains("unexpected argument"),
            "{}",
            failed.text
        );
    }
    files.text("n.csv", "distance,label\n1,-1\n2,1\n");
    let command = "casebased correspondence --neighbors n.csv --predicted -1 --class-weight -1=2";
    files.json(command);
}

#[test]
fn the_number_of_threads_is_limited() {
    let files = Files::new();
    files.array("p.npy", &array![0.5, 0.25]);
    let command = "graph characterization --pos p.npy --neg p.npy";
    let expected = files.json(command);
    assert_eq!(files.json(&format!("{command} --threads 65535")), expected);
    assert!(
        files
            .remarks(&format!("{command} --threads 1000000"))
            .contains("--threads")
    );
    assert!(files.remarks(&format!("{command} --threads 3")).is_empty());
}

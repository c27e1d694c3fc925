//! Model files as exporters write them, and files that are none.
//!
//! The models were written with the Python package `onnx`. The expected outputs are those of ONNX
//! Runtime for `mlp.onnx`; its variants in other types are held to them, half precision to 1e-2, which
//! is what its weights keep.

use ndarray::{Array2, ArrayD, array};

use crate::harness::{Files, sample};

/// A model file of the tests.
fn model(name: &str) -> String {
    format!("{}/tests/data/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with samples of a shape, their targets, and maps of the same shape.
fn of_shape(shape: &[usize]) -> Files {
    let files = Files::new();
    let mut k = 0;
    let numbers = || {
        k = (k * 37 + 11) % 101;
        k as f32 / 50.0 - 1.0
    };
    files.array("x.npy", &ArrayD::from_shape_simple_fn(shape, numbers));
    files.array("y.npy", &ndarray::Array1::<i64>::zeros(shape[0]));
    files
}

fn average_drop(model: &str, rest: &str) -> String {
    format!(
        "attribution average-drop --activation softmax --model {model} --inputs x.npy \
         --targets y.npy --explanations x.npy {rest}"
    )
}

#[test]
fn types_and_shapes_that_exporters_write_give_the_same_scores() {
    let files = of_shape(&[7, 4]);
    let expected = files.json(&average_drop(&model("mlp.onnx"), ""));
    let expected = expected["value"].as_f64().unwrap();
    for (name, tolerance) in [
        ("mlp_external.onnx", 1e-6),
        ("mlp_trailing.onnx", 1e-6),
        ("mlp_batch_1.onnx", 1e-6),
        ("mlp_batch_4.onnx", 1e-6),
        ("mlp_f64.onnx", 1e-6),
        ("mlp_f16.onnx", 1e-2),
    ] {
        let value = files.json(&average_drop(&model(name), ""));
        let value = value["value"].as_f64().unwrap();
        assert!((value - expected).abs() < tolerance, "{name}: {value}");
    }
    let column = average_drop(&model("column.onnx"), "").replace("softmax", "sigmoid");
    assert!(files.json(&column)["value"].is_number());
}

#[test]
fn the_name_of_a_model_need_not_end_in_onnx() {
    let files = of_shape(&[7, 4]);
    std::fs::copy(model("mlp.onnx"), files.path("network")).unwrap();
    files.json(&average_drop("network", ""));
    std::fs::copy(model("mlp_external.onnx"), files.path("network")).unwrap();
    let failed = files.bad_data("network", &average_drop("network", ""));
    assert!(failed.help().unwrap().contains(".onnx"));
}

#[test]
fn weights_that_are_not_beside_the_model_are_named() {
    let files = of_shape(&[7, 4]);
    std::fs::copy(model("mlp_external.onnx"), files.path("moved.onnx")).unwrap();
    let failed = files.bad_data("moved.onnx", &average_drop("moved.onnx", ""));
    assert!(failed.text.contains("mlp_external.onnx.data"));
    assert!(failed.help().unwrap().contains("beside the model"));
}

/// A sample's outputs have the same bits alone, in any batch, and on any number of threads.
#[test]
fn batches_and_threads_do_not_change_a_bit() {
    let files = Files::new();
    let run = |rest: &str| {
        files.json(&format!(
            "attribution average-drop --model {} --inputs {} --targets {} --explanations {} \
             --activation softmax --channels first {rest}",
            sample("attribution/model.onnx"),
            sample("attribution/inputs.npy"),
            sample("attribution/targets.npy"),
            sample("attribution/occlusion.npy"),
        ))
    };
    let value = run("");
    for rest in [
        "--threads 1",
        "--threads 2",
        "--threads 3",
        "--batch-size 1 --threads 3",
        "--batch-size 239",
        "--batch-size 7 --threads 2",
    ] {
        assert_eq!(run(rest), value, "{rest}");
    }
}

#[test]
fn answers_that_are_no_row_of_outputs_per_sample_are_refused() {
    for (name, shape, told) in [
        ("pixels.onnx", &[5, 1, 8, 8][..], "4, 8, 8]"),
        ("sums_batch.onnx", &[5, 4], "[1, 4]"),
        ("changing.onnx", &[5, 4], "2 and 3"),
        ("changing.onnx", &[1, 4], "2 and 3"),
        ("labels.onnx", &[5, 4], "logits"),
        ("mlp.onnx", &[5, 3], "[5, 3]"),
        ("mlp.onnx", &[1, 3], "[1, 3]"),
        ("mlp_batch_4.onnx", &[5, 3], "[4, 4]"),
        ("mlp.onnx", &[5, 4, 4], "[5, 4, 4]"),
    ] {
        let files = of_shape(shape);
        let model = model(name);
        let failed = files.bad_data(&model, &average_drop(&model, "--channels first"));
        assert!(failed.text.contains(told), "{name}: {}", failed.text);
    }
}

#[test]
fn inputs_that_cannot_be_masked_are_refused_with_the_reason() {
    for (name, told) in [
        ("tokens.onnx", ["\"tokens\"", "integers"]),
        ("bfloat16.onnx", ["\"x\"", "bfloat16"]),
    ] {
        let files = of_shape(&[5, 4]);
        let model = model(name);
        for metric in ["average-drop", "deletion", "compare"] {
            let given = average_drop(&model, "").replace("average-drop", metric);
            let given = match metric {
                "compare" => given.replace("--explanations x.npy", "--explanations a=x.npy"),
                _ => given,
            };
            let failed = files.bad_data(&model, &given);
            for told in told {
                assert!(failed.text.contains(told), "{name}: {}", failed.text);
            }
            assert!(failed.help().is_some());
        }
    }
}

#[test]
fn operators_that_the_engine_lacks_are_named_with_the_way_out() {
    let files = of_shape(&[5, 4]);
    for (name, operator) in [
        ("trees.onnx", "ai.onnx.ml.TreeEnsembleRegressor"),
        ("det.onnx", "Det"),
    ] {
        let model = model(name);
        let failed = files.bad_data(&model, &average_drop(&model, ""));
        assert!(failed.text.contains(operator), "{}", failed.text);
        assert!(failed.help().unwrap().contains("--base"));
    }
}

#[test]
fn files_that_are_no_model_are_named_without_a_panic() {
    let files = of_shape(&[5, 4]);
    let whole = std::fs::read(model("mlp.onnx")).unwrap();
    let broken = |bytes: &[u8]| {
        files.bytes("m.onnx", bytes);
        files.bad_data("m.onnx", &average_drop("m.onnx", ""));
    };
    broken(&[]);
    broken(b"not a model\n");
    for length in [1, 2, 8, whole.len() / 2, whole.len() - 40] {
        broken(&whole[..length]);
    }
    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize
    };
    for length in [16, 64, 1000, 100_000] {
        let bytes: Vec<u8> = (0..length).map(|_| random() as u8).collect();
        broken(&bytes);
    }
    // A byte of a model that is another: a model, or an error that names the file.
    for _ in 0..40 {
        let mut bytes = whole.clone();
        let place = random() % bytes.len();
        bytes[place] = random() as u8;
        files.bytes("m.onnx", &bytes);
        let output = files.run(&average_drop("m.onnx", ""));
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(
            matches!(output.status.code(), Some(0 | 1)),
            "{place}: {text}"
        );
        assert!(!text.contains("panicked"), "{place}: {text}");
    }
}

#[test]
fn graphs_of_integer_features_are_run() {
    let files = Files::new();
    files.array("edges.npy", &array![[0i64, 1, 2], [1, 2, 0]]);
    files.array("mask.npy", &array![1.0f32, 0.0, 1.0]);
    let model = model("graph_tokens.onnx");
    let run = format!(
        "graph sweep --model {model} --features x.npy --edge-index edges.npy --edge-mask mask.npy"
    );
    files.array("x.npy", &Array2::<f32>::eye(3));
    assert!(files.json(&run)["curve"][0]["unfaithfulness"].is_number());
    files.array("x.npy", &Array2::from_elem((3, 3), 0.5f32));
    let failed = files.bad_data(&model, &run);
    assert!(failed.text.contains("integers"), "{}", failed.text);
}

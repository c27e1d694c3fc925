//! Model files of several exporters, and files that are not models.
//!
//! `tests/data/models/make.py` creates the models and the expected outputs, which ONNX Runtime
//! computed in Python.

use ndarray::{Array1, Array2, Array4, ArrayD, Axis, IxDyn, Slice, array};
use xai_files::arrays;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;
use xai_metrics::attribution::model::Model;

use crate::harness::{Files, sample};
use crate::networks::{self, model_file as model};

/// Returns a folder with samples of a shape, their targets, and maps of the same shape.
fn of_shape(shape: &[usize]) -> Files {
    let files = Files::new();
    let mut k = 0;
    let numbers = || {
        k = (k * 37 + 11) % 101;
        k as f32 / 50.0 - 1.0
    };
    files.array("x.npy", &ArrayD::from_shape_simple_fn(shape, numbers));
    files.array("y.npy", &Array1::<i64>::zeros(shape[0]));
    files
}

fn average_drop(model: &str, rest: &str) -> String {
    format!(
        "attribution average-drop --activation softmax --model {model} --inputs x.npy \
         --targets y.npy --explanations x.npy {rest}"
    )
}

#[test]
fn models_of_all_types_and_shapes_have_the_same_scores() {
    let files = of_shape(&[7, 4]);
    let expected = files.json(&average_drop(&model("mlp.onnx"), ""));
    let expected = expected["value"].as_f64().unwrap();
    for (name, tolerance) in [
        ("mlp_external.onnx", 1e-6),
        ("mlp_trailing.onnx", 1e-6),
        ("mlp_batch_1.onnx", 1e-6),
        ("mlp_batch_4.onnx", 1e-6),
        ("mlp_f64.onnx", 1e-6),
        ("mlp_f16.onnx", 1e-3),
    ] {
        let value = files.json(&average_drop(&model(name), ""));
        let value = value["value"].as_f64().unwrap();
        assert!((value - expected).abs() < tolerance, "{name}: {value}");
    }
    let column = average_drop(&model("column.onnx"), "").replace("softmax", "sigmoid");
    assert!(files.json(&column)["value"].is_number());
}

#[test]
fn networks_of_all_exporters_have_the_scores_of_another_runtime() {
    networks::networks_agree("");
    networks::agree(
        "cnn_int8.onnx",
        "cnn_inputs.npy",
        "cnn_int8_expected.npy",
        "",
    );
    networks::agree("mlp_f16.onnx", "mlp_inputs.npy", "mlp_f16_expected.npy", "");
    networks::graphs_agree("");
}

/// Processors without special instructions saturate sums of products of 8 bits at 16 bits.
#[test]
fn products_of_8_bits_are_exact_or_an_error() {
    let model = "lstm_int8.onnx";
    let files = Files::new();
    let inputs = networks::model_file("lstm_inputs.npy");
    files.array("y.npy", &Array1::from_elem(5, 0i64));
    let run = format!(
        "attribution average-drop --model {} --inputs {inputs} --explanations {inputs} --targets y.npy --channels first",
        networks::model_file(model)
    );
    #[cfg(target_arch = "x86_64")]
    let is_exact = is_x86_feature_detected!("avx512vnni") || !is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    let is_exact = true;
    if is_exact {
        return networks::agree(model, "lstm_inputs.npy", "lstm_int8_expected.npy", "");
    }
    let failed = files.bad_data(&networks::model_file(model), &run);
    assert!(failed.text.contains("MatMulInteger"), "{}", failed.text);
    assert!(failed.help().unwrap().contains("reduce_range=True"));
}

/// Dynamic quantisation computes its scale from the batch.
#[test]
fn scores_of_dynamically_quantised_models_do_not_depend_on_the_batch() {
    let whole = networks::scores("lstm_int8_reduced.onnx", "lstm_inputs.npy", 3, "");
    for options in [
        "--batch-size 1",
        "--batch-size 2",
        "--batch-size 3 --threads 1",
    ] {
        let scores = networks::scores("lstm_int8_reduced.onnx", "lstm_inputs.npy", 3, options);
        assert_eq!(scores, whole, "{options}");
    }
}

#[test]
fn one_of_several_outputs_is_chosen_by_its_name() {
    let files = of_shape(&[5, 4]);
    let model = model("mlp_two_outputs.onnx");
    let run = average_drop(&model, "");
    for rest in ["", "--model-output z"] {
        let failed = files.bad_data(&model, &format!("{run} {rest}"));
        assert!(failed.text.contains("\"y\", \"r\""), "{}", failed.text);
        assert!(failed.help().unwrap().contains("--model-output"));
    }
    assert_eq!(
        files.json(&format!("{run} --model-output y")),
        files.json(&average_drop(&networks::model_file("mlp.onnx"), ""))
    );
    files.json(&format!("{run} --model-output r"));
}

#[test]
fn models_with_two_inputs_or_text_inputs_are_errors() {
    let files = of_shape(&[5, 4]);
    for (name, told) in [("two_inputs.onnx", "2 inputs"), ("texts.onnx", "\"x\"")] {
        let model = model(name);
        let failed = files.bad_data(&model, &average_drop(&model, ""));
        assert!(failed.text.contains(told), "{name}: {}", failed.text);
    }
}

#[test]
fn a_sample_with_a_nan_output_is_named() {
    let files = Files::new();
    let model = model("logarithm.onnx");
    files.array(
        "x.npy",
        &array![[0.5f32, 0.0, 0.0, 0.0], [-3.0, 2.0, 1.0, 4.0]],
    );
    files.array("y.npy", &array![0i64, 1]);
    let failed = files.bad_data(&model, &average_drop(&model, "").replace("softmax", "none"));
    assert!(failed.text.contains('['), "{}", failed.text);
}

#[test]
fn options_of_an_engine_need_that_engine() {
    let files = of_shape(&[5, 4]);
    let run = average_drop(&model("mlp.onnx"), "");
    files.json(&format!("{run} --engine rten"));
    files.failure(2, &format!("{run} --onnxruntime-lib libonnxruntime.so"));
    files.failure(2, &format!("{run} --engine tract"));
}

#[cfg(not(feature = "onnxruntime"))]
#[test]
fn an_engine_that_is_not_in_this_build_is_an_error_with_help() {
    let files = of_shape(&[5, 4]);
    let run = average_drop(&model("mlp.onnx"), "--engine onnxruntime");
    let failed = files.failure(2, &run);
    assert!(failed.text.contains("--engine onnxruntime"));
    assert!(failed.help().unwrap().contains("--features onnxruntime"));
}

#[test]
fn the_name_of_a_model_need_not_end_in_onnx() {
    let files = of_shape(&[7, 4]);
    std::fs::copy(model("mlp.onnx"), files.path("network")).unwrap();
    files.json(&average_drop("network", ""));
    let data = "mlp_external.onnx.data";
    std::fs::copy(model("mlp_external.onnx"), files.path("network")).unwrap();
    std::fs::copy(model(data), files.path(data)).unwrap();
    let failed = files.bad_data("network", &average_drop("network", ""));
    assert!(failed.help().unwrap().contains(".onnx"));
}

#[test]
fn a_file_of_weights_that_the_engine_does_not_open_is_named_with_help() {
    let files = of_shape(&[7, 4]);
    let model = model("mlp_other_file.onnx");
    let failed = files.bad_data(&model, &average_drop(&model, ""));
    assert!(failed.text.contains("weights.bin"), "{}", failed.text);
    assert!(failed.help().unwrap().contains("onnx.save"));
}

#[test]
fn missing_files_of_weights_are_named() {
    let files = of_shape(&[7, 4]);
    std::fs::copy(model("mlp_external.onnx"), files.path("moved.onnx")).unwrap();
    let failed = files.bad_data("moved.onnx", &average_drop("moved.onnx", ""));
    assert!(failed.text.contains("mlp_external.onnx.data"));
    assert!(
        failed
            .help()
            .unwrap()
            .contains("in the folder of the model")
    );
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
    assert_eq!(value["batch_size"], 64);
    for rest in [
        "--threads 1",
        "--threads 2",
        "--threads 3",
        "--batch-size 1 --threads 3",
        "--batch-size 59",
        "--batch-size 7 --threads 2",
    ] {
        let mut other = run(rest);
        if rest.contains("--batch-size") {
            other["batch_size"] = value["batch_size"].clone();
        }
        assert_eq!(other, value, "{rest}");
    }
}

#[test]
fn outputs_without_a_row_per_sample_are_errors() {
    for (name, shape, told) in [
        ("pixels.onnx", &[5, 1, 8, 8][..], "4, 8, 8]"),
        ("sums_batch.onnx", &[5, 4], "[1, 4]"),
        ("changing.onnx", &[5, 4], "2 and 3"),
        ("changing.onnx", &[1, 4], "2 and 3"),
        ("labels.onnx", &[5, 4], "logits"),
        ("mlp.onnx", &[5, 3], "[5, 3]"),
        ("mlp.onnx", &[1, 3], "[1, 3]"),
        ("mlp_batch_4.onnx", &[5, 3], "[4, 4]"),
        ("mlp.onnx", &[5, 4, 4], "[5, 4, 4] in x.npy"),
        ("mlp.onnx", &[5, 3, 3, 3], "[5, 3, 3, 3] in x.npy"),
    ] {
        let files = of_shape(shape);
        let model = model(name);
        let failed = files.bad_data(&model, &average_drop(&model, ""));
        assert!(failed.text.contains(told), "{name}: {}", failed.text);
    }
}

#[test]
fn channels_come_from_the_model_or_must_be_given() {
    let run = |files: &Files, name: &str, rest: &str| {
        let maps = "--inputs x.npy --targets y.npy --explanations x.npy";
        files.json(&format!(
            "attribution deletion --steps 4 --model {} {maps} {rest}",
            model(name)
        ))
    };
    // The shape is ambiguous. The operators or the declared inputs of the model decide.
    let files = of_shape(&[5, 1, 8, 4]);
    for shape in [&[6, 5, 8, 8][..], &[5, 3, 8, 4], &[5, 3, 3, 3]] {
        let files = of_shape(shape);
        let mut last = run(&files, "images_last.onnx", "");
        assert_eq!(last["channels"], "last");
        let assumed = last["assumed"].as_array_mut().unwrap();
        assumed.retain(|remark| remark["about"] != "channels");
        assert_eq!(last, run(&files, "images_last.onnx", "--channels last"));
        let (model, maps) = (model("any_images.onnx"), "--explanations a=x.npy");
        for command in [
            average_drop(&model, ""),
            average_drop(&model, "")
                .replace("average-drop", "compare")
                .replace("--explanations x.npy", maps),
        ] {
            let failed = files.wrong_usage("--channels", &command);
            assert!(failed.help().unwrap().contains("--channels first"));
        }
        let read = |channels: &str| run(&files, "any_images.onnx", channels)["value"].clone();
        assert_ne!(read("--channels first"), read("--channels last"));
    }
    // Convolutions and models exported from PyTorch have channels first.
    let of_torch = |files: &Files, rest: &str| run(files, "cnn_opset17.onnx", rest);
    let images = of_shape(&[5, 1, 8, 8]);
    let [assumed, said] = ["", "--channels first"].map(|rest| of_torch(&images, rest));
    assert_eq!(assumed["channels"], said["channels"]);
    assert_eq!(assumed["per_sample"], said["per_sample"]);
    let mut bytes = std::fs::read(model("any_images.onnx")).unwrap();
    bytes.extend(b"\x12\x07pytorch");
    files.bytes("torch.onnx", &bytes);
    let run = "attribution deletion --steps 4 --model torch.onnx --inputs x.npy --targets y.npy";
    let exported = files.json(&format!("{run} --explanations x.npy"));
    assert_eq!(exported["channels"], "first");
    let compared = run.replace("deletion --steps 4", "compare") + " --explanations a=x.npy";
    let compared = files.json(&format!("{compared} --metrics complexity"));
    assert_eq!(compared["channels"], "first");
}

#[test]
fn a_node_whose_output_exceeds_memory_is_named() {
    let files = of_shape(&[5, 4]);
    let model = model("huge_constant.onnx");
    let failed = files.bad_data(&model, &average_drop(&model, ""));
    assert!(
        failed.text.contains("zeros_of_the_example"),
        "{}",
        failed.text
    );
}

#[test]
fn inputs_that_cannot_be_masked_are_errors_with_a_reason() {
    for (name, told) in [("bfloat16.onnx", ["\"x\"", "bfloat16"])] {
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
fn removed_tokens_are_replaced_by_the_baseline_token() {
    let files = Files::new();
    let model_file = model("tokens.onnx");
    // The scores of this model are means over its tokens.
    let token = |token: i64| {
        let alone = Array2::from_elem((1, 1), token as f64);
        of_rows(&model_file)
            .outputs(alone.view().into_dyn())
            .unwrap()[[0, 1]]
    };
    let tokens = [3_i64, 1, 4, 1];
    files.array("x.npy", &Array2::from(vec![tokens]));
    files.array("a.npy", &array![[0.1, 0.4, 0.3, 0.2]]);
    files.array("y.npy", &array![1_i64]);
    let deletion = |rest: &str| {
        format!(
            "attribution deletion --model {model_file} --inputs x.npy --targets y.npy \
             --explanations a.npy --steps 4 {rest}"
        )
    };
    for baseline in [0, 9] {
        let found = files.json(&deletion(&format!("--baseline {baseline}")));
        let mut kept = tokens;
        for (step, removed) in [None, Some(1), Some(2), Some(3), Some(0)]
            .into_iter()
            .enumerate()
        {
            if let Some(removed) = removed {
                kept[removed] = baseline;
            }
            let expected = kept.map(token).iter().sum::<f64>() / 4.0;
            let score = found["curve"][step]["score"].as_f64().unwrap();
            assert!((score - expected).abs() < 1e-6, "{found}");
        }
        // That of token ids, although the inputs are a table.
        assert_eq!(found["batch_size"], 64);
    }
    let failed = files.bad_data(&model_file, &deletion("--baseline 0.5"));
    assert!(
        failed.text.contains("takes integers, got 0.5"),
        "{}",
        failed.text
    );
    let failed = files.bad_data(&model_file, &deletion("--baseline 10"));
    assert!(!failed.text.contains("panicked"), "{}", failed.text);
}

#[test]
fn operators_that_the_engine_lacks_are_named_with_help() {
    let files = of_shape(&[5, 4]);
    for (name, operator) in [
        ("trees.onnx", "ai.onnx.ml.TreeEnsembleRegressor"),
        ("det.onnx", "Det"),
        ("conv_integer.onnx", "ConvInteger"),
    ] {
        let model = model(name);
        let failed = files.bad_data(&model, &average_drop(&model, ""));
        assert!(failed.text.contains(operator), "{}", failed.text);
        assert!(failed.help().unwrap().contains("--base"));
        assert!(failed.help().unwrap().contains("--engine onnxruntime"));
    }
}

#[test]
fn files_that_are_not_models_are_errors_without_a_panic() {
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
    // With a changed byte, the file is a model or an error that names it.
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
fn graphs_may_have_integer_features() {
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

fn of_rows(file: &str) -> OnnxModel {
    OnnxModel::open(file.as_ref(), &EngineOptions::default()).unwrap()
}

fn worst(a: &Array2<f64>, b: &Array2<f64>) -> f64 {
    let differences = a - b;
    differences.iter().fold(0.0, |worst, d| worst.max(d.abs()))
}

#[test]
fn the_sample_model_has_the_logits_of_another_runtime() {
    let model = of_rows(&sample("attribution/model.onnx"));
    let inputs: ArrayD<f32> = arrays::read_f32::<IxDyn>(sample("attribution/inputs.npy")).unwrap();
    let expected: Array2<f64> = arrays::read_f64(self::model("sample_logits.npy")).unwrap();
    let logits = model.outputs(inputs.view()).unwrap();
    assert!(worst(&logits, &expected) < 1e-4);
    for size in [1, 2, 3, 7, 64] {
        for (piece, expected) in inputs
            .axis_chunks_iter(Axis(0), size)
            .zip(logits.axis_chunks_iter(Axis(0), size))
        {
            assert_eq!(model.outputs(piece).unwrap(), expected, "batches of {size}");
        }
    }
}

#[test]
fn networks_of_all_types_and_shapes_have_the_outputs_of_another_runtime() {
    let inputs: ArrayD<f32> = arrays::read_f32::<IxDyn>(model("mlp_inputs.npy")).unwrap();
    for (file, expected) in [
        ("mlp.onnx", "mlp_expected.npy"),
        ("mlp_external.onnx", "mlp_expected.npy"),
        ("mlp_trailing.onnx", "mlp_expected.npy"),
        ("mlp_f64.onnx", "mlp_expected.npy"),
        ("mlp_f16.onnx", "mlp_f16_expected.npy"),
        ("mlp_weights_as_inputs.onnx", "mlp_expected.npy"),
        ("mlp_batch_1.onnx", "mlp_expected.npy"),
        ("mlp_batch_4.onnx", "mlp_expected.npy"),
    ] {
        let expected: Array2<f64> = arrays::read_f64(model(expected)).unwrap();
        let model = of_rows(&model(file));
        let outputs = model.outputs(inputs.view()).unwrap();
        assert!(worst(&outputs, &expected) < 1e-4, "{file}");
        let last = inputs.slice_axis(Axis(0), Slice::from(6..));
        let last = model.outputs(last).unwrap();
        assert_eq!(last.row(0), outputs.row(6), "{file}");
    }
}

#[test]
fn errors_about_inputs_of_the_wrong_shape_name_the_model() {
    let model = of_rows(&sample("attribution/model.onnx"));
    let inputs = ArrayD::<f32>::zeros(vec![2, 3, 8, 8]);
    let error = model.outputs(inputs.view()).unwrap_err().to_string();
    assert!(error.contains("[2, 3, 8, 8]"), "{error}");
}

/// Maps for a model with one output, whose sign is the class: all for class 1, and the same towards the targets.
fn of_two_classes() -> Files {
    let files = of_shape(&[8, 4]);
    let x = Array2::from_shape_fn((8, 4), |(i, j)| {
        ((i * 37 + j * 11) % 23) as f64 / 10.0 - 1.0
    });
    let signs = Array2::from_shape_fn((8, 1), |(i, _)| if i % 2 == 0 { -1.0 } else { 1.0 });
    files.array("y.npy", &signs);
    files.array("class_one.npy", &x);
    files.array("towards.npy", &(&x * &signs));
    files
}

#[test]
fn results_contain_the_class_that_maps_of_two_classes_explain() {
    let files = of_two_classes();
    let column = model("column.onnx");
    let given = format!("--model {column} --inputs x.npy --targets y.npy");
    for metric in [
        "deletion",
        "average-drop --base-score-policy as-is",
        "faithfulness-estimate",
    ] {
        let one = |maps: &str| format!("attribution {metric} {given} --explanations {maps}");
        let assumed = files.json(&one("towards.npy"));
        assert_eq!(
            assumed["assumed"][0]["about"], "explained_class",
            "{metric}"
        );
        let table = files.table(&one("towards.npy"));
        assert!(
            table.contains("\nassumed explained_class: the maps were taken"),
            "{table}"
        );
        let said = files.json(&format!("{} --explained-class 1", one("class_one.npy")));
        assert_eq!(said["assumed"], serde_json::json!([]));
        assert_eq!(said["per_sample"], assumed["per_sample"], "{metric}");
    }
    let several =
        format!("attribution compare {given} --metrics deletion --explanations a=towards.npy");
    assert_eq!(
        files.json(&several)["assumed"][0]["about"],
        "explained_class"
    );
    let table = files.table(&several);
    assert!(
        table
            .trim_end()
            .lines()
            .last()
            .unwrap()
            .starts_with("assumed explained_class")
    );
    assert_eq!(
        files.json(&format!("{several} --explained-class 1"))["assumed"],
        serde_json::json!([])
    );
    files.wrong_usage(
        "--explained-class",
        &format!("{several} --explained-class 2"),
    );
}

#[test]
fn a_softmax_of_one_output_is_an_error() {
    let files = of_shape(&[7, 4]);
    let column = average_drop(&model("column.onnx"), "");
    let failed = files.wrong_usage("--activation", &column);
    assert!(failed.text.contains("one output"), "{}", failed.text);
    assert!(
        failed.help().unwrap().contains("sigmoid"),
        "{}",
        failed.text
    );
}

#[test]
fn a_model_that_another_engine_runs_much_faster_is_remarked_once() {
    let files = Files::new();
    files.array("x.npy", &Array4::from_elem((2, 2, 4, 4), 1.0));
    files.array(
        "e.npy",
        &Array4::from_shape_fn((2, 2, 4, 4), |(.., y, x)| (y + x) as f64),
    );
    files.array("y.npy", &array![0_i64, 1]);
    let remarks = |metric: &str| {
        let model = model("depthwise.onnx");
        files.remarks(&format!(
            "attribution {metric} --model {model} --inputs x.npy --targets y.npy --channels first"
        ))
    };
    for metric in [
        "deletion --steps 4 --explanations e.npy",
        "compare --metrics deletion,insertion --explanations a=e.npy",
    ] {
        let text = remarks(metric);
        assert_eq!(
            text.matches("the model has 8 depthwise convolutions")
                .count(),
            1,
            "{text}"
        );
        assert!(text.contains("--engine onnxruntime"), "{text}");
        assert!(!remarks(&format!("{metric} --quiet")).contains("depthwise"));
    }
}

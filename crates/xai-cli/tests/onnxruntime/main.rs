//! Models that ONNX Runtime runs. `ORT_DYLIB_PATH` is the file of its library, or the
//! folder with it. `cargo xtask ci onnxruntime` installs it and runs these tests.

#[allow(dead_code, reason = "written for the tests of the whole command")]
#[path = "../cli/harness.rs"]
mod harness;
#[path = "../cli/networks.rs"]
mod networks;

use harness::{Files, sample};
use ndarray::{Array2, array};
use networks::{agree, model_file, scores};

const ENGINE: &str = "--engine onnxruntime";

/// Models of scikit-learn, LightGBM and XGBoost with expected scores.
const CLASSICAL: &[&str] = &[
    "forest",
    "forest_maps",
    "forest_of_words_maps",
    "forest_binary",
    "boosting",
    "logistic",
    "logistic_maps",
    "logistic_f64",
    "support_vectors",
    "perceptron",
    "forest_regression",
    "ridge",
    "lightgbm",
    "lightgbm_maps",
    "lightgbm_regression",
    "xgboost",
    "xgboost_binary",
    "xgboost_regression",
];

#[test]
fn classical_models_have_the_expected_scores() {
    for name in CLASSICAL {
        let (model, expected) = (format!("{name}.onnx"), format!("{name}_expected.npy"));
        agree(&model, "classical_inputs.npy", &expected, ENGINE);
    }
}

#[test]
fn zip_map_outputs_have_the_same_scores() {
    for (array, maps) in [("forest", "forest_maps"), ("lightgbm", "lightgbm_maps")] {
        let of = |name: &str| scores(&format!("{name}.onnx"), "classical_inputs.npy", 3, ENGINE);
        assert_eq!(of(array), of(maps), "{array}");
    }
}

#[test]
fn networks_and_graphs_have_the_expected_scores() {
    networks::networks_agree(ENGINE);
    networks::graphs_agree(ENGINE);
    agree(
        "mlp_other_file.onnx",
        "mlp_inputs.npy",
        "mlp_expected.npy",
        ENGINE,
    );
    // Inputs and outputs have 11 significant bits here.
    let half = scores("mlp_f16.onnx", "mlp_inputs.npy", 3, ENGINE);
    let expected: Array2<f32> =
        ndarray_npy::read_npy(model_file("mlp_f16_expected.npy")).expect("an array");
    let close = |(a, b): (&f64, &f32)| (a - f64::from(*b)).abs() < 1e-2;
    assert!(half.iter().zip(&expected).all(close), "{half}");
}

#[test]
fn batches_and_threads_do_not_change_a_bit() {
    for (model, inputs) in [
        ("forest_maps.onnx", "classical_inputs.npy"),
        ("lstm_int8.onnx", "lstm_inputs.npy"),
        ("vit_opset17.onnx", "vit_inputs.npy"),
    ] {
        let whole = scores(model, inputs, 3, ENGINE);
        for rest in [
            "--threads 1",
            "--threads 3",
            "--batch-size 1",
            "--batch-size 2",
        ] {
            let again = scores(model, inputs, 3, &format!("{ENGINE} {rest}"));
            assert_eq!(again, whole, "{model} {rest}");
        }
    }
    let files = Files::new();
    let run = |rest: &str| {
        files.json(&format!(
            "attribution deletion --model {} --inputs {} --targets {} --explanations {} \
             --activation softmax --channels first {ENGINE} {rest}",
            sample("attribution/model.onnx"),
            sample("attribution/inputs.npy"),
            sample("attribution/targets.npy"),
            sample("attribution/occlusion.npy"),
        ))
    };
    let (mut one, mut several) = (run("--threads 1"), run("--threads 3 --batch-size 7"));
    assert_eq!(
        [one["batch_size"].take(), several["batch_size"].take()],
        [64, 7]
    );
    assert_eq!(one, several);
}

/// Returns a command for a metric of a model on a few samples with four features.
fn run(files: &Files, model: &str, rest: &str) -> String {
    files.array(
        "x.npy",
        &array![[0.5f32, -0.5, 1.0, 2.0], [1.0, 0.0, -1.0, 0.5]],
    );
    files.array("y.npy", &array![0i64, 1]);
    let model = model_file(model);
    format!(
        "attribution deletion --model {model} --inputs x.npy --targets y.npy --explanations x.npy {ENGINE} {rest}"
    )
}

#[test]
fn models_that_do_not_take_one_array_of_features_are_errors_with_help() {
    let files = Files::new();
    for (model, way_out) in [
        ("forest_of_integers.onnx", "FloatTensorType"),
        ("ridge_of_columns.onnx", "initial_types"),
        ("forest_columns.onnx", "--model-output"),
    ] {
        let failed = files.bad_data(&model_file(model), &run(&files, model, ""));
        let help = failed.help().unwrap_or_default();
        assert!(help.contains(way_out), "{model}: {}", failed.text);
    }
}

#[test]
fn a_wrong_library_is_an_error_with_both_ways_to_choose_one() {
    let files = Files::new();
    files.text("libonnxruntime.so", "no library\n");
    std::fs::create_dir(files.path("empty")).expect("made");
    for library in ["libonnxruntime.so", "missing.so", "empty"] {
        let run = run(
            &files,
            "forest.onnx",
            &format!("--onnxruntime-lib {library}"),
        );
        let failed = files.failure(1, &run);
        assert!(failed.text.contains(library), "{}", failed.text);
        let help = failed.help().expect("a way out");
        for way in ["--onnxruntime-lib", "ORT_DYLIB_PATH"] {
            assert!(help.contains(way), "{help}");
        }
    }
}

#[test]
fn a_study_chooses_its_engine() {
    let files = Files::new();
    files.text(
        "study.toml",
        &format!(
            "[attribution]\nmodel = '{0}/model.onnx'\ninputs = '{0}/inputs.npy'\n\
             targets = '{0}/targets.npy'\nactivation = 'softmax'\nchannels = 'first'\n\
             engine = 'onnxruntime'\nexplainers = [{{ name = 'a', maps = '{0}/occlusion.npy' }}]\n",
            sample("attribution")
        ),
    );
    let report = files.json("report study.toml");
    assert_eq!(report["attribution"][0]["metrics"][0]["values"][0]["n"], 60);
}

//! Networks of several exporters, and the scores that ONNX Runtime computes in Python.

use ndarray::{Array1, Array2, ArrayD};

use crate::harness::Files;

/// Returns the path of a model file.
pub(crate) fn model_file(name: &str) -> String {
    format!("{}/tests/data/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn array(name: &str) -> Array2<f64> {
    let array: Array2<f32> = ndarray_npy::read_npy(model_file(name)).expect("an array");
    array.mapv(f64::from)
}

/// Returns the scores of all classes on the complete inputs, which Average Drop writes in its rows.
pub(crate) fn scores(model: &str, inputs: &str, n_classes: usize, options: &str) -> Array2<f64> {
    let files = Files::new();
    let inputs = model_file(inputs);
    let given: ArrayD<f32> = ndarray_npy::read_npy(&inputs).expect("an array");
    let mut scores = Array2::zeros((given.shape()[0], n_classes));
    for (class, mut column) in scores.columns_mut().into_iter().enumerate() {
        files.array("y.npy", &Array1::from_elem(column.len(), class as i64));
        files.json(&format!(
            "attribution average-drop --model {} --inputs {inputs} --explanations {inputs} \
             --targets y.npy --channels first --base-score-policy as-is --out rows.csv {options}",
            model_file(model)
        ));
        let rows = files.read("rows.csv");
        for (score, row) in column.iter_mut().zip(rows.lines().skip(1)) {
            let base = row.split(',').nth(1).expect("a column base");
            *score = base.parse().expect("a number");
        }
    }
    scores
}

/// Compares the scores of a model with the expected ones.
pub(crate) fn agree(model: &str, inputs: &str, expected: &str, options: &str) {
    let expected = array(expected);
    let scores = scores(model, inputs, expected.ncols(), options);
    let differences = &scores - &expected;
    let worst = differences
        .iter()
        .fold(0.0f64, |worst, d| worst.max(d.abs()));
    assert!(worst < 1e-4, "{model} {options}: {worst}");
}

/// Compares the scores of every network with those of ONNX Runtime in Python.
pub(crate) fn networks_agree(options: &str) {
    for name in ["cnn", "vit", "lstm", "gru", "upsampling"] {
        for variant in ["opset11", "opset17", "opset23", "one_sample"] {
            agree(
                &format!("{name}_{variant}.onnx"),
                &format!("{name}_inputs.npy"),
                &format!("{name}_expected.npy"),
                options,
            );
        }
    }
    // The exporter that uses `torch.export`.
    for (name, inputs) in [("cnn", "cnn"), ("lstm", "lstm"), ("encoder", "lstm")] {
        for variant in ["opset18", "opset23", "data", "program"] {
            agree(
                &format!("{name}_dynamo_{variant}.onnx"),
                &format!("{inputs}_inputs.npy"),
                &format!("{name}_dynamo_expected.npy"),
                options,
            );
        }
    }
    for name in ["mlp", "mlp_f64", "mlp_external", "mlp_weights_as_inputs"] {
        let model = format!("{name}.onnx");
        agree(&model, "mlp_inputs.npy", "mlp_expected.npy", options);
    }
    agree(
        "lstm_int8_reduced.onnx",
        "lstm_inputs.npy",
        "lstm_int8_reduced_expected.npy",
        options,
    );
    let by_name = format!("{options} --model-output y");
    let two = "mlp_two_outputs.onnx";
    agree(two, "mlp_inputs.npy", "mlp_expected.npy", &by_name);
}

/// Compares a sweep that runs a model with one over the outputs of ONNX Runtime in Python.
pub(crate) fn graphs_agree(options: &str) {
    let files = Files::new();
    let mask = [1.0f32, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    files.array("mask.npy", &Array1::from(mask.to_vec()));
    files.array("levels.npy", &Array1::from(vec![0.5f64]));
    let unfaithfulness = |arguments: String| {
        let sweep = files.json(&format!("graph sweep --levels levels.npy {arguments}"));
        let value = &sweep["curve"][0]["unfaithfulness"];
        value.as_f64().expect("a number")
    };
    let of_model = unfaithfulness(format!(
        "--model {} --features {} --edge-index {} --edge-weight {} --edge-mask mask.npy \
         --by threshold {options}",
        model_file("gnn.onnx"),
        model_file("gnn_features.npy"),
        model_file("gnn_edges.npy"),
        model_file("gnn_weights.npy"),
    ));
    let of_outputs = unfaithfulness(format!(
        "--full {} --kept {} --complement {}",
        model_file("gnn_full.npy"),
        model_file("gnn_kept.npy"),
        model_file("gnn_complement.npy"),
    ));
    assert!(of_outputs > 1e-4, "{of_outputs}");
    assert!(
        (of_model - of_outputs).abs() < 1e-6,
        "{of_model} {of_outputs}"
    );
}

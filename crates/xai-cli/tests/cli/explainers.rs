//! Explainers in ONNX files.

use ndarray::{Array1, Array2, Array3};
use serde_json::Value;

use crate::harness::Files;

/// Returns the path of a file of a golden problem.
fn golden(name: &str) -> String {
    format!("{}/tests/data/golden/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns the options for inputs and targets of a problem.
fn samples(problem: &str) -> String {
    format!(
        "--inputs {} --targets {}",
        golden(&format!("{problem}_inputs.npy")),
        golden(&format!("{problem}_targets.npy")),
    )
}

fn model(problem: &str) -> String {
    format!(
        "--model {} {}",
        golden(&format!("{problem}_model.onnx")),
        samples(problem)
    )
}

#[test]
fn maps_from_an_explainer_equal_maps_from_a_file() {
    let files = Files::new();
    for problem in ["linear", "mlp", "tabular", "conv"] {
        let maps = golden(&format!("{problem}_input_x_gradient"));
        for metric in [
            "average-increase",
            "deletion",
            "completeness --gap absolute",
        ] {
            let run =
                |of: &str| files.json(&format!("attribution {metric} {} {of}", model(problem)));
            let of_file = run(&format!("--explanations {maps}.npy --batch-size 2"));
            let made = run(&format!("--explainer {maps}.onnx --batch-size 2"));
            assert_eq!(made, of_file, "{metric} of {problem}");
        }
    }
}

#[test]
fn maps_of_every_class_are_read_at_the_target() {
    let files = Files::new();
    let deletion = |explainer: &str| {
        let explainer = golden(&format!("tabular_{explainer}.onnx"));
        files.json(&format!(
            "attribution deletion {} --explainer {explainer}",
            model("tabular")
        ))
    };
    assert_eq!(deletion("every_class"), deletion("input_x_gradient"));
}

#[test]
fn explainers_run_on_changed_inputs_and_other_classes() {
    let files = Files::new();
    let gradient = golden("linear_gradient.onnx");
    let run = |metric: &str| {
        files.json(&format!(
            "attribution {metric} {} --explainer {gradient}",
            samples("linear")
        ))
    };
    // The gradient of a linear model does not depend on the input.
    assert_eq!(run("maximum-stability")["value"], 0.0);
    assert_eq!(run("local-lipschitz")["value"], 0.0);
    let other = run("random-logit --n-classes 4 --similarity spearman");
    assert!(other["value"].as_f64().unwrap() < 0.9, "{other}");
}

#[test]
fn compare_prints_the_number_of_calls_of_explainers_before_it_starts() {
    let files = Files::new();
    let command = format!(
        "attribution compare {} --explanations drawn={} both={} --explainers both={} asked={} \
         --metrics deletion,mu-fidelity,complexity --n-replicates 0",
        model("mlp"),
        golden("mlp_distinct.npy"),
        golden("mlp_input_x_gradient.npy"),
        golden("mlp_input_x_gradient.onnx"),
        golden("mlp_input_x_gradient.onnx"),
    );
    let result = files.json(&command);
    let of = |explainer: &str| result["metrics"]["deletion"]["explainers"][explainer].clone();
    assert_eq!(of("both"), of("asked"));
    assert_ne!(of("drawn"), of("asked"));
    let rows = result["model_calls"]["rows"].to_string();
    let remarks = files.remarks(&command);
    // One explainer has no file of maps.
    assert!(
        remarks.contains(&format!(" {rows} rows, the explainers 5")),
        "{rows}: {remarks}"
    );
}

#[test]
fn compare_computes_metrics_that_run_explainers() {
    let files = Files::new();
    let command = |metrics: &str| {
        format!(
            "attribution compare {} --explainers gradient={} product={} --activation softmax --n-replicates 0 --metrics {metrics}",
            model("tabular"),
            golden("tabular_gradient.onnx"),
            golden("tabular_input_x_gradient.onnx"),
        )
    };
    let all = files.json(&command("all"));
    let names: Vec<&String> = all["metrics"].as_object().unwrap().keys().collect();
    assert!(
        names.iter().any(|name| *name == "relative_input_stability"),
        "{names:?}"
    );
    // This metric needs the number of classes.
    assert!(names.iter().all(|name| *name != "random_logit"));
    let stability = &all["metrics"]["maximum_stability"]["explainers"];
    assert_eq!(stability["gradient"]["value"], 0.0);
    assert!(stability["product"]["value"].as_f64().unwrap() > 0.0);
    files.wrong_usage("--metrics", &command("random-logit"));
    let both = files.json(&command("random-logit(n_classes=3,similarity=spearman)"));
    assert_ne!(
        both["metrics"]["random_logit"]["explainers"]["product"]["value"],
        Value::Null
    );
}

#[test]
fn errors_of_explainers_name_their_file() {
    let files = Files::new();
    files.text("text.onnx", "hello");
    files.array("far.npy", &ndarray::Array1::<i64>::from_elem(9, 7));
    let deletion = |rest: &str| format!("attribution deletion {rest}");
    let of_tabular = model("tabular");
    files.bad_data(
        "text.onnx",
        &deletion(&format!("{of_tabular} --explainer text.onnx")),
    );
    // Neither a model that returns scores nor one with other inputs is an explainer of these images.
    for (problem, other) in [
        ("linear", "linear_model.onnx"),
        ("tabular", "mlp_gradient.onnx"),
    ] {
        let explainer = golden(other);
        files.bad_data(
            &explainer,
            &deletion(&format!("{} --explainer {explainer}", model(problem))),
        );
    }
    let stability = format!(
        "attribution maximum-stability --inputs {} --targets far.npy --explainer {}",
        golden("tabular_inputs.npy"),
        golden("tabular_every_class.onnx"),
    );
    files.bad_data(&golden("tabular_every_class.onnx"), &stability);
    let compare = format!("attribution compare {of_tabular}");
    for neither in [deletion(&of_tabular), compare.clone()] {
        let text = files.failure(2, &neither).text;
        assert!(text.contains("--explanations"), "{text}");
    }
    let without = format!(
        "{compare} --explanations a={}",
        golden("tabular_distinct.npy")
    );
    files.wrong_usage(
        "--explainers",
        &format!("{without} --metrics maximum-stability"),
    );
}

#[test]
fn errors_in_draws_name_their_file() {
    let files = Files::new();
    files.array("classes.npy", &Array1::from_elem(9, 3i64));
    files.array("below.npy", &Array1::from_elem(9, -1i64));
    files.array("halves.npy", &Array3::from_elem((3, 9, 2), 0.5));
    files.array("far.npy", &Array3::from_elem((3, 9, 2), 12i64));
    let product = golden("tabular_input_x_gradient.onnx");
    let of_explainer = format!("{} --explainer {product}", samples("tabular"));
    for file in ["classes.npy", "below.npy"] {
        let logit = format!("attribution random-logit {of_explainer} --n-classes 3 --draws {file}");
        files.bad_data(file, &logit);
    }
    // Negative classes do not count from the end.
    let inputs = golden("tabular_inputs.npy");
    let below = format!("--inputs {inputs} --targets below.npy --explainer {product}");
    files.bad_data(&product, &format!("attribution local-lipschitz {below}"));
    for file in ["halves.npy", "far.npy"] {
        let maps = golden("tabular_distinct.npy");
        let run = format!(
            "mu-fidelity {} --explanations {maps} --features positions",
            model("tabular")
        );
        let failed = files.bad_data(file, &format!("attribution {run} --draws {file}"));
        assert!(failed.help().is_none(), "{}", failed.text);
    }
}

#[test]
fn metrics_of_images_do_not_take_tables() {
    let files = Files::new();
    let maps = format!("--explanations {}", golden("tabular_distinct.npy"));
    let inputs = golden("tabular_inputs.npy");
    files.bad_data(
        &inputs,
        &format!("attribution road {} {maps}", model("tabular")),
    );
    let file = golden("tabular_distinct.npy");
    files.bad_data(&file, &format!("attribution mst-compactness {maps}"));
    let explainer = golden("tabular_gradient.onnx");
    let continuity = format!("{} --explainer {explainer}", samples("tabular"));
    files.wrong_usage("--axes", &format!("attribution continuity {continuity}"));
    for metric in ["faithfulness-estimate", "monotonicity-correlation"] {
        let one_group = format!("{metric} {} {maps} --group-size 12", model("tabular"));
        files.wrong_usage("--group-size", &format!("attribution {one_group}"));
    }
    let all = format!(
        "consistency {} {maps} --discretizer top:12",
        model("tabular")
    );
    files.wrong_usage("--discretizer", &format!("attribution {all}"));
}

/// In single precision all attributions in the second file would be equal.
#[test]
fn maps_keep_the_precision_of_their_file() {
    let files = Files::new();
    let rank = |(sample, feature): (usize, usize)| ((sample * 5 + feature * 7) % 12) as f64;
    files.array("maps.npy", &Array2::from_shape_fn((9, 12), rank));
    let far = Array2::from_shape_fn((9, 12), |at| 1e9 + rank(at));
    files.array("far.npy", &far);
    let of_one = |metric: &str, maps: &str| {
        let value = files.json(&format!(
            "attribution {metric} {} --explanations {maps}",
            model("tabular")
        ));
        value["value"].as_f64().unwrap()
    };
    for metric in ["deletion", "insertion", "monotonicity-correlation"] {
        assert_eq!(of_one(metric, "far.npy"), of_one(metric, "maps.npy"));
    }
    let table = files.json(&format!(
        "attribution compare {} --metrics deletion --explanations near=maps.npy far=far.npy",
        model("tabular")
    ));
    let values = &table["metrics"]["deletion"]["explainers"];
    assert_eq!(values["near"]["value"], values["far"]["value"], "{values}");
    assert!(values["near"]["value"].is_number());
}

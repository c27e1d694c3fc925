//! `xai attribution` on files.

mod files;

use files::Files;
use ndarray::{Array, array};

fn sample(name: &str) -> String {
    format!("{}/sample/attribution/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn metrics_of_scores_that_exist() {
    let files = Files::new();
    files.array("b.npy", &array![0.8, 0.5, 0.5]);
    files.array("a.npy", &array![0.2f32, 0.9, 0.5]);
    let of =
        |metric: &str| files.json(&format!("attribution {metric} --base b.npy --masked a.npy"));
    let drop = of("average-drop");
    assert_eq!(drop["metric"], "average_drop");
    assert!((drop["value"].as_f64().unwrap() - 0.25).abs() < 1e-7);
    assert_eq!(drop["per_sample"].as_array().unwrap().len(), 3);
    assert_eq!(of("average-increase")["value"], 1.0 / 3.0);
    assert!((of("average-gain")["value"].as_f64().unwrap() - 0.8 / 3.0).abs() < 1e-6);
    files.json("attribution average-drop --base b.npy --masked a.npy --out rows.csv");
    let rows = std::fs::read_to_string(files.path("rows.csv")).unwrap();
    assert!(
        rows.starts_with("sample,base,masked,score\n0,0.8,"),
        "{rows}"
    );
    assert_eq!(rows.lines().count(), 4);
}

#[test]
fn undefined_base_scores_follow_the_policy() {
    let files = Files::new();
    files.array("b.npy", &array![0.5, -1.0]);
    files.array("a.npy", &array![0.25, -4.0]);
    let drop = "attribution average-drop --base b.npy --masked a.npy";
    let failure = files.failure(1, drop);
    assert!(
        failure.starts_with("error: b.npy: scores[1] = -1: Average Drop divides by the base score")
    );
    assert!(
        failure.contains(
            "\nhelp: pass --activation softmax or sigmoid, or choose --base-score-policy"
        )
    );
    let skipped = files.json(&format!("{drop} --base-score-policy skip"));
    assert_eq!(skipped["per_sample"][1], serde_json::Value::Null);
    assert_eq!(skipped["n_undefined"], 1);
    let as_is = files.json(&format!("{drop} --base-score-policy as-is"));
    assert!((as_is["per_sample"][1].as_f64().unwrap() - -3.0).abs() < 1e-6);
}

#[test]
fn complexity_and_sparseness_of_maps() {
    let files = Files::new();
    files.array(
        "e.npy",
        &array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]],
    );
    let c = files.json("attribution complexity --explanations e.npy");
    assert!((c["per_sample"][0].as_f64().unwrap() - 4f64.ln()).abs() < 1e-6);
    let s = files.json("attribution sparseness --explanations e.npy");
    assert_eq!(s["per_sample"], serde_json::json!([0.0, 0.75]));
    files.array("flat.npy", &array![1.0, 2.0]);
    assert!(
        files
            .failure(1, "attribution complexity --explanations flat.npy")
            .starts_with("error: flat.npy: inputs: expected shape (n, features)")
    );
}

#[cfg(feature = "onnx")]
#[test]
fn deletion_and_insertion_of_the_sample() {
    let files = Files::new();
    let run = |metric: &str, rest: &str| {
        format!(
            "attribution {metric} --model {} --inputs {} --targets {} --explanations {} \
             --activation softmax --channels first {rest}",
            sample("model.onnx"),
            sample("inputs.npy"),
            sample("targets.npy"),
            sample("occlusion.npy"),
        )
    };
    let deletion = files.json(&run("deletion", "--steps 4"));
    let insertion = files.json(&run("insertion", "--steps 4"));
    let point = |curve: &serde_json::Value, i: usize| curve["curve"][i]["score"].as_f64().unwrap();
    assert_eq!(deletion["curve"][1]["n_flipped"], 16);
    assert!((point(&deletion, 0) - point(&insertion, 4)).abs() < 1e-9);
    assert!((point(&deletion, 4) - point(&insertion, 0)).abs() < 1e-9);
    assert!(deletion["value"].as_f64().unwrap() < insertion["value"].as_f64().unwrap());
    let all = files.json(&run("deletion", "--steps all --max-fraction 0.5"));
    assert_eq!(all["curve"].as_array().unwrap().len(), 33);
    files.failure(2, &run("deletion", "--steps 0"));
    assert!(
        files
            .failure(2, &run("deletion", "--max-fraction 2"))
            .contains("a share in (0, 1]")
    );
}

#[test]
fn wrong_usage_has_its_own_exit_code() {
    let files = Files::new();
    files.array("b.npy", &array![0.5]);
    let usage = files.failure(2, "attribution average-drop");
    assert!(usage.contains("nothing to measure"), "{usage}");
    files.failure(2, "attribution average-drop --base b.npy");
    files.failure(2, "attribution average-drop --model m.onnx");
    files.failure(
        2,
        "attribution average-drop --base b.npy --masked b.npy --batch-size 0",
    );
}

#[cfg(feature = "onnx")]
#[test]
fn batches_and_threads_do_not_show() {
    let files = Files::new();
    let run = |rest: &str| {
        files.json(&format!(
            "attribution average-drop --model {} --inputs {} --targets {} --explanations {} \
             --activation softmax --channels first {rest}",
            sample("model.onnx"),
            sample("inputs.npy"),
            sample("targets.npy"),
            sample("occlusion.npy"),
        ))
    };
    let value = run("");
    assert!((value["value"].as_f64().unwrap() - 0.2342).abs() < 2e-4);
    let one_thread = run("--threads 1");
    assert_eq!(value, one_thread);
    let batched = run("--batch-size 7");
    assert!((value["value"].as_f64().unwrap() - batched["value"].as_f64().unwrap()).abs() < 1e-5);
}

#[cfg(feature = "onnx")]
#[test]
fn bad_files_are_named_with_the_place() {
    let files = Files::new();
    files.array("few.npy", &array![0i64, 1]);
    files.array("far.npy", &Array::from_elem(240, 12i64));
    files.array("floats.npy", &Array::from_elem(240, 1.0f64));
    files.array("flat.npy", &Array::from_elem((240, 9), 1.0f32));
    files.array("nan.npy", &Array::from_elem((240, 8, 8), f32::NAN));
    files.array("three.npy", &Array::from_elem((2, 3, 8, 8), 1.0f32));
    files.array("maps.npy", &Array::from_elem((2, 8, 8), 1.0f32));
    files.text("text.npy", "hello");
    let failure = files.failure(
        1,
        &format!(
            "attribution average-drop --model {} --inputs three.npy --targets few.npy \
             --explanations maps.npy --channels first",
            sample("model.onnx")
        ),
    );
    assert!(
        failure.contains("model.onnx: the model failed on batch 0 (samples 0..2): "),
        "{failure}"
    );
    let run = |model: &str, targets: &str, maps: &str| {
        files.failure(
            1,
            &format!(
                "attribution average-drop --model {model} --inputs {} --targets {targets} \
                 --explanations {maps} --activation softmax --channels first",
                sample("inputs.npy")
            ),
        )
    };
    let (model, targets, maps) = (
        sample("model.onnx"),
        sample("targets.npy"),
        sample("random.npy"),
    );
    assert!(run("no.onnx", &targets, &maps).starts_with("error: no.onnx: cannot be opened"));
    assert!(run("text.npy", &targets, &maps).starts_with("error: text.npy: not an ONNX model"));
    assert!(run(&model, &targets, "text.npy").starts_with("error: text.npy: not an .npy array"));
    assert_eq!(
        run(&model, "few.npy", &maps),
        "error: few.npy: targets: expected shape (240), got (2)"
    );
    assert_eq!(
        run(&model, "far.npy", &maps),
        "error: far.npy: label 12 at index 0: expected 0..10"
    );
    assert!(
        run(&model, "floats.npy", &maps)
            .starts_with("error: floats.npy: labels: expected integers")
    );
    assert!(
        run(&model, &targets, "flat.npy")
            .starts_with("error: flat.npy: explanations: expected shape")
    );
    assert_eq!(
        run(&model, &targets, "nan.npy"),
        "error: nan.npy: explanations[0, 0, 0]: not a finite number"
    );
}

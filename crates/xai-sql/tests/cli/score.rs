//! A model in the loop.

use std::path::{Path, PathBuf};

use ndarray::{Array1, ArrayD};
use serde_json::{Value, json};
use xai_attribution::Evaluate;
use xai_attribution::metric::AverageDrop;
use xai_core::{Activation, InputLayout};
use xai_files::arrays;
use xai_files::onnx::engine::EngineOptions;
use xai_files::onnx::model::OnnxModel;

use crate::harness::Files;

const ROWS: usize = 60;

/// A file of the sample of the command `xai`.
fn sample(name: &str) -> PathBuf {
    let below = Path::new(env!("CARGO_MANIFEST_DIR")).join("../xai-cli/sample/attribution");
    below.join(name)
}

fn array(name: &str) -> ArrayD<f64> {
    let array = arrays::read(sample(name)).and_then(arrays::StoredArray::into_f64);
    array.unwrap_or_else(|failure| panic!("{failure}"))
}

/// The sample as a table of lists in two files.
fn images(files: &Files) {
    let (inputs, maps, targets) = (
        array("inputs.npy"),
        array("saliency.npy"),
        array("targets.npy"),
    );
    std::fs::create_dir(files.path("images")).expect("made");
    let list = |of: &ArrayD<f64>, row: usize| -> Vec<f64> {
        of.index_axis(ndarray::Axis(0), row)
            .iter()
            .copied()
            .collect()
    };
    for (file, rows) in [("a.jsonl", 0..25), ("b.jsonl", 25..ROWS)] {
        let lines = rows.map(|row| {
            let line = json!({ "id": row, "x": list(&inputs, row), "saliency": list(&maps, row), "label": targets[[row]] as i64 });
            format!("{line}\n")
        });
        let text: String = lines.collect();
        std::fs::write(files.path("images").join(file), text).expect("written");
    }
}

#[test]
fn scores_give_the_average_drop_of_the_library_in_any_number_of_partitions() {
    let files = Files::new();
    images(&files);
    let model = sample("model.onnx");
    let inputs = array("inputs.npy");
    let targets: Array1<usize> = array("targets.npy").iter().map(|&it| it as usize).collect();
    let from_library = OnnxModel::open(&model, &EngineOptions::default());
    let from_library = from_library.unwrap_or_else(|failure| panic!("{failure}"));
    let drop = AverageDrop::new()
        .activation(Activation::Softmax)
        .layout(InputLayout::ChannelsFirst)
        .evaluate(
            &from_library,
            inputs.view(),
            targets.as_slice().expect("a row"),
            array("saliency.npy").view(),
        )
        .expect("a value");
    let model = model.to_str().expect("a name");
    let score = [
        "score",
        "--model",
        model,
        "--data",
        "images",
        "--inputs",
        "x",
        "--explanations",
        "saliency",
        "--targets",
        "label",
        "--activation",
        "softmax",
        "--out",
    ];
    let to = ["--partitions", "2"];
    let drop_of = |name: &str, options: &[&str]| -> f64 {
        files.run(&[&score[..], &[name], options].concat()).well();
        let query =
            format!("SELECT average_drop(base, masked) AS drop, count(*) AS n FROM '{name}'");
        let rows: Value = serde_json::from_str(&files.json(&query, &[])).expect("rows");
        assert_eq!(rows[0]["n"], ROWS);
        rows[0]["drop"].as_f64().expect("a number")
    };
    assert_eq!(
        drop_of("one.parquet", &["--partitions", "1"]).to_bits(),
        drop.value.to_bits()
    );
    assert_eq!(drop_of("two.arrow", &to).to_bits(), drop.value.to_bits());
    let rows = |name: &str| {
        let query = format!("SELECT * FROM '{name}' ORDER BY id");
        files.json(&query, &[])
    };
    assert_eq!(rows("one.parquet"), rows("two.arrow"));
    let columns = files.run(&["tables", "one.parquet", "--json"]).well();
    let columns: Value = serde_json::from_str(&columns).expect("columns");
    let columns = columns[0]["columns"].as_array().expect("columns").iter();
    let names: Vec<&Value> = columns.map(|column| &column["name"]).collect();
    assert_eq!(
        names,
        ["id", "label", "outputs", "predicted", "base", "masked"]
    );
    // As a function of a query, and of the predicted class.
    let query = format!(
        "SELECT id, predicted_class(predict('{model}', x)) AS class FROM 'images' ORDER BY id"
    );
    let predicted = files.json(&query, &to);
    let expected = files.json(
        "SELECT id, predicted AS class FROM 'one.parquet' ORDER BY id",
        &[],
    );
    assert_eq!(predicted, expected);
}

#[test]
fn columns_are_inputs_and_a_row_that_lacks_one_has_no_score() {
    let files = Files::new();
    let model = sample("model.onnx");
    let model = model.to_str().expect("a name");
    let names: Vec<String> = (0..64).map(|column| format!("x{column}")).collect();
    let row = |of: &ArrayD<f64>, row: usize| -> String {
        let row = of.index_axis(ndarray::Axis(0), row);
        let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
        cells.join(",")
    };
    let inputs = array("inputs.npy");
    let lacking = format!(",{}", vec!["0.5"; 63].join(","));
    let lines = [names.join(","), row(&inputs, 0), lacking, row(&inputs, 1)];
    std::fs::write(files.path("rows.csv"), lines.join("\n") + "\n").expect("written");
    let score = |rest: &[&str]| {
        let asked = [
            "score",
            "--model",
            model,
            "--data",
            "rows.csv",
            "--out",
            "scores.json",
        ];
        files.run(&[&asked[..], rest].concat())
    };
    let columns = names.join(",");
    score(&["--inputs", &columns]).well();
    let text = std::fs::read_to_string(files.path("scores.json")).expect("read");
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a row"))
        .collect();
    let from_library = OnnxModel::open(Path::new(model), &EngineOptions::default());
    let from_library = from_library.unwrap_or_else(|failure| panic!("{failure}"));
    let two = inputs.slice_axis(ndarray::Axis(0), (0..2).into());
    let expected = xai_attribution::model::Model::outputs(&from_library, two).expect("outputs");
    for (row, of) in [(0, 0), (2, 1)] {
        let outputs: Vec<f64> =
            serde_json::from_value(rows[row]["outputs"].clone()).expect("outputs");
        assert_eq!(outputs, expected.row(of).to_vec());
        let class = rows[row]["predicted"].as_u64().expect("a class") as usize;
        assert_eq!(rows[row]["base"], outputs[class]);
    }
    assert_eq!(
        rows[1],
        json!({ "outputs": null, "predicted": null, "base": null })
    );

    // What is wrong is told before a model is asked, where it can be.
    let said = score(&["--inputs", "x0,x1"]);
    assert!(said.badly(1).0.contains("takes the shape"), "{said:?}");
    let said = score(&["--inputs", "x0,y"]);
    assert!(said.badly(1).0.contains("no column `y`"), "{said:?}");
    // The class may be one of the inputs: a number that is no integer is none.
    let with_fraction = inputs
        .iter()
        .take(64)
        .position(|value| value.fract() != 0.0);
    let with_fraction = &names[with_fraction.expect("a fraction")];
    let said = score(&["--inputs", &columns, "--targets", with_fraction]);
    let (error, _) = said.badly(2);
    assert!(
        error.contains("class_score") && error.contains("a class"),
        "{said:?}"
    );
    let asked = [
        "score", "--model", "rows.csv", "--data", "rows.csv", "--inputs", "x0",
    ];
    let said = files.run(&[&asked[..], &["--out", "scores.json"]].concat());
    assert!(said.badly(1).0.contains("not an ONNX model"), "{said:?}");
    let said = files.run(&[&asked[..], &["--out", "scores.csv"]].concat());
    assert!(said.badly(2).0.contains("--out"), "{said:?}");
    let said = files.run(&["sql", "SELECT predict('m.onnx', 'x')"]);
    assert!(said.badly(2).0.contains("a list of numbers"), "{said:?}");
    let said = files.run(&["sql", "SELECT class_score([0.5, 0.5], 2)"]);
    assert!(
        said.badly(1).0.contains("class 2: there are 2 outputs"),
        "{said:?}"
    );
}

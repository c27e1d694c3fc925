//! `xai attribution` on files.

use ndarray::{Array2, Array3, Array4, Axis, IxDyn, Slice, array};

use crate::harness::Files;

fn sample(name: &str) -> String {
    crate::harness::sample(&format!("attribution/{name}"))
}

#[test]
fn metrics_can_be_computed_from_stored_scores() {
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
    let rows = files.read("rows.csv");
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
    let failure = files.bad_data("b.npy", drop);
    let help = failure.help().unwrap();
    // Activations are not applied to stored scores.
    assert!(help.contains("--base-score-policy") && !help.contains("--activation"));
    let skipped = files.json(&format!("{drop} --base-score-policy skip"));
    assert_eq!(skipped["per_sample"][1], serde_json::Value::Null);
    assert_eq!(skipped["n_undefined"], 1);
    let as_is = files.json(&format!("{drop} --base-score-policy as-is"));
    assert!((as_is["per_sample"][1].as_f64().unwrap() - -3.0).abs() < 1e-6);
}

#[test]
fn complexity_and_sparseness_need_only_maps() {
    let files = Files::new();
    files.array(
        "e.npy",
        &array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]],
    );
    let c = files.json("attribution complexity --explanations e.npy");
    assert!((c["per_sample"][0].as_f64().unwrap() - 4f64.ln()).abs() < 1e-6);
    let s = files.json("attribution sparseness --explanations e.npy");
    assert_eq!(s["per_sample"], serde_json::json!([0.0, 0.75]));
}

#[test]
fn deletion_and_insertion_have_the_expected_values_on_the_sample() {
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
}

#[test]
fn batches_and_threads_do_not_change_results() {
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
    assert!((value["value"].as_f64().unwrap() - 0.2532).abs() < 2e-4);
    let one_thread = run("--threads 1");
    assert_eq!(value, one_thread);
    let batched = run("--batch-size 7");
    assert!((value["value"].as_f64().unwrap() - batched["value"].as_f64().unwrap()).abs() < 1e-5);
}

fn compare(explanations: &str, rest: &str) -> String {
    let maps = |name: &str| format!("{name}={}", sample(&format!("{name}.npy")));
    let maps: Vec<String> = explanations.split_whitespace().map(maps).collect();
    format!(
        "attribution compare --model {} --inputs {} --targets {} --activation softmax \
         --channels first {rest} --explanations {}",
        sample("model.onnx"),
        sample("inputs.npy"),
        sample("targets.npy"),
        maps.join(" ")
    )
}

const ALL: &str = "saliency integrated_gradients occlusion random";

/// Expected values were computed with another runtime.
#[test]
fn comparing_the_explainers_of_the_sample_has_the_expected_values() {
    let files = Files::new();
    let table = files.json(&compare(
        ALL,
        "--metrics standard,completeness,non_sensitivity,comprehensiveness,rationale_sufficiency,region_perturbation \
         --out scores.csv",
    ));
    assert_eq!(table["n_samples"], 60);
    let drop = &table["metrics"]["average_drop"];
    for (explainer, expected) in [
        ("occlusion", 0.2532),
        ("integrated_gradients", 0.2694),
        ("random", 0.3121),
        ("saliency", 0.4544),
    ] {
        let score = &drop["explainers"][explainer];
        let value = score["value"].as_f64().unwrap();
        assert!((value - expected).abs() < 2e-4, "{explainer}: {value}");
        let end = |i: usize| score["interval"][i].as_f64().unwrap();
        assert!(end(0) < value && value < end(1));
        assert_eq!(score["per_sample"].as_array().unwrap().len(), 60);
    }
    assert_eq!(
        drop["ranking"],
        serde_json::json!(["occlusion", "integrated_gradients", "random", "saliency"])
    );
    let better_than_random = |metric: &str| -> Vec<String> {
        let comparisons = table["metrics"][metric]["comparisons"].as_array().unwrap();
        assert_eq!(comparisons.len(), 6);
        let mut better: Vec<String> = comparisons
            .iter()
            .filter(|c| c["first"] == "random" || c["second"] == "random")
            .filter(|c| c["p_corrected"].as_f64().unwrap() < 0.01 && c["favours"] != "random")
            .map(|c| c["favours"].as_str().unwrap().to_owned())
            .collect();
        better.sort();
        better
    };
    // 60 images are too few for the metric that masks each image once.
    assert_eq!(better_than_random("average_drop"), [""; 0]);
    assert_eq!(
        better_than_random("deletion"),
        ["integrated_gradients", "occlusion", "saliency"]
    );
    // Base scores, baseline, subsets and single positions are computed once for all explainers. Each explainer needs
    // a masked score, 9 inner steps of three curves (two metrics share one), and 5 steps of two.
    assert_eq!(
        table["model_calls"]["rows"],
        60 * (1 + 1 + 200 + 64 + 4 * (1 + 3 * 9 + 2 * 5))
    );
    let rows = files.read("scores.csv");
    assert!(
        rows.starts_with("explainer,metric,sample,score\nsaliency,symmetric_relevance_gain,0,")
    );
    assert_eq!(rows.lines().count(), 1 + 4 * 14 * 60);
}

#[test]
fn a_comparison_has_the_values_of_the_single_commands() {
    let files = Files::new();
    let rest = "--metrics deletion(steps=5,baseline=mean),average_gain --seed 3";
    let table = files.json(&compare("occlusion random", rest));
    let metrics = table["metrics"].as_object().unwrap();
    assert_eq!(metrics.keys().collect::<Vec<_>>().len(), 2);
    let alone = |command: &str, rest: &str| {
        files.json(&format!(
            "attribution {command} --model {} --inputs {} --targets {} --explanations {} \
             --activation softmax --channels first {rest}",
            sample("model.onnx"),
            sample("inputs.npy"),
            sample("targets.npy"),
            sample("random.npy"),
        ))
    };
    let deletion = alone("deletion", "--steps 5 --baseline mean");
    assert_eq!(
        metrics["deletion"]["explainers"]["random"]["value"],
        deletion["value"]
    );
    let gain = alone("average-gain", "");
    let of_gain = &metrics["average_gain"]["explainers"]["random"];
    assert_eq!(of_gain["value"], gain["value"]);
    assert_eq!(of_gain["per_sample"], gain["per_sample"]);
    assert_eq!(
        table,
        files.json(&compare("occlusion random", &format!("{rest} --threads 1")))
    );
    let text = files.table(&compare("occlusion random", rest));
    assert!(
        text.contains("deletion ↓") && text.contains("average_gain ↑"),
        "{text}"
    );
}

#[test]
fn a_metric_that_is_undefined_for_logits_does_not_end_a_comparison() {
    let files = Files::new();
    let run = compare(
        "occlusion random",
        "--metrics average_gain,deletion(steps=5)",
    );
    let run = run.replace("--activation softmax", "");
    let table = files.json(&run);
    let reason = table["metrics"]["average_gain"]["undefined"].as_str();
    assert!(reason.unwrap().contains("must be at most 1"), "{reason:?}");
    assert!(table["metrics"]["average_gain"]["explainers"]["random"]["value"].is_null());
    assert!(table["metrics"]["deletion"]["explainers"]["random"]["value"].is_f64());
    let text = files.table(&run);
    assert_eq!(
        text.matches("average_gain is undefined: ").count(),
        1,
        "{text}"
    );
}

/// The command of a metric requires the inputs that the registry lists.
#[test]
fn every_metric_that_needs_only_files_is_a_command() {
    let files = Files::new();
    files.array(
        "e.npy",
        &array![[1.0, 1.0, -1.0, 1.0], [0.0, 5.0, 0.0, 0.0]],
    );
    let images = Array4::from_shape_fn((3, 6, 5, 1), |(i, r, c, _)| ((i + r * c) % 7) as f64);
    files.array("images.npy", &images);
    files.array("alike.npy", &Array4::<f32>::ones((6, 1, 12, 12)));
    files.array(
        "m.npy",
        &array![[[false, true, true, false]], [[true, false, false, false]]],
    );
    let segments = Array2::from_shape_fn((12, 12), |(r, c)| (r / 4 * 3 + c / 4) as i64);
    files.array("s.npy", &segments);
    let golden = |file: &str| {
        let folder = env!("CARGO_MANIFEST_DIR");
        format!("{folder}/tests/data/golden/linear_{file}")
    };
    let list = files.json("attribution list");
    let metrics = list["metrics"].as_array().unwrap();
    let mut n_commands = 0;
    for metric in metrics {
        let name = metric["name"].as_str().unwrap();
        let needs = metric["needs"].as_array().unwrap().iter();
        let needs: Vec<&str> = needs.map(|need| need.as_str().unwrap()).collect();
        let asks = |need: &str| needs.contains(&need);
        // Metrics that need several models, a layer, spans or ablations have no command.
        let elsewhere = [
            "labels",
            "representation",
            "explainers of randomized models",
            "gold",
            "kept",
        ];
        if elsewhere.iter().any(|need| asks(need)) {
            continue;
        }
        let with_model = asks("model") || asks("explainer");
        let mut arguments = match (with_model, asks("masks")) {
            (true, _) => "--activation softmax".to_owned(),
            (false, true) => "--explanations e.npy".to_owned(),
            (false, false) => "--explanations images.npy --channels last".to_owned(),
        };
        for (need, argument) in [
            ("model", format!(" --model {}", golden("model.onnx"))),
            ("inputs", format!(" --inputs {}", golden("inputs.npy"))),
            ("targets", format!(" --targets {}", golden("targets.npy"))),
            (
                "explainer",
                format!(" --explainer {}", golden("input_x_gradient.onnx")),
            ),
            ("masks", " --masks m.npy".to_owned()),
            ("segments", " --segments s.npy".to_owned()),
            ("second maps", " --other-explanations images.npy".to_owned()),
            (
                "reference maps",
                " --other-explanations images.npy".to_owned(),
            ),
        ] {
            if asks(need) {
                arguments += &argument;
            }
        }
        if with_model && asks("explanations") {
            let maps = match name {
                "consistency" => "alike.npy".to_owned(),
                _ => golden("distinct.npy"),
            };
            arguments += &format!(" --explanations {maps}");
        }
        arguments += match name {
            "random-logit" => " --n-classes 4",
            // The threshold is large because the few samples are far from each other.
            "sufficiency" => " --threshold of-largest:1",
            "consistency" => " --discretizer top:1",
            _ => "",
        };
        let result = files.json(&format!("attribution {name} {arguments} --out rows.csv"));
        assert_eq!(result["metric"], name.replace('-', "_"));
        assert!(result["value"].is_f64(), "{name}");
        assert!(files.read("rows.csv").lines().count() > 2, "{name}");
        n_commands += 1;
    }
    assert!(n_commands >= 60);
    assert!(files.table("attribution list").contains("complexity"));
}

#[test]
fn masks_may_be_numbers_from_0_to_1() {
    let files = Files::new();
    files.array("e.npy", &array![[0.5, 0.0], [1.0, 0.25]]);
    files.array("m.npy", &array![[[0.75, 0.0]], [[1.0, 0.0]]]);
    let of = |metric: &str, masks: &str| {
        format!("attribution {metric} --explanations e.npy --masks {masks}")
    };
    assert_eq!(files.json(&of("mask-mae", "m.npy"))["value"], 0.125);
    assert_eq!(files.json(&of("pointing-game", "m.npy"))["value"], 1.0);
    files.array("wrong.npy", &array![[[0.75, 0.0]], [[1.5, 0.0]]]);
    files.bad_data("wrong.npy", &of("mask-mae", "wrong.npy"));
}

#[test]
fn results_of_registry_metrics_contain_the_direction() {
    let files = Files::new();
    let result = files.json(&format!(
        "attribution mu-fidelity --model {} --inputs {} --targets {} --explanations {} \
         --activation softmax --channels first --n-subsets 20 --seed 3",
        sample("model.onnx"),
        sample("inputs.npy"),
        sample("targets.npy"),
        sample("random.npy"),
    ));
    assert_eq!(result["direction"], "higher");
    assert_eq!(result["per_sample"].as_array().unwrap().len(), 60);
    let rest = "--metrics mu_fidelity(n_subsets=20) --seed 3 --n-replicates 0";
    let table = files.json(&compare("random", rest));
    let compared = &table["metrics"]["mu_fidelity"]["explainers"]["random"];
    assert_eq!(compared["value"], result["value"]);
    assert_eq!(compared["n_undefined"], result["n_undefined"]);
}

/// The values before an input for which the model returns infinity are kept.
#[test]
fn stopped_comparisons_keep_their_results() {
    let files = Files::new();
    let mut inputs: Array4<f32> = ndarray_npy::read_npy(sample("inputs.npy")).unwrap();
    inputs.index_axis_mut(Axis(0), 45).fill(3e38);
    files.array("large.npy", &inputs);
    let settings = "--metrics complexity,average_drop --out kept.csv --quiet --batch-size 20";
    let line = compare("random", settings).replace(&sample("inputs.npy"), "large.npy");
    let line = line.replace("--activation softmax ", "");
    let failure = files.bad_data(&sample("model.onnx"), &line);
    assert!(failure.help().unwrap().contains("kept.csv"));
    let kept = files.read("kept.csv");
    assert!(kept.contains("\nrandom,complexity,0,") && kept.contains("\n,base,0,"));
}

/// Returns an ONNX model with one node, written field by field.
fn model_of_one_node(operator: &str) -> Vec<u8> {
    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        let length = u8::try_from(bytes.len()).expect("a short field");
        [&[number << 3 | 2, length], bytes].concat()
    }
    fn number(number: u8, value: u8) -> Vec<u8> {
        vec![number << 3, value]
    }
    let value = |name: &str| {
        let dimensions = [1, 4].map(|n| field(1, &number(1, n))).concat();
        let tensor = [number(1, 1), field(2, &dimensions)].concat();
        [field(1, name.as_bytes()), field(2, &field(1, &tensor))].concat()
    };
    let node = [
        field(1, b"input"),
        field(2, b"logits"),
        field(4, operator.as_bytes()),
    ];
    let graph = [
        field(1, &node.concat()),
        field(2, b"graph"),
        field(11, &value("input")),
        field(12, &value("logits")),
    ];
    let version = number(2, 17);
    [number(1, 8), field(8, &version), field(7, &graph.concat())].concat()
}

#[test]
fn an_operator_that_the_engine_lacks_is_named() {
    let files = Files::new();
    files.array("x.npy", &array![[1.0f32, 2.0, 3.0, 4.0]]);
    files.array("y.npy", &array![3i64]);
    let run = |model: &str| {
        format!(
            "attribution average-drop --model {model} --inputs x.npy --targets y.npy \
             --explanations x.npy"
        )
    };
    let write = |name: &str, operator: &str| {
        files.bytes(name, &model_of_one_node(operator));
    };
    write("relu.onnx", "Relu");
    assert_eq!(
        files.json(&run("relu.onnx"))["per_sample"][0].as_f64(),
        Some(0.0)
    );
    write("odd.onnx", "TopologicalHash");
    let failure = files.bad_data("odd.onnx", &run("odd.onnx"));
    assert!(failure.text.contains("TopologicalHash"));
}

/// Baselines from a file, one for all inputs or one for each, work in a command and in a comparison.
#[test]
fn baselines_from_a_file_reach_the_metrics() {
    let files = Files::new();
    let inputs = xai_files::arrays::read_f64::<IxDyn>(sample("inputs.npy")).unwrap();
    files.array("each.npy", &inputs.mapv(|_| 0.25));
    files.array(
        "one.npy",
        &inputs.slice_axis(Axis(0), Slice::from(..1)).mapv(|_| 0.25),
    );
    files.array("small.npy", &Array2::<f64>::zeros((1, 3)));
    let files_of = format!(
        "--model {} --inputs {} --targets {} --activation softmax --channels first",
        sample("model.onnx"),
        sample("inputs.npy"),
        sample("targets.npy"),
    );
    let maps = sample("occlusion.npy");
    let deletion = format!("attribution deletion {files_of} --explanations {maps} --baseline");
    let expected = files.json(&format!("{deletion} 0.25"));
    for given in ["given --baselines each.npy", "given:0 --baselines one.npy"] {
        let result = files.json(&format!("{deletion} {given}"));
        assert_eq!(result["per_sample"], expected["per_sample"], "{given}");
        assert_eq!(result["curve"], expected["curve"], "{given}");
    }
    files.wrong_usage("--baselines", &format!("{deletion} given"));
    files.bad_data(
        "one.npy",
        &format!("{deletion} given:1 --baselines one.npy"),
    );
    files.bad_data(
        "small.npy",
        &format!("{deletion} given --baselines small.npy"),
    );
    let compare = format!(
        "attribution compare {files_of} --explanations occlusion={maps} --n-replicates 0 --metrics deletion(baseline="
    );
    let value = |table: &serde_json::Value| {
        table["metrics"]["deletion"]["explainers"]["occlusion"]["value"].clone()
    };
    let table = files.json(&format!("{compare}given) --baselines one.npy"));
    assert_eq!(value(&table), expected["value"]);
    files.wrong_usage("--baselines", &format!("{compare}given)"));
}

/// Segments and masks are options of the commands that may need them, and of a comparison.
#[test]
fn masks_and_segments_reach_the_metrics_that_take_them() {
    let files = Files::new();
    let n = 60;
    let segments = Array2::from_shape_fn((8, 8), |(r, c)| (r / 4 * 2 + c / 4) as i64);
    files.array("s.npy", &segments);
    let masks = Array3::from_shape_fn((n, 8, 8), |(_, r, _)| r < 4);
    files.array("m.npy", &masks);
    let files_of = format!(
        "--model {} --inputs {} --targets {} --explanations {} --activation softmax --channels first",
        sample("model.onnx"),
        sample("inputs.npy"),
        sample("targets.npy"),
        sample("occlusion.npy"),
    );
    let deletion = format!("attribution deletion {files_of} --steps all");
    // Segments that are quarters of the image equal patches of 4 by 4.
    let by_segments = files.json(&format!("{deletion} --features segments --segments s.npy"));
    let by_patches = files.json(&format!("{deletion} --features patches:4"));
    assert_eq!(by_segments["per_sample"].as_array().unwrap().len(), n);
    assert_eq!(by_segments["per_sample"], by_patches["per_sample"]);
    files.wrong_usage("--segments", &format!("{deletion} --features segments"));
    // An input that no metric takes is an error.
    let unused = files.wrong_usage("--segments", &format!("{deletion} --segments s.npy"));
    assert_eq!(
        unused.help(),
        Some("add --features segments, or leave --segments out")
    );
    let named = files_of.replace("--explanations ", "--explanations a=");
    let compared = format!("attribution compare {named} --n-replicates 0 --segments s.npy");
    let unused = "--segments: not used by these metrics";
    for (metrics, is_unused) in [("deletion", true), ("deletion(features=segments)", false)] {
        let said = files.remarks(&format!("{compared} --metrics {metrics}"));
        assert_eq!(said.contains(unused), is_unused, "{metrics}: {said}");
    }
    let golden = |file: &str| {
        let folder = env!("CARGO_MANIFEST_DIR");
        format!("{folder}/tests/data/golden/tabular_{file}")
    };
    let all = format!(
        "attribution compare --model {} --inputs {} --targets {} --explanations a={} \
         --activation softmax --metrics all --n-replicates 0",
        golden("model.onnx"),
        golden("inputs.npy"),
        golden("targets.npy"),
        golden("distinct.npy"),
    );
    let columns = Array3::from_shape_fn((9, 1, 12), |(_, _, column)| column < 4);
    files.array("columns.npy", &columns);
    files.array("groups.npy", &columns.mapv(i64::from));
    let table = files.json(&format!("{all} --masks columns.npy --segments groups.npy"));
    let without = files.json(&all);
    let named = |table: &serde_json::Value| -> Vec<String> {
        table["metrics"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    let added: Vec<String> = named(&table)
        .into_iter()
        .filter(|name| !named(&without).contains(name))
        .collect();
    assert!(added.contains(&"irof".to_owned()) && added.contains(&"pointing_game".to_owned()));
    files.wrong_usage(
        "--segments",
        &compare("random", "--metrics irof --n-replicates 0"),
    );
    files.wrong_usage(
        "--masks",
        &compare("random", "--metrics focus --n-replicates 0"),
    );
    files.array("few.npy", &masks.slice(ndarray::s![..3, .., ..]).to_owned());
    files.bad_data(
        "few.npy",
        &compare("random", "--metrics focus --masks few.npy --n-replicates 0"),
    );
}

/// Returns a folder with inputs, targets and maps of two shapes, for a model of images (n, 1, 8, 8).
fn images() -> (Files, String) {
    let files = Files::new();
    let number =
        |(i, _, y, x): (usize, usize, usize, usize)| ((3 * i + 5 * y + 7 * x) % 11) as f32 / 11.0;
    let inputs = Array4::from_shape_fn((5, 1, 8, 8), number);
    files.array("x.npy", &inputs);
    files.array("t.npy", &ndarray::Array1::<i64>::zeros(5));
    files.array("with.npy", &inputs);
    files.array("without.npy", &inputs.index_axis_move(Axis(1), 0));
    let model = format!(
        "{}/tests/data/models/cnn_opset17.onnx",
        env!("CARGO_MANIFEST_DIR")
    );
    (
        files,
        format!(
            "attribution compare --model {model} --inputs x.npy --targets t.npy --channels first"
        ),
    )
}

#[test]
fn a_metric_that_is_given_twice_is_an_error() {
    let (files, compare) = images();
    for metrics in [
        "complexity,complexity",
        "standard,complexity",
        "deletion,deletion(steps=10)",
    ] {
        let command = format!("{compare} --explanations a=with.npy --metrics {metrics}");
        files.wrong_usage("--metrics", &command);
    }
    let different = "deletion,deletion(steps=3)";
    files.json(&format!(
        "{compare} --explanations a=with.npy --metrics {different}"
    ));
}

#[test]
fn metrics_without_a_command_are_not_reported_as_typing_errors() {
    let (files, compare) = images();
    let command = format!("{compare} --explanations a=with.npy --metrics model-randomization");
    for command in [
        command.as_str(),
        "attribution model-randomization --model m.onnx",
    ] {
        let failed = files.failure(2, command);
        let said = failed.text;
        assert!(
            said.contains("xai_metrics.attribution in Python") && !said.contains("did you mean"),
            "{said}"
        );
    }
}

#[test]
fn second_maps_need_explainers_with_maps_of_one_shape() {
    let (files, compare) = images();
    for second in ["with.npy", "without.npy"] {
        let command = format!(
            "{compare} --explanations a=with.npy b=without.npy --other-explanations {second} --metrics input-invariance"
        );
        let failed = files.bad_data("without.npy", &command);
        assert!(
            failed.help().unwrap().contains("all explainers"),
            "{}",
            failed.text
        );
    }
}

#[test]
fn masks_of_tables_of_other_shapes_are_errors_with_help() {
    let files = Files::new();
    let maps = array![[0.5, 0.25, 0.0], [0.0, 0.5, 1.0]];
    files.array("maps.npy", &maps);
    let masks = array![[true, false, false], [false, false, true]];
    files.array("masks.npy", &masks);
    files.array("planes.npy", &masks.clone().insert_axis(Axis(1)));
    let game =
        |masks: &str| format!("attribution pointing-game --explanations maps.npy --masks {masks}");
    let found = files.json(&game("masks.npy"));
    assert_eq!(found["per_sample"], serde_json::json!([1.0, 1.0]));
    assert_eq!(files.json(&game("planes.npy")), found);
    let images = Array3::<f64>::from_shape_fn((2, 4, 4), |(i, y, x)| (i + 2 * y + x) as f64);
    files.array("maps.npy", &images);
    for (shape, help) in [
        ([2, 1, 4, 4], "axis 1"),
        ([2, 4, 4, 1], "axis 3"),
        ([2, 3, 4, 4], "any(axis"),
    ] {
        files.array("masks.npy", &Array4::<u8>::ones(shape));
        let failed = files.bad_data("masks.npy", &game("masks.npy"));
        assert!(failed.help().unwrap().contains(help), "{}", failed.text);
    }
    for at in [255u8, 3] {
        files.array("masks.npy", &Array3::<u8>::from_elem((2, 4, 4), at));
        let failed = files.bad_data("masks.npy", &game("masks.npy"));
        assert!(
            failed.help().unwrap().contains("mask > 0"),
            "{}",
            failed.text
        );
    }
}

#[test]
fn errors_recognise_arrays_with_axes_in_another_order() {
    let (files, compare) = images();
    let maps = Array3::from_shape_fn((5, 8, 8), |(i, y, x)| (i + 3 * y + x) as f64);
    files.array("t3.npy", &maps.clone().reversed_axes());
    files.array("last.npy", &maps.insert_axis(Axis(3)));
    for (file, help) in [("t3.npy", "transposed"), ("last.npy", "numpy.moveaxis")] {
        let command = format!("{compare} --explanations a={file} --metrics complexity");
        let failed = files.bad_data(file, &command);
        assert!(failed.help().unwrap().contains(help), "{}", failed.text);
    }
    files.array("attributions.npy", &Array2::<f64>::zeros((3, 6)));
    files.array("relevant.npy", &Array2::<bool>::from_elem((6, 3), true));
    let recall =
        "casebased attribution recall-at-k --attributions attributions.npy --relevant relevant.npy";
    let failed = files.bad_data("relevant.npy", recall);
    assert!(
        failed.help().unwrap().contains("transposed"),
        "{}",
        failed.text
    );
}

#[test]
fn assumptions_about_inputs_are_in_the_result() {
    let (files, compare) = images();
    let compare = compare.replace(" --channels first", "");
    let found = files.json(&format!(
        "{compare} --explanations a=with.npy --metrics complexity"
    ));
    let of_channels = |found: &serde_json::Value| {
        let assumed = found["assumed"].as_array().unwrap();
        assumed.iter().any(|remark| remark["about"] == "channels")
    };
    assert_eq!(found["channels"], "first");
    assert!(of_channels(&found));
    let said = files.json(&format!(
        "{compare} --channels first --explanations a=with.npy --metrics complexity"
    ));
    assert!(!of_channels(&said));
}

#[test]
fn errors_name_the_inputs_of_a_model_and_a_failing_operator() {
    let files = Files::new();
    files.array("x.npy", &array![[1.0f32, 2.0, 3.0, 4.0]]);
    files.array("t.npy", &array![0i64]);
    let run = |model: &str| {
        let line =
            "attribution deletion --inputs x.npy --targets t.npy --explanations x.npy --model";
        files.failure(1, &format!("{line} {model}")).text
    };
    let model = format!(
        "{}/tests/data/models/two_inputs.onnx",
        env!("CARGO_MANIFEST_DIR")
    );
    let said = run(&model);
    assert!(
        said.contains("2 inputs, \"") && said.contains("help: "),
        "{said}"
    );
    // Without scale and bias, which every opset requires.
    files.bytes("m.onnx", &model_of_one_node("BatchNormalization"));
    let said = run("m.onnx");
    assert!(
        said.contains("BatchNormalization") && said.contains("opset_version"),
        "{said}"
    );
}

#[test]
fn an_undefined_metric_gives_the_reason_for_this_metric() {
    let files = Files::new();
    files.array("maps.npy", &Array3::<f64>::zeros((2, 4, 4)));
    files.array("masks.npy", &Array3::<bool>::from_elem((2, 4, 4), true));
    let sparseness = files.bad_data("maps.npy", "attribution complexity --explanations maps.npy");
    let game = "attribution pointing-game --explanations maps.npy --masks masks.npy";
    let game = files.bad_data("maps.npy", game);
    for (failed, words) in [
        (&sparseness, "every map is constant"),
        (&game, "every mask"),
    ] {
        assert!(
            failed.text.contains("undefined for every sample"),
            "{}",
            failed.text
        );
        let help = failed.help().unwrap();
        assert!(
            help.contains(words) && !help.contains("--threshold"),
            "{help}"
        );
    }
}

/// Keeping the top features instead of removing them reverses the direction, in every form of the result.
#[test]
fn the_direction_depends_on_the_settings() {
    let files = Files::new();
    let of = |metric: &str, rest: &str| {
        let result = files.json(&format!(
            "attribution {metric} --model {} --inputs {} --targets {} --explanations {} --channels first {rest}",
            sample("model.onnx"),
            sample("inputs.npy"),
            sample("targets.npy"),
            sample("random.npy"),
        ));
        result["direction"].clone()
    };
    for (metric, removed, kept) in [
        ("log-odds", "lower", "higher"),
        ("cross-entropy", "higher", "lower"),
        ("masked-accuracy", "lower", "higher"),
        ("output-mae", "higher", "lower"),
        ("output-mse", "higher", "lower"),
    ] {
        assert_eq!(of(metric, ""), removed, "{metric}");
        assert_eq!(of(metric, "--keep true"), kept, "{metric}");
    }
    for (metric, better) in [("log_odds", "lower"), ("log_odds(keep=true)", "higher")] {
        let rest = format!("--metrics {metric} --n-replicates 0");
        let table = files.json(&compare("random saliency", &rest));
        let result = &table["metrics"]["log_odds"];
        assert_eq!(result["better"], better);
        let value = |place: usize| {
            let explainer = result["ranking"][place].as_str().unwrap();
            result["explainers"][explainer]["value"].as_f64().unwrap()
        };
        assert_eq!(value(0) > value(1), better == "higher", "{metric}");
    }
}

/// The default gives mirror images the same value; the rules of the reference packages are options.
#[test]
fn ties_count_by_their_mean_by_default() {
    let files = Files::new();
    files.array("e.npy", &array![[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]);
    files.array(
        "m.npy",
        &array![[[true, false, false, false]], [[false, false, true, false]]],
    );
    let of = |metric: &str| {
        files.json(&format!(
            "attribution {metric} --explanations e.npy --masks m.npy"
        ))["per_sample"]
            .clone()
    };
    let none = serde_json::Value::Null;
    for metric in [
        "pointing-game",
        "relevance-rank-accuracy",
        "top-k-intersection -k 1",
    ] {
        assert_eq!(of(metric), serde_json::json!([0.5, none]), "{metric}");
        let lowest = of(&format!("{metric} --ties lowest-index"));
        assert_eq!(lowest, serde_json::json!([1.0, 0.0]), "{metric}");
    }
    assert_eq!(
        of("pointing-game --ties any"),
        serde_json::json!([1.0, 1.0])
    );
    files.wrong_usage(
        "--ties",
        "attribution top-k-intersection --explanations e.npy --masks m.npy --ties any",
    );
}

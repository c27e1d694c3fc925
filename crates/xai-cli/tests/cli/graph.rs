//! `xai graph` on files.

use ndarray::{Axis, array, stack};
use serde_json::Value;

use crate::harness::Files;

fn sample(name: &str) -> String {
    crate::harness::sample(&format!("graph/{name}"))
}

#[test]
fn fidelity_takes_labels_and_outputs() {
    let files = Files::new();
    files.array("full.npy", &array![0i64, 1, 2, 1]);
    files.array("kept.npy", &array![0u8, 1, 2, 0]);
    let outputs = array![
        [0.0f32, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 1.0, 0.0]
    ];
    files.array("complement.npy", &outputs);
    let fidelity = "graph fidelity --full full.npy --kept kept.npy --complement complement.npy";
    let result = files.json(fidelity);
    assert_eq!(result["pos_fidelity"], 0.75);
    assert_eq!(result["neg_fidelity"], 0.25);
    assert_eq!(result["characterization"], 0.75);

    files.array("target.npy", &array![0i32, 1, 1, 0]);
    files.array("index.npy", &array![0i64, 3]);
    let more = "--target target.npy --index index.npy --out rows.csv";
    let result = files.json(&format!("{fidelity} {more}"));
    // Correct predictions on the full graph: yes, no; on the explanation: yes, yes; on the complement: no, yes.
    assert_eq!(result["pos_fidelity"], 1.0);
    assert_eq!(result["neg_fidelity"], 0.5);
    assert_eq!(
        files.read("rows.csv"),
        "row,full,kept,complement\n0,0,0,1\n3,1,0,0\n"
    );
    let result = files.json(&format!("{fidelity} --target target.npy --mode model"));
    assert_eq!(result["pos_fidelity"], 0.75);
}

#[test]
fn scores_of_the_sample_study_have_the_expected_values() {
    let files = Files::new();
    let (full, index) = (sample("logits_full.npy"), sample("index.npy"));
    let result = files.json(&format!(
        "graph fidelity --full {full} --kept {full} --complement {full} --index {index}"
    ));
    assert_eq!(result["n_samples"], 200);
    assert_eq!(result["pos_fidelity"], 0.0);
    let result = files.json(&format!("graph unfaithfulness --full {full} --kept {full}"));
    assert_eq!(result["value"], 0.0);
    // For 960 true and 2980 other edges, counted with numpy: pairs in the right order (ties count half), edges above
    // the threshold, and true edges among them.
    for (explainer, ordered, n_predicted, n_found) in [
        ("gnn_explainer", 2_007_280.0, 349.0, 296.0),
        ("saliency", 2_027_318.0, 499.0, 460.0),
        ("random", 1_386_934.0, 1957.0, 462.0),
    ] {
        let mask = sample(&format!("{explainer}/edge_mask.npy"));
        let truth = sample("edge_mask_true.npy");
        let result = files.json(&format!(
            "graph groundtruth --predicted {mask} --target {truth}"
        ));
        for (name, expected) in [
            ("precision", n_found / n_predicted),
            ("recall", n_found / 960.0),
            ("auroc", ordered / (960.0 * 2980.0)),
        ] {
            // The JSON parser may change the last bit.
            let value = result[name].as_f64().unwrap();
            assert!((value - expected).abs() < 1e-15, "{explainer} {name}");
        }
    }
}

#[test]
fn characterization_and_the_area_under_the_curve_have_the_expected_values() {
    let files = Files::new();
    files.array("pos.npy", &array![0.0, 0.5]);
    files.array("neg.npy", &array![0.0, 0.5]);
    files.array("x.npy", &array![0.0, 1.0]);
    let result = files.json("graph characterization --pos pos.npy --neg neg.npy");
    assert_eq!(result["values"], serde_json::json!([0.0, 0.5]));
    let result = files.json("graph fidelity-auc --pos pos.npy --neg neg.npy --x x.npy");
    assert_eq!(result["value"], 0.5);
}

#[test]
fn unfaithfulness_has_both_directions_and_all_divergences() {
    let files = Files::new();
    let unfaithfulness = "graph unfaithfulness --full full.npy --kept kept.npy";
    let p = array![[0.75, 0.25]];
    let q = array![[0.5, 0.5]];
    let forward = 1.0 - (-(0.75 * 1.5f64.ln() + 0.25 * 0.5f64.ln())).exp();
    let reverse = 1.0 - (-(0.5 * (2.0f64 / 3.0).ln() + 0.5 * 2f64.ln())).exp();
    for (returns, full, kept) in [
        ("probs", p.clone(), q.clone()),
        ("log-probs", p.ln(), q.ln()),
        ("logits", p.ln(), q.ln()),
    ] {
        files.array("full.npy", &full);
        files.array("kept.npy", &kept);
        for (kl, expected) in [("forward", forward), ("reverse", reverse)] {
            let result = files.json(&format!(
                "{unfaithfulness} --return-type {returns} --kl-direction {kl}"
            ));
            assert!((result["value"].as_f64().unwrap() - expected).abs() < 1e-14);
        }
    }
    let extreme = array![[1000.0f32, -1000.0], [0.0, 0.0]];
    files.array("full.npy", &extreme);
    files.array("kept.npy", &extreme);
    let result = files.json(&format!("{unfaithfulness} --out rows.csv"));
    assert_eq!(result["value"], 0.0);
    assert_eq!(files.read("rows.csv"), "row,unfaithfulness\n0,0\n1,0\n");
}

#[test]
fn undefined_ground_truth_statistics_are_null() {
    let files = Files::new();
    files.array("none.npy", &array![0.0f32, 0.0]);
    let none = "graph groundtruth --predicted none.npy --target none.npy";
    let result = files.json(none);
    assert_eq!(result["accuracy"], 1.0);
    assert!(result["recall"].is_null() && result["auroc"].is_null());
    let result = files.json(&format!("{none} --zero-division 0"));
    assert_eq!(result["recall"], 0.0);
    files.array("scores.npy", &array![[0.9, 0.4], [0.6, 0.1]]);
    files.array("truth.npy", &array![[true, true], [false, false]]);
    let some = "graph groundtruth --predicted scores.npy --target truth.npy";
    assert_eq!(files.json(some)["auroc"], 0.75);
    assert_eq!(
        files.json(&format!("{some} --selection 1"))["precision"],
        1.0
    );
}

#[test]
fn the_best_of_several_true_explanations_is_used() {
    let files = Files::new();
    files.array("scores.npy", &array![0.1f32, 0.9, 0.8]);
    files.array("truths.npy", &array![[1u8, 1, 0], [0, 1, 1]]);
    let result = files.json("graph groundtruth --predicted scores.npy --target truths.npy");
    assert_eq!(
        (&result["best_truth"], &result["jaccard"]),
        (&1.into(), &1.0.into())
    );
    files.array("one.npy", &array![1u8, 1, 0]);
    let result = files.json("graph groundtruth --predicted scores.npy --target one.npy");
    assert!(result.get("best_truth").is_none());
    assert_eq!(result["jaccard"], 1.0 / 3.0);
}

#[test]
fn a_sweep_of_the_sample_study_has_the_expected_values() {
    let files = Files::new();
    let (full, index) = (sample("logits_full.npy"), sample("index.npy"));
    let kept = sample("gnn_explainer/logits_kept.npy");
    let result = files.json(&format!(
        "graph sweep --full {full} --kept {kept} --complement {} --levels {} --index {index} \
         --out curve.csv",
        sample("gnn_explainer/logits_complement.npy"),
        sample("kept_fraction.npy"),
    ));
    let curve = result["curve"].as_array().expect("a list");
    assert_eq!(curve.len(), 10);
    let number = |point: &Value, name: &str| point[name].as_f64().expect("a number");
    let best = curve
        .iter()
        .map(|point| number(point, "characterization"))
        .fold(0.0, f64::max);
    let at_best = curve
        .iter()
        .find(|point| point["level"] == result["best_level"])
        .expect("a level");
    assert_eq!(number(at_best, "characterization"), best);
    // Counted with numpy: of the 200 explained nodes 146 change without the explanation and none with it alone; at 0.15
    // of the edges, 130 and 23.
    assert_eq!(result["best_level"], 0.3);
    assert_eq!(number(at_best, "pos_fidelity"), 146.0 / 200.0);
    assert_eq!(number(at_best, "neg_fidelity"), 0.0);
    assert_eq!(number(&curve[3], "pos_fidelity"), 130.0 / 200.0);
    assert_eq!(number(&curve[3], "neg_fidelity"), 23.0 / 200.0);
    assert!((result["fidelity_auc"].as_f64().unwrap() - 0.729_177_927_831_404_1).abs() < 1e-14);
    // A point has the values of the other commands for its level.
    let stored: ndarray::Array3<f32> = ndarray_npy::read_npy(&kept).unwrap();
    let level = stored.index_axis(ndarray::Axis(0), 3).to_owned();
    files.array("level.npy", &level);
    let gef = files.json(&format!(
        "graph unfaithfulness --full {full} --kept level.npy --index {index}"
    ));
    assert_eq!(gef["value"], curve[3]["unfaithfulness"]);
    let fidelity = files.json(&format!(
        "graph fidelity --full {full} --kept level.npy --complement level.npy --index {index}"
    ));
    assert_eq!(fidelity["neg_fidelity"], curve[3]["neg_fidelity"]);
    assert_eq!(files.read("curve.csv").lines().count(), 11);
}

#[test]
fn properties_of_masks_have_the_expected_values() {
    let files = Files::new();
    files.array("mask.npy", &array![1.0, 1.0, 1.0, 0.0]);
    files.array("edges.npy", &array![[0i64, 1, 3, 0], [1, 2, 4, 4]]);
    let result = files.json("graph mask --mask mask.npy");
    assert_eq!(result["size"], 3);
    assert_eq!(result["sparsity"], 0.25);
    assert!(result["n_components"].is_null());
    let result = files.json("graph mask --mask mask.npy --edge-index edges.npy");
    assert_eq!(result["n_components"], 2);
    assert_eq!(result["component_share"], 0.6);
}

#[test]
fn elements_are_written_with_predicted_and_true_flags() {
    let files = Files::new();
    files.array("scores.npy", &array![[0.9f32, 0.5], [0.75, 0.25]]);
    files.array("truth.npy", &array![[1.0, 1.0], [0.0, 0.0]]);
    files.array(
        "truths.npy",
        &array![[[0.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [0.0, 0.0]]],
    );
    let command = "graph groundtruth --predicted scores.npy --target truth.npy --out";
    let header = "element,score,target,predicted,true\n";
    files.json(&format!("{command} a.csv"));
    let rows = "0,0.9,1,1,1\n1,0.5,1,0,1\n2,0.75,0,1,0\n3,0.25,0,0,0\n";
    assert_eq!(files.read("a.csv"), format!("{header}{rows}"));
    files.json(&format!("{command} b.csv --selection 1"));
    let rows = "0,0.9,1,1,1\n1,0.5,1,0,1\n2,0.75,0,0,0\n3,0.25,0,0,0\n";
    assert_eq!(files.read("b.csv"), format!("{header}{rows}"));
    let best = command.replace("truth.npy", "truths.npy");
    let result = files.json(&format!("{best} c.csv --selection 1"));
    assert_eq!(result["best_truth"], 1);
    assert_eq!(files.read("c.csv"), files.read("b.csv"));
}

/// A model file for a small ring.
pub(crate) mod onnx {
    use ndarray::{Array1, Array2};
    use xai_metrics::graph::mask::Sparsity;
    use xai_metrics::graph::model::EdgeChoices;
    use xai_metrics::graph::{Graph, SparsitySweep};

    use super::*;

    /// Returns features, edges and edge scores of a small ring.
    fn ring() -> (Array2<f32>, Array2<i64>, Array1<f32>) {
        let n = 12;
        let features = Array2::from_shape_fn((n, 3), |(i, j)| ((i * 5 + j * 3) % 7) as f32 - 3.0);
        let edges = Array2::from_shape_fn((2, 2 * n), |(end, e)| {
            ((e / 2 + usize::from((e % 2 == 0) == (end == 1))) % n) as i64
        });
        let mask = Array1::from_shape_fn(2 * n, |e| ((e * 7) % 24) as f32 / 24.0);
        (features, edges, mask)
    }

    pub(crate) fn model() -> String {
        format!(
            "{}/tests/data/graph_convolution.onnx",
            env!("CARGO_MANIFEST_DIR")
        )
    }

    /// Computes the outputs of the model file: `h = X W`, and each node adds the weighted `h` of its sources.
    fn convolution(graph: Graph<'_, f32>) -> Result<Array2<f32>, std::fmt::Error> {
        let weights = array![
            [0.001_230_153_4f32, 0.298_745_54],
            [-0.274_137_85, -0.890_591_86],
            [-0.454_670_8, -0.991_646_5]
        ];
        let h = graph.features.dot(&weights);
        let mut out = h.clone();
        for (e, ends) in graph.edge_index.columns().into_iter().enumerate() {
            let weight = graph.edge_weight.map_or(1.0, |weight| weight[e]);
            out.row_mut(ends[1] as usize)
                .scaled_add(weight, &h.row(ends[0] as usize));
        }
        Ok(out)
    }

    /// Writes the ring and returns the options with its files.
    pub(crate) fn ring_files(files: &Files) -> String {
        let (features, edges, mask) = ring();
        files.array("features.npy", &features);
        files.array("edges.npy", &edges);
        files.array("mask.npy", &mask);
        format!(
            "--model {} --features features.npy --edge-index edges.npy --edge-mask mask.npy",
            model()
        )
    }

    #[test]
    fn a_sweep_of_a_model_file_equals_that_of_a_closure() {
        let files = Files::new();
        let given = ring_files(&files);
        let (features, edges, mask) = ring();
        let graph = Graph::new(features.view(), edges.view()).unwrap();
        let levels: Vec<Sparsity> = (1..=10)
            .map(|i| Sparsity::Fraction(f64::from(i) / 10.0))
            .collect();
        for undirected in [false, true] {
            let sweep = SparsitySweep::new().edges(EdgeChoices::new().undirected(undirected));
            let expected = sweep
                .evaluate_model(&convolution, graph, mask.view(), &levels)
                .unwrap();
            for removal in ["weight", "remove"] {
                let flag = if undirected { "--undirected" } else { "" };
                let result = files.json(&format!("graph sweep {given} --removal {removal} {flag}"));
                let curve = result["curve"].as_array().expect("a list");
                assert_eq!(curve.len(), 10);
                for (ours, expected) in curve.iter().zip(&expected.points) {
                    assert_eq!(ours["pos_fidelity"], expected.pos_fidelity);
                    assert_eq!(ours["neg_fidelity"], expected.neg_fidelity);
                    let gef = ours["unfaithfulness"].as_f64().expect("a number");
                    assert!((gef - expected.unfaithfulness).abs() < 1e-5);
                }
            }
        }
    }

    #[test]
    fn robust_fidelity_depends_only_on_the_seed() {
        let files = Files::new();
        let given = ring_files(&files);
        let robust = format!("graph robust-fidelity {given} --fraction 0.5 --alpha-pos 0.5");
        let result = files.json(&robust);
        let number = |name: &str| result[name].as_f64().expect("a number");
        assert!(number("pos") > 0.0 && number("pos_standard_error") > 0.0);
        assert_eq!(result["n_draws"], 50);
        assert_eq!(files.json(&format!("{robust} --threads 1")), result);
        assert_ne!(files.json(&format!("{robust} --seed 2")), result);
    }

    #[test]
    fn robust_fidelity_optionally_compares_probabilities() {
        let files = Files::new();
        let given = ring_files(&files);
        let robust = format!("graph robust-fidelity {given} --fraction 0.5 --alpha-pos 0.5");
        let plain = files.json(&robust);
        let by = files.json(&format!("{robust} --probabilities"));
        // The draws are the same.
        assert_eq!(plain["pos"], by["pos"]);
        assert!(plain["by_probability"].is_null());
        let number = |name: &str| by["by_probability"][name].as_f64().expect("a number");
        assert!(number("pos") > 0.0 && number("pos") < 1.0 && number("pos_standard_error") > 0.0);
        assert_eq!(number("delta"), number("pos") - number("neg"));
        // Logits are not probabilities.
        let failed = files.bad_data(
            &model(),
            &format!("{robust} --probabilities --return-type probs"),
        );
        assert!(
            failed
                .help()
                .is_some_and(|help| help.contains("--return-type logits"))
        );
        files.failure(2, &format!("{robust} --return-type probs"));
    }
}

#[test]
fn thresholds_have_the_precision_of_the_scores() {
    let files = Files::new();
    // 0.3 in single precision is above 0.3 in double precision.
    files.array("scores.npy", &array![0.3f32, 0.9, 0.1]);
    files.array("single.npy", &array![0.3f32, 1.0, 0.0]);
    files.array("double.npy", &array![0.3f64, 1.0, 0.0]);
    let against = |truth: &str| {
        let command = "graph groundtruth --threshold 0.3 --predicted scores.npy --target";
        files.json(&format!("{command} {truth}"))
    };
    assert_eq!(against("single.npy"), against("double.npy"));
    // The first two are true, and the second is predicted (strictly above the threshold).
    assert_eq!(against("double.npy")["recall"], 0.5);
}

#[test]
fn memory_depends_on_the_number_of_edges_not_on_node_numbers() {
    let files = Files::new();
    files.array("mask.npy", &array![1.0f32, 1.0]);
    files.array("edges.npy", &array![[0i64, 5], [1, 1_000_000_000_000]]);
    let mask = "graph mask --mask mask.npy --edge-index edges.npy";
    let result = files.json(mask);
    assert_eq!(result["n_components"], 2);
    assert_eq!(result["component_share"], 0.5);
    files.array("edges.npy", &array![[0i64, 2], [1, 3]]);
    let result = files.json(&format!("{mask} --n-nodes 8"));
    assert_eq!(result["components_per_node"], 0.25);
}

#[test]
fn an_index_of_zeros_and_ones_is_a_mask_if_unambiguous() {
    let files = Files::new();
    files.array("full.npy", &array![0i64, 1, 2, 1]);
    files.array("kept.npy", &array![0i64, 1, 2, 0]);
    let command = |group: &str, index: &str| format!("graph {group} --index {index}");
    let fidelity = "fidelity --full full.npy --kept kept.npy --complement kept.npy";
    files.array("mask.npy", &array![false, true, false, true]);
    let expected = files.json(&command(fidelity, "mask.npy"));
    assert_eq!(
        (&expected["n_samples"], &expected["neg_fidelity"]),
        (&2.into(), &0.5.into())
    );
    files.array("integers.npy", &array![0i64, 1, 0, 1]);
    files.array("bytes.npy", &array![0u8, 1, 0, 1]);
    files.array("floats.npy", &array![0.0, 1.0, 0.0, 1.0]);
    for index in ["integers.npy", "bytes.npy", "floats.npy"] {
        assert_eq!(files.json(&command(fidelity, index)), expected, "{index}");
    }
    files.array("positions.npy", &array![0i64, 1]);
    assert_eq!(
        files.json(&command(fidelity, "positions.npy"))["n_samples"],
        2
    );
    files.array("twice.npy", &array![3i64, 1, 1]);
    assert_eq!(files.json(&command(fidelity, "twice.npy"))["n_samples"], 3);
    files.array("short.npy", &array![0i64, 1, 1]);
    let failed = files.failure(1, &command(fidelity, "short.npy"));
    assert!(failed.is_about("short.npy"), "{}", failed.text);
    assert!(
        failed.help().is_some_and(|help| help.contains("mask")),
        "{}",
        failed.text
    );

    let outputs = array![[0.0, 1.0], [2.0, 0.0]];
    files.array("outputs.npy", &outputs);
    let unfaithfulness = "unfaithfulness --full outputs.npy --kept outputs.npy";
    let failed = files.failure(1, &command(unfaithfulness, "positions.npy"));
    let help = failed.help().expect("a way out");
    assert!(
        help.contains("booleans") && help.contains("positions"),
        "{}",
        failed.text
    );
    files.array("both.npy", &array![1i64, 1]);
    assert_eq!(
        files.json(&command(unfaithfulness, "both.npy"))["value"],
        0.0
    );
}

#[test]
fn infinite_outputs_are_errors() {
    let files = Files::new();
    let good = array![[0.0, 1.0], [2.0, 0.0]];
    files.array("good.npy", &good);
    for (name, bad) in [
        ("inf.npy", f64::INFINITY),
        ("minus.npy", f64::NEG_INFINITY),
        ("nan.npy", f64::NAN),
    ] {
        let mut outputs = good.clone();
        outputs[[1, 1]] = bad;
        files.array(name, &outputs);
        files.array("single.npy", &outputs.mapv(|x| x as f32));
        for file in [name, "single.npy"] {
            let command =
                format!("graph fidelity --full good.npy --kept {file} --complement good.npy");
            let failed = files.failure(1, &command);
            assert!(
                failed.is_about(file) && failed.text.contains("[1, 1]"),
                "{}",
                failed.text
            );
        }
    }
}

#[test]
fn a_remark_names_probabilities_that_are_read_as_logits() {
    let files = Files::new();
    let probabilities = array![[0.25, 0.75], [0.5, 0.5]];
    files.array("full.npy", &probabilities);
    files.array("kept.npy", &stack![Axis(0), probabilities, probabilities]);
    files.array("levels.npy", &array![0.1, 0.2]);
    files.array("logits.npy", &array![[0.25, 1.75], [0.5, 0.5]]);
    let sweep =
        "graph sweep --full full.npy --kept kept.npy --complement kept.npy --levels levels.npy";
    for command in [
        "graph unfaithfulness --full full.npy --kept full.npy",
        sweep,
    ] {
        let assumed = files.json(command)["assumed"].clone();
        assert!(
            assumed
                .as_str()
                .is_some_and(|text| text.contains("--return-type probs")),
            "{assumed}"
        );
        let result = files.json(&format!("{command} --return-type probs"));
        assert_eq!(result.get("assumed"), None);
    }
    let logits = files.json("graph unfaithfulness --full logits.npy --kept full.npy");
    assert_eq!(logits.get("assumed"), None);
}

#[test]
fn true_scores_outside_of_0_to_1_are_errors() {
    let files = Files::new();
    files.array("mask.npy", &array![0.9, 0.4, 0.1]);
    for (name, truth) in [
        ("grey.npy", array![255.0, 0.0, 0.0]),
        ("signs.npy", array![1.0, -1.0, -1.0]),
        ("order.npy", array![2.0, 0.0, 1.0]),
    ] {
        files.array(name, &truth);
        let failed = files.failure(
            1,
            &format!("graph groundtruth --predicted mask.npy --target {name}"),
        );
        assert!(
            failed.is_about(name) && failed.help().is_some(),
            "{}",
            failed.text
        );
    }
}

//! The section of the sample study.

use clap::{Args, Command, Parser};
use ndarray::{Array1, array};
use ndarray_npy::write_npy;

use super::*;
use xai_report::section::graph::GraphExplainer;

/// A file of the sample study.
fn sample(name: &str) -> String {
    format!("{}/sample/graph/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The arguments of a command, by themselves.
fn arguments<A: Args>(line: &str) -> A {
    let command = A::augment_args(Command::new("x").no_binary_name(true));
    let matches = command
        .try_get_matches_from(line.split_whitespace())
        .unwrap();
    A::from_arg_matches(&matches).unwrap()
}

fn context() -> Context {
    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        context: Context,
    }
    Alone::parse_from(["xai", "--quiet"]).context
}

fn origin() -> Origin {
    Origin {
        seed: 1,
        id: "graph-1".to_owned(),
        family: "graph".to_owned(),
        name: "motifs".to_owned(),
        commands: Vec::new(),
        files: Vec::new(),
        remarks: Vec::new(),
    }
}

fn explainer(name: &str) -> ExplainerInputs {
    let of = |file: &str| sample(&format!("{name}/{file}.npy"));
    let sweep = format!(
        "--full {} --kept {} --complement {} --levels {} --index {}",
        sample("logits_full.npy"),
        of("logits_kept"),
        of("logits_complement"),
        sample("kept_fraction.npy"),
        sample("index.npy"),
    );
    let truth = sample("edge_mask_true.npy");
    let groundtruth = format!("--predicted {} --target {truth}", of("edge_mask"));
    ExplainerInputs {
        name: name.to_owned(),
        sweep: arguments(&sweep),
        edge_mask: None,
        groundtruth: Some(arguments(&groundtruth)),
    }
}

fn inputs() -> GraphInputs {
    GraphInputs {
        explainers: ["gnn_explainer", "saliency", "random"]
            .map(explainer)
            .into(),
        edge_index: Some(sample("edge_index.npy").into()),
        drawn: 3,
    }
}

/// fid₊ of GNNExplainer at 0.3 of the edges, 146 of 200, by Wilson's formula in scipy.
const WILSON: [f64; 2] = [0.664_565_648_013_315_7, 0.786_765_501_853_141_6];
/// Its characterization at 0.15 of the edges, with each of 200 nodes left out by numpy.
const JACKKNIFE: [f64; 2] = [0.701_973_476_475_376_4, 0.797_049_324_827_555_4];

#[test]
fn the_sample_study_has_the_numbers_that_numpy_and_scikit_learn_give() {
    let section = evaluate(&inputs(), origin(), &context()).unwrap();
    assert_eq!(section.n_explained, 200);
    let [gnn, saliency, random] = &section.explainers[..] else {
        panic!("{}", section.explainers.len());
    };
    let expected = [
        (gnn, 0.701_649_888_143_176_7, 0.547_748_571_397_574_5, 5),
        (
            saliency,
            0.708_654_222_595_078_3,
            0.600_281_323_833_831_1,
            5,
        ),
        (
            random,
            0.484_812_639_821_029_07,
            0.239_774_122_508_619_46,
            9,
        ),
    ];
    for (explainer, auroc, average_precision, best) in expected {
        let truth = explainer.groundtruth.as_ref().unwrap();
        let close = |ours: Option<f64>, theirs: f64| (ours.unwrap() - theirs).abs() < 1e-12;
        assert!(
            close(truth.auroc.value, auroc) && close(truth.average_precision, average_precision)
        );
        assert_eq!(truth.prevalence, 960.0 / 3940.0);
        assert_eq!(explainer.best, best, "{}", explainer.name);
        // Chance is within the interval of the random mask alone.
        let [low, high] = truth.auroc.interval.unwrap();
        assert!(low < auroc && auroc < high && high - low < 0.05);
        assert_eq!(low < 0.5, explainer.name == "random");
        // The picture says what the number says.
        assert!((area(&truth.roc) - auroc).abs() < 1e-3 && truth.roc.len() <= 200);
        assert!((steps(&truth.precision_recall) - average_precision).abs() < 1e-3);
    }
    let best = &gnn.curve[gnn.best];
    assert_eq!(best.pos_fidelity.value, Some(0.73));
    let intervals = [
        (best.pos_fidelity.interval, WILSON),
        (gnn.curve[3].characterization.interval, JACKKNIFE),
    ];
    for (interval, expected) in intervals {
        let [low, high] = interval.unwrap();
        assert!((low - expected[0]).abs() < 1e-9 && (high - expected[1]).abs() < 1e-9);
    }
    let mask = gnn.mask.as_ref().unwrap();
    assert_eq!(mask.histogram.counts.iter().sum::<u64>(), 3940);
    assert_eq!(
        mask.histogram_of_true
            .as_ref()
            .unwrap()
            .counts
            .iter()
            .sum::<u64>(),
        960
    );
}

fn area(points: &[[f64; 2]]) -> f64 {
    points
        .windows(2)
        .map(|p| (p[1][0] - p[0][0]) * (p[0][1] + p[1][1]) / 2.0)
        .sum()
}

fn steps(points: &[[f64; 2]]) -> f64 {
    points
        .windows(2)
        .map(|p| (p[1][0] - p[0][0]) * p[1][1])
        .sum()
}

#[test]
fn all_explainers_are_drawn_around_the_same_nodes() {
    let section = evaluate(&inputs(), origin(), &context()).unwrap();
    let drawn = |explainer: &GraphExplainer| -> Vec<usize> {
        explainer
            .neighborhoods
            .iter()
            .map(|around| around.node)
            .collect()
    };
    let nodes = drawn(&section.explainers[0]);
    assert_eq!((nodes.len(), nodes[0], nodes[2]), (3, 300, 499));
    for explainer in &section.explainers {
        assert_eq!(drawn(explainer), nodes);
        for around in &explainer.neighborhoods {
            assert_eq!(around.nodes[0].node, around.node);
            // A house has five nodes and six edges, all of them true.
            let n_true = around
                .edges
                .iter()
                .filter(|edge| edge.is_true == Some(true));
            assert!(n_true.count() >= 6 && around.nodes.len() <= 40);
        }
    }
}

#[test]
fn without_edges_nothing_is_drawn_and_without_a_mask_nothing_is_summarised() {
    let mut inputs = inputs();
    inputs.edge_index = None;
    inputs.explainers[1].groundtruth = None;
    let section = evaluate(&inputs, origin(), &context()).unwrap();
    assert!(
        section
            .explainers
            .iter()
            .all(|it| it.neighborhoods.is_empty())
    );
    let [with, without, _] = &section.explainers[..] else {
        panic!("{}", section.explainers.len());
    };
    assert!(with.mask.is_some() && with.groundtruth.is_some());
    assert!(without.mask.is_none() && without.groundtruth.is_none());
}

#[test]
fn masks_and_edges_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    write_npy(file("short.npy"), &Array1::<f64>::zeros(3)).unwrap();
    write_npy(file("nan.npy"), &Array1::from_elem(3940, f64::NAN)).unwrap();
    write_npy(file("rows.npy"), &array![[0i64], [1], [2]]).unwrap();
    write_npy(file("negative.npy"), &array![[0i64], [-1]]).unwrap();
    for (mask, edges, place) in [
        (Some("short.npy"), None, "short.npy"),
        (Some("nan.npy"), None, "nan.npy"),
        (None, Some("rows.npy"), "rows.npy"),
        (None, Some("negative.npy"), "negative.npy"),
    ] {
        let mut inputs = inputs();
        inputs.explainers.truncate(1);
        inputs.explainers[0].edge_mask = mask.map(file);
        inputs.edge_index = edges.map(file).or(inputs.edge_index);
        let failure = evaluate(&inputs, origin(), &context()).unwrap_err();
        let expected = file(place);
        assert_eq!(failure.place(), expected.to_str(), "{failure}");
    }
}

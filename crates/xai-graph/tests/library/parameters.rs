//! Parameters by name, as command lines and studies set them.

use ndarray::{Array2, array};
use xai_core::describe::ends::at_ends;
use xai_core::describe::{Scores, Value, with};
use xai_graph::mask::MaskMetric;
use xai_graph::model::EdgeChoices;
use xai_graph::{
    Characterization, Error, Graph, GroundTruthMetric, RobustFidelityMetric, SparsitySweep,
    UnfaithfulnessMetric,
};

/// An error is about the parameter that is set, or says by its name what to set it to.
fn is_about(set: &str, error: &Error) {
    let name = set.split(" = ").next().unwrap();
    assert!(error.to_string().contains(name), "{set}: {error}");
}

/// The scores of a result are in their ranges.
fn check<R: Scores>(set: &str, result: Result<R, Error>) {
    match result {
        Ok(result) => {
            for score in R::SCORES {
                let within = |value: f64| value.is_finite() && score.info.range.contains(value);
                let value = score.value(&result);
                assert!(
                    value.is_none_or(within),
                    "{set}: {} = {value:?}",
                    score.info.name
                );
            }
        }
        Err(error) => is_about(set, &error),
    }
}

/// Every parameter takes both ends of its kind and each of its words, and refuses by its name what lies outside.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let (mask, truth) = (array![0.0, 0.25, 0.5, 1.0], array![0.0, 1.0, 0.0, 1.0]);
    for (set, metric) in at_ends(&GroundTruthMetric::new()) {
        check(&set, metric.evaluate(mask.view(), truth.view()));
        check(&set, metric.evaluate(mask.view(), mask.view()));
    }
    let probs = [
        array![[0.75, 0.25], [1.0, 0.0]],
        array![[0.5, 0.5], [0.25, 0.75]],
    ];
    for (set, metric) in at_ends(&UnfaithfulnessMetric::new()) {
        check(&set, metric.evaluate(probs[0].view(), probs[1].view()));
    }
    let edges = array![[0, 1, 2, 0], [1, 2, 0, 2]];
    for (set, metric) in at_ends(&MaskMetric::new()) {
        check(&set, metric.evaluate_edges(mask.view(), edges.view(), 3));
    }
    for (set, metric) in at_ends(&Characterization::new()) {
        match metric.score(0.75, 0.5) {
            Ok(score) => assert!((0.5..=0.75).contains(&score), "{set}: {score}"),
            Err(error) => is_about(&set, &error),
        }
    }
    let features = Array2::ones((3, 1));
    let graph = Graph::new(features.view(), edges.view()).unwrap();
    let model = |graph: Graph<'_, f64>| {
        let weight = graph
            .edge_weight
            .map_or(graph.edge_index.ncols() as f64, |weight| weight.sum());
        Ok::<_, Error>(Array2::from_shape_fn((3, 2), |(_, class)| {
            class as f64 * (weight - 1.5)
        }))
    };
    for (set, metric) in at_ends(&RobustFidelityMetric::new()) {
        check(&set, metric.evaluate(&model, graph, truth.view()));
    }
    let levels = [0.0, 0.5, 1.0].map(xai_graph::mask::Sparsity::Fraction);
    for (set, choices) in at_ends(&EdgeChoices::new()) {
        let sweep = SparsitySweep::new().edges(choices);
        check(
            &set,
            sweep.evaluate_model(&model, graph, mask.view(), &levels),
        );
    }
}

#[test]
fn words_of_the_peers_and_numbers_are_read() {
    use xai_graph::ReturnType;
    use xai_graph::ground_truth::{Selection, ZeroDivision};
    let truth = |name, value: Value| with(GroundTruthMetric::new(), [(name, value)]).unwrap();
    let metric = GroundTruthMetric::new();
    assert_eq!(
        truth("selection", "3".into()),
        metric.selection(Selection::TopK(3))
    );
    assert_eq!(
        truth("selection", "truth_size".into()),
        metric.selection(Selection::TruthSize)
    );
    for (text, value) in [("0", ZeroDivision::Zero), ("one", ZeroDivision::One)] {
        assert_eq!(
            truth("zero_division", text.into()),
            metric.zero_division(value)
        );
    }
    assert_eq!(
        truth("zero_division", Value::Real(1.0)),
        metric.zero_division(ZeroDivision::One)
    );
    let raw = with(
        UnfaithfulnessMetric::new().return_type(ReturnType::Probs),
        [("return_type", Value::from("raw"))],
    );
    assert_eq!(raw.unwrap(), UnfaithfulnessMetric::new());
}

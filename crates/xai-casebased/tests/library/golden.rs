//! Values computed by the peers: case-explainer 0.2.0, scipy, scikit-learn.

use approx::assert_relative_eq;
use ndarray::Array2;
use serde_json::Value;
use xai_casebased::search::KdTree;
use xai_casebased::{CaseExplainer, ClassWeights, CorrespondenceMetric, Distance, Engine, Kernel};
use xai_core::distance::DistanceFunction;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/casebased.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

fn integers(value: &Value) -> Vec<i64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_i64().unwrap())
        .collect()
}

fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

fn class_weights(value: &Value) -> Vec<(i64, f64)> {
    let Some(weights) = value.as_object() else {
        return Vec::new();
    };
    weights
        .iter()
        .map(|(label, w)| (label.parse().unwrap(), w.as_f64().unwrap()))
        .collect()
}

#[test]
fn correspondence_is_that_of_the_peer() {
    for case in golden()["correspondence"].as_array().unwrap() {
        let kernel = match case["distance_weighted"].as_bool().unwrap() {
            true => Kernel::InverseCube,
            false => Kernel::Uniform,
        };
        let ours = CorrespondenceMetric::default()
            .weighting(kernel)
            .class_weights(ClassWeights::new(class_weights(&case["class_weights"])).unwrap())
            .evaluate(
                &numbers(&case["distances"]),
                &integers(&case["labels"]),
                case["predicted"].as_i64().unwrap(),
            )
            .unwrap();
        assert_eq!(
            ours.level.to_string(),
            case["level"].as_str().unwrap(),
            "{case}"
        );
        // Where the peer's level is "undefined" its number is 0, ours is undefined: next test.
        if let Some(score) = ours.score {
            let peer = case["correspondence"].as_f64().unwrap();
            assert_relative_eq!(score, peer, max_relative = 1e-12);
        }
    }
}

/// The one deviation: without any weight the peer says 0.0, we say undefined. `unwrap_or(0.0)`
/// gives the peer's number.
#[test]
fn scores_without_weight_are_undefined_where_the_reference_returns_zero() {
    let golden = golden();
    let undefined: Vec<&Value> = golden["correspondence"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|case| case["level"] == "undefined")
        .collect();
    assert!(!undefined.is_empty());
    for case in undefined {
        let weights = ClassWeights::new(class_weights(&case["class_weights"])).unwrap();
        let ours = CorrespondenceMetric::default()
            .class_weights(weights)
            .evaluate(&numbers(&case["distances"]), &integers(&case["labels"]), 0)
            .unwrap();
        assert_eq!(ours.score, None);
        assert_eq!(
            ours.score.unwrap_or(0.0),
            case["correspondence"].as_f64().unwrap()
        );
    }
}

#[test]
fn distances_are_those_of_scipy() {
    let distances = [
        ("euclidean", Distance::Euclidean),
        ("sqeuclidean", Distance::SquaredEuclidean),
        ("manhattan", Distance::Manhattan),
        ("chebyshev", Distance::Chebyshev),
        ("minkowski3", Distance::Minkowski(3.0)),
        ("cosine", Distance::Cosine),
        ("canberra", Distance::Canberra),
        ("braycurtis", Distance::BrayCurtis),
    ];
    for case in golden()["distances"].as_array().unwrap() {
        let (a, b) = (numbers(&case["a"]), numbers(&case["b"]));
        for (name, distance) in &distances {
            let peer = case[*name].as_f64().unwrap();
            assert_relative_eq!(
                distance.distance(&a, &b),
                peer,
                max_relative = 1e-12,
                epsilon = 1e-15
            );
        }
    }
}

#[test]
fn explanations_are_those_of_the_peer() {
    let golden = golden();
    let (mut train, mut labels, mut samples) =
        (Array2::zeros((0, 0)), Vec::new(), Array2::zeros((0, 0)));
    for case in golden["explain"].as_array().unwrap() {
        if case["train_x"].is_array() {
            train = matrix(&case["train_x"]);
            labels = integers(&case["train_y"]);
        }
        samples = if case["test_x"].is_array() {
            matrix(&case["test_x"])
        } else {
            samples
        };
        let distance: Distance = case["metric"].as_str().unwrap().parse().unwrap();
        let mut builder = CaseExplainer::builder()
            .k(usize::try_from(case["k"].as_u64().unwrap()).unwrap())
            .distance(distance.clone())
            .scale(case["scale"].as_bool().unwrap());
        for (label, weight) in class_weights(&case["class_weights"]) {
            builder = builder.class_weight(label, weight);
        }
        let through = |engine: Engine| {
            let explainer = builder.clone().engine(engine);
            let explainer = explainer.fit(train.view(), &labels).unwrap();
            explainer
                .explain_batch(samples.view(), &integers(&case["predicted"]))
                .unwrap()
        };
        let ours = through(Engine::Auto);
        assert_eq!(ours, through(Engine::BruteForce));
        if KdTree::supports(&distance) {
            assert_eq!(ours, through(Engine::KdTree));
        }
        for (ours, peer) in ours.iter().zip(case["explanations"].as_array().unwrap()) {
            let score = ours.correspondence.score.unwrap();
            assert_relative_eq!(
                score,
                peer["correspondence"].as_f64().unwrap(),
                max_relative = 1e-12
            );
            if peer["index"].is_null() {
                // k above the training set: all of it.
                assert_eq!(
                    ours.cases.len() as u64,
                    peer["n_neighbors"].as_u64().unwrap()
                );
                continue;
            }
            assert_eq!(ours.level().to_string(), peer["level"].as_str().unwrap());
            let peers_distances = numbers(&peer["distance"]);
            for (case, distance) in ours.cases.iter().zip(&peers_distances) {
                assert_relative_eq!(case.distance, *distance, max_relative = 1e-12);
            }
            // The peer leaves the order of equal distances open, and which of them are in at the
            // k-th; ours is by training row. So what lies below the k-th distance is the same.
            let last = *peers_distances.last().unwrap();
            let by_distance = |rows: Vec<(f64, i64, i64)>| {
                let mut rows: Vec<_> = rows
                    .into_iter()
                    .filter(|(d, ..)| *d < last - 1e-9)
                    .map(|(d, index, label)| ((d * 1e9).round() as i64, index, label))
                    .collect();
                rows.sort_unstable();
                rows
            };
            let ours: Vec<_> = ours
                .cases
                .iter()
                .map(|c| (c.distance, i64::try_from(c.index).unwrap(), c.label))
                .collect();
            let peers: Vec<_> = peers_distances
                .iter()
                .zip(integers(&peer["index"]))
                .zip(integers(&peer["label"]))
                .map(|((d, index), label)| (*d, index, label))
                .collect();
            assert_eq!(by_distance(ours), by_distance(peers));
        }
    }
}

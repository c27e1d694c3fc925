//! A parameter has one name: in its description, and in the errors about it.

use std::convert::Infallible;

use ndarray::{Array2, ArrayView2, s};
use xai_casebased::result::Listing;
use xai_casebased::similarity::{Embedding, Overflow, TreeLeaf};
use xai_casebased::{
    Accumulator, Audit, CaseExplainer, CaseExplainerBuilder, CorrespondenceMetric, Engine, Error,
    Thresholds,
};
use xai_core::describe::ends::at_ends;
use xai_core::describe::{Parameters, Value, with};

/// What has parameters of these names, with one of them at an end; what lies outside was refused by its name.
fn at_ends_of<P: Parameters + Clone>(of: P, names: &[&str]) -> Vec<(String, P)> {
    let described: Vec<&str> = of.params().iter().map(|param| param.name).collect();
    assert_eq!(described, names);
    at_ends(&of)
}

/// Every parameter takes both ends of its kind and each of its words, and refuses by its name what lies outside.
#[test]
fn the_ends_of_a_parameter_are_values_of_it() {
    let train = Array2::from_shape_fn((40, 3), |(row, column)| {
        ((7 * row + 3 * column) % 13) as f64
    });
    let labels: Vec<i64> = (0..40).map(|row| row % 3).collect();
    let samples = train.slice(s![..6, ..]).mapv(|x| x + 0.25);
    // A share of a weight whose sum is zero, as under a narrow kernel, is undefined.
    let is_share = |set: &str, score: Option<f64>| {
        let within = |score: f64| (0.0..=1.0).contains(&score);
        assert!(score.is_none_or(within), "{set}: {score:?}");
    };
    // High support that begins below medium is refused by both names.
    let is_about = |set: &str, error: &Error| {
        let name = set.split(" = ").next().unwrap();
        assert!(error.to_string().contains(name), "{set}: {error}");
    };
    let explained = |set: &str, builder: CaseExplainerBuilder| {
        let explainer = match builder.fit(train.view(), &labels) {
            Ok(explainer) => explainer,
            Err(error) => return is_about(set, &error),
        };
        if set.starts_with("aggregate_only = 2") {
            let aggregates = explainer.aggregate(samples.view(), Some(&labels[..6]));
            assert_eq!(aggregates.unwrap().len(), 6);
            return;
        }
        for explanation in explainer
            .explain_batch(samples.view(), &labels[..6])
            .unwrap()
        {
            is_share(set, explanation.correspondence.score);
        }
    };
    let choices = ["k", "distance", "engine", "scale", "weighting"];
    let levels = ["high", "medium"];
    let all = [&choices[..], &levels, &["aggregate_only"]].concat();
    for (set, builder) in at_ends_of(CaseExplainer::builder(), &all) {
        explained(&set, builder);
    }
    let correspondence = at_ends_of(
        CorrespondenceMetric::new(),
        &["weighting", "high", "medium"],
    );
    for (set, metric) in correspondence {
        match metric.evaluate(&[0.5, 0.75], &[0, 1], 1) {
            Ok(correspondence) => is_share(&set, correspondence.score),
            Err(error) => is_about(&set, &error),
        }
    }
    at_ends_of(Thresholds::default(), &levels);
    for (set, Listing { n_least_supported }) in
        at_ends_of(Listing::default(), &["n_least_supported"])
    {
        let mut audit = Audit::listing(n_least_supported);
        let explainer = CaseExplainer::builder().fit(train.view(), &labels).unwrap();
        audit
            .update(
                &explainer
                    .explain_batch(samples.view(), &labels[..6])
                    .unwrap(),
            )
            .unwrap();
        let listed = audit.finish().unwrap().least_supported.len();
        assert_eq!(listed, n_least_supported.min(6), "{set}");
    }
    let same = |rows: ArrayView2<'_, f64>| Ok::<Array2<f64>, Infallible>(rows.to_owned());
    for (set, embedding) in at_ends_of(Embedding::new(same), &["standardize", "feature_share"]) {
        explained(&set, CaseExplainer::builder().similarity(embedding));
    }
    let leaves = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(vec![0; rows.nrows()]);
    for (set, leaf) in at_ends_of(TreeLeaf::new(leaves), &["overflow"]) {
        explained(&set, CaseExplainer::builder().similarity(leaf));
    }
    #[cfg(feature = "approximate")]
    for (set, graph) in at_ends_of(
        xai_casebased::search::Hnsw::default(),
        &["connections", "ef_construction", "ef_search"],
    ) {
        explained(
            &set,
            CaseExplainer::builder().engine(Engine::Approximate(graph)),
        );
    }
}

#[test]
fn the_engine_is_chosen_for_the_number_of_neighbours() {
    let train = Array2::from_shape_fn((10_000, 3), |(i, j)| {
        [i % 23, i / 23 % 19, i / 437][j] as f64
    });
    let fit = |k| {
        let builder = CaseExplainer::builder().k(k);
        builder.fit(train.view(), &vec![0; 10_000]).unwrap()
    };
    assert_eq!(fit(5).training_info().engine, Engine::KdTree);
    assert_eq!(fit(10_000).training_info().engine, Engine::BruteForce);
}

#[test]
fn choices_are_read_from_words() {
    let words = [
        ("k", "3"),
        ("distance", "mahalanobis"),
        ("engine", "brute"),
        ("scale", "false"),
        ("weighting", "gaussian:2"),
        ("medium", "0.1"),
        ("aggregate_only", "2"),
    ];
    let words = words.map(|(name, text)| (name, Value::from(text)));
    let params = with(CaseExplainer::builder(), words).unwrap().params();
    let values: Vec<String> = params.iter().map(|param| param.value.to_string()).collect();
    let expected = [
        "3",
        "mahalanobis",
        "brute-force",
        "false",
        "gaussian:2",
        "0.85",
        "0.1",
        "2",
    ];
    assert_eq!(values, expected);
    assert_eq!("nearest".parse::<Overflow>().unwrap(), Overflow::Nearest);
    let octree = "octree".parse::<Engine>().unwrap_err().to_string();
    assert!(
        octree.starts_with("engine = octree: expected auto, brute-force"),
        "{octree}"
    );
    let exponent = with(
        CaseExplainer::builder(),
        [("distance", Value::from("minkowski:0.5"))],
    );
    assert_eq!(
        exponent.unwrap_err().to_string(),
        "distance = minkowski:0.5: expected minkowski:P with P a number, at least 1"
    );
    let one = with(
        CaseExplainer::builder(),
        [("aggregate_only", Value::Integer(1))],
    );
    assert_eq!(
        one.unwrap_err().to_string(),
        "aggregate_only = 1: expected off or a whole number, at least 2"
    );
}

#[cfg(feature = "approximate")]
#[test]
fn the_parameters_of_a_graph_stand_behind_its_word() {
    use xai_casebased::search::Hnsw;
    let engine = |text: &str| text.parse::<Engine>();
    let graph = Hnsw::default()
        .connections(32)
        .ef_construction(400)
        .ef_search(128);
    assert_eq!(
        engine("hnsw").unwrap(),
        Engine::Approximate(Hnsw::default())
    );
    assert_eq!(
        engine("hnsw:32,400,128").unwrap(),
        Engine::Approximate(graph)
    );
    assert_eq!(Engine::Approximate(graph).to_string(), "hnsw");
    assert!(engine("hnsw:32").is_err());
}

//! A parameter has one name: in its description, and in the errors about it.

use std::convert::Infallible;

use ndarray::{Array2, ArrayView2};
use xai_casebased::result::Listing;
use xai_casebased::similarity::{Embedding, Overflow, TreeLeaf};
use xai_casebased::{CaseExplainer, CorrespondenceMetric, Engine, Thresholds};
use xai_core::describe::{Parameters, Value, with};

fn refuses_what_is_no_value<P: Parameters + Clone>(of: P, names: &[&str]) {
    let params = of.params();
    let described: Vec<&str> = params.iter().map(|param| param.name).collect();
    assert_eq!(described, names);
    for param in params {
        let wrong = [(param.name, Value::from("no such value"))];
        let error = with(of.clone(), wrong).err().expect(param.name);
        assert_eq!(error.input().name(), param.name);
        // What it is by default is one of its values.
        let same = with(of.clone(), [(param.name, param.value.clone())]);
        assert!(same.is_ok(), "{}", param.name);
    }
}

#[test]
fn what_is_no_value_is_an_error_about_the_parameter() {
    let choices = ["k", "distance", "engine", "scale", "weighting"];
    let levels = ["high", "medium"];
    let all = [&choices[..], &levels, &["aggregate_only"]].concat();
    refuses_what_is_no_value(CaseExplainer::builder(), &all);
    refuses_what_is_no_value(
        CorrespondenceMetric::new(),
        &["weighting", "high", "medium"],
    );
    refuses_what_is_no_value(Thresholds::default(), &levels);
    refuses_what_is_no_value(Listing::default(), &["n_least_supported"]);
    let same = |rows: ArrayView2<'_, f64>| Ok::<Array2<f64>, Infallible>(rows.to_owned());
    refuses_what_is_no_value(Embedding::new(same), &["standardize", "feature_share"]);
    let leaves = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(vec![0; rows.nrows()]);
    refuses_what_is_no_value(TreeLeaf::new(leaves), &["overflow"]);
    #[cfg(feature = "approximate")]
    refuses_what_is_no_value(
        xai_casebased::search::Hnsw::default(),
        &["connections", "ef_construction", "ef_search"],
    );
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

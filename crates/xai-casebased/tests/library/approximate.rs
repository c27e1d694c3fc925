//! Explainers with an approximate search report its recall.

use ndarray::Array2;
use xai_casebased::search::Hnsw;
use xai_casebased::similarity::{Embedding, Overflow, TreeLeaf};
use xai_casebased::{CaseExplainer, Engine, Similarity};
use xai_core::Input;

fn rows(n: usize, d: usize, item: u64) -> Array2<f64> {
    let mut stream = xai_core::random::random_stream(6, item);
    Array2::from_shape_simple_fn((n, d), || xai_core::random::uniform(&mut stream))
}

#[test]
fn explanations_carry_the_recall_and_auto_never_chooses_it() {
    let train = rows(1000, 40, 4);
    let labels: Vec<usize> = (0..1000).map(|i| i % 2).collect();
    let fit = |engine| {
        let builder = CaseExplainer::builder().engine(engine);
        builder.fit(train.view(), &labels).unwrap()
    };
    let narrow = Hnsw::default()
        .connections(2)
        .ef_construction(3)
        .ef_search(1);
    let (wide, narrow) = (
        fit(Engine::Approximate(Hnsw::default())),
        fit(Engine::Approximate(narrow)),
    );
    let recall = |e: &CaseExplainer| e.explain(train.row(0), 0).unwrap().recall.unwrap();
    assert!(
        recall(&narrow) < recall(&wide),
        "{} {}",
        recall(&narrow),
        recall(&wide)
    );
    assert_eq!(narrow.training_info().recall, Some(recall(&narrow)));
    let text = narrow.explain(train.row(0), 0).unwrap().to_string();
    assert!(text.contains("(approximate, recall "), "{text}");
    assert_eq!(
        fit(Engine::Auto).explain(train.row(0), 0).unwrap().recall,
        None
    );
    assert_eq!(fit(Engine::Auto).training_info().engine, Engine::BruteForce);
}

#[test]
fn recall_is_reported_for_every_approximate_similarity() {
    let train = rows(500, 6, 9);
    let same = |rows: ndarray::ArrayView2<'_, f64>| Ok::<_, std::fmt::Error>(rows.to_owned());
    let fit = |similarity: Similarity| {
        let builder = CaseExplainer::builder().similarity(similarity);
        let builder = builder.engine(Engine::Approximate(Hnsw::default()));
        builder
            .fit(train.view(), &[0; 500])
            .unwrap()
            .training_info()
            .recall
    };
    assert!(fit(Embedding::new(same).into()).is_some());
    let leaf = |rows: ndarray::ArrayView2<'_, f64>| Ok::<_, std::fmt::Error>(vec![0; rows.nrows()]);
    let tree = || TreeLeaf::new(leaf);
    assert!(fit(tree().overflow(Overflow::Nearest).into()).is_some());
    assert!(fit(tree().into()).is_none());
}

#[test]
fn parameters_of_a_graph_are_checked_when_the_explainer_is_fitted() {
    let vast = Hnsw::default().ef_construction(usize::MAX);
    let builder = CaseExplainer::builder().engine(Engine::Approximate(vast));
    let error = builder.fit(rows(2, 2, 0).view(), &[0, 1]).unwrap_err();
    assert_eq!(error.input(), Input::new("ef_construction"));
}

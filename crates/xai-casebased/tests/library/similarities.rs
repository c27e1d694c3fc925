//! The similarity strategies, against their definitions.

use std::convert::Infallible;

use ndarray::{Array2, ArrayView2, Axis};
use proptest::prelude::*;
use xai_casebased::similarity::{Embedding, ForestProximity, Overflow, TreeLeaf};
use xai_casebased::training::Standardization;
use xai_casebased::{
    CaseExplainer, Distance, Engine, ErrorKind, Explanation, Similarity, help, input,
};
use xai_core::Input;
use xai_core::distance::DistanceFunction;

fn rows(n: usize, d: usize) -> impl Strategy<Value = Array2<f64>> {
    prop::collection::vec(-3.0..3.0f64, n * d)
        .prop_map(move |values| Array2::from_shape_vec((n, d), values).unwrap())
}

/// Two units of a network that is not linear.
fn layer(rows: ArrayView2<'_, f64>) -> Result<Array2<f64>, Infallible> {
    let weights = ndarray::array![[1.0, -0.5], [0.3, 2.0], [-1.0, 0.7]];
    Ok(rows.dot(&weights).mapv(|a| a.max(0.0)))
}

fn leaf(row: ndarray::ArrayView1<'_, f64>, tree: usize) -> u32 {
    u32::from(row[tree % 3] > 0.0) + 2 * u32::from(row[(tree + 1) % 3] > 1.0)
}

fn order(explanation: &Explanation) -> Vec<(usize, f64)> {
    explanation
        .cases
        .iter()
        .map(|c| (c.index, c.distance))
        .collect()
}

/// All rows by `key`, lower rows first among equals.
fn ranked(n: usize, key: impl Fn(usize) -> f64, k: usize) -> Vec<(usize, f64)> {
    let mut all: Vec<(usize, f64)> = (0..n).map(|i| (i, key(i))).collect();
    all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
    all.truncate(k);
    all
}

/// The number of rows that tie at rank `k` of a ranking; 0 if none of them is left out.
fn ties<'a>(ranking: impl Iterator<Item = &'a (usize, f64)>, k: usize) -> usize {
    let distances: Vec<f64> = ranking.map(|(_, distance)| *distance).collect();
    match (distances.get(k.wrapping_sub(1)), distances.get(k)) {
        (Some(last), Some(next)) if last == next => distances.iter().filter(|d| *d == last).count(),
        _ => 0,
    }
}

fn euclidean(a: ndarray::ArrayView1<'_, f64>, b: ndarray::ArrayView1<'_, f64>) -> f64 {
    Distance::Euclidean.distance(&a.to_vec(), &b.to_vec())
}

proptest! {
    #[test]
    fn a_blend_is_the_distance_in_the_joined_space(
        train in rows(40, 3), queries in rows(4, 3), share in 0.0..=1.0f64, w in 0.0..5.0f64,
    ) {
        let labels = vec![0; 40];
        let explainer = CaseExplainer::builder()
            .k(7)
            .similarity(Embedding::new(layer).feature_share(share).weights([w, 1.0]))
            .fit(train.view(), &labels)
            .unwrap();
        let activations = layer(train.view()).unwrap();
        let by_features = Standardization::fit(train.view()).unwrap();
        let by_layer = Standardization::fit(activations.view()).unwrap();
        let space = |rows: ArrayView2<'_, f64>| {
            let features = by_features.apply(rows).unwrap();
            let layer = by_layer.apply(layer(rows).unwrap().view()).unwrap();
            let mut joined = Array2::zeros((rows.nrows(), 5));
            for i in 0..rows.nrows() {
                for j in 0..3 {
                    joined[[i, j]] = features[[i, j]] * share.sqrt();
                }
                joined[[i, 3]] = layer[[i, 0]] * w.sqrt() * (1.0 - share).sqrt();
                joined[[i, 4]] = layer[[i, 1]] * (1.0 - share).sqrt();
            }
            joined
        };
        let (ours, theirs) = (space(train.view()), space(queries.view()));
        let explanations = explainer.explain_batch(queries.view(), &[0; 4]).unwrap();
        for (explanation, query) in explanations.iter().zip(theirs.rows()) {
            let expected = ranked(40, |i| euclidean(ours.row(i), query), 7);
            for ((_, ours), (_, theirs)) in order(explanation).iter().zip(&expected) {
                prop_assert!((ours - theirs).abs() < 1e-9);
            }
        }
    }

    #[test]
    fn pure_features_and_an_identity_embedding_agree(train in rows(30, 3), queries in rows(3, 3)) {
        let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
        let identity = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(rows.to_owned());
        let plain = CaseExplainer::builder().fit(train.view(), &labels).unwrap();
        for embedding in [Embedding::new(identity), Embedding::new(layer).feature_share(1.0)] {
            let other = CaseExplainer::builder().similarity(embedding);
            let other = other.fit(train.view(), &labels).unwrap();
            prop_assert_eq!(
                plain.explain_votes(queries.view()).unwrap(),
                other.explain_votes(queries.view()).unwrap()
            );
        }
    }

    #[test]
    fn weights_of_the_predicted_class_choose_the_space(train in rows(30, 3), query in rows(2, 3)) {
        let labels: Vec<i64> = (0..30).map(|i| 5 + i % 2).collect();
        let only = |unit: usize| -> Vec<f64> { (0..2).map(|i| f64::from(u8::from(i == unit))).collect() };
        let by_class = Embedding::new(layer).standardize(false)
            .class_weights(5, only(0))
            .weights(only(1));
        let by_class = CaseExplainer::builder().similarity(by_class).fit(train.view(), &labels).unwrap();
        let explanations = by_class.explain_batch(query.view(), &[5, 6]).unwrap();
        let (units, theirs) = (layer(train.view()).unwrap(), layer(query.view()).unwrap());
        for (i, unit) in [(0, 0), (1, 1)] {
            let near = |row: usize| (units[[row, unit]] - theirs[[i, unit]]).abs();
            prop_assert_eq!(order(&explanations[i]), ranked(30, near, 5));
        }
        let error = by_class.explain_votes(query.view()).unwrap_err();
        prop_assert_eq!(error.input(), input::SIMILARITY);
        prop_assert_eq!(error.help(), Some(help::PASS_PREDICTIONS));
    }

    #[test]
    fn the_leaf_comes_first_and_overflow_goes_on_by_distance(
        train in rows(40, 3), queries in rows(4, 3), k in 1usize..45,
    ) {
        let labels = vec![0; 40];
        let tree = || TreeLeaf::new(|rows: ArrayView2<'_, f64>| {
            Ok::<_, Infallible>(rows.rows().into_iter().map(|row| leaf(row, 0)).collect())
        });
        let fit = |overflow| CaseExplainer::builder().k(k).scale(false)
            .similarity(tree().overflow(overflow)).fit(train.view(), &labels).unwrap();
        let (short, full) = (fit(Overflow::Truncate), fit(Overflow::Nearest));
        for query in queries.rows() {
            let same = |i: usize| leaf(train.row(i), 0) == leaf(query, 0);
            let all = ranked(40, |i| euclidean(train.row(i), query), 40);
            let mut expected: Vec<_> = all.iter().copied().filter(|(i, _)| same(*i)).collect();
            expected.truncate(k);
            let of_leaf = all.iter().filter(|(i, _)| same(*i));
            let ties_in_leaf = ties(of_leaf, k);
            let found = short.explain(query, 0).unwrap();
            prop_assert_eq!(order(&found), expected.clone());
            prop_assert_eq!(found.ties_at_k, ties_in_leaf);
            let free = k.min(40) - expected.len();
            let others = all.iter().filter(|(i, _)| !same(*i));
            let expected_ties = if free == 0 { ties_in_leaf } else { ties(others.clone(), free) };
            expected.extend(others.copied().take(free));
            let found = full.explain(query, 0).unwrap();
            prop_assert_eq!(order(&found), expected);
            prop_assert_eq!(found.ties_at_k, expected_ties);
        }
    }

    #[test]
    fn proximity_is_the_share_of_common_leaves(
        train in rows(40, 3), queries in rows(20, 3), k in 1usize..45,
    ) {
        let labels = vec![0; 40];
        let forest = ForestProximity::new(|rows: ArrayView2<'_, f64>| {
            Ok::<_, Infallible>(Array2::from_shape_fn((rows.nrows(), 7), |(i, tree)| {
                leaf(rows.row(i), tree)
            }))
        });
        let explainer = CaseExplainer::builder().k(k).similarity(forest);
        let explainer = explainer.fit(train.view(), &labels).unwrap();
        let explanations = explainer.explain_batch(queries.view(), &[0; 20]).unwrap();
        for (explanation, query) in explanations.iter().zip(queries.rows()) {
            let shared = |i: usize| (0..7).filter(|&t| leaf(train.row(i), t) == leaf(query, t)).count();
            let all = ranked(40, |i| 1.0 - shared(i) as f64 / 7.0, 40);
            prop_assert_eq!(order(explanation), &all[..k.min(40)]);
            prop_assert_eq!(explanation.ties_at_k, ties(all.iter(), k));
        }
    }
}

#[test]
fn closures_that_misbehave_are_named() {
    let train = ndarray::array![[0.0], [1.0], [2.0]];
    let fit = |similarity: Embedding| {
        let builder = CaseExplainer::builder().similarity(similarity);
        builder
            .fit(train.view(), &[0, 0, 1])
            .map(|_| ())
            .unwrap_err()
    };
    let fails = |_: ArrayView2<'_, f64>| Err::<Array2<f64>, _>("no such layer");
    let error = fit(Embedding::new(fails));
    assert!(
        matches!(error.kind(), ErrorKind::Model { source, .. } if source.to_string() == "no such layer")
    );
    assert_eq!(error.input(), input::EMBEDDING);
    let short = |_: ArrayView2<'_, f64>| Ok::<_, Infallible>(Array2::zeros((1, 2)));
    let error = fit(Embedding::new(short));
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1, 2]));
    assert_eq!(error.input(), input::EMBEDDING);
    let empty = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(Array2::zeros((rows.nrows(), 0)));
    assert!(matches!(
        fit(Embedding::new(empty)).kind(),
        ErrorKind::Empty
    ));
    let nan = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(rows.mapv(|x| 1.0 / (x - 1.0) * 0.0));
    let error = fit(Embedding::new(nan));
    assert!(matches!(error.kind(), ErrorKind::NonFinite));
    assert_eq!(
        (error.input(), error.index()),
        (input::EMBEDDING, &[1, 0][..])
    );
    let same = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(rows.to_owned());
    let error = fit(Embedding::new(same).weights([1.0, 2.0]));
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [2]));
    assert_eq!(error.input(), input::EMBEDDING_WEIGHTS);
    let error = fit(Embedding::new(same).weights([-1.0]));
    assert!(matches!(
        error.kind(),
        ErrorKind::OutOfDomain { value: -1.0, .. }
    ));
    assert_eq!(error.input(), input::EMBEDDING_WEIGHTS);
    let error = fit(Embedding::new(same).feature_share(1.5));
    assert_eq!(error.input(), Input::new("feature_share"));
    // Another number of dimensions for samples than for training rows.
    let by_size = |rows: ArrayView2<'_, f64>| {
        let columns = vec![rows.column(0).insert_axis(Axis(1)); rows.nrows()];
        ndarray::concatenate(Axis(1), &columns)
    };
    let explainer = CaseExplainer::builder().similarity(Embedding::new(by_size));
    let explainer = explainer.fit(train.view(), &[0, 0, 1]).unwrap();
    let error = explainer
        .explain(ndarray::array![0.5].view(), 0)
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { actual, .. } if *actual == [1, 1]));
    assert_eq!(error.input(), input::EMBEDDING);
}

/// Errors about the samples say so, whatever the search behind the similarity is asked for.
#[test]
fn samples_out_of_range_are_named_in_the_numbers_of_the_batch() {
    let train = ndarray::array![[0.0], [1.0], [2.0]];
    let same = |rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(rows.to_owned());
    let by_class = Embedding::new(same)
        .standardize(false)
        .class_weights(1, [2.0]);
    let explainer = CaseExplainer::builder().scale(false).similarity(by_class);
    let explainer = explainer.fit(train.view(), &[0, 0, 1]).unwrap();
    let samples = ndarray::array![[0.0], [0.5], [1e200], [1.0]];
    let error = explainer
        .explain_batch(samples.view(), &[0, 1, 0, 1])
        .unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
    assert_eq!((error.input(), error.index()), (input::SAMPLES, &[2][..]));
}

/// With `Overflow::Nearest` a case of another leaf can be nearer than the cases of the leaf.
#[test]
fn the_range_of_an_aggregate_is_from_the_smallest_to_the_largest_distance() {
    let leaves = TreeLeaf::new(|rows: ArrayView2<'_, f64>| {
        let leaf = |x: &f64| u32::from(*x > 0.0);
        Ok::<_, Infallible>(rows.column(0).iter().map(leaf).collect())
    });
    let train = ndarray::array![[-0.125], [0.5], [2.0]];
    let builder = CaseExplainer::builder().k(3).scale(false);
    let builder = builder.similarity(leaves.overflow(Overflow::Nearest));
    let explainer = builder.fit(train.view(), &[0, 1, 1]).unwrap();
    let samples = ndarray::array![[0.125]];
    let explanation = explainer.explain(samples.row(0), 1).unwrap();
    let distances: Vec<f64> = explanation.cases.iter().map(|c| c.distance).collect();
    assert_eq!(distances, [0.375, 1.875, 0.25]);
    let aggregates = explainer.aggregate(samples.view(), Some(&[1])).unwrap();
    let aggregate = aggregates[0].released().unwrap();
    assert_eq!(aggregate.distance_range, Some((0.25, 1.875)));
}

/// A distance of the library, given as a function.
fn custom(distance: Distance) -> impl DistanceFunction {
    move |a: &[f64], b: &[f64]| distance.distance(a, b)
}

proptest! {
    #[test]
    fn a_function_with_the_numbers_of_a_distance_finds_its_cases(
        train in rows(40, 3), queries in rows(4, 3), k in 1usize..45, scale in any::<bool>(),
    ) {
        let labels: Vec<usize> = (0..40).map(|i| i % 3).collect();
        let tree = |overflow| TreeLeaf::new(|rows: ArrayView2<'_, f64>| {
            Ok::<_, Infallible>(rows.rows().into_iter().map(|row| leaf(row, 0)).collect())
        }).overflow(overflow);
        let embedding = Embedding::new(|rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(&rows * 2.0)).feature_share(0.5);
        let similarities = [
            Similarity::Features, embedding.into(), tree(Overflow::Truncate).into(), tree(Overflow::Nearest).into(),
        ];
        for distance in [Distance::Manhattan, Distance::Canberra] {
            for similarity in &similarities {
                let builder = CaseExplainer::builder().k(k).scale(scale).similarity(similarity.clone());
                let by_name = builder.clone().distance(distance.clone()).fit(train.view(), &labels).unwrap();
                let own = builder.distance_with(custom(distance.clone())).fit(train.view(), &labels).unwrap();
                prop_assert_eq!(
                    by_name.explain_votes(queries.view()).unwrap(),
                    own.explain_votes(queries.view()).unwrap()
                );
            }
        }
    }
}

#[test]
fn a_custom_distance_that_is_not_a_distance_is_an_error_about_the_sample() {
    let train = ndarray::array![[0.0], [1.0], [2.0]];
    let samples = ndarray::array![[5.0], [0.5]];
    for bad in [f64::NAN, -1.0] {
        // Defined except between the second sample and the third row.
        let distance = move |a: &[f64], b: &[f64]| {
            if (a[0], b[0]) == (0.5, 2.0) { bad } else { 1.0 }
        };
        let tree =
            TreeLeaf::new(|rows: ArrayView2<'_, f64>| Ok::<_, Infallible>(vec![0; rows.nrows()]));
        for similarity in [Similarity::Features, tree.into()] {
            let builder = CaseExplainer::builder().k(1).scale(false);
            let builder = builder.similarity(similarity).distance_with(distance);
            let explainer = builder.fit(train.view(), &[0, 1, 1]).unwrap();
            let error = explainer.explain_votes(samples.view()).unwrap_err();
            assert_eq!((error.input(), error.index()), (input::SAMPLES, &[1][..]));
            assert!(matches!(error.kind(), ErrorKind::OutOfDomain { .. }));
            let text = error.to_string();
            assert!(text.contains("train[2]"), "{text}");
        }
    }
    // An infinite distance matters only to a neighbour.
    let far = |a: &[f64], b: &[f64]| {
        if (a[0] - b[0]).abs() > 1.0 {
            f64::INFINITY
        } else {
            0.0
        }
    };
    let builder = CaseExplainer::builder()
        .k(1)
        .scale(false)
        .distance_with(far);
    let explainer = builder.fit(train.view(), &[0, 1, 1]).unwrap();
    let error = explainer.explain_votes(samples.view()).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::SAMPLES, &[0][..]));
    assert!(
        explainer
            .explain_votes(samples.slice(ndarray::s![1.., ..]))
            .is_ok()
    );
}

#[test]
fn only_a_scan_searches_by_a_custom_distance() {
    let train = ndarray::array![[0.0], [1.0]];
    let builder = || CaseExplainer::builder().distance_with(custom(Distance::Manhattan));
    let error = builder()
        .engine(Engine::KdTree)
        .fit(train.view(), &[0, 1])
        .unwrap_err();
    assert_eq!(error.input(), input::DISTANCE);
    assert_eq!(error.help(), Some(help::USE_BRUTE_FORCE));
    let info = builder()
        .fit(train.view(), &[0, 1])
        .unwrap()
        .training_info();
    assert_eq!(
        (info.engine, info.distance.as_str()),
        (Engine::BruteForce, "custom")
    );
}

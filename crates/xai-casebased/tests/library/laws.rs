//! Laws of correspondence and of explanations.

use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::correspondence::correspondence_of_pairs;
use xai_casebased::training::Standardization;
use xai_casebased::{
    CaseExplainer, CaseOptions, ClassWeights, CorrespondenceMetric, Distance, Kernel, Level,
    correspondence,
};
use xai_core::distance::DistanceFunction;

fn neighbors() -> impl Strategy<Value = Vec<(f64, u8)>> {
    prop::collection::vec((0.0..100.0f64, 0..4u8), 1..30)
}

/// Rows on a coarse grid, so that duplicates and ties are common.
fn problem() -> impl Strategy<Value = (Array2<f64>, Array2<f64>, usize)> {
    (1usize..40, 1usize..12, 1usize..6).prop_flat_map(|(n, d, m)| {
        let rows = |n: usize| {
            prop::collection::vec(-3i8..4, n * d).prop_map(move |v| {
                Array2::from_shape_vec((n, d), v.into_iter().map(|x| f64::from(x) / 2.0).collect())
                    .unwrap()
            })
        };
        (rows(n), rows(m), 1..n + 3)
    })
}

proptest! {
    #[test]
    fn the_score_is_a_share_and_shares_of_all_classes_sum_to_one(pairs in neighbors()) {
        let score = |c| correspondence_of_pairs(&pairs, c).unwrap().score.unwrap();
        let scores: Vec<f64> = (0..4u8).map(score).collect();
        prop_assert!(scores.iter().all(|s| (0.0..=1.0).contains(s)));
        prop_assert!((scores.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn the_order_of_the_neighbours_does_not_show(
        (pairs, shuffled) in neighbors().prop_flat_map(|p| (Just(p.clone()), Just(p).prop_shuffle()))
    ) {
        prop_assert_eq!(
            correspondence_of_pairs(&pairs, 1u8).unwrap(),
            correspondence_of_pairs(&shuffled, 1).unwrap()
        );
    }

    #[test]
    fn correspondence_is_one_when_all_neighbors_agree(d in prop::collection::vec(0.0..1e6f64, 1..20)) {
        let c = correspondence(&d, &vec![3i16; d.len()], 3).unwrap();
        prop_assert_eq!((c.score, c.level), (Some(1.0), Level::High));
        prop_assert_eq!(correspondence(&d, &vec![3i16; d.len()], 4).unwrap().score, Some(0.0));
    }

    #[test]
    fn a_batch_is_its_samples_one_by_one((train, queries, k) in problem()) {
        let labels: Vec<usize> = (0..train.nrows()).map(|i| i % 3).collect();
        let explainer = CaseExplainer::builder().k(k).fit(train.view(), &labels).unwrap();
        let batch = explainer.explain_batch(queries.view(), &vec![0; queries.nrows()]).unwrap();
        for (query, mut explanation) in queries.rows().into_iter().zip(batch) {
            let alone = explainer.explain(query, 0).unwrap();
            explanation.sample = 0;
            prop_assert_eq!(explanation, alone);
        }
        let votes = explainer.explain_votes(queries.view()).unwrap();
        for vote in votes {
            let most = vote.correspondence.class_weights_sum.iter().fold(0.0, |most: f64, (_, sum)| most.max(sum));
            prop_assert_eq!(vote.correspondence.class_weights_sum[&vote.predicted.unwrap()], most);
        }
    }

    #[test]
    fn single_precision_rows_are_the_same_rows((train, queries, k) in problem()) {
        let labels: Vec<usize> = (0..train.nrows()).map(|i| i % 3).collect();
        let predicted = vec![0; queries.nrows()];
        let (train32, queries32) = (train.mapv(|x| x as f32), queries.mapv(|x| x as f32));
        let double = CaseExplainer::builder().k(k).fit(train.view(), &labels).unwrap();
        let single = CaseExplainer::builder().k(k).fit(train32.view(), &labels).unwrap();
        prop_assert_eq!(
            double.explain_batch(queries.view(), &predicted).unwrap(),
            single.explain_batch(queries32.view(), &predicted).unwrap()
        );
    }

    #[test]
    fn standardised_features_have_mean_0_and_deviation_1((train, _, _) in problem()) {
        let scaled = Standardization::fit(train.view()).unwrap().apply(train.view()).unwrap();
        for column in scaled.columns() {
            let n = column.len() as f64;
            let mean = column.sum() / n;
            let variance = column.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
            prop_assert!(mean.abs() < 1e-12);
            prop_assert!(variance.abs() < 1e-12 || (variance - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_closer_agreeing_neighbour_never_lowers_the_score(pairs in neighbors(), by in 0.0..1.0f64) {
        let mut closer = pairs.clone();
        for (distance, label) in &mut closer {
            if *label == 1 {
                *distance *= by;
            }
        }
        let score = |p: &[(f64, u8)]| correspondence_of_pairs(p, 1).unwrap().score.unwrap();
        prop_assert!(score(&closer) >= score(&pairs) - 1e-15);
    }
}

#[test]
fn weights_below_the_range_of_numbers_keep_their_ratio() {
    let score = |kernel: &str, distances: [f64; 2]| {
        let metric = CorrespondenceMetric::new().weighting(kernel.parse().unwrap());
        metric.evaluate(&distances, &[0, 1], 0).unwrap().score
    };
    let near = |score: Option<f64>, expected: f64| {
        let score = score.unwrap();
        assert!(
            (score / expected - 1.0).abs() < 1e-12,
            "{score}, {expected}"
        );
    };
    let of_ratio = |ratio: f64| 1.0 / (1.0 + ratio);
    // Differences of distances that are powers of two, so that they are exact at any distance.
    for far in [0.0, 745.0, 1024.0, 1e6] {
        near(
            score("exponential:1", [far, far + 0.5]),
            of_ratio((-0.5f64).exp()),
        );
        near(
            score("exponential:0.125", [far, far + 0.5]),
            of_ratio((-4f64).exp()),
        );
        let ratio = (-0.5 * 0.0625 * (2.0 * far + 0.0625)).exp();
        near(score("gaussian:1", [far, far + 0.0625]), of_ratio(ratio));
    }
    assert_eq!(score("gaussian:0.001", [1.0, 2.0]), Some(1.0));
    for far in [1e3, 1e110, 1e300] {
        near(
            score("inverse-cube", [far, 2.0 * far + 1.0]),
            of_ratio(0.125),
        );
        near(
            score("inverse-power:40", [far, 2.0 * far + 1.0]),
            of_ratio(2f64.powi(-40)),
        );
    }
    for kernel in [
        "inverse-cube",
        "uniform",
        "inverse-power:9",
        "gaussian:1e-9",
        "exponential:1e-9",
    ] {
        for distance in [0.0, 1e3, 1e150, f64::MAX] {
            assert_eq!(
                score(kernel, [distance, distance]),
                Some(0.5),
                "{kernel} {distance}"
            );
        }
    }
    let metric = CorrespondenceMetric::new();
    assert_eq!(metric.evaluate::<u8>(&[], &[], 0).unwrap().score, None);
}

#[test]
fn class_weights_join_weights_below_the_range_of_numbers() {
    let kernel = Kernel::Exponential { bandwidth: 1.0 };
    let evaluate = |weights: [(i64, f64); 2], distances: &[f64], labels: &[i64]| {
        let weights = ClassWeights::new(weights).unwrap();
        let metric = CorrespondenceMetric::new()
            .weighting(kernel)
            .class_weights(weights);
        metric.evaluate(distances, labels, 1).unwrap()
    };
    // The nearest neighbour counts nothing, the others are 900 and 901 away.
    let c = evaluate([(0, 0.0), (1, 1.0)], &[0.0, 900.0, 901.0], &[0, 1, 2]);
    assert!((c.score.unwrap() - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-12);
    assert_eq!(
        (c.class_weights_sum[&0], c.class_weights_sum[&1]),
        (0.0, 1.0)
    );
    // 1e300 · exp(−1390) : 1e-300 = exp(1381.55 − 1390).
    let c = evaluate([(0, 1e-300), (1, 1e300)], &[0.0, 1390.0], &[0, 1]);
    let ratio = (600.0 * 10f64.ln() - 1390.0).exp();
    assert!((c.score.unwrap() / (ratio / (1.0 + ratio)) - 1.0).abs() < 1e-11);
    // Weights whose sum is beyond the range of numbers.
    let c = evaluate([(0, 1.7e308), (1, 1.7e308)], &[0.0, 0.0], &[0, 1]);
    assert_eq!(c.score, Some(0.5));
    let c = evaluate([(0, 0.0), (1, 0.0)], &[0.0, 1.0], &[0, 1]);
    assert_eq!((c.score, c.level), (None, Level::Undefined));
}

#[test]
fn weights_of_a_closure_are_used_as_they_are() {
    let closure = CorrespondenceMetric::new().weighting_with(|d: f64| d);
    let c = closure
        .evaluate(&[1e308, 1e308, 0.0], &[0, 1, 1], 1)
        .unwrap();
    assert_eq!(c.score, Some(0.5));
    let none = closure.evaluate(&[0.0, 0.0], &[0, 1], 1).unwrap();
    assert_eq!((none.score, none.level), (None, Level::Undefined));
    let weighted = closure.class_weights(ClassWeights::new([(1, 3.0)]).unwrap());
    assert_eq!(
        weighted
            .evaluate(&[2.0, 2.0, 0.0], &[0, 1, 1], 1)
            .unwrap()
            .score,
        Some(0.75)
    );
}

/// Waking other threads would take longer than the work.
#[test]
fn a_small_call_stays_on_its_thread() {
    let here = std::thread::current().id();
    let on_this_thread = move |distance: f64| {
        assert_eq!(std::thread::current().id(), here);
        1.0 / (1.0 + distance)
    };
    let train = Array2::from_shape_fn((150, 4), |(i, j)| ((i * 7 + j * 3) % 11) as f64);
    let explainer = CaseExplainer::builder().weighting_with(on_this_thread);
    let explainer = explainer.fit(train.view(), &[0; 150]).unwrap();
    let samples = train.slice(ndarray::s![..50, ..]);
    assert_eq!(explainer.explain_votes(samples).unwrap().len(), 50);
    assert_eq!(
        explainer
            .case_arrays(samples, CaseOptions::new())
            .unwrap()
            .levels
            .len(),
        50
    );
    assert_eq!(explainer.aggregate(samples, None).unwrap().len(), 50);
}

#[cfg(feature = "serde")]
#[test]
fn an_explanation_survives_storage() {
    let train = ndarray::array![[0.0], [1.0], [5.0]];
    let explainer = CaseExplainer::builder()
        .k(2)
        .class_name(0, "no")
        .fit(train.view(), &[0, 1, 1])
        .unwrap();
    let explanation = explainer.explain(ndarray::array![0.1].view(), 0).unwrap();
    let text = serde_json::to_string(&explanation).unwrap();
    let back: xai_casebased::Explanation = serde_json::from_str(&text).unwrap();
    assert_eq!(back, explanation);
}

#[test]
fn distances_between_rows_are_those_of_two_rows() {
    let rows = |n: usize, by: f64| {
        Array2::from_shape_fn((n, 5), |(i, j)| ((i * 5 + j) as f64 * by).sin() + 0.1)
    };
    let (from, to) = (rows(11, 0.7), rows(9, 1.3));
    let names = "euclidean squared-euclidean manhattan chebyshev minkowski:3 cosine correlation canberra braycurtis hamming";
    for name in names.split_whitespace() {
        let distance: Distance = name.parse().unwrap();
        let found = xai_casebased::search::distances(from.view(), to.view(), &distance).unwrap();
        for ((i, j), &found) in found.indexed_iter() {
            let (a, b) = (from.row(i).to_vec(), to.row(j).to_vec());
            let expected = distance.distance(&a, &b);
            assert_eq!(found.to_bits(), expected.to_bits(), "{name}");
        }
    }
}

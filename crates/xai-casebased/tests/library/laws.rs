//! Laws of correspondence and of explanations.

use ndarray::Array2;
use proptest::prelude::*;
use xai_casebased::correspondence::correspondence_of_pairs;
use xai_casebased::training::Standardization;
use xai_casebased::{CaseExplainer, CorrespondenceMetric, Distance, Kernel, Level, correspondence};
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
        let batch = explainer.explain_batch(queries.view(), &vec![1; queries.nrows()]).unwrap();
        for (query, mut explanation) in queries.rows().into_iter().zip(batch) {
            let alone = explainer.explain(query, 1).unwrap();
            explanation.sample = 0;
            prop_assert_eq!(explanation, alone);
        }
        let votes = explainer.explain_votes(queries.view()).unwrap();
        for vote in votes {
            let most = vote.correspondence.class_weights_sum.values().copied().fold(0.0, f64::max);
            prop_assert_eq!(vote.correspondence.class_weights_sum[&vote.predicted.unwrap()], most);
        }
    }

    #[test]
    fn single_precision_rows_are_the_same_rows((train, queries, k) in problem()) {
        let labels: Vec<usize> = (0..train.nrows()).map(|i| i % 3).collect();
        let predicted = vec![1; queries.nrows()];
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
fn kernels_far_away_that_weigh_nothing_leave_the_score_undefined() {
    let metric = CorrespondenceMetric::new().weighting(Kernel::Gaussian { bandwidth: 1e-3 });
    let c = metric.evaluate(&[1.0, 2.0], &[0, 1], 0).unwrap();
    assert_eq!((c.score, c.level), (None, Level::Undefined));
    assert_eq!(metric.evaluate::<u8>(&[], &[], 0).unwrap().score, None);
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
            .precedents(samples, None, None, None)
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

//! Engines over classes, and rows with mixed columns.

use ndarray::{Array2, Axis, array};
use proptest::prelude::*;
use xai_neighbors::{
    ClassSearch, Distance, Engine, ErrorKind, MixedAggregation, MixedEmbedding, MixedFeature,
    Nearest, input,
};

use crate::engines::{bits, plain_scan};

fn table(n: std::ops::Range<usize>) -> impl Strategy<Value = Array2<f64>> {
    // Few values, so that rows tie. The last two columns are indicators of one category.
    let row = (-4..=4_i8, 0..3_u8, 0..2_u8);
    prop::collection::vec(row, n).prop_map(|rows| {
        let values = rows.iter().flat_map(|&(number, code, indicator)| {
            let indicator = f64::from(indicator);
            [
                f64::from(number) / 2.0,
                f64::from(code),
                indicator,
                1.0 - indicator,
            ]
        });
        Array2::from_shape_vec((rows.len(), 4), values.collect()).unwrap()
    })
}

fn features(weight: f64) -> Vec<MixedFeature> {
    vec![
        MixedFeature::Number {
            column: 0,
            factor: 0.3 * weight,
        },
        MixedFeature::Category {
            columns: vec![1],
            weight,
        },
        MixedFeature::Category {
            columns: vec![2, 3],
            weight,
        },
    ]
}

proptest! {
    #[test]
    fn merged_classes_give_the_neighbours_among_all_rows(
        train in table(2..40),
        labels in prop::collection::vec(0..3_i64, 40),
        queries in table(1..4),
        k in 1_usize..8,
    ) {
        let labels = &labels[..train.nrows()];
        let distance = Distance::Manhattan;
        let plain = MixedEmbedding::unchanged(distance.clone());
        let search = ClassSearch::build(train.view(), labels, plain, k).unwrap();
        let mut merged: Vec<Vec<Nearest>> = vec![Vec::new(); queries.nrows()];
        for (position, class) in search.classes().enumerate() {
            let found = search.nearest_batch(position, queries.view(), k).unwrap();
            for (all, found) in merged.iter_mut().zip(found) {
                prop_assert!(found.iter().all(|near| labels[near.index] == class));
                all.extend(found);
            }
            // Without the row itself.
            let own = search.indices(position);
            let others = search.leave_one_out(position, train.select(Axis(0), own).view(), own, k).unwrap();
            for (&row, others) in own.iter().zip(others) {
                prop_assert_eq!(others.len(), k.min(own.len() - 1));
                prop_assert!(others.iter().all(|near| near.index != row && labels[near.index] == class));
            }
        }
        for (query, mut merged) in queries.rows().into_iter().zip(merged) {
            merged.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.index.cmp(&b.index)));
            merged.truncate(k);
            let expected = plain_scan(train.view(), &distance, &query.to_vec(), k);
            prop_assert_eq!(bits(&merged), bits(&expected));
        }
    }

    #[test]
    fn distances_of_embedded_rows_are_the_mixed_distances(
        train in table(1..20),
        mut queries in table(1..4),
        unknown in any::<bool>(),
    ) {
        if unknown {
            queries[[0, 1]] = 77.0;
        }
        for aggregation in [MixedAggregation::Sum, MixedAggregation::Length, MixedAggregation::ShareOfDifferent] {
            let features = features(if aggregation == MixedAggregation::Sum { 1.0 / 3.0 } else { 1.0 });
            let embedding = MixedEmbedding::fit(&features, aggregation, train.view());
            let rows = embedding.embed(train.view());
            let search = Engine::Auto.build(rows.view(), embedding.distance().clone()).unwrap();
            let found = search.nearest_batch(embedding.embed(queries.view()).view(), train.nrows()).unwrap();
            for (query, found) in queries.rows().into_iter().zip(found) {
                for near in found {
                    let row = train.row(near.index).to_vec();
                    let expected = aggregation.distance(&features, &query.to_vec(), &row);
                    prop_assert!((near.distance - expected).abs() < 1e-12, "{:?} {} {}", aggregation, near.distance, expected);
                }
            }
        }
    }
}

#[test]
fn different_categories_differ_by_their_weight() {
    // 1/√2 per indicator would give 0.9999999999999998 and 1.0000000000000002 by the order of the columns.
    let train = array![[0.0], [1.0], [2.0]];
    let category = [MixedFeature::Category {
        columns: vec![0],
        weight: 1.0,
    }];
    for aggregation in [MixedAggregation::Sum, MixedAggregation::Length] {
        let embedding = MixedEmbedding::fit(&category, aggregation, train.view());
        let rows = embedding.embed(train.view());
        let search = Engine::Auto
            .build(rows.view(), embedding.distance().clone())
            .unwrap();
        let found = search
            .nearest(&embedding.embed(array![[1.0]].view()).row(0).to_vec(), 3)
            .unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|near| (near.index, near.distance))
            .collect();
        assert_eq!(found, [(1, 0.0), (0, 1.0), (2, 1.0)]);
    }
}

#[test]
fn missing_classes_and_wrong_rows_are_errors() {
    let train = array![[0.0], [1.0], [2.0]];
    let plain = || MixedEmbedding::unchanged(Distance::Euclidean);
    let error = ClassSearch::build(train.view(), &[0, 1], plain(), 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::ShapeMismatch { .. }));
    let search = ClassSearch::build(train.view(), &[0, 1, 0], plain(), 1).unwrap();
    let error = search
        .leave_one_out(0, train.select(Axis(0), &[2, 1]).view(), &[2, 1], 1)
        .unwrap_err();
    assert_eq!((error.input(), error.index()), (input::TRAIN, &[1][..]));
    let broken = array![[0.0], [1.0], [f64::NAN]];
    let error = ClassSearch::build(broken.view(), &[0, 1, 0], plain(), 1).unwrap_err();
    assert_eq!((error.input(), error.index()), (input::TRAIN, &[2, 0][..]));
}
